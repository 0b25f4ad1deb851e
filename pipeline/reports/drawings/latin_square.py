"""A Latin square: its values, those given in grey, a shade for each value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pipeline.reports.drawings.svg import document, labels, style
from solver.contract.domain import Problem
from solver.system.svg import lines, rectangles

TITLE = "Latin squares"
NOTE = "Shaded cells were filled in."
CELL = 20.0
EDGE = 1.0


def draw(problem: Problem, answer: Any) -> str:
    """Draw the square; filled-in values are bold on shaded cells; without an answer the puzzle."""
    answer = problem.data if answer is None else answer
    order = len(answer)
    side = order * CELL + 2 * EDGE
    places = [(row, column) for row in range(order) for column in range(order)]
    holes = [place for place in places if problem.data[place] < 0 <= answer[place]]
    given = [place for place in places if problem.data[place] >= 0]

    def texts(chosen: list[tuple[int, int]]) -> list[tuple[float, float, str]]:
        return [(*_middle(r, c), str(int(answer[r, c]) + 1)) for r, c in chosen]

    boxes = [(EDGE + c * CELL, EDGE + r * CELL, CELL, CELL) for r, c in holes]
    ends = np.arange(order + 1) * CELL + EDGE
    grid = [(x, EDGE, x, side - EDGE) for x in ends] + [(EDGE, y, side - EDGE, y) for y in ends]
    parts = [
        rectangles(boxes, style("heat", opacity=0.16)),
        lines(grid, style(stroke="grid")),
        labels(texts(given), 10.5, "muted"),
        labels(texts(holes), 10.5, "ink", bold=True),
    ]
    return document(side, side, f"Latin square of order {order}", parts)


def _middle(row: int, column: int) -> tuple[float, float]:
    return EDGE + (column + 0.5) * CELL, EDGE + (row + 0.5) * CELL


def words(prior: str, code: Mapping[str, int]) -> str | None:
    """Numbers of cells that a value fits, or of ways for the cell, the row and the column."""
    if prior == "dual":
        return f"value fits {code['in_row']} cells of its row, {code['in_column']} of its column"
    if prior == "triple":
        ways = ", ".join(str(code[name]) for name in ("smallest", "middle", "largest"))
        return f"ways for cell, row and column, fewest first: {ways}"
    return None
