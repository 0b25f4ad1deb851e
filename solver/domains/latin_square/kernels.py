"""Latin square completion as rules: an exact cover.

A candidate is a (row, column, value) that is still possible; its sets are the values of its cell,
the columns of its (row, value) pair and the rows of its (column, value) pair. A move is a
candidate number, which is also its policy code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import allocating_kernel
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.rules import Moves
from solver.propagation.exact_cover import (
    FAILED,
    N_TRAIL,
    Cover,
    CoverState,
    UInt32s,
    assign,
    is_over,
    list_candidates,
    n_unassigned,
    new_cover,
    reset_cover,
    undo_to,
)
from solver.propagation.sharing import OneShared
from solver.propagation.smallest_set import note_failure, smallest_set
from solver.system.fields import check_fields

Int32s = npt.NDArray[np.int32]
Grid = npt.NDArray[np.int16]
"""int16[order, order]: values 0 ... order - 1, -1 in holes."""

CELL, ROW, COLUMN = 0, 1, 2  # the three kinds of sets


class LatinSquare(NamedTuple):
    """A Latin square to complete, with its givens propagated."""

    order: int
    grid: npt.NDArray[np.int16]
    """int16[order * order]: the givens and what they force."""
    cell: Int32s
    """int32[c]: row * order + column of each candidate."""
    value: Int32s
    """int32[c]: value of each candidate."""
    cover: Cover
    contradiction: int
    """1 if the givens alone lead to a dead end."""


@dataclass(frozen=True)
class LatinSquareOptions:
    """Options of the search for Latin squares.

    Parameters
    ----------
    propagation : {"channeling", "forward"}
        `forward`: a cell with one value left is assigned (the numbers of the paper).
        `channeling`: also a value with one cell left in a row or column.
    variables : {"sets", "cells"}
        Branch on the smallest cell, or on the smallest of all three kinds of sets.
        Under `forward` it is always the cells.
    ties : {"random", "first"}
        Which of the smallest.

    Raises
    ------
    InputError
        If a value is none of these.
    """

    propagation: Literal["channeling", "forward"] = "channeling"
    variables: Literal["sets", "cells"] = "sets"
    ties: Literal["random", "first"] = "random"

    def __post_init__(self) -> None:
        check_fields(self)


@rules.reset.register(LatinSquare)
def reset(instance: LatinSquare, state: CoverState) -> None:
    reset_cover(instance.cover, state)
    state.scalars[FAILED] = instance.contradiction


@rules.legal_moves.register(LatinSquare)
def legal_moves(instance: LatinSquare, state: CoverState, stream: Stream, moves: Moves) -> int:
    if is_over(instance.cover, state):
        return 0
    variable = smallest_set(instance.cover, state, stream)
    return list_candidates(instance.cover, state, variable, moves)


@rules.play.register(LatinSquare)
def play(instance: LatinSquare, state: CoverState, move: int) -> None:
    assign(instance.cover, state, move)


@rules.mark.register(LatinSquare)
def mark(instance: LatinSquare, state: CoverState) -> int:
    return int(state.scalars[N_TRAIL])


@rules.note_dead_end.register(LatinSquare)
def note_dead_end(instance: LatinSquare, state: CoverState) -> None:
    note_failure(state)


@rules.undo.register(LatinSquare)
def undo(instance: LatinSquare, state: CoverState, mark: int) -> None:
    undo_to(instance.cover, state, mark)


@rules.score.register(LatinSquare)
def score(instance: LatinSquare, state: CoverState) -> float:
    return float(-n_unassigned(instance.cover, state))


@rules.code.register(LatinSquare)
def code(instance: LatinSquare, state: CoverState, move: int) -> int:
    return move


@rules.is_solution_move.register(LatinSquare)
def is_solution_move(
    instance: LatinSquare, state: CoverState, solution: Moves, step: int, move: int
) -> bool:
    return bool(solution[instance.cell[move]] == instance.value[move])


@allocating_kernel
def _candidates(grid: npt.NDArray[np.int16], order: int) -> tuple[Int32s, Int32s, UInt32s, int]:
    """Cells, values and sets of all candidates of `grid`, and the number of holes."""
    row_has = np.zeros((order, order), np.bool_)
    column_has = np.zeros((order, order), np.bool_)
    for cell in range(order * order):
        if grid[cell] >= 0:
            row_has[cell // order, grid[cell]] = True
            column_has[cell % order, grid[cell]] = True
    row_set = np.cumsum(~row_has.ravel()) - 1
    column_set = np.cumsum(~column_has.ravel()) - 1
    holes = 0
    count = 0
    for cell in range(order * order):
        if grid[cell] < 0:
            holes += 1
            for value in range(order):
                if not row_has[cell // order, value] and not column_has[cell % order, value]:
                    count += 1
    cells, values = np.empty(count, np.int32), np.empty(count, np.int32)
    sets = np.empty((count, 3), np.uint32)
    hole = 0
    candidate = 0
    for cell in range(order * order):
        if grid[cell] >= 0:
            continue
        for value in range(order):
            if not row_has[cell // order, value] and not column_has[cell % order, value]:
                cells[candidate], values[candidate] = cell, value
                sets[candidate, CELL] = hole
                sets[candidate, ROW] = holes + row_set[cell // order * order + value]
                sets[candidate, COLUMN] = 2 * holes + column_set[cell % order * order + value]
                candidate += 1
        hole += 1
    return cells, values, sets, holes


def new_square(grid: npt.NDArray[np.int16], options: LatinSquareOptions) -> LatinSquare:
    """Build the instance of a flat `grid` without propagating anything."""
    order = round(len(grid) ** 0.5)
    cell, value, sets, holes = _candidates(grid, order)
    forward = options.propagation == "forward"
    cover = new_cover(
        sets,
        3 * holes,
        n_variables=holes if forward or options.variables == "cells" else 3 * holes,
        n_propagated=holes if forward else 3 * holes,
        n_assignments=holes,
        random_ties=options.ties == "random",
        sharing=OneShared(),
    )
    return LatinSquare(order, grid, cell, value, cover, 0)
