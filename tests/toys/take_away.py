"""A toy game for three: counters are taken in turns, and who takes the last one wins.

A player takes as many as the number of the player, or one more; where that is more than there
are the turn is passed over, and not counted. Where nobody can take any, nobody wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.domain import Game, Limits, Problem
from solver.contract.rules import Floats, Moves
from solver.errors import InputError

LEFT, TURN, LAST = range(3)  # of a state
NOBODY = -1


class Counters(NamedTuple):
    """A position."""

    numbers: npt.NDArray[np.int64]
    """int64[3]: counters left, whose turn it is, who took the last ones."""
    players: int


class Taken(NamedTuple):
    """The same, to be played on."""

    numbers: npt.NDArray[np.int64]


@dataclass(frozen=True)
class TakeAwayOptions:
    """Counters at the start, and players."""

    counters: int = 10
    players: int = 3


@inlined
def _pass_over(instance: Counters, state: Taken) -> None:
    """Go to the first player who can take some, if there is one."""
    for _ in range(instance.players):
        if state.numbers[TURN] <= state.numbers[LEFT]:
            return
        state.numbers[TURN] = (state.numbers[TURN] + 1) % instance.players


@rules.reset.register(Counters)
def reset(instance: Counters, state: Taken) -> None:
    for index in range(3):
        state.numbers[index] = instance.numbers[index]
    _pass_over(instance, state)


@rules.legal_moves.register(Counters)
def legal_moves(instance: Counters, state: Taken, stream: Stream, moves: Moves) -> int:
    n = 0
    if state.numbers[LEFT] > 0:
        for taken in range(state.numbers[TURN], state.numbers[TURN] + 2):
            if 0 < taken <= state.numbers[LEFT]:
                moves[n] = taken
                n += 1
    return n


@rules.player.register(Counters)
def player(instance: Counters, state: Taken) -> int:
    return int(state.numbers[TURN])


@rules.play.register(Counters)
def play(instance: Counters, state: Taken, move: int) -> None:
    state.numbers[LEFT] -= move
    state.numbers[LAST] = state.numbers[TURN]
    state.numbers[TURN] = (state.numbers[TURN] + 1) % instance.players
    _pass_over(instance, state)


@rules.rewards.register(Counters)
def rewards(instance: Counters, state: Taken, rewards: Floats) -> None:
    for number in range(instance.players):
        won = state.numbers[LEFT] == 0 and number == state.numbers[LAST]
        rewards[number] = 1.0 if won else 0.0


@rules.code.register(Counters)
def code(instance: Counters, state: Taken, move: int) -> int:
    return int((instance.players + 1) * state.numbers[TURN] + move)


class TakeAway(Game):
    """The game: its positions are three numbers, its moves one."""

    name: ClassVar[str] = "take-away"
    instance_class: ClassVar[type] = Counters
    options: ClassVar[type[TakeAwayOptions]] = TakeAwayOptions

    def players(self, instance: Counters) -> int:
        """Number of players, an option."""
        return instance.players

    def start(self, options: TakeAwayOptions) -> Problem:
        """All counters, the first player."""
        return Problem("start", np.array([options.counters, 0, NOBODY]))

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read three numbers."""
        try:
            return [Problem(source, np.array([int(word) for word in text.split()]))]
        except ValueError as error:
            raise InputError(f"{source}: expected three numbers ({error})") from error

    def format_problem(self, problem: Problem) -> str:
        """Write three numbers."""
        return " ".join(map(str, problem.data.tolist())) + "\n"

    def format_move(self, instance: Counters, state: Taken, move: int) -> str:
        """Write what is taken."""
        return str(move)

    def position(self, instance: Counters, state: Taken) -> Any:
        """Return the three numbers."""
        return state.numbers.copy()

    def instance(self, problem: Problem, options: TakeAwayOptions) -> Counters:
        """Copy the numbers."""
        return Counters(np.array(problem.data, np.int64), options.players)

    def new_state(self, instance: Counters) -> Taken:
        """Allocate a state."""
        return Taken(np.zeros(3, np.int64))

    def limits(self, instance: Counters) -> Limits:
        """Every move takes one counter or more."""
        steps = int(instance.numbers[LEFT])
        return Limits(steps, 2, 2 * steps, (instance.players + 1) * (instance.players + 1))
