"""Positions of games of teams as text.

A line for each team has its letter and a number for each of its units: health, or wealth. A last
line says whose turn it is, `B3 to move`.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.contract.domain import Game, Problem
from solver.errors import InputError, quoted
from solver.system.text_blocks import content_lines, whole_number

#: Letters of the teams.
TEAMS = "ABC"
#: Units of a team at most.
MOST_UNITS = 99
_UNIT = re.compile(rf"([{TEAMS}])([0-9]{{1,2}})")
_TURN = re.compile(r"(\S+) to move")


class Units(NamedTuple):
    """Position as read from text."""

    points: npt.NDArray[np.int64]
    """int64[teams, units]: health or wealth."""
    turn: int
    """Place in the order of the units, A1, B1, A2, B2 and so on, of the one that moves."""


def unit_name(turn: int, teams: int) -> str:
    """Name of the unit at place `turn` of the order."""
    return f"{TEAMS[turn % teams]}{turn // teams + 1}"


def unit_named(name: str, teams: int, units: int, where: str) -> int:
    """Place in the order of the unit called `name`."""
    found = _UNIT.fullmatch(name)
    if found is not None and found[1] in TEAMS[:teams] and 1 <= int(found[2]) <= units:
        return TEAMS.index(found[1]) + teams * (int(found[2]) - 1)
    last = f"{TEAMS[teams - 1]}{units}"
    raise InputError(f"{where}: no unit {quoted(name)}, expected one of A1 ... {last}")


class TeamsGame(Game):
    """A game of teams: texts of positions."""

    player_names: ClassVar[str] = TEAMS
    drawing: ClassVar[str] = "pipeline.reports.drawings.units"
    start_options: ClassVar[tuple[str, ...]] = ("units", "players")
    most: ClassVar[int]
    """Points that a unit can have."""

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read one position."""
        lines = content_lines(text)
        if len(lines) < 3:
            raise InputError(f"{source}: expected a line for each team, and who is to move")
        points = [self._team(place, *line, source) for place, line in enumerate(lines[:-1])]
        number, last = lines[-1]
        where = f"{source}, line {number}"
        units = len(points[0])
        for (line, _), team in zip(lines, points, strict=False):
            if len(team) != units:
                raise InputError(f"{source}, line {line}: {len(team)} units, expected {units}")
        found = _TURN.fullmatch(" ".join(last.split()))
        if found is None:
            raise InputError(f"{where}: expected who is to move, such as A1 to move")
        turn = unit_named(found[1], len(points), units, where)
        return [Problem(source, Units(np.array(points, np.int64), turn))]

    def _team(self, place: int, number: int, line: str, source: str) -> list[int]:
        letter, *words = line.split()
        where = f"{source}, line {number}"
        if place >= len(TEAMS) or letter != TEAMS[place]:
            expected = TEAMS[place] if place < len(TEAMS) else "who is to move"
            raise InputError(f"{where}: {quoted(letter)}, expected {expected}")
        if not 1 <= len(words) <= MOST_UNITS:
            raise InputError(f"{where}: {len(words)} units, expected 1 ... {MOST_UNITS}")
        points = []
        for at, word in enumerate(words, start=1):
            point = whole_number(word, 0, self.most)
            if point is None:
                expected = f"expected 0 ... {self.most}"
                raise InputError(f"{where}, unit {letter}{at}: {quoted(word)}, {expected}")
            points.append(point)
        return points

    def format_problem(self, problem: Problem) -> str:
        """Write a position as `parse` reads it."""
        points, turn = problem.data
        lines = [f"{TEAMS[n]} {' '.join(map(str, team))}" for n, team in enumerate(points.tolist())]
        return "".join(f"{line}\n" for line in [*lines, f"{unit_name(turn, len(points))} to move"])

    def players(self, instance: Any) -> int:
        """Return the number of players, one of each team."""
        return int(instance.teams)

    def full(self, teams: int, units: int, points: int) -> Problem:
        """Return the position in which all units have as many points."""
        return Problem("start", Units(np.full((teams, units), points), 0))
