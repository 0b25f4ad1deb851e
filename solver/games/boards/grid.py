"""Positions of board games as text, and the names of their cells.

A row of the board is a line of marks, `.` for a free cell, `x`, `o` and `z` for the players, with
or without blanks; a last line says who moves: `x to move`, or of three players, one of whom can
move no more, `x to move, o lost`. Lines that begin with `#` are skipped.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.contract.domain import Game, Problem
from solver.errors import InputError, quoted
from solver.system.text_blocks import content_lines

#: Marks of free cells and of the players.
MARKS = ".xoz"
#: Columns have letters.
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LARGEST = 19
#: Temperature of priors, measured in the tree: flatter priors make a search look elsewhere more.
TEMPERATURE = 2.0
_TURN = re.compile(r"(\w+) to move(?:, ((?:\w+ )*\w+) lost)?")


class GridPosition(NamedTuple):
    """Position as read from text."""

    cells: npt.NDArray[np.int64]
    """int64[rows, columns], from above: 0 where free, else 1 + the number of a player."""
    turn: int
    """Player to move."""
    lost: tuple[int, ...] = ()
    """Players who can move no more, of more than two."""


class GridGame(Game):
    """A game with a board: texts of positions and of cells."""

    player_names: ClassVar[str] = MARKS[1:]
    marks: ClassVar[str] = MARKS[:3]
    """Marks of free cells and of the players."""
    letters: ClassVar[str] = LETTERS
    """Letters of the columns, from the left."""
    from_above: ClassVar[bool] = False
    """True if rows are counted from above; else from below, as on a chessboard."""
    some_lose: ClassVar[bool] = False
    """True if one player can have lost while others go on."""

    def parse(self, text: str, source: str) -> list[Problem]:
        """Read one position."""
        rows: list[list[int]] = []
        turn: tuple[int, tuple[int, ...]] | None = None
        for number, line in content_lines(text):
            where = f"{source}, line {number}"
            found = _TURN.fullmatch(" ".join(line.split()))
            if turn is not None:
                raise InputError(f"{where}: expected nothing behind who moves")
            if found is not None:
                lost = (found[2] or "").split()
                turn = self._player(found[1], where), tuple(self._player(w, where) for w in lost)
                continue
            rows.append([self._mark(m, at, where) for at, m in enumerate("".join(line.split()), 1)])
            if len(rows[-1]) != len(rows[0]):
                expected = f"expected {len(rows[0])} as above"
                raise InputError(f"{where}: {len(rows[-1])} cells, {expected}")
        if not rows:
            raise InputError(f"{source}: no board, expected lines of {' '.join(self.marks)}")
        if turn is None:
            raise InputError(f"{source}: expected a last line, such as {self.marks[1]!r} to move")
        position = GridPosition(np.array(rows, np.int64), *turn)
        self.check(position, source)
        return [Problem(source, position)]

    def _mark(self, mark: str, at: int, where: str) -> int:
        if mark not in self.marks:
            raise InputError(f"{where}, cell {at}: {quoted(mark)}, expected one of {self.marks}")
        return self.marks.index(mark)

    def _player(self, mark: str, where: str) -> int:
        if mark not in self.marks[1:] or len(mark) != 1:
            raise InputError(f"{where}: no player {quoted(mark)}, expected one of {self.marks[1:]}")
        return self.marks.index(mark) - 1

    def check(self, position: GridPosition, source: str) -> None:
        """Raise an `InputError` where the rules cannot be played from `position`."""
        rows, columns = position.cells.shape
        if max(rows, columns) > LARGEST:
            raise InputError(f"{source}: {rows} rows of {columns}, expected {LARGEST} at most")
        if position.lost and not self.some_lose:
            raise InputError(f"{source}: {self.marks[1 + position.lost[0]]} cannot have lost yet")

    def format_problem(self, problem: Problem) -> str:
        """Write a position as `parse` reads it."""
        position = problem.data
        lines = ["".join(self.marks[mark] for mark in row) for row in position.cells.tolist()]
        lost = " ".join(self.marks[1 + player] for player in position.lost)
        turn = f"{self.marks[1 + position.turn]} to move" + (f", {lost} lost" if lost else "")
        return "".join(f"{line}\n" for line in [*lines, turn])

    def cell_name(self, row: int, column: int, rows: int) -> str:
        """Name of a cell: the letter of its column, the number of its row."""
        return f"{self.letters[column]}{row + 1 if self.from_above else rows - row}"

    def cell_named(self, name: str, rows: int, columns: int, what: str) -> tuple[int, int]:
        """Row and column of the cell called `name`; `what` begins the message if there is none."""
        for row in range(rows):
            for column in range(columns):
                if self.cell_name(row, column, rows) == name:
                    return row, column
        corners = f"{self.cell_name(0, 0, rows)} ... {self.cell_name(rows - 1, columns - 1, rows)}"
        raise InputError(f"{what} is {quoted(name)}, expected a cell, {corners}")


def as_ints(items: Any) -> npt.NDArray[np.int32]:
    """`items` as the arrays of instances and states: int32, in C order."""
    return np.ascontiguousarray(items, np.int32)
