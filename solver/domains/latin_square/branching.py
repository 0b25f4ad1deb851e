"""Rules for complete search of Latin squares."""

from __future__ import annotations

from solver.compiling.random import Stream
from solver.contract import branching
from solver.contract.rules import Moves
from solver.domains.latin_square.kernels import LatinSquare
from solver.propagation.branching import most_failed_set
from solver.propagation.exact_cover import (
    FAILED,
    N_ASSIGNED,
    CoverState,
    is_over,
    list_candidates,
    remove,
)


@branching.branching_moves.register(LatinSquare)
def branching_moves(instance: LatinSquare, state: CoverState, stream: Stream, moves: Moves) -> int:
    if is_over(instance.cover, state):
        return 0
    variable = most_failed_set(instance.cover, state, stream)
    return list_candidates(instance.cover, state, variable, moves)


@branching.exclude.register(LatinSquare)
def exclude(instance: LatinSquare, state: CoverState, move: int) -> None:
    if state.alive[move] and not state.scalars[FAILED]:
        remove(instance.cover, state, move)


@branching.is_open.register(LatinSquare)
def is_open(instance: LatinSquare, state: CoverState, move: int) -> bool:
    return bool(state.alive[move])


@branching.n_held.register(LatinSquare)
def n_held(instance: LatinSquare, state: CoverState) -> int:
    return int(state.scalars[N_ASSIGNED])


@branching.held_move.register(LatinSquare)
def held_move(instance: LatinSquare, state: CoverState, index: int) -> int:
    return int(state.assigned[index])
