"""Square boards of cells with numbers: Latin squares and Sudokus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Side of a cell.
CELL = 20.0

Cells = Sequence[tuple[int, int]]
"""Rows and columns of cells."""
Sides = list[tuple[float, float, float, float]]


def boxes(cells: Cells, edge: float) -> Sides:
    """Squares of cells (x, y, width, height) on a board with a margin of `edge`."""
    return [(edge + column * CELL, edge + row * CELL, CELL, CELL) for row, column in cells]


def grid(order: int, edge: float) -> Sides:
    """Lines (x, y, to x, to y) between `order` rows and columns, those around them too."""
    last = order * CELL + edge
    ends = [number * CELL + edge for number in range(order + 1)]
    return [(x, edge, x, last) for x in ends] + [(edge, y, last, y) for y in ends]


def values(answer: Any, cells: Cells, edge: float) -> list[tuple[float, float, str]]:
    """Middles of cells (x, y), and the values from 1 that `answer` has there."""
    return [
        (
            edge + (column + 0.5) * CELL,
            edge + (row + 0.5) * CELL,
            str(int(answer[row, column]) + 1),
        )
        for row, column in cells
    ]
