"""Rules for complete search of Kakuro."""

from __future__ import annotations

from solver.compiling.random import Stream
from solver.contract import branching
from solver.contract.rules import Moves
from solver.domains.kakuro.kernels import Kakuro
from solver.propagation.branching import (
    assigned_cell,
    exclude_value,
    most_failed_cell,
    n_assigned,
)
from solver.propagation.combinations import FAILED, N_OPEN, LinesState, list_values


@branching.branching_moves.register(Kakuro)
def branching_moves(instance: Kakuro, state: LinesState, stream: Stream, moves: Moves) -> int:
    if state.scalars[FAILED] or state.scalars[N_OPEN] == 0:
        return 0
    cell = most_failed_cell(instance.lines, state, stream)
    return list_values(instance.lines, state, cell, moves)


@branching.exclude.register(Kakuro)
def exclude(instance: Kakuro, state: LinesState, move: int) -> None:
    n_values = instance.lines.n_values
    exclude_value(instance.lines, state, move // n_values, move % n_values)


@branching.is_open.register(Kakuro)
def is_open(instance: Kakuro, state: LinesState, move: int) -> bool:
    n_values = instance.lines.n_values
    return bool((state.domain[move // n_values] >> (move % n_values)) & 1)


@branching.n_held.register(Kakuro)
def n_held(instance: Kakuro, state: LinesState) -> int:
    return n_assigned(instance.lines, state)


@branching.held_move.register(Kakuro)
def held_move(instance: Kakuro, state: LinesState, index: int) -> int:
    cell = assigned_cell(instance.lines, state, index)
    return int(cell * instance.lines.n_values + state.value[cell])
