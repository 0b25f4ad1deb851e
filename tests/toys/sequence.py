"""A toy domain: a sequence of values in which neighbours differ, with a reward per pair.

Small enough for a plain reference, and with everything a kernel may meet: steps
with a single move, dead ends, ties between scores, moves that depend on the
state, a table prior, and policy codes that are dense or 64-bit hashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Limits, Problem, Puzzle
from solver.contract.rules import Moves
from solver.errors import VerificationError
from solver.priors.priors import table_odds

WIDTH = 8  # values are 0 ... WIDTH - 1
N_PLAYED, LAST = 0, 1  # scalars of a state
DEAD_END = -100.0
HASH_FACTOR = 0x5851F42D4C957F2D  # odd: a permutation of the 64-bit integers


class Sequence(NamedTuple):
    """A sequence with holes."""

    given: npt.NDArray[np.int64]
    """int64[length]: the values, -1 in holes."""
    reward: npt.NDArray[np.float64]
    """float64[length, WIDTH + 1, WIDTH]: by position, value before (WIDTH: none) and value."""
    hashed: int
    """1: policy codes are hashes; 0: dense."""


class SequenceState(NamedTuple):
    """A prefix of the sequence."""

    values: npt.NDArray[np.int64]
    scalars: npt.NDArray[np.int64]


class PairTable(NamedTuple):
    """A prior on (value before, value)."""

    table: npt.NDArray[np.float64]


@dataclass(frozen=True)
class SequenceOptions:
    """Options of codes, and the seed of the rewards, which are 0 ... `rewards` - 1."""

    hashed: bool = False
    seed: int = 0
    rewards: int = 4


@rules.reset.register(Sequence)
def reset(instance: Sequence, state: SequenceState) -> None:
    state.scalars[N_PLAYED] = 0
    state.scalars[LAST] = WIDTH


@rules.legal_moves.register(Sequence)
def legal_moves(instance: Sequence, state: SequenceState, stream: Stream, moves: Moves) -> int:
    step = state.scalars[N_PLAYED]
    n = 0
    if step < len(instance.given):
        for value in range(WIDTH):
            free = instance.given[step] < 0 or instance.given[step] == value
            if free and value != state.scalars[LAST]:
                moves[n] = value
                n += 1
    return n


@rules.play.register(Sequence)
def play(instance: Sequence, state: SequenceState, move: int) -> None:
    state.values[state.scalars[N_PLAYED]] = move
    state.scalars[N_PLAYED] += 1
    state.scalars[LAST] = move


@rules.score.register(Sequence)
def score(instance: Sequence, state: SequenceState) -> float:
    total = 0.0
    last = WIDTH
    for step in range(state.scalars[N_PLAYED]):
        total += instance.reward[step, last, state.values[step]]
        last = state.values[step]
    if state.scalars[N_PLAYED] < len(instance.given):
        total += DEAD_END
    return total


@rules.shaped_score.register(Sequence)
def shaped_score(instance: Sequence, state: SequenceState, score: float) -> float:
    return float(score + 2.0 * state.values[0])  # a large first value looks better


@rules.code.register(Sequence)
def code(instance: Sequence, state: SequenceState, move: int) -> int:
    dense = (state.scalars[N_PLAYED] * (WIDTH + 1) + state.scalars[LAST]) * WIDTH + move
    return int(dense * HASH_FACTOR if instance.hashed else dense)


@rules.mark.register(Sequence)
def mark(instance: Sequence, state: SequenceState) -> int:
    return int(state.scalars[N_PLAYED])


@rules.undo.register(Sequence)
def undo(instance: Sequence, state: SequenceState, mark: int) -> None:
    state.scalars[N_PLAYED] = mark
    state.scalars[LAST] = state.values[mark - 1] if mark > 0 else WIDTH


@rules.is_solution_move.register(Sequence)
def is_solution_move(
    instance: Sequence, state: SequenceState, solution: Moves, step: int, move: int
) -> bool:
    return bool(solution[step] == move)


@rules.prior_code.register(PairTable)
def pair_code(prior: PairTable, instance: Sequence, state: SequenceState, move: int) -> int:
    return int(state.scalars[LAST] * WIDTH + move)


rules.odds.register(PairTable)(table_odds)


def hash_of(dense: int) -> int:
    """Return the hashed code that belongs to a dense one, a signed 64-bit integer."""
    return (dense * HASH_FACTOR + 2**63) % 2**64 - 2**63


class SequenceDomain(Puzzle):
    """Find the sequence of the largest reward."""

    name: ClassVar[str] = "toy"
    instance_class: ClassVar[type] = Sequence
    priors: ClassVar[dict[str, PriorCode]] = {
        "pair": PriorCode("pair", {"before": WIDTH + 1, "value": WIDTH}, PairTable)
    }
    options: ClassVar[type[SequenceOptions]] = SequenceOptions

    def parse(self, text: str, source: str) -> list[Problem]:
        """One sequence per line: a digit, or `.` for a hole."""
        return [
            Problem(source, np.array([-1 if entry == "." else int(entry) for entry in line]))
            for line in text.split()
        ]

    def instance(self, problem: Problem, options: SequenceOptions) -> Sequence:
        """Draw the rewards."""
        shape = (len(problem.data), WIDTH + 1, WIDTH)
        reward = np.random.default_rng(options.seed).integers(0, options.rewards, shape)
        return Sequence(
            problem.data.astype(np.int64), reward.astype(np.float64), int(options.hashed)
        )

    def new_state(self, instance: Sequence) -> SequenceState:
        """Allocate a state."""
        return SequenceState(np.zeros(len(instance.given), np.int64), np.zeros(2, np.int64))

    def limits(self, instance: Sequence) -> Limits:
        """Every position lists at most every value."""
        steps = len(instance.given)
        codes = 0 if instance.hashed else steps * (WIDTH + 1) * WIDTH
        return Limits(steps, WIDTH, steps * WIDTH, codes)

    def answer(self, instance: Sequence, state: SequenceState) -> Any:
        """Return the prefix."""
        return state.values[: state.scalars[N_PLAYED]].copy()

    def verify(self, problem: Problem, answer: Any) -> None:
        """The givens are kept and neighbours differ."""
        if len(answer) != len(problem.data):
            raise VerificationError("the sequence is not complete")
        if np.any((problem.data >= 0) & (problem.data != answer)):
            raise VerificationError("a given was changed")
        if np.any(answer[1:] == answer[:-1]):
            raise VerificationError("two neighbours are equal")

    def format_problem(self, problem: Problem) -> str:
        """Digits and `.`."""
        return self.format(problem, problem.data)

    def format(self, problem: Problem, answer: Any) -> str:
        """Digits and `.`."""
        return "".join("." if value < 0 else str(value) for value in answer) + "\n"

    def parse_answer(self, problem: Problem, text: str, source: str) -> Any:
        """Read one line."""
        return self.parse(text, source)[0].data

    def solution(self, problem: Problem, answer: Any) -> Moves:
        """Return the values."""
        return np.asarray(answer, np.int64)


class TargetDomain(SequenceDomain):
    """Find a sequence of a reward that few random playouts reach (`..3......`: 1 in 8,000)."""

    target: ClassVar[float | None] = 26.0
