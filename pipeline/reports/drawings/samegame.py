"""A game of SameGame: the start with the number of the move that takes each cell, and positions."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from pipeline.reports.drawings.svg import SERIES, document, labels, style
from solver.contract.domain import Problem
from solver.domains.samegame.priors import SMALL
from solver.domains.samegame.text import board_columns, group_at
from solver.system.svg import lines, rectangles

TITLE = "SameGame"
NOTE = (
    "The board at the start: a cell's number is that of the move that removes it, "
    "\N{MULTIPLICATION SIGN} stays. Below: the board after some moves, and the points so far."
)
CELL = 22.0
WIDTH = 330.0
ACROSS = 3  # positions side by side
POSITIONS = 6
GAP = 12.0
CAPTION = 16.0
SIZES = ("7-8", "9-11", "12-16", "17-24", "25 or more")

VALUES = {
    "size": (*map(str, range(2, SMALL + 1)), *SIZES[:-1], "25+"),
    "dominant": ("no", "yes"),
    "joins": ("0", "1", "2", "3+"),
}

Tokens = list[list[tuple[int, int]]]
"""Columns from the bottom: colour of a cell and its number in the start."""


def draw(problem: Problem, answer: Any) -> str:
    """Draw the start, every cell with the number of the move that removes it, and positions."""
    columns, removed, points = _play(problem.data, answer.tolist())
    height, width = problem.data.shape
    cell = WIDTH / width
    shapes: dict[int, list[tuple[float, float, float, float]]] = {}
    texts, kept = [], []
    for x, y, colour, token in _cells(columns[0]):
        left, top = x * cell, (height - 1 - y) * cell
        shapes.setdefault(colour, []).append((left + 0.5, top + 0.5, cell - 1, cell - 1))
        where = (left + cell / 2, top + cell / 2)
        if token in removed:
            texts.append((*where, str(removed[token])))
        else:
            kept.append((*where, "\N{MULTIPLICATION SIGN}"))
    parts = [rectangles(boxes, _tile(colour)) for colour, boxes in sorted(shapes.items())]
    parts += [labels(texts, 0.45 * cell), labels(kept, 0.6 * cell, "muted")]
    top = height * cell + CAPTION
    shown = np.unique(np.linspace(1, len(columns) - 1, POSITIONS).round().astype(int)).tolist()
    side = (WIDTH - (ACROSS - 1) * GAP) / ACROSS
    tall = side / width * height
    for place, number in enumerate(n for n in shown if n):
        left, below = place % ACROSS * (side + GAP), top + place // ACROSS * (tall + CAPTION + GAP)
        parts += _position(columns[number], left, below, side / width, height)
        caption = f"move {number}: {sum(points[:number]):,}"
        parts.append(
            labels([(left + side / 2, below + tall + CAPTION / 2, caption)], 10.5, "muted")
        )
    rows = -(-len(shown) // ACROSS)
    total = top + rows * (tall + CAPTION + GAP)
    return document(WIDTH, total, f"SameGame, {len(points)} moves", parts)


def _tile(colour: int) -> str:
    return style(SERIES[(colour - 1) % len(SERIES)], opacity=0.5)


def _cells(columns: Tokens) -> list[tuple[int, int, int, int]]:
    """Column, row, colour and number of every cell."""
    return [(x, y, *token) for x, column in enumerate(columns) for y, token in enumerate(column)]


def _position(columns: Tokens, x: float, y: float, cell: float, height: int) -> list[str]:
    """Draw one position on its ground line, without numbers."""
    shapes: dict[int, list[tuple[float, float, float, float]]] = {}
    for column, row, colour, _ in _cells(columns):
        box = (x + column * cell, y + (height - 1 - row) * cell, cell, cell)
        shapes.setdefault(colour, []).append(box)
    ground = y + height * cell
    parts = [rectangles(boxes, _tile(colour)) for colour, boxes in sorted(shapes.items())]
    wide = (WIDTH - (ACROSS - 1) * GAP) / ACROSS
    return [*parts, lines([(x, ground, x + wide, ground)], style(stroke="muted"))]


def _play(board: Any, moves: list[list[int]]) -> tuple[list[Tokens], dict[int, int], list[int]]:
    """Positions with numbered cells, the move that removes each cell, the points of each move."""
    start = board_columns(board)
    offsets = np.cumsum([0, *(len(column) for column in start)]).tolist()
    tokens: Tokens = [
        [(colour, first + y) for y, colour in enumerate(column)]
        for column, (first, _) in zip(start, pairwise(offsets), strict=True)
    ]
    positions, removed, points = [tokens], {}, []
    for number, (x, y) in enumerate(moves, start=1):
        group = group_at([[colour for colour, _ in column] for column in tokens], (x, y))
        for column, row in group:
            removed[tokens[column][row][1]] = number
        points.append((len(group) - 2) ** 2)
        tokens = [
            [token for row, token in enumerate(column) if (place, row) not in group]
            for place, column in enumerate(tokens)
        ]
        tokens = [column for column in tokens if column]
        positions.append(tokens)
    return positions, removed, points


def words(prior: str, code: Mapping[str, int]) -> str | None:
    """Size and colour of the group, and how many cells meet when it is gone."""
    if prior != "group" or "size" not in code:
        return None
    small = code["size"] <= SMALL - 2
    size = str(code["size"] + 2) if small else SIZES[code["size"] - SMALL + 1]
    colour = "the most frequent colour" if code["dominant"] else "another colour"
    joins = code["joins"]
    met = "no" if not joins else f"{joins}" if joins < 3 else "3 or more"
    return f"group of {size}, {colour}, {met} join{'' if joins == 1 else 's'}"
