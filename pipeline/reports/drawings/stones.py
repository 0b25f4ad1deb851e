"""A position of a game of stones on the crossings of lines: Gomoku, Atarigo, Nogo."""

from __future__ import annotations

from typing import Any

import numpy as np

from pipeline.reports.drawings.boards import LAST, changed, described, rim, some, stones
from pipeline.reports.drawings.svg import document, labels, style
from solver.contract.domain import Problem
from solver.system.svg import lines, rectangles

CELL = 24.0
EDGE = 30.0


def draw(game: Any, position: Problem, before: Problem | None = None) -> str:
    """Draw the board; the stone that is not there `before` has a frame."""
    cells = position.data.cells
    rows, columns = cells.shape
    wide, tall = (columns - 1) * CELL, (rows - 1) * CELL
    held = [
        (*_at(row, column), int(cells[row, column]) - 1)
        for row, column in np.argwhere(cells > 0).tolist()
    ]
    frames = [
        (x - CELL / 2, y - CELL / 2, CELL, CELL)
        for x, y in (
            _at(*cell) for cell in changed(cells, None if before is None else before.data.cells)
        )
    ]
    grid = [(EDGE, EDGE + n * CELL, EDGE + wide, EDGE + n * CELL) for n in range(rows)]
    grid += [(EDGE + n * CELL, EDGE, EDGE + n * CELL, EDGE + tall) for n in range(columns)]
    across, down = rim(game, rows, columns)
    names = [(EDGE + n * CELL, EDGE + tall + 20, name) for n, name in enumerate(across)]
    names += [(EDGE - 20, EDGE + n * CELL, name) for n, name in enumerate(down)]
    parts = [
        lines(grid, style(stroke="muted", width=0.8)),
        *stones(held, game.marks[1:], 0.42 * CELL),
        rectangles(frames, style("none", LAST, 2)),
        labels(names, 11, "muted"),
    ]
    return document(wide + 2 * EDGE, tall + 2 * EDGE, described(game, position), some(parts))


def _at(row: int, column: int) -> tuple[float, float]:
    return EDGE + column * CELL, EDGE + row * CELL
