r"""Kakuro boards as text: rows of cells separated by blanks or commas.

    # a name
    X   16\  11\
    \17  .    .
    \10  .    .

A black cell is `X`, or its clues `down\across`: `16\11`, `16\`, `\11`. A white cell is `.`
or `_`, or several of these, or the value given there. Blank lines separate boards; lines that
start with `#` are comments (so `#` is no black cell here), the last one before a board names it.
Values are 1 ... 9 unless the first line of a board says otherwise: `values 1-11`. A rectangle
without black cells may also be written as its sums, a line for the columns and one for the rows:

    values 1-11
    columns 18 14
    rows 20 7 5

A file that begins with `pzprv3` is one of puzz.link: `solver/domains/kakuro/pzpr.py`.
"""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from solver.contract.problems import Pieces, read_all
from solver.domains.kakuro.board import BLACK, MAX_SIDE, MAX_SUM, Board, Grid, check_board
from solver.domains.kakuro.pzpr import is_pzpr, pzpr_rows
from solver.errors import InputError, contradictions, quoted, quoted_entry
from solver.system.letters import plural
from solver.system.text_blocks import NumberedLine, is_comment, named_blocks, numbered_lines

#: Largest side of a board in a file, twice that of one that is made, and the largest sum.
MOST_SIDE, MOST_SUM = 2 * MAX_SIDE, 2 * MAX_SUM
#: Row of a board that has `#` for black cells; few comments look like it.
CELLS = re.compile(r"#(\s+(#|[Xx]|[._]|\d*\\\d*))+", re.ASCII)
#: Stands for such a row, which is no comment: its board cannot be read.
BLACK_ROW = "\0"
EXPECTED = "a value {least} ... {most}, . or _ for a white cell, X for a black one or its clues"


def parse_boards(text: str, source: str, answered: Board | None = None) -> list[tuple[str, Board]]:
    """Read every named board in `text`.

    Parameters
    ----------
    answered : Board, optional
        Board that those in `text` answer, None where they are problems. Answers may lack the
        clues, and then the first row and column, too.

    Raises
    ------
    InputError
        For anything that is no Kakuro; the message names `source`, line and entry.
    """
    return read_all(board_pieces(text, source, answered))


def board_pieces(text: str, source: str, answered: Board | None = None) -> Pieces[Board]:
    """Tell the boards in `text` apart, see `parse_boards`."""
    if is_pzpr(text):
        return [(source, partial(_parse_pzpr, text, source))]
    lines = [(n, BLACK_ROW if _is_black_row(line) else line) for n, line in numbered_lines(text)]
    blocks = list(named_blocks(lines, source))
    if not blocks:
        raise InputError(f"{source}: no board found, expected rows of cells")
    return [(name, partial(_parse_block, block, source, answered)) for name, block in blocks]


def _parse_pzpr(text: str, source: str) -> Board:
    return _parse_block(pzpr_rows(text, source), source)


def _is_black_row(line: str) -> bool:
    """Return whether a comment is meant as a row that begins with a black cell."""
    return is_comment(line) and ("\\" in line or CELLS.fullmatch(line.strip()) is not None)


def _parse_block(block: list[NumberedLine], source: str, answered: Board | None = None) -> Board:
    for number, line in block:
        if line == BLACK_ROW:
            raise InputError(
                f"{source}: line {number}: `#` begins a comment, expected X for a black cell"
            )
    least, most = (1, 9) if answered is None else (answered.least, answered.most)
    number, line = block[0]
    if line.split()[0] == "values":
        least, most = _value_range(line, f"{source}: line {number}")
        block = block[1:]
    if not block:
        raise InputError(f"{source}: line {number}: no board follows")
    if block[0][1].split()[0] in ("columns", "rows"):
        board, numbers = _parse_sums(block, least, most, source)
    else:
        board, numbers = _parse_cells(block, least, most, source)
        if answered is not None and not board.clues.any():
            return _without_clues(board, answered, f"{source}: line {numbers[0]}")
    with contradictions():
        check_board(board, source, numbers)
    return board


def _without_clues(board: Board, answered: Board, where: str) -> Board:
    """Return an answer without clues in the layout of the board that it answers.

    The first row and column of a board are black, as each run has its clue before it.
    """
    (rows, columns), found = answered.cells.shape, board.cells.shape
    if found == (rows - 1, columns - 1):
        cells = np.pad(board.cells, ((1, 0), (1, 0)), constant_values=BLACK)
        return board._replace(cells=cells, clues=np.zeros_like(answered.clues))
    if found != (rows, columns):
        raise InputError(
            f"{where}: {plural(found[0], 'row')} and {plural(found[1], 'column')}, expected "
            f"{rows} and {columns}, those of the board, or {rows - 1} and {columns - 1} without "
            "the first ones, which are black"
        )
    return board


def _value_range(line: str, where: str) -> tuple[int, int]:
    match = re.fullmatch(r"values\s+(\d{1,3})-(\d{1,3})", line.strip(), re.ASCII)
    if not match:
        raise InputError(
            f"{where}: expected `values 1-9` or the like, found {quoted(line.strip())}"
        )
    return int(match[1]), int(match[2])


def _parse_cells(
    block: list[NumberedLine], least: int, most: int, source: str
) -> tuple[Board, list[int]]:
    rows = [line.replace(",", " ").split() for _, line in block]
    numbers = [number for number, _ in block]
    shape = (len(rows), len(rows[0]))
    if max(shape) > MOST_SIDE + 1:
        raise InputError(
            f"{source}: line {numbers[0]}: {shape[0]} rows and {shape[1]} columns, "
            f"expected at most {MOST_SIDE + 1}"
        )
    cells = np.zeros(shape, np.int16)
    clues = np.zeros((*shape, 2), np.int32)
    for row, (number, entries) in enumerate(zip(numbers, rows, strict=True)):
        if len(entries) != shape[1]:
            raise InputError(
                f"{source}: line {number}: {len(entries)} entries, "
                f"expected {shape[1]} as in line {numbers[0]}"
            )
        for column, entry in enumerate(entries):
            read = _read_entry(entry, least, most)
            if read is None:
                expected = EXPECTED.format(least=least, most=most)
                raise InputError(
                    f"{source}: line {number}, entry {column + 1}: {quoted_entry(entry)}, "
                    f"expected {expected}"
                )
            cells[row, column], clues[row, column] = read
    return Board(cells, clues, least, most), numbers


def _read_entry(entry: str, least: int, most: int) -> tuple[int, tuple[int, int]] | None:
    """Value and clues (across, down) of an entry, None if it is none."""
    if entry == "." or set(entry) == {"_"}:
        return 0, (0, 0)
    if entry in ("X", "x", "\\"):
        return BLACK, (0, 0)
    clue = re.fullmatch(r"(\d{0,6})\\(\d{0,6})", entry, re.ASCII)
    if clue:
        down, across = int(clue[1] or 0), int(clue[2] or 0)
        return (BLACK, (across, down)) if max(down, across) <= MOST_SUM else None
    if re.fullmatch(r"[1-9]\d{0,2}", entry, re.ASCII) and least <= int(entry) <= most:
        return int(entry), (0, 0)
    return None


def _parse_sums(
    block: list[NumberedLine], least: int, most: int, source: str
) -> tuple[Board, list[int]]:
    """Read the sums of a rectangle without black cells."""
    sums: dict[str, tuple[int, list[int]]] = {}
    for number, line in block:
        where = f"{source}: line {number}"
        word, *entries = line.split()
        if word not in ("columns", "rows") or word in sums:
            raise InputError(f"{where}: expected one line `columns ...` and one line `rows ...`")
        for place, entry in enumerate(entries, start=2):
            if not re.fullmatch(r"[1-9]\d{0,5}", entry, re.ASCII) or int(entry) > MOST_SUM:
                raise InputError(f"{where}, entry {place}: {quoted_entry(entry)}, expected a sum")
        if not 1 <= len(entries) <= MOST_SIDE:
            raise InputError(f"{where}: {len(entries)} sums, expected 1 ... {MOST_SIDE}")
        sums[word] = number, [int(entry) for entry in entries]
    if len(sums) < 2:
        raise InputError(f"{source}: line {block[0][0]}: sums of the rows or columns are missing")
    columns, rows = sums["columns"], sums["rows"]
    cells = np.full((len(rows[1]) + 1, len(columns[1]) + 1), BLACK, np.int16)
    cells[1:, 1:] = 0
    clues = np.zeros((*cells.shape, 2), np.int32)
    clues[1:, 0, 0] = rows[1]
    clues[0, 1:, 1] = columns[1]
    return Board(cells, clues, least, most), [columns[0]] + [rows[0]] * len(rows[1])


def format_board(board: Board, answer: Grid | None = None) -> str:
    """Write `board` in aligned columns, with the values of `answer` where there are any."""
    filled = board.cells if answer is None else np.where(answer > 0, answer, board.cells)
    entries = [
        [_entry(int(value), across, down) for value, (across, down) in zip(*row, strict=True)]
        for row in zip(filled.tolist(), board.clues.tolist(), strict=True)
    ]
    widths = [max(map(len, column)) for column in zip(*entries, strict=True)]
    lines = [
        " ".join(entry.rjust(width) for entry, width in zip(row, widths, strict=True))
        for row in entries
    ]
    if (board.least, board.most) != (1, 9):
        lines.insert(0, f"values {board.least}-{board.most}")
    return "\n".join(lines) + "\n"


def _entry(value: int, across: int, down: int) -> str:
    if value == BLACK:
        return f"{down or ''}\\{across or ''}" if across or down else "X"
    return str(value) if value else "."
