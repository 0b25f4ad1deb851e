"""Positions and moves of the Video Game as text, see `solver.games.teams.video`.

A row of the map is a line; a unit on it is its name and its health, `A4:2`, a free cell `.`. A last
line says who is to move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.contract.domain import Game, Limits, Problem
from solver.errors import InputError, quoted
from solver.games.boards.grid import LARGEST, LETTERS
from solver.games.teams.units import MOST_UNITS, TEAMS, unit_name, unit_named
from solver.games.teams.video import (
    CODES,
    EXACT,
    HEALTH,
    QUIET,
    SPECIFIC,
    STEPS,
    Codes,
    Map,
    MapState,
)
from solver.system.fields import Range, check_fields
from solver.system.text_blocks import content_lines

_UNIT = re.compile(rf"([AB][0-9]{{1,2}}):([1-{HEALTH}])")
_TURN = re.compile(r"([AB][0-9]{1,2}) of ([0-9]{1,2}) to move(?:, ([0-9]{1,2}) without a shot)?")
#: Rows and columns that steps lead to.
KING = ((0, 0), (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


class MapPosition(NamedTuple):
    """Position as read from text."""

    units: npt.NDArray[np.int64]
    """int64[rows, columns]: 0 where free, else 1 + the number of a unit in the order of moving."""
    health: npt.NDArray[np.int64]
    """int64[rows, columns]."""
    turn: int
    of: int
    """Units of a team, dead ones too."""
    quiet: int = 0
    """Moves since the last shot."""


@dataclass(frozen=True)
class VideoGameOptions:
    """Options of the map and of the codes of moves.

    Parameters
    ----------
    rows : int
        Rows of the map; the first two are full of units of A, the last two of units of B.
    columns : int
        Units in a row.
    codes : {"abstract", "specific", "exact"}
        Attacker and target; or the player, the cell arrived at, and cell and health of the
        target; or all of a move, and the health of both.
    """

    rows: Annotated[int, Range(4, LARGEST)] = 5
    columns: Annotated[int, Range(1, LARGEST)] = 5
    codes: Codes = "abstract"

    def __post_init__(self) -> None:
        check_fields(self)


class VideoGame(Game):
    """Video game of teams on a map; a move is where to, and at whom."""

    name: ClassVar[str] = "video-game"
    instance_class: ClassVar[type] = Map
    options: ClassVar[type[VideoGameOptions]] = VideoGameOptions
    drawing: ClassVar[str] = "pipeline.reports.drawings.units"
    player_names: ClassVar[str] = TEAMS
    start_options: ClassVar[tuple[str, ...]] = ("rows", "columns")

    def start(self, options: VideoGameOptions) -> Problem:
        """Two rows of units on both sides, the first ones in front."""
        order = np.arange(options.columns)
        units = np.zeros((options.rows, options.columns), np.int64)
        units[1], units[0] = 1 + 2 * order, 1 + 2 * (order + options.columns)
        units[-2], units[-1] = 2 + 2 * order, 2 + 2 * (order + options.columns)
        health = np.where(units > 0, HEALTH, 0)
        return Problem("start", MapPosition(units, health, 0, 2 * options.columns))

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read one position."""
        *lines, (number, last) = content_lines(text) or [(1, "")]
        found = _TURN.fullmatch(" ".join(last.split()))
        where = f"{source}, line {number}"
        if found is None or not 1 <= int(found[2]) <= MOST_UNITS:
            raise InputError(f"{where}: expected who is to move, such as A1 of 10 to move")
        of = int(found[2])
        turn, quiet = unit_named(found[1], 2, of, where), int(found[3] or 0)
        if quiet > QUIET:
            raise InputError(f"{where}: {quiet} moves without a shot, expected {QUIET} at most")
        rows: list[list[tuple[int, int]]] = []
        for line, words in lines:
            where = f"{source}, line {line}"
            rows.append([self._cell(word, of, where) for word in words.split()])
            if len(rows[-1]) != len(rows[0]):
                raise InputError(f"{where}: {len(rows[-1])} cells, expected {len(rows[0])}")
        if not rows or max(len(rows), len(rows[0])) > len(LETTERS):
            raise InputError(f"{source}: {len(rows)} rows, expected a map, {len(LETTERS)} at most")
        units, health = np.moveaxis(np.array(rows, np.int64), 2, 0)
        names, times = np.unique(units[units > 0], return_counts=True)
        if (times > 1).any():
            name = unit_name(int(names[times.argmax()]) - 1, 2)
            raise InputError(f"{source}: {name} is in two places")
        if len(names) == 0:
            raise InputError(f"{source}: nobody is alive, expected a unit of some team")
        return [Problem(source, MapPosition(units.copy(), health.copy(), turn, of, quiet))]

    def _cell(self, word: str, of: int, where: str) -> tuple[int, int]:
        if word == ".":
            return 0, 0
        found = _UNIT.fullmatch(word)
        if found is None:
            raise InputError(f"{where}: {quoted(word)}, expected . or a unit, such as A1:{HEALTH}")
        return 1 + unit_named(found[1], 2, of, where), int(found[2])

    def format_problem(self, problem: Problem) -> str:
        """Write a position as `parse` reads it."""
        position: MapPosition = problem.data
        rows = (
            [f"{unit_name(unit - 1, 2)}:{health}" if unit else "." for unit, health in zip(*row)]
            for row in zip(position.units.tolist(), position.health.tolist(), strict=True)
        )
        lines = [" ".join(f"{word:>5}" for word in row) for row in rows]
        turn = f"{unit_name(position.turn, 2)} of {position.of} to move"
        turn += f", {position.quiet} without a shot" if position.quiet else ""
        return "".join(f"{line}\n" for line in [*lines, turn])

    def position(self, instance: Map, state: MapState) -> MapPosition:
        """Units, health and turn of a state."""
        units = 1 + state.there.astype(np.int64)
        health = np.where(units > 0, state.health[state.there], 0).astype(np.int64)
        of, shape = len(state.health) // 2, (-1, instance.columns)
        turn, quiet = int(state.counters[0]), int(state.counters[3])
        return MapPosition(units.reshape(shape), health.reshape(shape), turn, of, quiet)

    def instance(self, problem: Problem, options: VideoGameOptions) -> Map:
        """Put the units in order, and note where steps lead."""
        position: MapPosition = problem.data
        rows, columns = position.units.shape
        health, cell = np.zeros((2, 2 * position.of), np.int32)
        for place, unit in enumerate(position.units.ravel().tolist()):
            if unit:
                health[unit - 1], cell[unit - 1] = position.health.ravel()[place], place
        near = np.full((rows * columns, STEPS), -1, np.int32)
        for place, (row, column) in enumerate(np.ndindex(rows, columns)):
            for step, (down, right) in enumerate(KING):
                if 0 <= row + down < rows and 0 <= column + right < columns:
                    near[place, step] = (row + down) * columns + column + right
        row, column = np.divmod(np.arange(rows * columns), columns)
        far = np.maximum(abs(row[:, None] - row), abs(column[:, None] - column))
        distance = np.ascontiguousarray(far, np.int32)
        codes = CODES.index(options.codes)
        turn, quiet = int(position.turn), int(position.quiet)
        return Map(health.copy(), cell.copy(), near, distance, columns, turn, quiet, codes)

    def new_state(self, instance: Map) -> MapState:
        """Allocate a state."""
        units, cells = len(instance.health), len(instance.near)
        shapes = units, units, cells, (2, units // 2), (2, units), 4
        return MapState(*(np.zeros(shape, np.int32) for shape in shapes))

    def limits(self, instance: Map) -> Limits:
        """A shot takes a point, and so many moves without one end the game."""
        units, cells = len(instance.health), len(instance.near)
        others = units // 2 + 1
        codes = units * others
        if instance.codes == EXACT:
            codes *= HEALTH * cells * STEPS * (HEALTH + 1)
        elif instance.codes == SPECIFIC:
            codes = 2 * cells * cells * (HEALTH + 1)
        steps = QUIET * (1 + int(instance.health.sum()))
        return Limits(steps, STEPS * others, steps * STEPS * others, codes)

    def format_move(self, instance: Map, state: MapState, move: int) -> str:
        """Write the destination and the target of a shot."""
        step, target = divmod(move, len(state.health) // 2 + 1)
        arrival = int(instance.near[state.cell[state.counters[0]], step])
        row, column = divmod(arrival, instance.columns)
        rows = len(instance.near) // instance.columns
        shot = unit_name(2 * (target - 1) + 1 - int(state.counters[0]) % 2, 2) if target else ""
        return f"{LETTERS[column]}{rows - row}" + (f":{shot}" if target else "")
