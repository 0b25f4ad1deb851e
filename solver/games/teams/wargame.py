"""The Wargame: units attack in a fixed order, A1, B1, A2, B2 and so on, and take a point of health.

Paper 'mcps', 4.2. Dead units are passed over. The last team that has units wins; the paper has two
of them, or three (4.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import FAR, hash_items, mixed
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_place
from solver.contract import rules
from solver.contract.domain import Limits, Problem
from solver.contract.rules import Floats, Moves
from solver.errors import InputError
from solver.games.teams.ring import close_ring, leave_ring, take_out
from solver.games.teams.units import MOST_UNITS, TeamsGame, Units, unit_name
from solver.system.fields import Range, check_fields

Ints = npt.NDArray[np.int32]
#: Kinds of codes of moves.
Codes = Literal["abstract", "exact"]
CODES = get_args(Codes)
#: Points of health at the start.
HEALTH = 3


class War(NamedTuple):
    """A position; units are numbered in the order in which they attack."""

    health: Ints
    """int32[teams * units]."""
    team: Ints
    """int32[teams * units]."""
    teams: int
    turn: int
    exact: bool
    """True if codes of moves tell the health of both units."""


class WarState(NamedTuple):
    """Units alive, and the unit to attack."""

    health: Ints
    """int32[teams * units]."""
    alive: Ints
    """int32[1 + teams]: units that are alive, all and of each team."""
    targets: Ints
    """int32[teams, targets]: of each team its enemies that are alive, in order."""
    ring: Ints
    """int32[2, teams * units]: which unit attacks after each one and which before."""
    turn: Ints
    """int32[1]."""


@inlined
def _die(instance: War, state: WarState, unit: int) -> None:
    team = instance.team[unit]
    for other in range(instance.teams):
        if other != team:
            take_out(state.targets[other], state.alive[0] - state.alive[1 + other], unit)
    state.alive[0] -= 1
    state.alive[1 + team] -= 1
    leave_ring(state.ring, unit)


@rules.reset.register(War)
def reset(instance: War, state: WarState) -> None:
    units = len(instance.health)
    close_ring(state.ring)
    for team in range(instance.teams):
        n = 0
        for unit in range(units):
            if instance.team[unit] != team:
                state.targets[team, n] = unit
                n += 1
        state.alive[1 + team] = units - n
    state.alive[0] = units
    for unit in range(units):
        state.health[unit] = instance.health[unit]
        if instance.health[unit] == 0:
            _die(instance, state, unit)
    state.turn[0] = instance.turn
    while state.health[state.turn[0]] == 0:
        state.turn[0] = state.ring[0, state.turn[0]]


@rules.legal_moves.register(War)
def legal_moves(instance: War, state: WarState, stream: Stream, moves: Moves) -> int:
    own = instance.team[state.turn[0]]
    n = state.alive[0] - state.alive[1 + own]
    for place in range(n):
        moves[place] = state.targets[own, place]
    return int(n)


@rules.draw_move.register(War)
def draw_move(instance: War, state: WarState, stream: Stream, moves: Moves) -> int:
    own = instance.team[state.turn[0]]
    n = state.alive[0] - state.alive[1 + own]
    if n > 0:
        moves[0] = state.targets[own, next_place(stream, n)]
    return int(n)


@rules.player.register(War)
def player(instance: War, state: WarState) -> int:
    return int(instance.team[state.turn[0]])


@rules.play.register(War)
def play(instance: War, state: WarState, move: int) -> None:
    state.health[move] -= 1
    if state.health[move] == 0:
        _die(instance, state, move)
    state.turn[0] = state.ring[0, state.turn[0]]


@rules.rewards.register(War)
def rewards(instance: War, state: WarState, rewards: Floats) -> None:
    for team in range(instance.teams):
        rewards[team] = 1.0 * (state.alive[1 + team] > 0)


@rules.code.register(War)
def code(instance: War, state: WarState, move: int) -> int:
    pair = state.turn[0] * len(state.health) + move
    if not instance.exact:
        return int(pair)
    health = HEALTH * (state.health[state.turn[0]] - 1) + state.health[move] - 1
    return int(HEALTH * HEALTH * pair + health)


@rules.key.register(War)
def key(instance: War, state: WarState) -> np.uint64:
    return mixed(FAR + state.turn[0]) + hash_items(state.health, HEALTH + 3)


@dataclass(frozen=True)
class WargameOptions:
    """Options of the wargame: its players and the codes of moves.

    Parameters
    ----------
    units : int
        Units of each team.
    players : int
        2 or 3, a team each.
    codes : {"abstract", "exact"}
        Attacker and target, or the health of both, too.
    """

    units: Annotated[int, Range(1, MOST_UNITS)] = 10
    players: Literal[2, 3] = 2
    codes: Codes = "abstract"

    def __post_init__(self) -> None:
        check_fields(self)


class Wargame(TeamsGame):
    """Wargame of teams of units; a move is the name of a target."""

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
        team = np.arange(len(health), dtype=np.int32) % np.int32(len(points))
        return War(health, team, len(points), int(turn), options.codes == "exact")

    def new_state(self, instance: War) -> WarState:
        """Allocate a state."""
        units, teams = len(instance.health), instance.teams
        shapes = units, 1 + teams, (teams, units - units // teams), (2, units), 1
        return WarState(*(np.zeros(shape, np.int32) for shape in shapes))

    def limits(self, instance: War) -> Limits:
        """Every move takes a point."""
        units, steps = len(instance.health), int(instance.health.sum())
        moves = units - units // instance.teams
        codes = units * units * (HEALTH * HEALTH if instance.exact else 1)
        return Limits(steps, moves, steps * moves, codes)

    def format_move(self, instance: War, state: WarState, move: int) -> str:
        """Write the name of the target."""
        return unit_name(move, instance.teams)
