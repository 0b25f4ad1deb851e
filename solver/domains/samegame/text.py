"""SameGame boards as text, and its rules in plain Python.

A board is lines of digits, a digit a colour, the top row first, with blanks between them or
without; `.` is an empty cell. Several boards are separated by blank lines; lines that start
with `#` are comments, the last one before a board names it, and so does a line `board 1`. A
move is a cell `column,row` of its group, counted from 1 at the left and at the bottom.

Colours are 1 ... 9 and `0` is an empty cell as well, unless 0 must be a colour: if in any board
of the file a 0 lies below a colour, or fills a column left of one, where no empty cell can be,
it is a colour in all of them. A line `colours 0-4`, or `colours 1-5`, before the first board
settles it. Boards in memory, and those that are written, count colours from 1.
"""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.contract.problems import Pieces, read_all
from solver.domains.samegame.board import MAX_COLOURS, MAX_HEIGHT, MAX_WIDTH
from solver.errors import InputError, VerificationError, quoted
from solver.system.text_blocks import (
    NumberedLine,
    content_lines,
    named_blocks,
    numbered_lines,
    whole_number,
)

Board = npt.NDArray[np.int8]
"""int8[height, width]: colours 1 ... 9, 0 where empty; the top row first."""
Columns = list[list[int]]
"""Colours of every column from the bottom, without empty columns."""
Cell = tuple[int, int]
"""Column and row, from 0 at the left and at the bottom."""

COLOURS_LINE = re.compile(r"colou?rs\s+([01])-([1-9])", re.ASCII)
LARGEST_COORDINATE = 10**6


class Palette(NamedTuple):
    """The digits that are colours in a file."""

    first: int
    """0 or 1."""
    last: int

    @property
    def expected(self) -> str:
        """Permitted marks of a cell, in words."""
        empty = ". or 0" if self.first else "."
        return f"expected {self.first} ... {self.last}, or {empty} for an empty cell"

    def cell(self, character: str) -> int | None:
        """Value that `character` stands for on a board; None if it stands for none."""
        if character == "." or (character == "0" and self.first):
            return 0
        digit = whole_number(character, self.first, self.last)
        return None if digit is None else digit - self.first + 1


def parse_boards(text: str, source: str) -> list[tuple[str, Board]]:
    """Read every named board in `text`.

    Raises
    ------
    InputError
        For ragged lines, unknown characters, and cells that have not fallen; the
        message names `source`, line and position.
    """
    return read_all(board_pieces(text, source))


def board_pieces(text: str, source: str) -> Pieces[Board]:
    """Tell the boards in `text` apart, see `parse_boards`; they have one palette."""
    lines, palette = _without_heads(numbered_lines(text), source)
    blocks = list(named_blocks(lines, source))
    if not blocks:
        raise InputError(f"{source}: no board found, expected lines of digits")
    if palette is None:
        zero_is_colour = any(_has_coloured_zero(block) for _, block in blocks)
        palette = Palette(0, MAX_COLOURS - 1) if zero_is_colour else Palette(1, MAX_COLOURS)
    return [(name, partial(_parse_block, block, palette, source)) for name, block in blocks]


def _without_heads(
    lines: list[NumberedLine], source: str
) -> tuple[list[NumberedLine], Palette | None]:
    """Return the lines with names as comments, and the number in a line `colours`."""
    rows: list[NumberedLine] = []
    palette: Palette | None = None
    begun = False
    for number, line in lines:
        word = line.split()[0].lower() if line.strip() else ""
        if word == "board":
            rows += [(number, ""), (number, f"# {line.strip()}")]
        elif word in ("colours", "colors"):
            match = COLOURS_LINE.fullmatch(line.strip().lower())
            if not match or palette or begun:
                raise InputError(
                    f"{source}: line {number}: {quoted(line.strip())}, expected one line "
                    "`colours 0-4` or the like before the first board"
                )
            palette = Palette(int(match[1]), int(match[2]))
            if palette.last - palette.first >= MAX_COLOURS:
                raise InputError(
                    f"{source}: line {number}: more than {MAX_COLOURS} colours, expected at most "
                    f"{MAX_COLOURS}"
                )
        else:
            begun = begun or (bool(word) and not word.startswith("#"))
            rows.append((number, line))
    return rows, palette


def _has_coloured_zero(block: list[NumberedLine]) -> bool:
    """Return whether a 0 stands where no empty cell can be."""
    rows = ["".join(line.split()) for _, line in block]
    columns = ["".join(column) for column in zip(*rows, strict=False)]
    filled = [bool(column.strip(".0")) for column in columns]
    return any(
        "0" in column.lstrip(".0") or ("0" in column and not filled[x] and any(filled[x:]))
        for x, column in enumerate(columns)
    )


def _parse_block(block: list[NumberedLine], palette: Palette, source: str) -> Board:
    rows: list[list[int]] = []
    for number, line in block:
        where = f"{source}: line {number}"
        row = []
        for position, character in enumerate(line, start=1):
            if character.isspace():
                continue
            cell = palette.cell(character)
            if cell is None:
                raise InputError(f"{where}, position {position}: {character!r}, {palette.expected}")
            row.append(cell)
        if rows and len(row) != len(rows[0]):
            raise InputError(
                f"{where}: {len(row)} cells, expected {len(rows[0])} as in line {block[0][0]}"
            )
        rows.append(row)
    board = np.array(rows, np.int8)
    check_board(board, source, [number for number, _ in block])
    return board


def check_size(width: int, height: int, source: str) -> None:
    """Raise `InputError` unless a board may have that size."""
    if not (1 <= width <= MAX_WIDTH and 1 <= height <= MAX_HEIGHT):
        raise InputError(
            f"{source}: a board of {width} x {height}, expected 1 ... {MAX_WIDTH} columns "
            f"and 1 ... {MAX_HEIGHT} rows"
        )


def check_board(board: Board, source: str, numbers: list[int] | None = None) -> None:
    """Raise `InputError` unless `board` has a size and colours that fit and has fallen."""
    if board.ndim != 2:
        raise InputError(f"{source}: an array of {board.ndim} dimensions, expected a board")
    check_size(board.shape[1], board.shape[0], source)
    if not 0 <= board.min() <= board.max() <= MAX_COLOURS:
        raise InputError(f"{source}: a colour is outside 0 ... {MAX_COLOURS}")
    filled = board > 0
    if not filled.any():
        raise InputError(f"{source}: every cell of the board is empty")
    holes = np.argwhere(filled[:-1] & ~filled[1:])
    if len(holes):
        row, column = holes[0]
        line = f"line {numbers[row + 1]}" if numbers else f"row {row + 2} from the top"
        raise InputError(f"{source}: {line}, cell {column + 1}: empty below a filled cell")
    gaps = np.flatnonzero(~filled[-1, :-1] & filled[-1, 1:])
    if len(gaps):
        raise InputError(f"{source}: column {gaps[0] + 1} is empty left of a filled one")


def format_board(board: Board) -> str:
    """Write `board` as lines of digits, `.` where a cell is empty."""
    return "\n".join("".join(".123456789"[colour] for colour in row) for row in board) + "\n"


def format_moves(cells: npt.NDArray[np.int64]) -> str:
    """Write moves as `column,row`, from 1, separated by blanks."""
    return " ".join(f"{column + 1},{row + 1}" for column, row in cells.tolist()) + "\n"


def parse_moves(text: str, source: str) -> npt.NDArray[np.int64]:
    """Read the text of `format_moves`, int64[moves, 2], with comments between its lines."""
    cells = []
    words = [word for _, line in content_lines(text) for word in line.split()]
    for position, word in enumerate(words, start=1):
        numbers = [whole_number(number, 0, LARGEST_COORDINATE) for number in word.split(",")]
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
            raise InputError(f"{source}: move {position}: {quoted(word)}, expected column,row")
        cells.append([numbers[0] - 1, numbers[1] - 1])
    return np.array(cells, np.int64).reshape(-1, 2)


def board_columns(board: Board) -> Columns:
    """Return the columns of `board` that are not empty."""
    columns = [[int(colour) for colour in column[::-1] if colour] for column in board.T]
    return [column for column in columns if column]


def group_at(columns: Columns, cell: Cell) -> set[Cell]:
    """Cells connected to `cell` by cells of its colour, itself included."""
    colour = columns[cell[0]][cell[1]]
    group, waiting = {cell}, [cell]
    while waiting:
        x, y = waiting.pop()
        for column, row in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= column < len(columns) and 0 <= row < len(columns[column])
            if inside and columns[column][row] == colour and (column, row) not in group:
                group.add((column, row))
                waiting.append((column, row))
    return group


def remove(columns: Columns, group: set[Cell]) -> Columns:
    """Return the columns without `group`: cells fall, empty columns close."""
    kept = [
        [colour for y, colour in enumerate(column) if (x, y) not in group]
        for x, column in enumerate(columns)
    ]
    return [column for column in kept if column]


def replay_game(board: Board, cells: npt.NDArray[np.int64]) -> tuple[list[set[Cell]], Columns]:
    """Play `cells` by the rules; returns the groups removed and the cells left.

    Raises
    ------
    VerificationError
        If a move is none, naming it.
    """
    columns = board_columns(board)
    groups = []
    for number, (x, y) in enumerate(cells.tolist(), start=1):
        move = f"move {number}, {x + 1},{y + 1}"
        if not (0 <= x < len(columns) and 0 <= y < len(columns[x])):
            raise VerificationError(f"{move}: there is no cell")
        group = group_at(columns, (x, y))
        if len(group) < 2:
            raise VerificationError(f"{move}: the cell is alone, expected a group of 2 or more")
        groups.append(group)
        columns = remove(columns, group)
    return groups, columns


def first_group(columns: Columns) -> set[Cell] | None:
    """Return a group that could still be removed, None if there is none."""
    for x, column in enumerate(columns):
        for y in range(len(column)):
            group = group_at(columns, (x, y))
            if len(group) > 1:
                return group
    return None
