"""The Wargame: units attack in a fixed order, A1, B1, A2, B2 and so on, and take a point of health.

Paper 'mcps', 4.2. Dead units are passed over. The last team that has units wins; the paper has two
of them, or three (4.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver import domain
from solver.compiling.bits import FAR, hash_items, mixed
from solver.compiling.copies import copy_items
from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.domain import Floats, Limits, Moves, Problem
from solver.errors import InputError
from solver.games.teams.units import TeamsGame, Units, require_team_options, unit_name

Ints = npt.NDArray[np.int32]
#: What codes of moves tell.
CODES = ("abstract", "exact")
#: Points of health at the start.
HEALTH = 3


class War(NamedTuple):
    """A position; units are numbered in the order in which they attack."""

    health: Ints
    """int32[teams * units]."""
    teams: int
    turn: int
    exact: bool
    """Whether codes of moves tell the health of both units."""


class WarState(NamedTuple):
    """Who is alive, and who attacks."""

    health: Ints
    """int32[teams * units]."""
    alive: Ints
    """int32[1 + teams]: teams that have units, and units of each."""
    turn: Ints
    """int32[1]."""


@inlined
def _pass_over(state: WarState) -> None:
    """Go to the first unit that is alive; there is one."""
    while state.health[state.turn[0]] == 0:
        state.turn[0] = (state.turn[0] + 1) % len(state.health)


@domain.reset.register(War)
def reset(instance: War, state: WarState) -> None:
    for team in range(1 + instance.teams):
        state.alive[team] = 0
    for unit in range(len(instance.health)):
        state.health[unit] = instance.health[unit]
        state.alive[1 + unit % instance.teams] += instance.health[unit] > 0
    for team in range(instance.teams):
        state.alive[0] += state.alive[1 + team] > 0
    state.turn[0] = instance.turn
    _pass_over(state)


@domain.legal_moves.register(War)
def legal_moves(instance: War, state: WarState, stream: Stream, moves: Moves) -> int:
    n, own = 0, state.turn[0] % instance.teams
    if state.alive[0] > 1:
        for first in range(0, len(state.health), instance.teams):
            for team in range(instance.teams):
                if team != own and state.health[first + team] > 0:
                    moves[n] = first + team
                    n += 1
    return n


@domain.player.register(War)
def player(instance: War, state: WarState) -> int:
    return int(state.turn[0] % instance.teams)


@domain.play.register(War)
def play(instance: War, state: WarState, move: int) -> None:
    state.health[move] -= 1
    if state.health[move] == 0:
        team = 1 + move % instance.teams
        state.alive[team] -= 1
        state.alive[0] -= state.alive[team] == 0
    state.turn[0] = (state.turn[0] + 1) % len(state.health)
    _pass_over(state)


@domain.rewards.register(War)
def rewards(instance: War, state: WarState, rewards: Floats) -> None:
    for team in range(instance.teams):
        rewards[team] = 1.0 * (state.alive[1 + team] > 0)


@domain.code.register(War)
def code(instance: War, state: WarState, move: int) -> int:
    pair = state.turn[0] * len(state.health) + move
    if not instance.exact:
        return int(pair)
    health = HEALTH * (state.health[state.turn[0]] - 1) + state.health[move] - 1
    return int(HEALTH * HEALTH * pair + health)


@domain.key.register(War)
def key(instance: War, state: WarState) -> np.uint64:
    return mixed(FAR + state.turn[0]) + hash_items(state.health, HEALTH + 3)


@domain.copy_state.register(War)
def copy_state(instance: War, source: WarState, target: WarState) -> None:
    copy_items(source.health, target.health)
    copy_items(source.alive, target.alive)
    target.turn[0] = source.turn[0]


@dataclass(frozen=True)
class WargameOptions:
    """Who fights, and what codes of moves tell.

    Parameters
    ----------
    units : int
        Of each team.
    players : int
        2 or 3, a team each.
    codes : {"abstract", "exact"}
        Attacker and target, or the health of both, too.
    """

    units: int = 10
    players: int = 2
    codes: str = "abstract"

    def __post_init__(self) -> None:
        require_team_options(self.units, self.players, self.codes, CODES)


class Wargame(TeamsGame):
    """The game; a move is the name of a target."""

    name: ClassVar[str] = "wargame"
    instance_class: ClassVar[type] = War
    options: ClassVar[type[WargameOptions]] = WargameOptions
    most: ClassVar[int] = HEALTH

    def start(self, options: WargameOptions) -> Problem:
        """All units in good health."""
        return self.full(options.players, options.units, HEALTH)

    def position(self, instance: War, state: WarState) -> Units:
        """Health and turn of a state."""
        health = state.health.reshape(-1, instance.teams).T
        return Units(np.ascontiguousarray(health, np.int64), int(state.turn[0]))

    def instance(self, problem: Problem, options: WargameOptions) -> War:
        """Put the units in order."""
        points, turn = problem.data
        if not points.any():
            raise InputError(f"{problem.name}: nobody is alive, expected a unit of some team")
        health = np.ascontiguousarray(points.T.ravel(), np.int32)
        return War(health, len(points), int(turn), options.codes == "exact")

    def new_state(self, instance: War) -> WarState:
        """Allocate a state."""
        sizes = len(instance.health), 1 + instance.teams, 1
        return WarState(*(np.zeros(size, np.int32) for size in sizes))

    def limits(self, instance: War) -> Limits:
        """Every move takes a point."""
        units, steps = len(instance.health), int(instance.health.sum())
        moves = units - units // instance.teams
        codes = units * units * (HEALTH * HEALTH if instance.exact else 1)
        return Limits(steps, moves, steps * moves, codes)

    def format_move(self, instance: War, state: WarState, move: int) -> str:
        """Write the name of the target."""
        return unit_name(move, instance.teams)
