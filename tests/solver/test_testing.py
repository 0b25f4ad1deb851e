"""Findings of `solver.testing` on toys that break one promise each; checks in kernels."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

from solver.algorithms import Gnrpa, Nmcs, Sampling
from solver.compiling.random import Stream, new_stream
from solver.contract import rules as contract
from solver.contract.checks import (
    ContractError,
    check_copies,
    check_drawn,
    check_playouts_within_limits,
    check_registered,
)
from solver.contract.domain import Problem
from solver.contract.rules import Moves
from solver.domains import load_domain
from solver.kernels.arguments import Task
from solver.kernels.bounds import new_broken
from solver.kernels.nested.nmcs import search_nmcs
from solver.kernels.nested.search import search_nested
from solver.kernels.replay import Counted, count_solution
from solver.kernels.sampling import sample
from solver.testing.generators import check_generator
from tests.helpers import FOREVER, begun, random_prior
from tests.instances import problems
from tests.toys import sequence
from tests.toys.sequence import PairTable, SequenceDomain, SequenceState

PLAYOUTS = 40


class Strict(NamedTuple):
    """A toy whose moves must have been listed in the very state that is asked for their code."""

    given: Any
    reward: Any
    hashed: int


class StrictState(NamedTuple):
    """State of the sequence toy, and the moves listed last."""

    values: Any
    scalars: Any
    listed: list[int]


class StrictTable(NamedTuple):
    """A prior that looks for the move among those listed."""

    table: Any


for stub in ("reset", "score", "mark", "is_solution_move"):
    function = getattr(sequence, stub)
    getattr(contract, stub).register(Strict)(function)


@contract.legal_moves.register(Strict)
def legal_moves(instance: Strict, state: StrictState, stream: Stream, moves: Moves) -> int:
    n = sequence.legal_moves(instance, state, stream, moves)  # type: ignore[arg-type]
    state.listed[:] = moves[:n].tolist()
    return n


@contract.play.register(Strict)
def play(instance: Strict, state: StrictState, move: int) -> None:
    sequence.play(instance, state, move)  # type: ignore[arg-type]
    state.listed.clear()


@contract.undo.register(Strict)
def undo(instance: Strict, state: StrictState, mark: int) -> None:
    sequence.undo(instance, state, mark)  # type: ignore[arg-type]
    state.listed.clear()


@contract.copy_state.register(Strict)
def copy_state(instance: Strict, source: StrictState, target: StrictState) -> None:
    target.values[:] = source.values
    target.scalars[:] = source.scalars
    target.listed.clear()


@contract.code.register(Strict)
def code(instance: Strict, state: StrictState, move: int) -> int:
    assert move in state.listed
    return sequence.code(instance, state, move)  # type: ignore[arg-type]


@contract.prior_code.register(StrictTable)
def prior_code(prior: StrictTable, instance: Strict, state: StrictState, move: int) -> int:
    assert move in state.listed
    return sequence.pair_code(prior, instance, state, move)  # type: ignore[arg-type]


@contract.odds.register(StrictTable)
def odds(prior: StrictTable, instance: Strict, state: StrictState, move: int) -> float:
    return float(prior.table[prior_code(prior, instance, state, move)])


class StrictDomain(SequenceDomain):
    """The toy with strict rules."""

    instance_class: ClassVar[type] = Strict

    def instance(self, problem: Any, options: Any) -> Any:
        """Return the same instance, of the strict class."""
        return Strict(*super().instance(problem, options))

    def new_state(self, instance: Any) -> Any:
        """Allocate a state."""
        return StrictState(*super().new_state(instance), [])


def strict() -> tuple[StrictDomain, Any, Any]:
    """Return domain, instance and prior."""
    domain = StrictDomain()
    (problem,) = domain.parse("..3.0.", "toy")
    table = random_prior(SequenceDomain.priors["pair"], seed=1).table
    return domain, domain.instance(problem, domain.options()), StrictTable(table)


@pytest.mark.parametrize(
    ("kernel", "algorithm"),
    [
        (sample, Sampling(dead_ends=3)),
        (search_nested, Gnrpa(2, 5, dead_ends=3)),
        (search_nmcs, Nmcs(2, dead_ends=3)),
    ],
)
def test_kernels_ask_for_moves_just_listed(
    kernel: Any, algorithm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codes and odds, in states that were copied or undone too."""
    domain, instance, prior = strict()
    interpreted = getattr(kernel, "py_func", kernel)
    monkeypatch.setattr(f"{kernel.__module__}.{kernel.__name__}", interpreted)
    run = begun(algorithm, domain, instance, prior, seed=2)
    with np.errstate(over="ignore"):
        run.advance(PLAYOUTS, FOREVER)
    assert run.monitor.counters[0] >= PLAYOUTS


def test_counting_asks_for_moves_just_listed() -> None:
    """A replay, too."""
    domain, instance, prior = strict()
    played, nb = (np.zeros(SequenceDomain.priors["pair"].rows, np.int64) for _ in range(2))
    solution = np.array([1, 2, 3, 1, 0, 1])
    moves = np.zeros(sequence.WIDTH, np.int64)
    task, counted = (
        Task(instance, domain.new_state(instance), prior),
        Counted(played, nb, new_broken()),
    )
    count = getattr(count_solution, "py_func", count_solution)
    assert count(task, solution, moves, new_stream(0), counted) > 0
    assert played.sum() == 4


class Forgetful(SequenceDomain):
    """Its states are all the same."""

    def new_state(self, instance: Any) -> SequenceState:
        """Return the one state."""
        if not hasattr(self, "state"):
            self.state = super().new_state(instance)
        return self.state


def test_a_state_that_two_share_is_found() -> None:
    """A copy must be apart of what it is of."""
    domain = Forgetful()
    (problem,) = domain.parse("......", "toy")
    with pytest.raises(ContractError, match="toy: a copy of a state plays differently"):
        check_copies(domain, domain.instance(problem, domain.options()), "toy")


class Moody(NamedTuple):
    """A prior that is another one whenever it is asked."""

    asked: list[int]


@contract.odds.register(Moody)
def moody_odds(prior: Moody, instance: Any, state: Any, move: int) -> float:
    prior.asked.append(move)
    return float(len(prior.asked))


def test_odds_that_depend_on_what_was_asked_are_found() -> None:
    """They are those of the move and the state alone."""

    class Priors(SequenceDomain):
        handmade: ClassVar[dict[str, Any]] = {"moody": Moody([])}

    domain = Priors()
    (problem,) = domain.parse("......", "toy")
    with pytest.raises(ContractError, match="toy: codes or odds of moves change"):
        check_playouts_within_limits(domain, domain.instance(problem, domain.options()), "toy")


class First(NamedTuple):
    """A toy whose moves are listed, and the first one drawn."""

    given: Any
    reward: Any
    hashed: int


for stub in ("reset", "score", "mark", "is_solution_move", "legal_moves", "play", "undo", "code"):
    getattr(contract, stub).register(First)(getattr(sequence, stub))


@contract.draw_move.register(First)
def draw_first(instance: First, state: SequenceState, stream: Stream, moves: Moves) -> int:
    return sequence.legal_moves(instance, state, stream, moves)  # type: ignore[arg-type]


def test_moves_that_are_drawn_otherwise_than_from_a_list_are_found() -> None:
    """Answers would not be those of the rules."""

    class Firsts(SequenceDomain):
        instance_class: ClassVar[type] = First

        def instance(self, problem: Any, options: Any) -> Any:
            return First(*super().instance(problem, options))

    domain = Firsts()
    (problem,) = domain.parse("......", "toy")
    with pytest.raises(ContractError, match="toy: draw_move draws"):
        check_drawn(domain, domain.instance(problem, domain.options()), "toy")


def test_another_class_of_instances_is_found() -> None:
    """A domain knows the class of its instances."""

    class Other(SequenceDomain):
        instance_class: ClassVar[type] = PairTable

    domain = Other()
    (problem,) = domain.parse("..", "toy")
    expected = "toy: instance_class is PairTable, and instance returns a Sequence"
    with pytest.raises(ContractError, match=expected):
        check_registered(domain, domain.instance(problem, domain.options()))


def test_puzzles_are_games_of_one_player() -> None:
    """A puzzle has one player, whose reward is the score."""
    for name in ("samegame", "tsptw"):
        domain = load_domain(name)
        problem = next(iter(problems(name).values()))
        instance = domain.instance(problem, domain.options())
        state, rewards = domain.new_state(instance), np.zeros(1)
        contract.reset(instance, state)
        assert contract.player(instance, state) == 0
        contract.rewards(instance, state, rewards)
        assert rewards[0] == contract.score(instance, state)


def test_copies_leave_memos_behind() -> None:
    """Copies of an RNA state leave its large memo of folded sequences behind."""
    domain = load_domain("rna")
    options = domain.options(engine="none")  # nothing needs to be compiled
    instance = domain.instance(problems("rna")["hairpin"], options)
    state, copy = (domain.new_state(instance) for _ in range(2))
    contract.reset(instance, state)
    memos = (state.seen, state.seen_score, state.rivals.gain)
    for array in memos:
        array[:] = 1
    contract.copy_state(instance, state, copy)
    assert sum(array.nbytes for array in memos) > 128 * 1024
    for array in (copy.seen, copy.seen_score, copy.rivals.gain):
        assert not array.any()


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("", None),
        ("fickle", "toy, generated instance 0: differs when generated twice"),
        ("alike", "toy, generated instance 1: it is called 'toy', as another is"),
        ("wrong", "toy, generated instance 0: verify rejects its answer: two neighbours are equal"),
    ],
)
def test_wrong_generators_are_found(fault: str, expected: str | None) -> None:
    """Instances are the same when made again, have names of their own and right answers."""
    made = iter(range(100))

    class Generator:
        def generate(self, seed: int, number: int) -> tuple[Problem, Any]:
            name = "toy" if fault == "alike" else f"toy-{seed}-{number}"
            given = np.full(6, -1)
            given[next(made) % 6 if fault == "fickle" else number] = 3
            answer = np.arange(6) % 2 if fault != "wrong" else np.zeros(6, np.int64)
            return Problem(name, given), np.where(given < 0, answer, given)

    class Made(SequenceDomain):
        name: ClassVar[str] = "toy"
        generator: ClassVar[Any] = Generator

    domain = Made()
    if expected is None:
        check_generator(domain, domain.options())
        return
    with pytest.raises(ContractError, match=expected):
        check_generator(domain, domain.options())
