"""A stranger's domain with a designer: different rows of bits, with a number of ones in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.extend import (
    Designer,
    Limits,
    Moves,
    PriorCode,
    Problem,
    Puzzle,
    Range,
    Stream,
    VerificationError,
    check_fields,
    rules,
)


class Bits(NamedTuple):
    """A row to fill, unlike others."""

    n: int
    excluded: npt.NDArray[np.int64]
    """int64[rows, n]."""


class BitsState(NamedTuple):
    """int64[1 + n]: number of bits set, then the bits."""

    values: npt.NDArray[np.int64]


@dataclass(frozen=True)
class BitsRequests:
    """Requests beyond any row of bits.

    Parameters
    ----------
    rows : int
        Number of different rows.
    ones : int
        Fewest ones in a row.
    """

    rows: Annotated[int, Range(1)] = 1
    ones: Annotated[int, Range(0)] = 0

    def __post_init__(self) -> None:
        check_fields(self)


@rules.reset.register(Bits)
def reset(instance: Bits, state: BitsState) -> None:
    state.values[0] = 0


@rules.legal_moves.register(Bits)
def legal_moves(instance: Bits, state: BitsState, stream: Stream, moves: Moves) -> int:
    if state.values[0] == instance.n:
        return 0
    moves[0] = 0
    moves[1] = 1
    return 2


@rules.play.register(Bits)
def play(instance: Bits, state: BitsState, move: int) -> None:
    state.values[0] += 1
    state.values[state.values[0]] = move


@rules.score.register(Bits)
def score(instance: Bits, state: BitsState) -> float:
    for row in range(len(instance.excluded)):
        equal = 0
        for place in range(instance.n):
            equal += instance.excluded[row, place] == state.values[1 + place]
        if equal == instance.n:
            return 0.0
    return 1.0


@rules.code.register(Bits)
def code(instance: Bits, state: BitsState, move: int) -> int:
    return int(2 * state.values[0] + move)


class BitsDomain(Puzzle):
    """Rows of bits."""

    name: ClassVar[str] = "bits"
    instance_class: ClassVar[type] = Bits
    priors: ClassVar[dict[str, PriorCode]] = {}
    target: ClassVar[float | None] = 1.0
    fact_names: ClassVar[tuple[str, ...]] = ("row",)
    designer: ClassVar[Any]

    def __init__(self, ones: int = 0, excluded: Sequence[str] = ()) -> None:
        self.ones, self.excluded = ones, excluded

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read a number of bits."""
        return [Problem(source, int(text))]

    def format_problem(self, problem: Problem) -> str:
        """Write the number."""
        return str(problem.data)

    def instance(self, problem: Problem, options: Any) -> Bits:
        """Number the bits."""
        bits = [int(bit) for row in self.excluded for bit in row]
        return Bits(problem.data, np.array(bits, np.int64).reshape(-1, problem.data))

    def new_state(self, instance: Bits) -> BitsState:
        """Allocate a state."""
        return BitsState(np.zeros(1 + instance.n, np.int64))

    def limits(self, instance: Bits) -> Limits:
        """A step for each bit."""
        n = instance.n
        return Limits(steps=n, moves=2, choices=2 * n, codes=2 * (n + 1))

    def answer(self, instance: Bits, state: BitsState) -> str:
        """Return the row."""
        return "".join(map(str, state.values[1:]))

    def verify(self, problem: Problem, answer: str) -> None:
        """Count the ones, and look for the row among those before."""
        if answer.count("1") < self.ones:
            raise VerificationError(f"{answer.count('1')} ones, expected {self.ones}")
        if answer in self.excluded:
            raise VerificationError(f"{answer} again")

    def format(self, problem: Problem, answer: str) -> str:
        """Write the row."""
        return f"{answer}\n"

    def parse_answer(self, problem: Problem, text: str, source: str) -> str:
        """Read the row."""
        return text.strip()


@dataclass(frozen=True)
class BitsDesigner(Designer):
    """Rows under `BitsRequests`."""

    requests_class: ClassVar[Any] = BitsRequests

    @property
    def domain(self) -> BitsDomain:
        """Domain whose verifier counts ones."""
        return BitsDomain(self.requests.ones, self.excluded)

    def n_answers(self, problem: Problem) -> int:
        """Return the number of rows."""
        return int(self.requests.rows)

    def refine(
        self, problem: Problem, options: Any, answer: str, random: Random
    ) -> Iterator[tuple[str, float]]:
        """Set one bit after the other until the ones are enough."""
        while answer.count("1") < self.requests.ones and "0" in answer:
            yield answer, 0.5
            zeros = [place for place, bit in enumerate(answer) if bit == "0"]
            place = random.choice(zeros)
            answer = f"{answer[:place]}1{answer[place + 1 :]}"
        enough = answer.count("1") >= self.requests.ones and answer not in self.excluded
        yield answer, 1.0 if enough else 0.5

    def details(self, problem: Problem, answer: str) -> dict[str, Any]:
        """Return the number of the row."""
        return {"row": len(self.excluded) + 1}


BitsDomain.designer = BitsDesigner
