"""Kakuro boards: the paper's rectangles without black cells, and boards as newspapers have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import kernel
from solver.compiling.random import Stream, new_stream, next_below, shuffle
from solver.contract.domain import Problem
from solver.domains.kakuro.board import MAX_SIDE, Grid, framed, runs_of
from solver.errors import FieldError, InputError
from solver.propagation.bits import MAX_BITS, count_bits, lowest_bit
from solver.system.fields import Range, check_fields

Mask = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

MAX_TRIES = 1_000
SHORTEST_RUN = 2

_PATTERN, _VALUES = 0, 1  # the streams of an instance


@kernel
def fill_once(row: Int32s, column: Int32s, n_values: int, used: Int64s, open_cells: Int32s,
              values: Int32s, stream: Stream) -> bool:  # fmt: skip
    """Fill cells at random, the one with the fewest values left first; False at a dead end.

    Parameters
    ----------
    row, column : int32[cells]
        Numbers of the two runs of each cell.
    used : int64[runs]
        Scratch: values in a run, as bits.
    open_cells : int32[cells]
        Scratch.
    values : int32[cells]
        Filled with values 0 ... n_values - 1.
    stream : uint64[4]
        Consumed.
    """
    used[:] = 0
    for cell in range(len(row)):
        open_cells[cell] = cell
    for left in range(len(row), 0, -1):
        fewest, chosen, ties = n_values + 1, 0, 0
        for index in range(left):
            cell = open_cells[index]
            size = n_values - count_bits(used[row[cell]] | used[column[cell]])
            if size < fewest:
                fewest, chosen, ties = size, index, 1
            elif size == fewest:
                ties += 1
                if next_below(stream, ties) == 0:
                    chosen = index
        if fewest <= 0:
            return False
        cell = open_cells[chosen]
        open_cells[chosen] = open_cells[left - 1]
        free = ~(used[row[cell]] | used[column[cell]]) & ((np.int64(1) << n_values) - 1)
        for _ in range(next_below(stream, fewest)):
            free &= free - 1
        values[cell] = lowest_bit(free)
        used[row[cell]] |= np.int64(1) << values[cell]
        used[column[cell]] |= np.int64(1) << values[cell]
    return True


def random_values(white: Mask, n_values: int, stream: Stream) -> Grid | None:
    """Draw values 1 ... n_values that differ in each run, int16[rows, columns], 0 in black cells.

    The first random playout that fills the board (the paper's way); None if there is none.
    """
    runs = list(runs_of(white))
    number = np.full(white.shape, -1)
    number[white] = np.arange(white.sum())
    lines = np.zeros((2, int(white.sum())), np.int32)
    for line, run in enumerate(runs):
        lines[run.direction, number[run.cells]] = line
    row, column = np.ascontiguousarray(lines[0]), np.ascontiguousarray(lines[1])
    used = np.zeros(len(runs), np.int64)
    values, scratch = np.zeros_like(row), np.zeros_like(row)
    for _ in range(MAX_TRIES):
        if fill_once(row, column, n_values, used, scratch, values, stream):
            grid = np.zeros(white.shape, np.int16)
            grid[white] = values + 1
            return grid
    return None


def is_connected(white: Mask) -> bool:
    """Return whether every white cell can be reached from every other one through white cells."""
    reached = np.zeros_like(white)
    reached.ravel()[np.argmax(white)] = True
    while True:
        wider = reached.copy()
        wider[1:] |= reached[:-1]
        wider[:-1] |= reached[1:]
        wider[:, 1:] |= reached[:, :-1]
        wider[:, :-1] |= reached[:, 1:]
        wider &= white
        if (wider == reached).all():
            return bool((reached == white).all())
        reached = wider


def _lengths_around(white: Mask, row: int, column: int) -> list[int]:
    """Lengths of the four pieces of runs that touch a cell: left, right, above, below."""
    pieces = (
        white[row, :column][::-1], white[row, column + 1 :],
        white[:row, column][::-1], white[row + 1 :, column],
    )  # fmt: skip
    return [int(np.argmin(np.append(piece, False))) for piece in pieces]


def random_pattern(
    rows: int, columns: int, black: float, longest: int, stream: Stream
) -> Mask | None:
    """Draw white cells as newspapers have them, bool[rows, columns]; None if it went wrong.

    Black cells are drawn in pairs that a half turn exchanges, as long as the share `black`
    is not reached or a run is longer than `longest`. No run is shorter than `SHORTEST_RUN`,
    and the white cells are connected.
    """
    white = np.ones((rows, columns), np.bool_)
    cells = np.arange(rows * columns)
    shuffle(stream, cells)
    n_black = round(black * rows * columns)
    for enough in (False, True):  # first cut what is too long, then what the share asks for
        for cell in cells.tolist():
            row, column = divmod(cell, columns)
            if not white[row, column]:
                continue
            left, right, above, below = _lengths_around(white, row, column)
            cuts = max(left + 1 + right, above + 1 + below) > longest
            if not cuts and (not enough or (~white).sum() >= n_black):
                continue
            changed = white.copy()
            changed[row, column] = changed[rows - 1 - row, columns - 1 - column] = False
            if _is_fair(changed):
                white = changed
    fits = max(run.length for run in runs_of(white)) <= longest
    return white if fits and (~white).sum() >= n_black else None


def _is_fair(white: Mask) -> bool:
    shortest = min((run.length for run in runs_of(white)), default=0)
    return shortest >= SHORTEST_RUN and is_connected(white)


class Shape(Protocol):
    """Parameters of boards, of a generator or a maker of puzzles."""

    @property
    def rows(self) -> int:
        """Rows of cells."""

    @property
    def columns(self) -> int:
        """Columns of cells."""

    @property
    def values(self) -> int:
        """Largest value."""

    @property
    def black(self) -> float:
        """Least share of black cells."""


def check_runs(shape: Shape) -> None:
    """Raise a `FieldError` if there are fewer values than a run of a rectangle has cells."""
    longest = max(shape.rows, shape.columns)
    if not shape.black and shape.values < longest:
        complaint = f"expected {longest} or more, as a run has {longest} cells"
        raise FieldError("values", f"is {shape.values}, {complaint}")


def family_of(shape: Shape) -> str:
    """Name of boards of a shape, in words."""
    black = f", {shape.black:.0%} black" if shape.black else ""
    return f"{shape.rows} x {shape.columns}, values 1-{shape.values}{black}"


def random_board(shape: Shape, pattern: Stream, stream: Stream) -> tuple[Mask, Grid] | None:
    """Draw white cells and their values; None if the cells, or the values, were not found."""
    white: Mask | None = np.ones((shape.rows, shape.columns), np.bool_)
    if shape.black:
        white = random_pattern(shape.rows, shape.columns, shape.black, shape.values, pattern)
    grid = None if white is None else random_values(white, shape.values, stream)
    return None if white is None or grid is None else (white, grid)


#: Rows or columns of cells.
Side = Annotated[int, Range(1, MAX_SIDE)]


@dataclass(frozen=True)
class KakuroGenerator:
    """Generator of Kakuro boards.

    Parameters
    ----------
    rows : int
        Rows of cells, the one for clues not counted.
    columns : int
        Columns of cells, the one for clues not counted.
    values : int
        The values are 1 ... values.
    black : float
        Least share of black cells, in a pattern that a half turn leaves as it is, without runs
        of one cell; 0 is the paper's rectangle.

    Raises
    ------
    InputError
        If a parameter is out of range.
    """

    domain: ClassVar[str] = "kakuro"
    rows: Side = 10
    columns: Side = 10
    values: Annotated[int, Range(1, MAX_BITS)] = 11
    black: Annotated[float, Range(0, 0.6, "of the cells")] = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        check_runs(self)
        if self.black and min(self.rows, self.columns, self.values) < SHORTEST_RUN:
            raise InputError(f"rows, columns and values must be {SHORTEST_RUN} or more with black")

    @property
    def family(self) -> str:
        """Name of these instances in a report."""
        return family_of(self)

    @property
    def family_parameters(self) -> dict[str, float | str]:
        """Parameters by which a report may compare families."""
        return {
            "rows": self.rows,
            "columns": self.columns,
            "values": self.values,
            "black": self.black,
        }

    def generate(self, seed: int, number: int) -> tuple[Problem, Grid]:
        """Return solved instance `number` of `seed`."""
        pattern = new_stream(seed, number, _PATTERN)
        stream = new_stream(seed, number, _VALUES)
        for _ in range(MAX_TRIES):
            if (found := random_board(self, pattern, stream)) is not None:
                break
        else:
            raise InputError(f"no board of {self.family} was found in {MAX_TRIES:,} tries")
        black = f"-{self.black:g}" if self.black else ""
        name = f"kakuro-{self.rows}x{self.columns}-{self.values}{black}-{seed}-{number}"
        white, grid = found
        return Problem(name, framed(white, grid, 1, self.values)), np.pad(grid, ((1, 0), (1, 0)))
