"""The Python side of a domain: text, checks and names of a puzzle or a game.

Its rules are the functions of `solver.contract.rules`, registered for the class of its instances.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from solver.compiling.generic import Generic
from solver.contract.assignments import Assignable
from solver.contract.codes import PriorCode
from solver.contract.problems import Problem as Problem
from solver.contract.problems import UnreadableProblem as UnreadableProblem
from solver.contract.problems import read_each as read_each
from solver.contract.rules import Moves, estimate
from solver.errors import InputError


class Limits(NamedTuple):
    """Upper bounds for one playout of an instance, used to size buffers.

    Whole numbers, 0 or more.
    """

    steps: int
    """Moves in a playout."""
    moves: int
    """Moves possible in one state."""
    choices: int
    """Sum over the steps of the moves possible."""
    codes: int
    """Number of dense policy codes; 0 if the codes are hashes."""


@dataclass(frozen=True)
class Benchmark:
    """A set of instances that ships, with the options that are usual for it."""

    description: str
    defaults: dict[str, Any]
    """Values of options where the domain's own defaults are not meant."""


@dataclass(frozen=True)
class NoOptions:
    """Options of a domain that has none."""


class Domain(abc.ABC):
    """The Python side of rules: what puzzles and games have in common."""

    name: ClassVar[str]
    """Name on the command line and in files."""
    instance_class: ClassVar[type]
    """Class of its instances, which its functions are registered for."""
    priors: ClassVar[dict[str, PriorCode]]
    """Codes a prior can be learned for."""
    handmade: ClassVar[dict[str, Any]] = {}
    """Priors made by hand: an instance of a class that `odds` is registered for, by name."""
    benchmarks: ClassVar[dict[str, Benchmark]] = {}
    """Sets of instances; `solver.domains.DOMAINS` lists those that ship, too."""
    generator: ClassVar[Any] = None
    """Maker of solved instances, what priors are learned from: a class, see `generators.solved`, or
    an import string, `module:name`, as for all that belongs to a domain and lies above it."""
    samples: ClassVar[Any] = None
    """Function of a number of problems and a seed that yields those that `solve` takes without a
    file, or an import string; by default they come from `generator`."""
    drawing: ClassVar[Any] = None
    """How answers, or positions of a game, are shown, see `pipeline.reports.drawings`: a module, an
    object, or an import string."""
    peers: ClassVar[Any] = None
    """Other solvers by name, dict of `pipeline.comparing.peers.Peer`, or an import string."""
    shipped_prior: ClassVar[str | None] = None
    """Prior that `solve` takes where none is asked for: one made by hand, the name of a table that
    ships, or of a file beside that of the domain, `my_game.parquet`."""
    options: ClassVar[Any] = NoOptions
    """Frozen dataclass of the choices made when a problem becomes an instance."""

    def has(self, *functions: Generic) -> bool:
        """True if all of the optional `functions` of the contract exist for its instances."""
        cls = self.instance_class
        return all(function.implementation(cls) is not None for function in functions)

    def with_options(self, options: Any) -> Self:
        """Return the domain under `options`, if they decide what is read or what answers are worth.

        Such a domain parses, and tells objective, facts and best known score, by the options it has
        been given, else by the defaults. Others have one form only.
        """
        return self

    @abc.abstractmethod
    def parse(self, text: str, source: str) -> list[Problem]:
        """Read the problems in `text`; `source` names it in the `InputError` raised.

        One of several that cannot be read is an `UnreadableProblem`, see `read_each`: it costs no
        other.
        """

    @abc.abstractmethod
    def format_problem(self, problem: Problem) -> str:
        """`problem` as text, in a format that `parse` reads."""

    def is_problem_text(self, text: str) -> bool:
        """True if a word of the command line is a problem itself and not the name of a file."""
        return False

    def benchmark(self, name: str) -> list[Problem]:
        """Read the benchmark set `name`, a key of `benchmarks`.

        Raises
        ------
        NotImplementedError
            If the domain has no benchmark sets.
        """
        raise NotImplementedError(f"{self.name} has no benchmark sets")

    @abc.abstractmethod
    def instance(self, problem: Problem, options: Any) -> Any:
        """Compile `problem` for the search; dtypes, order and writability normalised here.

        Parameters
        ----------
        problem : Problem
            As `parse` returns it.
        options : object
            An instance of the class `options`.

        Returns
        -------
        NamedTuple
            An instance of `instance_class`, which searches do not change.

        Raises
        ------
        InputError
            If the problem does not fit the options; `UnsolvableError` if it has no answer.
        """

    @abc.abstractmethod
    def new_state(self, instance: Any) -> Any:
        """Allocate a state, a NamedTuple of arrays; its content is undefined until `reset`."""

    @abc.abstractmethod
    def limits(self, instance: Any) -> Limits:
        """Bounds on a playout of `instance`."""


class Puzzle(Assignable, Domain):
    """A domain of one player, whose answers can be verified: for `solve`, `learn`, `compare`."""

    target: ClassVar[float | None] = None
    """Score at which a problem is solved; None for optimisation problems."""
    default_dead_ends: ClassVar[int] = 0
    """How many dead ends a playout may back out of, unless an algorithm is told."""
    default_level: ClassVar[int] = 2
    """Level of nested searches, unless an algorithm is told."""
    maker: ClassVar[Any] = None
    """Maker of puzzles with one solution for `make-puzzles`, see `generators.puzzles.making`: a
    class, or an import string."""
    best_parameters: ClassVar[dict[str, Any]] = {}
    """Parameters of GNRPA, measured to be the best, that `solve` takes where none are asked for."""
    verification_playouts: ClassVar[float] = 0.0
    """Time that `verify` and `facts` take together, in playouts: a search with a deadline ends
    so much earlier."""
    fact_names: ClassVar[tuple[str, ...]] = ()
    """Keys of `facts` and of its designer's `details`, in that order: columns of tables."""
    prover: ClassVar[Any] = None
    """Function that proves answers to an optimisation problem the best, or that there is none, see
    `solver.contract.gaps.Prove`, or an import string."""
    answer_mark: ClassVar[str] = "# "
    """Beginning of the line that names the problem above its answer, as `record` writes it."""
    designer: ClassVar[Any] = None
    """Class of `solver.contract.designer.Designer` where `solve` takes requests, or an import
    string."""

    def best_algorithm(self, options: Any) -> str:
        """Default algorithm of `solve`, if none is named, nor an option that it lacks."""
        return "gnrpa"

    def exactly_one(self, instance: Any) -> list[Moves] | None:
        """Return sets of moves of which each answer has exactly one, if these are all its rules.

        Each int64[n]; for SAT solvers. None where the rules say more. An instance that has no
        answer may have a set without moves.
        """
        return None

    def portfolio(self, instance: Any) -> dict[str, float]:
        """Return the shares of playouts of searches that take turns: gnrpa, complete, cadical.

        The first comes first. Features of the instance may decide.
        """
        return {"gnrpa": 1.0, "complete": 1.0, "cadical": 1.0}

    def start_playouts(self, instance: Any) -> int:
        """Return the playouts of GNRPA with which a relay begins before tempering goes on.

        Features of the instance may decide.
        """
        return 0

    def new_orders(self, instance: Any) -> Any:
        """Allocate orders of `instance`, see `solver.contract.orders`; None if it has none."""
        return None

    @abc.abstractmethod
    def answer(self, instance: Any, state: Any) -> Any:
        """Return the answer in `state`: the filled grid, the tour, the sequence; never None."""

    @abc.abstractmethod
    def verify(self, problem: Problem, answer: Any) -> None:
        """Check `answer` from the rules alone.

        Raises
        ------
        VerificationError
            If a rule is broken; the message says which one and where.
        UncheckedError
            If that cannot be told in time.
        """

    def objective(self, problem: Problem, answer: Any) -> float:
        """Score of `answer` from the rules alone, higher is better; required if `target` is None.

        Raises
        ------
        NotImplementedError
            If the domain has no objective.
        """
        raise NotImplementedError(f"{self.name} is an optimisation problem without an objective")

    def feasible(self, problem: Problem, answer: Any) -> bool:
        """True if an answer to an optimisation problem counts as solved, whatever its score."""
        return True

    def why_not_feasible(self, problem: Problem, answer: Any) -> str:
        """Say what makes an answer not `feasible`, and where."""
        return "the answer is not feasible"

    def feasible_above(self, problem: Problem) -> float:
        """Score above which answers to an optimisation problem are feasible, and no others."""
        return -math.inf

    def why_infeasible(
        self, problem: Problem, options: Any, *, thorough: bool = False
    ) -> str | None:
        """Say why no answer to an optimisation problem is feasible; None where nothing proves it.

        Asked before the search of a command, which is then left out, and, `thorough`, after one
        that found nothing feasible, when a second more does not matter.
        """
        return None

    def best_known(self, problem: Problem) -> float | None:
        """Score of the best answer that is known to an optimisation problem, if one is."""
        return None

    def describe_score(self, score: float) -> str:
        """`score` as people read it."""
        return f"score {score:.10g}"

    def describe_scores(self, scored: Sequence[tuple[Problem, float]]) -> str:
        """Sum of scores, each with its problem, as people read it; of a single one that score."""
        return self.describe_score(sum(score for _, score in scored))

    def facts(self, problem: Problem, answer: Any) -> dict[str, Any]:
        """Properties of `answer` beside its score, for JSON and tables."""
        return {}

    def bound_facts(self, problem: Problem, answer: Any, bound: float) -> dict[str, Any]:
        """Facts of a feasible `answer` where no score exceeds `bound`; `optimal` is one of them."""
        return {"optimal": math.isclose(self.objective(problem, answer), bound, rel_tol=1e-8)}

    def record(
        self, problem: Problem, answer: Any, facts: Mapping[str, Any], *, several: bool
    ) -> str:
        """`answer` as `solve` prints it, named if `several`; `facts` are its own and the run's."""
        text = self.format(problem, answer)
        return f"# {problem.name}\n{text}\n" if several else text

    @abc.abstractmethod
    def format(self, problem: Problem, answer: Any) -> str:
        """`answer` as text."""

    @abc.abstractmethod
    def parse_answer(self, problem: Problem, text: str, source: str) -> Any:
        """Read what `format` wrote; `source` names it in the `InputError` raised."""

    def moves_of(self, instance: Any, text: str, source: str) -> Moves:
        """Read the moves of an answer that a search is to begin with, int64[steps].

        Raises
        ------
        InputError
            If it is none, or, as here, the domain reads none.
        """
        raise InputError(f"{source}: searches of {self.name} begin with no answer of a file")

    def read_answer(self, problem: Problem, text: str, source: str, options: Any) -> Any:
        """Read an answer made elsewhere, as `record` prints it or others write it.

        By default as `parse_answer`, which is for texts of `format` alone; raises as it does.
        """
        return self.parse_answer(problem, text, source)

    def replayed(self, instance: Any, answer: Any) -> Any:
        """`instance` for the replay of `answer`, with what that says of how it was found."""
        return instance

    def solution(self, problem: Problem, answer: Any) -> Moves:
        """`answer` as the int64 array that `is_solution_move` understands: its entries in order."""
        return np.ascontiguousarray(answer, np.int64).ravel()


class Game(Domain):
    """A domain whose rules have `player` and `rewards`; a `Problem` is a position to play from."""

    priors: ClassVar[dict[str, PriorCode]] = {}
    generator: ClassVar[Any] = "generators.self_play:SelfPlay"
    player_names: ClassVar[str] = "123456789"
    """A letter for each player."""
    start_options: ClassVar[tuple[str, ...]] = ()
    """Options that tell of the start alone: refused where a position is given."""
    search: ClassVar[str | None] = None
    """Tree search that `solve` takes where none is asked for, None for that of most games."""
    search_parameters: ClassVar[Mapping[str, Any]] = {}
    """Parameters of that search, where they are others than usual."""
    prior_in: ClassVar[str] = "tree"
    """Place of `shipped_prior` in that search: the tree, playouts or both."""
    prior_temperature: ClassVar[float | None] = None
    """Its temperature there, None for the one that it recommends."""

    def players(self, instance: Any) -> int:
        """Number of players, 1 or more."""
        return 2

    def has_estimates(self, instance: Any) -> bool:
        """True if searches may take the `estimate` of positions of `instance`.

        By default not where who would win loses: where `instance` has a true `misere`.
        """
        return self.has(estimate) and not getattr(instance, "misere", False)

    @abc.abstractmethod
    def start(self, options: Any) -> Problem:
        """Position that a game begins with."""

    @abc.abstractmethod
    def position(self, instance: Any, state: Any) -> Any:
        """Data of the `Problem` that goes on from `state`."""

    @abc.abstractmethod
    def format_move(self, instance: Any, state: Any, move: int) -> str:
        """`move`, possible in `state`, as players of the game write it: a word of its own."""
