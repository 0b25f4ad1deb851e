"""A position of a game of teams: units with health or wealth, in rows, or on the map."""

from __future__ import annotations

from typing import Any

import numpy as np

from pipeline.reports.drawings.boards import LAST, PLAYERS, described, some
from pipeline.reports.drawings.svg import document, labels, style
from solver.contract.domain import Problem
from solver.games.teams.units import unit_name
from solver.system.svg import rectangles

NOTE = "A bar is a point of health or wealth; a thick frame is who is to move."
CELL = 36.0
EDGE = 4.0
#: Units side by side: larger teams go on below.
ACROSS = 10

Units = dict[tuple[int, int], tuple[int, int]]
"""Place in the order of the units, and points, by row and column."""


def draw(game: Any, position: Problem, before: Problem | None = None) -> str:
    """Draw the units; differences from `before` have a frame."""
    shown, rows, columns, teams = _laid_out(position)
    then = _laid_out(before)[0] if before is not None else shown
    frames = [at for at in {**shown, **then} if shown.get(at) != then.get(at)]
    parts = [
        rectangles([_box(*at) for at in np.ndindex(rows, columns)], style("none", "grid")),
        rectangles([_box(*at) for at in sorted(frames)], style("none", LAST, 2)),
    ]
    for team in range(teams):
        units = {at: unit for at, unit in shown.items() if unit[0] % teams == team}
        middle = {at: (_box(*at)[0] + CELL / 2, _box(*at)[1]) for at in units}
        names = [
            (middle[at][0], middle[at][1] + 11, unit_name(turn, teams))
            for at, (turn, _) in units.items()
        ]
        bars = [
            (middle[at][0] - 11 + 8 * point, middle[at][1] + 21, 6.0, 9.0)
            for at, (_, points) in units.items()
            for point in range(points)
        ]
        parts += [labels(names, 12, "ink", bold=True), rectangles(bars, style(PLAYERS[team]))]
    mover = [at for at, (turn, _) in shown.items() if turn == position.data.turn]
    parts.append(rectangles([_box(*at) for at in mover], style("none", "ink", 2.5)))
    return document(
        columns * CELL + 2 * EDGE, rows * CELL + 2 * EDGE, described(game, position), some(parts)
    )


def _laid_out(position: Problem) -> tuple[Units, int, int, int]:
    """Units by place, rows, columns and teams."""
    data = position.data
    if hasattr(data, "units"):  # the map of the Video Game
        found = {
            (row, column): (int(data.units[row, column]) - 1, int(data.health[row, column]))
            for row, column in np.argwhere(data.units > 0).tolist()
        }
        return found, *data.units.shape, 2
    teams, units = data.points.shape
    deep = -(-units // ACROSS)
    found = {
        (team * deep + unit // ACROSS, unit % ACROSS): (
            team + teams * unit,
            int(data.points[team, unit]),
        )
        for team, unit in np.ndindex(teams, units)
    }
    return found, teams * deep, min(units, ACROSS), teams


def _box(row: int, column: int) -> tuple[float, float, float, float]:
    return EDGE + column * CELL, EDGE + row * CELL, CELL, CELL
