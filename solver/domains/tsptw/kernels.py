"""Tours with time windows as playouts: a move is the next node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compiling.copies import copy_items
from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.rules import Moves
from solver.domains.tsptw.instance import Floats, Int64s, Tsptw, opening
from solver.domains.tsptw.route import Route
from solver.priors.priors import table_odds

N_VISITED, HERE, LATE = range(3)  # scalars of a state
TIME, COST, NEAREST, SOONEST, SECOND = range(5)  # of its clock

NEAR_SCALE = 8.0
NEAR_STEPS, DUE_RANKS, SOON_RANKS = 10, 5, 3


class TsptwState(NamedTuple):
    """The way so far."""

    tour: Int64s
    """int64[n]: nodes visited after the depot."""
    rest: Int64s
    """int64[n]: nodes not visited yet, in any order."""
    place: Int64s
    """int64[n]: where a node stands in `rest`."""
    passed: Int64s
    """int64[n]: how many of the first in `Tsptw.urgent` have been visited."""
    earlier: Int64s
    """int64[n]: nodes not visited yet that are due earlier."""
    clock: Floats
    """float64[5]: time, after waiting; travel cost; of the moves listed last the least cost and
    the two earliest times of service."""
    scalars: Int64s
    """int64[3]: nodes visited, the last of them, windows violated."""
    route: Route
    """Scratch of the local search."""


@rules.reset.register(Tsptw)
def reset(instance: Tsptw, state: TsptwState) -> None:
    for index in range(instance.n - 1):
        state.rest[index] = index + 1
        state.place[index + 1] = index
        state.passed[index + 1] = 0
        state.earlier[index + 1] = instance.earlier[index + 1]
    state.clock[TIME], state.clock[COST] = instance.start[0], 0.0
    state.clock[NEAREST] = 0.0
    state.scalars[N_VISITED] = state.scalars[HERE] = state.scalars[LATE] = 0


@rules.copy_state.register(Tsptw)
def copy_state(instance: Tsptw, source: TsptwState, target: TsptwState) -> None:
    copy_items(source.tour, target.tour)
    copy_items(source.rest, target.rest)
    copy_items(source.place, target.place)
    copy_items(source.passed, target.passed)
    copy_items(source.earlier, target.earlier)
    copy_items(source.clock, target.clock)
    copy_items(source.scalars, target.scalars)


@inlined
def _delays_another(instance: Tsptw, state: TsptwState, here: int, time: float, left: int) -> bool:
    """Return whether from `here` at `time` another of the `left` nodes cannot be reached in time.

    Only the most urgent of them is looked at: what was visited stays so for the rest of a
    playout, and `passed` never goes back.
    """
    if left < 2:
        return False
    other = instance.urgent[here, state.passed[here]]
    while state.place[other] >= left:
        state.passed[here] += 1
        other = instance.urgent[here, state.passed[here]]
    return time + instance.reach[here, other] > instance.end[other]


@rules.legal_moves.register(Tsptw)
def legal_moves(instance: Tsptw, state: TsptwState, stream: Stream, moves: Moves) -> int:
    n = instance.n - 1 - state.scalars[N_VISITED]
    listed = 0
    if instance.pruning and n > 1:
        listed = _pruned_moves(instance, state, moves, n)
    if listed == 0:
        for index in range(n):
            moves[index] = state.rest[index]
        listed = n
    _survey(instance, state, moves, listed)
    return listed


@inlined
def _survey(instance: Tsptw, state: TsptwState, moves: Moves, listed: int) -> None:
    """Note the values that the code `next` compares a move with."""
    here, time = state.scalars[HERE], state.clock[TIME]
    nearest = soonest = second = np.inf
    for index in range(listed):
        node = moves[index]
        leg = instance.cost[here, node]
        nearest = min(nearest, leg)
        service = opening(instance, node, time + leg)
        second = min(second, max(service, soonest))
        soonest = min(soonest, service)
    state.clock[NEAREST], state.clock[SOONEST], state.clock[SECOND] = nearest, soonest, second


@inlined
def _pruned_moves(instance: Tsptw, state: TsptwState, moves: Moves, n: int) -> int:
    """See `TsptwOptions.pruning`; 0 if every move makes a node late."""
    rest, here, time = state.rest, state.scalars[HERE], state.clock[TIME]
    listed = 0
    for index in range(n):
        node = rest[index]
        moves[listed] = node
        listed += time + instance.reach[here, node] > instance.end[node]
    if listed == 0:
        for index in range(n):
            node = rest[index]
            arrival = time + instance.cost[here, node]
            then = opening(instance, node, arrival)
            moves[listed] = node
            delays = _delays_another(instance, state, node, then, n)
            listed += not (delays or arrival > instance.end[node])
    return listed


@rules.play.register(Tsptw)
def play(instance: Tsptw, state: TsptwState, move: int) -> None:
    rest, place, clock, scalars = state.rest, state.place, state.clock, state.scalars
    visited, leg = scalars[N_VISITED], instance.cost[scalars[HERE], move]
    left = instance.n - 2 - visited
    last = rest[left]
    rest[place[move]], rest[left] = last, move
    place[last], place[move] = place[move], left
    for index in range(left):
        state.earlier[rest[index]] -= instance.end[rest[index]] > instance.end[move]
    state.tour[visited] = move
    clock[COST] += leg
    clock[TIME] += leg
    scalars[LATE] += clock[TIME] > instance.end[move]
    clock[TIME] = opening(instance, move, clock[TIME])
    scalars[HERE] = move
    scalars[N_VISITED] = visited + 1


@inlined
def score_of(instance: Tsptw, spent: float, late: int) -> float:
    """Score of a tour that spends `spent`, its time or cost, and violates `late` windows."""
    return -spent - instance.origin - instance.penalty * late


@rules.score.register(Tsptw)
def score(instance: Tsptw, state: TsptwState) -> float:
    leg = instance.cost[state.scalars[HERE], 0]
    back = state.clock[TIME] + leg
    late = state.scalars[LATE] + (back > instance.end[0])
    spent = back if instance.makespan else state.clock[COST] + leg
    return score_of(instance, spent, late)


@rules.code.register(Tsptw)
def code(instance: Tsptw, state: TsptwState, move: int) -> int:
    return state.scalars[HERE] * instance.n + move


@rules.is_solution_move.register(Tsptw)
def is_solution_move(
    instance: Tsptw, state: TsptwState, solution: Moves, step: int, move: int
) -> bool:
    return bool(solution[step] == move)


class NextTable(NamedTuple):
    """Distance of a node beyond the nearest one, and the ranks of its due time and its service."""

    table: Floats


@rules.prior_code.register(NextTable)
def next_code(prior: NextTable, instance: Tsptw, state: TsptwState, move: int) -> int:
    clock = state.clock
    leg = instance.cost[state.scalars[HERE], move]
    farther = NEAR_SCALE * np.sqrt(max(leg - clock[NEAREST], 0.0) / instance.detour)
    near = int(np.ceil(min(farther, NEAR_STEPS - 1.0)))
    due = min(state.earlier[move], DUE_RANKS - 1)
    service = opening(instance, move, clock[TIME] + leg)
    soon = 0 + (service > clock[SOONEST]) + (service > clock[SECOND])
    return int((near * DUE_RANKS + due) * SOON_RANKS + soon)


rules.odds.register(NextTable)(table_odds)


class DistancePrior(NamedTuple):
    """exp(-10 (d - min) / (max - min)), d being the cost (paper 'gnrpa', section 6.2)."""

    unused: int = 0


@rules.odds.register(DistancePrior)
def distance_odds(prior: DistancePrior, instance: Tsptw, state: TsptwState, move: int) -> float:
    return instance.near[state.scalars[HERE], move]
