"""A position of Breakthrough or Knightthrough: pawns or knights on a chessboard."""

from __future__ import annotations

from typing import Any

import numpy as np

from pipeline.reports.drawings.boards import LAST, PLAYERS, changed, described, rim, some
from pipeline.reports.drawings.svg import document, labels, style
from solver.contract.domain import Problem
from solver.system.svg import rectangles

CELL = 30.0
EDGE = 20.0
#: Full and hollow, as text: else phones paint them.
PAWNS = "\N{BLACK CHESS PAWN}\ufe0e", "\N{WHITE CHESS PAWN}\ufe0e"
KNIGHTS = "\N{BLACK CHESS KNIGHT}\ufe0e", "\N{WHITE CHESS KNIGHT}\ufe0e"
NOTE = "Full pieces are those of x, which run upwards, hollow ones those of o."


def draw(game: Any, position: Problem, before: Problem | None = None) -> str:
    """Draw the board; cells that differ from those `before` have a frame."""
    cells = position.data.cells
    rows, columns = cells.shape
    figures = KNIGHTS if game.name == "knightthrough" else PAWNS
    dark = [_box(*cell) for cell in np.ndindex(rows, columns) if sum(cell) % 2]
    frames = changed(cells, None if before is None else before.data.cells)
    side = (EDGE, EDGE, columns * CELL, rows * CELL)
    parts = [
        rectangles([side], style("none", "muted")),
        rectangles(dark, style("muted", opacity=0.25)),
        rectangles([_box(*cell) for cell in frames], style("none", LAST, 2.5)),
    ]
    for player, figure in enumerate(figures):
        held = np.argwhere(cells == player + 1).tolist()
        text = [(x + CELL / 2, y + CELL / 2, figure) for x, y, *_ in (_box(*at) for at in held)]
        parts.append(labels(text, 0.85 * CELL, PLAYERS[player]))
    across, down = rim(game, rows, columns)
    middle = EDGE + CELL / 2
    names = [(middle + n * CELL, EDGE + rows * CELL + 10, name) for n, name in enumerate(across)]
    names += [(EDGE - 10, middle + n * CELL, name) for n, name in enumerate(down)]
    parts.append(labels(names, 11, "muted"))
    width, height = columns * CELL + 2 * EDGE, rows * CELL + 2 * EDGE
    return document(width, height, described(game, position), some(parts))


def _box(row: int, column: int) -> tuple[float, float, float, float]:
    return EDGE + column * CELL, EDGE + row * CELL, CELL, CELL
