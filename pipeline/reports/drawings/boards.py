"""Common parts of drawings of games: stones, names of cells, and changes by the last move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pipeline.reports.drawings.svg import labels, style
from solver.contract.domain import Problem
from solver.system.svg import circles

#: Colours of the players.
PLAYERS = ("series-1", "series-2", "series-3")
#: Colour of the frame around the changes by the last move.
LAST = "series-5"

Place = tuple[float, float]


def stones(owners: Sequence[tuple[float, float, int]], marks: str, radius: float) -> list[str]:
    """Draw stones (x, y, player) with their letters: of the first player full, of others rings."""
    parts = []
    for player, colour in enumerate(PLAYERS):
        places = [(x, y) for x, y, owner in owners if owner == player]
        fill = colour if player == 0 else "paper"
        parts.append(circles(places, radius, style(fill, colour, 2)))
        text = [(x, y, marks[player]) for x, y in places]
        ink = "paper" if player == 0 else colour
        parts.append(labels(text, 1.1 * radius, ink, bold=True))
    return parts


def changed(now: Any, before: Any | None) -> list[tuple[int, int]]:
    """Cells (row, column) that differ between two arrays; none without an array before."""
    if before is None or before.shape != now.shape:
        return []
    return [(int(row), int(column)) for row, column in np.argwhere(now != before)]


def rim(game: Any, rows: int, columns: int) -> tuple[list[str], list[str]]:
    """Names of columns and of rows, as the game writes them."""
    across = [game.cell_name(0, column, rows)[0] for column in range(columns)]
    return across, [game.cell_name(row, 0, rows)[1:] for row in range(rows)]


def described(game: Any, position: Problem) -> str:
    """Return the game and the player to move, for readers who cannot see a drawing."""
    return f"{game.name}: {game.format_problem(position).split(chr(10))[-2]}"


def some(parts: Iterable[str]) -> list[str]:
    """Leave out empty parts."""
    return [part for part in parts if part]
