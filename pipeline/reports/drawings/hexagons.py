"""A position of Hex: a rhombus of hexagons, with the sides that each player connects."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pipeline.reports.drawings.boards import LAST, PLAYERS, changed, described, rim, some, stones
from pipeline.reports.drawings.svg import document, labels, style
from solver.contract.domain import Problem
from solver.system.svg import polygons, polylines

NOTE = "x connects the upper and the lower side, o the left and the right one."
#: From the middle of a hexagon to its corners, and to the middle of the next one.
SIDE = 14.0
WIDE = SIDE * math.sqrt(3.0)
EDGE = 22.0
#: Corners from the top, clockwise.
CORNERS = [(math.sin(turn * math.pi / 3), -math.cos(turn * math.pi / 3)) for turn in range(6)]


def draw(game: Any, position: Problem, before: Problem | None = None) -> str:
    """Draw the board; the stone that is not there `before` has a frame."""
    cells = position.data.cells
    size = len(cells)
    places = [_hexagon(row, column) for row, column in np.ndindex(cells.shape)]
    last = changed(cells, None if before is None else before.data.cells)
    held = [
        (*_middle(row, column), int(cells[row, column]) - 1)
        for row, column in np.argwhere(cells > 0).tolist()
    ]
    parts = [
        polygons(places, style("none", "muted", 0.8)),
        polylines(_sides(size), style(stroke=PLAYERS[0], width=4)),
        polylines(_flanks(size), f'{style(stroke=PLAYERS[1], width=4)} stroke-dasharray="5 3"'),
        *stones(held, game.marks[1:], 0.62 * SIDE),
        polygons([_hexagon(*cell) for cell in last], style("none", LAST, 3)),
        labels(_names(game, size), 11, "muted"),
    ]
    width = (1.5 * size - 0.5) * WIDE + 2 * EDGE
    height = (1.5 * size + 0.5) * SIDE + 2 * EDGE
    return document(width, height, described(game, position), some(parts))


def _middle(row: int, column: int) -> tuple[float, float]:
    return EDGE + (column + row / 2 + 0.5) * WIDE, EDGE + (1.5 * row + 1) * SIDE


def _hexagon(row: int, column: int) -> list[tuple[float, float]]:
    x, y = _middle(row, column)
    return [(x + SIDE * a, y + SIDE * b) for a, b in CORNERS]


def _sides(size: int) -> list[list[tuple[float, float]]]:
    """The upper and the lower side."""
    over, under = [], []
    for column in range(size):
        upper, lower = _hexagon(0, column), _hexagon(size - 1, column)
        over += [upper[5], upper[0], upper[1]]
        under += [lower[4], lower[3], lower[2]]
    return [over, under]


def _flanks(size: int) -> list[list[tuple[float, float]]]:
    """The left and the right side."""
    left, right = [], []
    for row in range(size):
        first, last = _hexagon(row, 0), _hexagon(row, size - 1)
        left += [first[5], first[4]]
        right += [last[1], last[2]]
    return [left, right]


def _names(game: Any, size: int) -> list[tuple[float, float, str]]:
    across, down = rim(game, size, size)
    above = [
        (_middle(0, n)[0] - 0.3 * WIDE, EDGE - 0.6 * SIDE, name) for n, name in enumerate(across)
    ]
    beside = [(_middle(n, 0)[0] - WIDE, _middle(n, 0)[1], name) for n, name in enumerate(down)]
    return above + beside
