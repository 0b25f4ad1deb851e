"""A stranger's domain with options of all kinds: a row of switches, on or off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Limits, Problem, Puzzle
from solver.contract.rules import Moves
from solver.errors import InputError, VerificationError


class Row(NamedTuple):
    """Switches to set, with as many on as asked for."""

    switches: int
    wanted: int


class RowState(NamedTuple):
    """int64[1 + switches]: how many are set, then what each is."""

    values: npt.NDArray[np.int64]


@dataclass(frozen=True)
class SwitchOptions:
    """Options of switches.

    Parameters
    ----------
    wrap : bool
        Count the first switch twice.
    begin : {"on", "off"}
        What the first switch is.
    most : int or None
        How many may be on; none for all.
    """

    wrap: bool = True
    begin: Literal["on", "off"] = "on"
    most: int | None = None


@rules.reset.register(Row)
def reset(instance: Row, state: RowState) -> None:
    state.values[0] = 0


@rules.legal_moves.register(Row)
def legal_moves(instance: Row, state: RowState, stream: Stream, moves: Moves) -> int:
    if state.values[0] == instance.switches:
        return 0
    moves[0] = 0
    moves[1] = 1
    return 2


@rules.play.register(Row)
def play(instance: Row, state: RowState, move: int) -> None:
    state.values[0] += 1
    state.values[state.values[0]] = move


@rules.score.register(Row)
def score(instance: Row, state: RowState) -> float:
    return -float(abs(instance.wanted - state.values[1:].sum()))


@rules.code.register(Row)
def code(instance: Row, state: RowState, move: int) -> int:
    return int(2 * state.values[0] + move)


class Switches(Puzzle):
    """A row of switches of which so many are on."""

    name: ClassVar[str] = "switches"
    instance_class: ClassVar[type] = Row
    priors: ClassVar[dict[str, PriorCode]] = {}
    options: ClassVar[Any] = SwitchOptions
    target: ClassVar[float | None] = 0.0

    def __init__(self, options: SwitchOptions | None = None) -> None:
        self.chosen = options or SwitchOptions()

    def with_options(self, options: SwitchOptions) -> Switches:
        """Return the domain that writes `options` beside its answers."""
        return Switches(options)

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read a number of switches."""
        if not text.strip().isdigit():
            raise InputError(f"{source}: expected a number of switches")
        return [Problem(source, int(text))]

    def format_problem(self, problem: Problem) -> str:
        """Write the number."""
        return str(problem.data)

    def instance(self, problem: Problem, options: SwitchOptions) -> Row:
        """Return the instance that limits the number of switches that are on."""
        most = problem.data if options.most is None else options.most
        return Row(problem.data, min(problem.data, most))

    def new_state(self, instance: Row) -> RowState:
        """Allocate a state."""
        return RowState(np.zeros(1 + instance.switches, np.int64))

    def limits(self, instance: Row) -> Limits:
        """A step a switch."""
        n = instance.switches
        return Limits(steps=n, moves=2, choices=2 * n, codes=2 * (n + 1))

    def answer(self, instance: Row, state: RowState) -> npt.NDArray[np.int64]:
        """Return the switches, int64[switches]."""
        return state.values[1:].copy()

    def verify(self, problem: Problem, answer: Any) -> None:
        """Check that there are as many."""
        if len(answer) != problem.data:
            raise VerificationError(f"{len(answer)} switches, expected {problem.data}")

    def format(self, problem: Problem, answer: Any) -> str:
        """Write them, and the options."""
        chosen = self.chosen
        return f"{''.join(map(str, answer))} {chosen.wrap} {chosen.begin} {chosen.most}\n"

    def parse_answer(self, problem: Problem, text: str, source: str) -> Any:
        """Read them."""
        return np.array([int(letter) for letter in text.split()[0]], np.int64)
