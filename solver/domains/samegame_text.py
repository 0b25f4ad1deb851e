"""SameGame boards as text, and its rules in plain Python.

A board is lines of digits 1 ... 9, a digit a colour, the top row first, with
blanks between them or without; `.` or `0` is an empty cell. Several boards are
separated by blank lines; a line that starts with `#` before a board names it. A
move is a cell `column,row` of its group, counted from 1 at the left and at the bottom.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.domains.samegame_board import MAX_HEIGHT, MAX_WIDTH
from solver.errors import InputError, VerificationError
from solver.text_blocks import NumberedLine, named_blocks, numbered_lines

Board = npt.NDArray[np.int8]
"""int8[height, width]: colours 1 ... 9, 0 where empty; the top row first."""
Columns = list[list[int]]
"""Colours of every column from the bottom, without empty columns."""
Cell = tuple[int, int]
"""Column and row, from 0 at the left and at the bottom."""

COLOURS = "123456789"
EMPTY = ".0"


def parse_boards(text: str, source: str) -> list[tuple[str, Board]]:
    """Read every named board in `text`.

    Raises
    ------
    InputError
        For ragged lines, unknown characters, and cells that have not fallen; the
        message names `source`, line and position.
    """
    boards: list[tuple[str, Board]] = []
    for name, block in named_blocks(numbered_lines(text), source):
        boards.append((name, _parse_block(block, source)))
    if not boards:
        raise InputError(f"{source}: no board found, expected lines of digits")
    return boards


def _parse_block(block: list[NumberedLine], source: str) -> Board:
    rows: list[list[int]] = []
    for number, line in block:
        where = f"{source}: line {number}"
        row = "".join(line.split())
        for position, character in enumerate(line, start=1):
            if not character.isspace() and character not in COLOURS + EMPTY:
                raise InputError(
                    f"{where}, position {position}: {character!r}, expected 1 ... 9, or . or 0 "
                    "for an empty cell"
                )
        if rows and len(row) != len(rows[0]):
            raise InputError(
                f"{where}: {len(row)} cells, expected {len(rows[0])} as in line {block[0][0]}"
            )
        rows.append([0 if character in EMPTY else int(character) for character in row])
    board = np.array(rows, np.int8)
    check_board(board, source, block[0][0])
    return board


def check_size(width: int, height: int, source: str) -> None:
    """Raise `InputError` unless a board may have that size."""
    if not (1 <= width <= MAX_WIDTH and 1 <= height <= MAX_HEIGHT):
        raise InputError(
            f"{source}: a board of {width} x {height}, expected 1 ... {MAX_WIDTH} columns "
            f"and 1 ... {MAX_HEIGHT} rows"
        )


def check_board(board: Board, source: str, first_line: int | None = None) -> None:
    """Raise `InputError` unless `board` has a size and colours that fit and has fallen."""
    if board.ndim != 2:
        raise InputError(f"{source}: an array of {board.ndim} dimensions, expected a board")
    check_size(board.shape[1], board.shape[0], source)
    if not 0 <= board.min() <= board.max() <= len(COLOURS):
        raise InputError(f"{source}: a colour is outside 0 ... {len(COLOURS)}")
    filled = board > 0
    if not filled.any():
        raise InputError(f"{source}: every cell of the board is empty")
    holes = np.argwhere(filled[:-1] & ~filled[1:])
    if len(holes):
        row, column = holes[0]
        line = f"line {first_line + row + 1}" if first_line else f"row {row + 2} from the top"
        raise InputError(
            f"{source}: {line}, cell {column + 1}: empty below a filled cell (0 is empty, colours "
            "are 1 ... 9)"
        )
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
    """Read what `format_moves` wrote, int64[moves, 2]."""
    cells = []
    for position, word in enumerate(text.split(), start=1):
        numbers = word.split(",")
        if len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
            raise InputError(f"{source}: move {position}: {word!r}, expected column,row")
        cells.append([int(number) - 1 for number in numbers])
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
    """Play `cells` by the rules; returns the groups removed and what is left.

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
