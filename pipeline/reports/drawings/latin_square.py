"""A Latin square: its values, those given in grey, a shade for each value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.reports.drawings.cells import CELL, boxes, grid, values
from pipeline.reports.drawings.svg import document, labels, style
from solver.contract.domain import Problem
from solver.system.svg import lines, rectangles

TITLE = "Latin squares"
NOTE = "Shaded cells were filled in."
EDGE = 1.0


def draw(problem: Problem, answer: Any) -> str:
    """Draw the square; filled-in values are bold on shaded cells; without an answer the puzzle."""
    answer = problem.data if answer is None else answer
    order = len(answer)
    side = order * CELL + 2 * EDGE
    places = [(row, column) for row in range(order) for column in range(order)]
    holes = [place for place in places if problem.data[place] < 0 <= answer[place]]
    given = [place for place in places if problem.data[place] >= 0]
    parts = [
        rectangles(boxes(holes, EDGE), style("heat", opacity=0.16)),
        lines(grid(order, EDGE), style(stroke="grid")),
        labels(values(answer, given, EDGE), 10.5, "muted"),
        labels(values(answer, holes, EDGE), 10.5, "ink", bold=True),
    ]
    return document(side, side, f"Latin square of order {order}", parts)


def words(prior: str, code: Mapping[str, int]) -> str | None:
    """Numbers of cells that a value fits, or of ways for the cell, the row and the column."""
    if prior == "dual":
        return f"value fits {code['in_row']} cells of its row, {code['in_column']} of its column"
    if prior == "triple":
        ways = ", ".join(str(code[name]) for name in ("smallest", "middle", "largest"))
        return f"ways for cell, row and column, fewest first: {ways}"
    return None
