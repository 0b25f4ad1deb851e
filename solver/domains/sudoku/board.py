"""Sudoku boards, and their instances: an exact cover of cells and of the values of lines and boxes.

A candidate is a (cell, value) that is still possible; its sets are the values of the cell, and the
cells for the value in the row, the column, the box and a diagonal. A move is a candidate number,
which is also its policy code.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.propagation.cover_rules import register_cover_rules
from solver.propagation.exact_cover import Cover
from solver.propagation.grid_cover import Groups, new_grid_cover, new_groups

Grid = npt.NDArray[np.int16]

MIN_ORDER, MAX_ORDER = 4, 36


class Sudoku(NamedTuple):
    """A board as it is given."""

    grid: Grid
    """int16[order, order]: values 0 ... order - 1, -1 in holes."""
    regions: Grid
    """int16[order, order]: box of each cell, 0 ... order - 1, each of `order` cells."""
    diagonals: int = 0
    """1: the two long diagonals hold each value once, too."""


class SudokuCover(NamedTuple):
    """A Sudoku to complete, with its givens propagated."""

    given: npt.NDArray[np.int64]
    """int64[order * order]: the givens and the values that they force, -1 in holes."""
    place: npt.NDArray[np.int64]
    """int64[c]: row * order + column of each candidate."""
    value: npt.NDArray[np.int64]
    """int64[c]: value of each candidate."""
    cover: Cover
    contradiction: int
    """1 if the givens alone lead to a dead end."""


register_cover_rules(SudokuCover)


def box_sides(order: int) -> tuple[int, int] | None:
    """Rows and columns of the usual boxes: as square as can be, not higher than wide.

    None for a prime order, which has no boxes.
    """
    rows = next(n for n in range(math.isqrt(order), 0, -1) if order % n == 0)
    return (rows, order // rows) if rows > 1 else None


def boxes(order: int, rows: int, columns: int) -> Grid:
    """Number the boxes of rows x columns cells, int16[order, order]; their product is the order."""
    row, column = np.indices((order, order))
    grid: Grid = (row // rows * (order // columns) + column // columns).astype(np.int16)
    return grid


def groups_of(board: Sudoku) -> Groups:
    """Return the groups of cells that hold each value once: rows, columns, boxes, diagonals."""
    regions = np.ascontiguousarray(board.regions, np.int16)
    return _groups(regions.tobytes(), len(regions), bool(board.diagonals))


@functools.lru_cache(maxsize=64)
def _groups(regions: bytes, order: int, diagonals: bool) -> Groups:
    cells = np.arange(order * order).reshape(order, order)
    region = np.frombuffer(regions, np.int16)
    groups = [*cells, *cells.T, *(np.flatnonzero(region == number) for number in range(order))]
    if diagonals:
        groups += [cells.diagonal(), cells[:, ::-1].diagonal()]
    return new_groups(order * order, order, groups)


def new_sudoku(given: npt.NDArray[Any], groups: Groups, *, random_ties: bool = True) -> SudokuCover:
    """Build the instance of a flat grid without propagating anything."""
    given = np.ascontiguousarray(given, np.int64)
    made = new_grid_cover(given, groups, random_ties=random_ties)
    return SudokuCover(given, made.place, made.value, made.cover, 0)
