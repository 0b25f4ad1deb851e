"""Tours with time windows as playouts: a move is the next node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver import domain
from solver.domain import Moves
from solver.jit import inlined
from solver.priors import table_odds
from solver.random import Stream

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

N_VISITED, HERE, LATE = range(3)  # scalars of a state
TIME, COST = range(2)  # of its clock

PENALTY = 1e6
NEAR_RANKS, DUE_RANKS, WAITS = 8, 5, 4


class Tsptw(NamedTuple):
    """A travelling salesman problem with time windows; node 0 is the depot."""

    n: int
    cost: Floats
    """float64[n, n]: from, to."""
    start: Floats
    """float64[n]: who arrives before it waits."""
    end: Floats
    """float64[n]: who arrives after it violates the window."""
    near: Floats
    """float64[n, n]: exp(-10 (cost - least) / (most - least)), the prior `distance`."""
    pruning: int
    """1: see `TsptwOptions.pruning`."""


class TsptwState(NamedTuple):
    """The way so far."""

    tour: Int64s
    """int64[n]: nodes visited after the depot."""
    rest: Int64s
    """int64[n]: nodes not visited yet, in any order."""
    place: Int64s
    """int64[n]: where a node stands in `rest`."""
    clock: Floats
    """float64[2]: time, after waiting, and travel cost."""
    scalars: Int64s
    """int64[3]: nodes visited, the last of them, windows violated."""


@domain.reset.register(Tsptw)
def reset(instance: Tsptw, state: TsptwState) -> None:
    for index in range(instance.n - 1):
        state.rest[index] = index + 1
        state.place[index + 1] = index
    state.clock[TIME], state.clock[COST] = instance.start[0], 0.0
    state.scalars[N_VISITED] = state.scalars[HERE] = state.scalars[LATE] = 0


@inlined
def _copy_all(source: npt.NDArray[np.generic], target: npt.NDArray[np.generic]) -> None:
    for index in range(len(source)):
        target[index] = source[index]


@domain.copy_state.register(Tsptw)
def copy_state(instance: Tsptw, source: TsptwState, target: TsptwState) -> None:
    _copy_all(source.tour, target.tour)
    _copy_all(source.rest, target.rest)
    _copy_all(source.place, target.place)
    _copy_all(source.clock, target.clock)
    _copy_all(source.scalars, target.scalars)


@inlined
def _delays_another(instance: Tsptw, rest: Int64s, n: int, here: int, time: float) -> bool:
    """Whether from `here` at `time` one of the first `n` of `rest` is out of reach in time."""
    for index in range(n):
        other = rest[index]
        if other != here and time + instance.cost[here, other] > instance.end[other]:
            return True
    return False


@domain.legal_moves.register(Tsptw)
def legal_moves(instance: Tsptw, state: TsptwState, stream: Stream, moves: Moves) -> int:
    rest, here, time = state.rest, state.scalars[HERE], state.clock[TIME]
    n = instance.n - 1 - state.scalars[N_VISITED]
    listed = 0
    if instance.pruning and n > 1:
        for index in range(n):
            node = rest[index]
            moves[listed] = node
            listed += time + instance.cost[here, node] > instance.end[node]
        if listed > 0:
            return listed
        for index in range(n):
            node = rest[index]
            then = max(time + instance.cost[here, node], instance.start[node])
            if not _delays_another(instance, rest, n, node, then):
                moves[listed] = node
                listed += 1
        if listed > 0:
            return listed
    for index in range(n):
        moves[index] = rest[index]
    return n


@domain.play.register(Tsptw)
def play(instance: Tsptw, state: TsptwState, move: int) -> None:
    rest, place, clock, scalars = state.rest, state.place, state.clock, state.scalars
    visited, leg = scalars[N_VISITED], instance.cost[scalars[HERE], move]
    last = rest[instance.n - 2 - visited]
    rest[place[move]] = last
    place[last] = place[move]
    state.tour[visited] = move
    clock[COST] += leg
    clock[TIME] += leg
    scalars[LATE] += clock[TIME] > instance.end[move]
    clock[TIME] = max(clock[TIME], instance.start[move])
    scalars[HERE] = move
    scalars[N_VISITED] = visited + 1


@domain.score.register(Tsptw)
def score(instance: Tsptw, state: TsptwState) -> float:
    leg = instance.cost[state.scalars[HERE], 0]
    late = state.scalars[LATE] + (state.clock[TIME] + leg > instance.end[0])
    return float(-(state.clock[COST] + leg) - PENALTY * late)


@domain.code.register(Tsptw)
def code(instance: Tsptw, state: TsptwState, move: int) -> int:
    return state.scalars[HERE] * instance.n + move


@domain.is_solution_move.register(Tsptw)
def is_solution_move(
    instance: Tsptw, state: TsptwState, solution: Moves, step: int, move: int
) -> bool:
    return bool(solution[step] == move)


class NextTable(NamedTuple):
    """How near a node is and how soon it is due, among those left, and how long one waits there."""

    table: Floats


@domain.prior_code.register(NextTable)
def next_code(prior: NextTable, instance: Tsptw, state: TsptwState, move: int) -> int:
    here = state.scalars[HERE]
    nearer, earlier = 0, 0
    for index in range(instance.n - 1 - state.scalars[N_VISITED]):
        other = state.rest[index]
        nearer += instance.cost[here, other] < instance.cost[here, move]
        earlier += instance.end[other] < instance.end[move]
    wait = instance.start[move] - state.clock[TIME] - instance.cost[here, move]
    share = wait / max(instance.end[0] - instance.start[0], 1e-9)
    waiting = 0 + (share > 0.0) + (share > 0.01) + (share > 0.05)
    near, due = min(nearer, NEAR_RANKS - 1), min(earlier, DUE_RANKS - 1)
    return int((near * DUE_RANKS + due) * WAITS + waiting)


domain.odds.register(NextTable)(table_odds)


class DistancePrior(NamedTuple):
    """exp(-10 (d - min) / (max - min)), d being the cost (paper 'gnrpa', section 6.2)."""

    unused: int = 0


@domain.odds.register(DistancePrior)
def distance_odds(prior: DistancePrior, instance: Tsptw, state: TsptwState, move: int) -> float:
    return instance.near[state.scalars[HERE], move]
