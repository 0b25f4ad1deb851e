"""Kakuro boards: cells, their runs, and checks that a board is a Kakuro."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import InputError
from solver.propagation.bits import MAX_BITS

Grid = npt.NDArray[np.int16]
"""int16[rows, columns] of values; 0 in black cells and where there is no value."""

BLACK = -1
MAX_SIDE = 64
MAX_SUM = MAX_SIDE * 999
ACROSS, DOWN = 0, 1
DIRECTIONS = ("across", "down")


class Board(NamedTuple):
    """A board with its clues, in the row above and the column left of the cells to fill too."""

    cells: Grid
    """int16[rows, columns]: `BLACK`, 0 in a white cell, or the value given there."""
    clues: npt.NDArray[np.int32]
    """int32[rows, columns, 2]: sums of the runs that begin right of a black cell and below
    it; 0 for none."""
    least: int = 1
    most: int = 9


class Run(NamedTuple):
    """White cells in a line, from one black cell or edge to the next."""

    direction: int
    """`ACROSS` or `DOWN`."""
    row: int
    """Row and column of the first cell."""
    column: int
    length: int

    @property
    def cells(self) -> tuple[slice | int, slice | int]:
        """Index of the cells in an array of the board."""
        if self.direction == ACROSS:
            return self.row, slice(self.column, self.column + self.length)
        return slice(self.row, self.row + self.length), self.column

    @property
    def clue(self) -> tuple[int, int, int]:
        """Index of the clue in `Board.clues`, negative where the board has no cell for it."""
        if self.direction == ACROSS:
            return self.row, self.column - 1, ACROSS
        return self.row - 1, self.column, DOWN


def runs_of(white: npt.NDArray[np.bool_]) -> Iterator[Run]:
    """Yield the runs of the white cells (bool[rows, columns]), first those across."""
    for direction, lines in ((ACROSS, white), (DOWN, white.T)):
        edges = np.zeros((len(lines), lines.shape[1] + 2), np.int8)
        edges[:, 1:-1] = lines
        change = np.diff(edges, axis=1)
        line, begin = np.nonzero(change == 1)
        end = np.nonzero(change == -1)[1]
        for at, first, after in zip(line.tolist(), begin.tolist(), end.tolist(), strict=True):
            row, column = (at, first) if direction == ACROSS else (first, at)
            yield Run(direction, row, column, after - first)


def framed(white: npt.NDArray[np.bool_], answer: Grid, least: int, most: int) -> Board:
    """Return the empty board whose clues are the sums of `answer`, with a frame for clues."""
    rows, columns = white.shape
    cells = np.full((rows + 1, columns + 1), BLACK, np.int16)
    cells[1:, 1:][white] = 0
    clues = np.zeros((rows + 1, columns + 1, 2), np.int32)
    values = np.zeros((rows + 1, columns + 1), np.int64)
    values[1:, 1:] = answer
    for run in runs_of(cells >= 0):
        clues[run.clue] = values[run.cells].sum()
    return Board(cells, clues, least, most)


def sum_range(length: int, least: int, most: int) -> tuple[int, int]:
    """Smallest and largest sum of `length` different values; every sum between is possible."""
    rest = length * (length - 1) // 2
    return length * least + rest, length * most - rest


def check_board(board: Board, source: str, numbers: list[int] | None = None) -> None:
    """Raise `InputError` for clues without runs, runs without clues, and impossible runs.

    `numbers` are the numbers of the board's lines in the file `source`.
    """

    def place(row: int, column: int) -> str:
        line = f"line {numbers[row]}" if numbers else f"row {row + 1}"
        return f"{source}: {line}, entry {column + 1}"

    if not 1 <= board.least <= board.most or board.most - board.least >= MAX_BITS:
        raise InputError(
            f"{source}: values {board.least}-{board.most}, expected 1 or more, "
            f"and at most {MAX_BITS} of them"
        )
    if not (board.cells != BLACK).any():
        raise InputError(f"{source}: the board has no white cell")
    unused = board.clues > 0
    for run in runs_of(board.cells != BLACK):
        what = f"the run {DIRECTIONS[run.direction]} that begins here"
        row, column, _ = run.clue
        if min(row, column) < 0 or board.clues[run.clue] == 0:
            raise InputError(f"{place(run.row, run.column)}: {what} has no clue")
        unused[run.clue] = False
        _check_run(board, run, place(run.row, run.column) + f": {what}")
    for row, column, direction in np.argwhere(unused)[:1].tolist():
        raise InputError(f"{place(row, column)}: no run {DIRECTIONS[direction]} begins at the clue")
    across, down = board.clues.sum(axis=(0, 1), dtype=np.int64).tolist()
    if across != down:
        raise InputError(
            f"{source}: the sums across add up to {across}, those down to {down}: "
            "expected the same, as each cell is in one of both"
        )


def _check_run(board: Board, run: Run, where: str) -> None:
    """Raise `InputError` if no values fill `run`, even without the other runs."""
    given = board.cells[run.cells]
    given = given[given > 0]
    if len(np.unique(given)) < len(given):
        raise InputError(f"{where} holds a value twice")
    n_values = board.most - board.least + 1
    if run.length > n_values:
        raise InputError(f"{where} has {run.length} cells, but there are {n_values} values")
    total = int(board.clues[run.clue])
    smallest, largest = sum_range(run.length, board.least, board.most)
    if not smallest <= total <= largest:
        raise InputError(
            f"{where} has the sum {total}, expected {smallest} ... {largest} "
            f"from {run.length} different values {board.least}-{board.most}"
        )
