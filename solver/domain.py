"""The contract between a problem and everything else.

A domain is a few plain functions, registered with the stubs below for its
instance class, and one `Domain` object for the Python side: text, checking,
names. An *instance* is a NamedTuple of read-only arrays and integers, a *state*
a NamedTuple of preallocated arrays that the functions change in place.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from solver.copies import copy_arrays
from solver.generic import generic, generic_with_default
from solver.random import Stream

Moves = npt.NDArray[np.int64]


@generic
def reset(instance: Any, state: Any) -> None:
    """Make `state` the start state of `instance`."""


@generic
def legal_moves(instance: Any, state: Any, stream: Stream, moves: Moves) -> int:
    """Write the possible moves into `moves` (int64) and return how many; 0 means terminal.

    A constraint problem picks its variable here and lists that variable's
    values; it may consume `stream` (uint64[4]) to break ties between variables.
    Where there is a target, what is left out must not lead to it: a search that has tried
    every move of every decision calls the problem infeasible.
    """


@generic
def play(instance: Any, state: Any, move: int) -> None:
    """Apply `move` to `state`, propagation included."""


@generic
def score(instance: Any, state: Any) -> float:
    """Score of a terminal `state`; higher is better."""


@generic_with_default
def score_from(instance: Any, state: Any, floor: float) -> float:
    """`score` of a terminal `state` if it is `floor` or more, else anything less than `floor`.

    For domains that know sooner that a score is less than it takes to know which it is.
    """
    return float(score(instance, state))


@generic_with_default
def shaped_score(instance: Any, state: Any, score: float) -> float:
    """Score of a terminal `state`, worth `score`, that nested search climbs by.

    For domains with `Domain.can_shape`, whose `score` jumps: what is nearly there should be worth
    more than what is far off. Such a domain's `score_from` must be exact.
    """
    return score


@generic
def code(instance: Any, state: Any, move: int) -> int:
    """Policy code of `move`: what NRPA learns a weight for.

    Dense in [0, `Limits.codes`), or any 64-bit hash where `Limits.codes` is 0.
    """


@generic_with_default
def copy_state(instance: Any, source: Any, target: Any) -> None:
    """Make `target` equal to `source`."""
    copy_arrays(source, target)


@generic_with_default
def mark(instance: Any, state: Any) -> int:
    """Where `undo` can go back to; for domains with `Domain.can_undo`."""
    return 0


@generic_with_default
def undo(instance: Any, state: Any, mark: int) -> None:
    """Take back the moves played since `mark`; for domains with `Domain.can_undo`."""
    return


@generic_with_default
def improve(instance: Any, state: Any, moves: Moves) -> bool:
    """Rewrite the moves of a playout, int64[steps], into as many that score more, by local search.

    For domains with `Domain.can_improve`. Returns whether it did; `state` is scratch. A move
    need not be one that `legal_moves` lists where it is played, if `play` can play it: it is
    added to those listed, and `Limits` must leave room for that.
    """
    return False


@generic
def is_solution_move(instance: Any, state: Any, solution: Moves, step: int, move: int) -> bool:
    """Whether `move`, at step number `step`, is the one that `solution` (int64) plays."""


@generic
def prior_code(prior: Any, instance: Any, state: Any, move: int) -> int:
    """Row of the bias table of `prior` for `move`; dispatches on the prior's class.

    Asked only for moves that `legal_moves` has just listed, in this very state.
    """


@generic
def odds(prior: Any, instance: Any, state: Any, move: int) -> float:
    """Return exp(bias) of `move`, the factor by which `prior` multiplies its weight.

    As `prior_code`, asked only for moves just listed in this very state.
    """


class Limits(NamedTuple):
    """Upper bounds for one playout of an instance, used to size buffers."""

    steps: int
    """Moves in a playout."""
    moves: int
    """Moves possible in one state."""
    choices: int
    """Sum over the steps of the moves possible."""
    codes: int
    """Number of dense policy codes; 0 if the codes are hashes."""


@dataclass(frozen=True)
class PriorCode:
    """A named code over a domain, the key of count and bias tables.

    Attributes
    ----------
    name : str
        What the code is called in files and options.
    components : dict[str, int]
        Cardinality of each component. A row number is the components' mixed-radix
        value, the first component the most significant.
    table_class : type
        NamedTuple with one field, `table` (float64[rows]): exp(bias) by row.
    temperature : float
        Factor of the bias that new tables recommend.
    """

    name: str
    components: dict[str, int]
    table_class: Any
    temperature: float = 1.0

    @property
    def rows(self) -> int:
        """Number of rows of a dense table."""
        return int(np.prod(list(self.components.values()), dtype=np.int64))


@dataclass(frozen=True)
class Problem:
    """A problem as a person states it: a name and the domain's own data."""

    name: str
    data: Any


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
    """The Python side of a domain."""

    name: ClassVar[str]
    """Name on the command line and in files."""
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
    """How answers are shown in reports, see `pipeline.drawings`: a module, an object, or an import
    string."""
    peers: ClassVar[Any] = None
    """Other solvers by name, dict of `pipeline.peers.Peer`, or an import string."""
    shipped_prior: ClassVar[str | None] = None
    """Name of the table that ships and that `solve` takes where none is asked for."""
    options: ClassVar[Any] = NoOptions
    """Frozen dataclass of the choices made when a problem becomes an instance."""
    target: ClassVar[float | None] = None
    """Score at which a problem is solved; None for optimisation problems."""
    can_undo: ClassVar[bool] = False
    """Whether `mark` and `undo` are there, so that a playout can back out of a dead end."""
    can_improve: ClassVar[bool] = False
    """Whether `improve` is there, for searches with a local search."""
    can_shape: ClassVar[bool] = False
    """Whether `shaped_score` is there; the commands then climb by it with GNRPA."""
    default_dead_ends: ClassVar[int] = 0
    """How many dead ends the commands let a playout back out of."""
    default_level: ClassVar[int] = 2
    """Level of nested searches in the commands."""
    best_parameters: ClassVar[dict[str, Any]] = {}
    """Parameters of GNRPA, measured to be the best, that `solve` takes where none are asked for."""
    verification_playouts: ClassVar[float] = 0.0
    """Time that `verify` and `facts` take together, in playouts: a search with a deadline ends
    so much earlier."""

    fact_names: ClassVar[tuple[str, ...]] = ()
    """Keys of `facts`, in that order: columns of tables."""

    def with_options(self, options: Any) -> Self:
        """Return the domain under `options`, if they decide what is read or what answers are worth.

        Such a domain parses, and tells objective, facts and best known score, by the options it has
        been given, else by the defaults. Others have one form only.
        """
        return self

    @abc.abstractmethod
    def parse(self, text: str, source: str) -> list[Problem]:
        """Read the problems in `text`; `source` names it in the `InputError` raised."""

    def is_problem_text(self, text: str) -> bool:
        """Whether a word of the command line is a problem itself and not the name of a file."""
        return False

    def benchmark(self, name: str) -> list[Problem]:
        """Read the benchmark set `name`."""
        raise NotImplementedError(f"{self.name} has no benchmark sets")

    @abc.abstractmethod
    def instance(self, problem: Problem, options: Any) -> Any:
        """Compile `problem` for the search; dtypes, order and writability normalised here."""

    @abc.abstractmethod
    def new_state(self, instance: Any) -> Any:
        """Allocate a state; its content is undefined until `reset`."""

    @abc.abstractmethod
    def limits(self, instance: Any) -> Limits:
        """Bounds on a playout of `instance`."""

    @abc.abstractmethod
    def answer(self, instance: Any, state: Any) -> Any:
        """What `state` says about the problem: the filled grid, the tour, the sequence."""

    @abc.abstractmethod
    def verify(self, problem: Problem, answer: Any) -> None:
        """Check `answer` from the rules alone.

        Raises
        ------
        VerificationError
            If a rule is broken; the message says which one and where.
        """

    def objective(self, problem: Problem, answer: Any) -> float:
        """Score of `answer` from the rules alone; required where `target` is None."""
        raise NotImplementedError(f"{self.name} is an optimisation problem without an objective")

    def feasible(self, problem: Problem, answer: Any) -> bool:
        """Whether an answer to an optimisation problem counts as solved, whatever its score."""
        return True

    def best_known(self, problem: Problem) -> float | None:
        """Score of the best answer that is known to an optimisation problem, if one is."""
        return None

    def describe_score(self, score: float) -> str:
        """`score` as people read it."""
        return f"score {score:.10g}"

    def facts(self, problem: Problem, answer: Any) -> dict[str, Any]:
        """What a reader may want to know of `answer` besides it, for JSON and tables."""
        return {}

    def record(
        self, problem: Problem, answer: Any, facts: Mapping[str, Any], *, several: bool
    ) -> str:
        """`answer` as `solve` prints it, with its name if there are `several`.

        `facts` are the domain's own and those of the run.
        """
        text = self.format(problem, answer)
        return f"# {problem.name}\n{text}\n" if several else text

    @abc.abstractmethod
    def format_problem(self, problem: Problem) -> str:
        """`problem` as text, in a format that `parse` reads."""

    @abc.abstractmethod
    def format(self, problem: Problem, answer: Any) -> str:
        """`answer` as text."""

    @abc.abstractmethod
    def parse_answer(self, problem: Problem, text: str, source: str) -> Any:
        """Read what `format` wrote; `source` names it in the `InputError` raised."""

    def solution(self, problem: Problem, answer: Any) -> Moves:
        """`answer` as the int64 array that `is_solution_move` understands: its entries in order."""
        return np.ascontiguousarray(answer, np.int64).ravel()
