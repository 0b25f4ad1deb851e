"""A Sudoku: its values, those given in grey, and the boxes in heavy lines."""

from __future__ import annotations

from typing import Any

import numpy as np

from pipeline.reports.drawings.cells import CELL, boxes, grid, values
from pipeline.reports.drawings.svg import document, labels, style
from solver.contract.domain import Problem
from solver.system.svg import lines, rectangles

TITLE = "Sudokus"
NOTE = "Shaded cells were filled in."
EDGE = 1.5


def draw(problem: Problem, answer: Any) -> str:
    """Draw the board; filled-in values are bold on shaded cells; without an answer the puzzle."""
    board = problem.data
    answer = board.grid if answer is None else answer
    order = len(board.grid)
    side = order * CELL + 2 * EDGE
    given = [(r, c) for r, c in np.argwhere(board.grid >= 0).tolist()]
    filled = [(r, c) for r, c in np.argwhere((board.grid < 0) & (answer >= 0)).tolist()]
    diagonals = [(EDGE, EDGE, side - EDGE, side - EDGE), (EDGE, side - EDGE, side - EDGE, EDGE)]
    parts = [
        rectangles(boxes(filled, EDGE), style("heat", opacity=0.16)),
        lines(diagonals if board.diagonals else [], style(stroke="grid")),
        lines(grid(order, EDGE), style(stroke="grid")),
        lines(_walls(board.regions), style(stroke="ink", width=1.5)),
        labels(values(answer, given, EDGE), 10.5, "muted"),
        labels(values(answer, filled, EDGE), 10.5, "ink", bold=True),
    ]
    return document(side, side, f"Sudoku of order {order}", [part for part in parts if part])


def _walls(regions: Any) -> list[tuple[float, float, float, float]]:
    """Sides of cells between two boxes, and those of the board."""
    framed = np.pad(regions, 1, constant_values=-1)
    found = []
    for row, column in np.argwhere(framed[1:] != framed[:-1]).tolist():
        x, y = EDGE + (column - 1) * CELL, EDGE + row * CELL
        found.append((x, y, x + CELL, y))
    for row, column in np.argwhere(framed[:, 1:] != framed[:, :-1]).tolist():
        x, y = EDGE + column * CELL, EDGE + (row - 1) * CELL
        found.append((x, y, x, y + CELL))
    return found
