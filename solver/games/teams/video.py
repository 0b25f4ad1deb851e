"""The Video Game: units of two teams walk and shoot on a small map (paper 'mcps', 4.4).

In the order A1, B1, A2, B2 and so on a unit stays or goes to a free cell beside it, aslant too, and
then takes a point of health from an enemy at most two cells away. It goes where no enemy is in
range only if there is none wherever it goes. Dead units leave the map. The last team wins; on
large maps teams may keep apart, and after 40 moves without a shot the game is a draw.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import FAR, mixed
from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.rules import Floats, Moves
from solver.games.teams.ring import close_ring, leave_ring, take_out

Ints = npt.NDArray[np.int32]
#: Points of health at the start.
HEALTH = 3
#: Cells a step may lead to, the unit's own first; and how far a shot goes.
STEPS, RANGE = 9, 2
#: Kinds of codes of moves.
Codes = Literal["abstract", "specific", "exact"]
CODES = get_args(Codes)
ABSTRACT, SPECIFIC, EXACT = range(3)
NOBODY = -1
#: Moves without a shot, in a row, that make a draw: at the size of the paper hardly ever.
QUIET = 40


class Map(NamedTuple):
    """A position; units are numbered in the order in which they move."""

    health: Ints
    """int32[units], those of both teams in turns: 0 for the dead."""
    cell: Ints
    """int32[units]: where they stand, row by row."""
    near: Ints
    """int32[cells, STEPS]: where steps lead to, -1 off the map."""
    distance: Ints
    """int32[cells, cells]: king's moves."""
    columns: int
    turn: int
    quiet: int
    """Moves without a shot before this position."""
    codes: int


class MapState(NamedTuple):
    """Places of the units, and the unit to move."""

    health: Ints
    """int32[units]."""
    cell: Ints
    """int32[units]."""
    there: Ints
    """int32[cells]: the unit on a cell."""
    alive: Ints
    """int32[2, units // 2]: of each team the units that are alive, in order."""
    ring: Ints
    """int32[2, units]: which unit moves after each one and which before."""
    counters: Ints
    """int32[4]: unit to move, units of each team, and moves since the last shot."""


@inlined
def _die(state: MapState, unit: int) -> None:
    team = unit % 2
    take_out(state.alive[team], state.counters[1 + team], unit)
    state.counters[1 + team] -= 1
    leave_ring(state.ring, unit)


@rules.reset.register(Map)
def reset(instance: Map, state: MapState) -> None:
    units = len(instance.health)
    close_ring(state.ring)
    state.counters[1] = state.counters[2] = units // 2
    for cell in range(len(state.there)):
        state.there[cell] = NOBODY
    for unit in range(units):
        state.alive[unit % 2, unit // 2] = unit
    for unit in range(units):
        state.health[unit] = instance.health[unit]
        state.cell[unit] = instance.cell[unit]
        if instance.health[unit] > 0:
            state.there[instance.cell[unit]] = unit
        else:
            _die(state, unit)
    state.counters[0] = instance.turn
    while state.health[state.counters[0]] == 0:
        state.counters[0] = state.ring[0, state.counters[0]]
    state.counters[3] = instance.quiet


@rules.legal_moves.register(Map)
def legal_moves(instance: Map, state: MapState, stream: Stream, moves: Moves) -> int:
    """List moves: a step, and 1 + the number of an enemy in its team, or 0 without one in range."""
    if state.counters[1] == 0 or state.counters[2] == 0 or state.counters[3] == QUIET:
        return 0
    n, unit, others = 0, state.counters[0], len(state.health) // 2 + 1
    cell, enemy = state.cell[unit], 1 - unit % 2
    for step in range(STEPS):
        target = instance.near[cell, step]
        if target < 0 or (step > 0 and state.there[target] != NOBODY):
            continue
        for place in range(state.counters[1 + enemy]):
            other = state.alive[enemy, place]
            # Written first and kept or not: a branch would be mispredicted every other time.
            moves[n] = others * step + other // 2 + 1
            n += instance.distance[target, state.cell[other]] <= RANGE
    if n > 0:
        return n
    for step in range(STEPS):
        target = instance.near[cell, step]
        if target >= 0 and (step == 0 or state.there[target] == NOBODY):
            moves[n] = others * step
            n += 1
    return n


@rules.player.register(Map)
def player(instance: Map, state: MapState) -> int:
    return int(state.counters[0] % 2)


@rules.play.register(Map)
def play(instance: Map, state: MapState, move: int) -> None:
    unit, others = state.counters[0], len(state.health) // 2 + 1
    state.there[state.cell[unit]] = NOBODY
    state.cell[unit] = instance.near[state.cell[unit], move // others]
    state.there[state.cell[unit]] = unit
    state.counters[3] += 1
    if move % others > 0:
        state.counters[3] = 0
        target = 2 * (move % others - 1) + 1 - unit % 2
        state.health[target] -= 1
        if state.health[target] == 0:
            state.there[state.cell[target]] = NOBODY
            _die(state, target)
    state.counters[0] = state.ring[0, unit]


@rules.rewards.register(Map)
def rewards(instance: Map, state: MapState, rewards: Floats) -> None:
    for team in range(2):
        rewards[team] = 1.0 * (state.counters[1 + team] > 0)
        if state.counters[3] == QUIET:
            rewards[team] = 0.5


@rules.code.register(Map)
def code(instance: Map, state: MapState, move: int) -> int:
    unit, others, cells = state.counters[0], len(state.health) // 2 + 1, len(state.there)
    step, shot = move // others, move % others
    if instance.codes == ABSTRACT:
        return int(unit * others + shot)
    target = 2 * (shot - 1) + 1 - unit % 2
    health = state.health[target] if shot > 0 else 0
    if instance.codes == SPECIFIC:
        # A unit that shoots at nobody aims at its own cell.
        arrival = instance.near[state.cell[unit], step]
        aim = state.cell[target] if shot > 0 else arrival
        return int(((unit % 2 * cells + arrival) * cells + aim) * (HEALTH + 1) + health)
    place = (unit * HEALTH + state.health[unit] - 1) * cells + state.cell[unit]
    return int(((place * STEPS + step) * others + shot) * (HEALTH + 1) + health)


@rules.key.register(Map)
def key(instance: Map, state: MapState) -> np.uint64:
    total = mixed(FAR + (QUIET + 1) * state.counters[0] + state.counters[3])
    for unit in range(len(state.health)):
        if state.health[unit] > 0:
            place = unit * len(state.there) + state.cell[unit]
            total += mixed(place * (HEALTH + 1) + state.health[unit])
    return total
