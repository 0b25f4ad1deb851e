"""A Kakuro board with its clues, filled in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pipeline.reports.drawings.svg import document, labels, style
from solver.contract.domain import Problem
from solver.domains.kakuro.board import ACROSS, BLACK, DOWN
from solver.domains.kakuro.priors import CHANCE_STEPS, STEPS_PER_HALF
from solver.system.svg import lines, rectangles

TITLE = "Kakuro"
CELL = 26.0
EDGE = 1.0


def draw(problem: Problem, answer: Any) -> str:
    """Draw the board; clues stand in the black cells, down below left and across above right.

    Without an answer the puzzle.
    """
    board = problem.data
    values_of = board.cells if answer is None else answer
    rows, columns = board.cells.shape
    black, diagonals, values = [], [], []
    clues: list[tuple[float, float, str]] = []
    for row, column in np.ndindex(rows, columns):
        x, y = EDGE + column * CELL, EDGE + row * CELL
        if board.cells[row, column] != BLACK:
            if values_of[row, column] > 0:
                value = str(int(values_of[row, column]))
                values.append((x + CELL / 2, y + CELL / 2, value))
            continue
        black.append((x, y, CELL, CELL))
        down, across = (int(board.clues[row, column, way]) for way in (DOWN, ACROSS))
        if down or across:
            diagonals.append((x, y, x + CELL, y + CELL))
        if down:
            clues.append((x + 0.3 * CELL, y + 0.74 * CELL, str(down)))
        if across:
            clues.append((x + 0.68 * CELL, y + 0.28 * CELL, str(across)))
    width, height = columns * CELL + 2 * EDGE, rows * CELL + 2 * EDGE
    grid = [(EDGE, EDGE + k * CELL, width - EDGE, EDGE + k * CELL) for k in range(rows + 1)]
    grid += [(EDGE + k * CELL, EDGE, EDGE + k * CELL, height - EDGE) for k in range(columns + 1)]
    parts = [
        rectangles(black, style("muted", opacity=0.22)),
        lines([*grid, *diagonals], style(stroke="grid")),
        labels(clues, 8.5, "ink"),
        labels(values, 13, "ink", bold=True),
    ]
    return document(width, height, f"Kakuro of {rows - 1} x {columns - 1} cells", parts)


def words(prior: str, code: Mapping[str, int]) -> str | None:
    """The chances that the runs give a value, or its sums."""
    if prior == "chance":
        low, high = (_chance(code[name]) for name in ("less", "more"))
        return f"{code['values']} values left; the runs give this one {low}, {high}"
    if prior == "hints":
        return f"value {code['value']}, sums {code['across']} across and {code['down']} down"
    return None


def _chance(step: int) -> str:
    chance = 2.0 ** ((step - CHANCE_STEPS) / STEPS_PER_HALF)
    return f"{100 * chance:.0f}%" if step else f"{100 * chance:.0f}% or less"
