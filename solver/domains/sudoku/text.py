"""Sudokus as text: lines of all cells, and grids as people write them.

A line of order x order characters is a puzzle, one a line: `1` ... `9`, then `A` ... `Z`, and `.`,
`0`, `_`, `-` or `*` for a hole. A grid is `order` lines of `order` entries, separated by blanks or
commas (then a hole may be empty), or without anything between them. `|` and rules between boxes are
skipped. Puzzles are separated by blank lines; lines that start with `#` are comments, the last one
before a puzzle names it.

Before the cells may stand `diagonals`, and `boxes 2x3` (rows x columns of a box); behind them
`regions` and `order` lines that name the box of each cell by a letter or a number.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from solver.contract.problems import Pieces, read_all
from solver.domains.sudoku.board import (
    MAX_ORDER,
    MIN_ORDER,
    Grid,
    Sudoku,
    box_sides,
    boxes,
    groups_of,
)
from solver.errors import InputError, contradictions, quoted
from solver.system.text_blocks import NumberedLine, named_blocks, numbered_lines

HOLES = (".", "0", "_", "-", "*")
SYMBOLS = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_RULE = re.compile(r"[-+=|\s]*[+=][-+=|\s]*")
_DASHES = re.compile(r"[-|\s]+")
_BOXES = re.compile(r"(\d+) ?[x*×] ?(\d+)")
_WORDS = {"diagonals", "x", "boxes", "regions"}


def parse_sudokus(text: str, source: str, like: Sudoku | None = None) -> list[tuple[str, Sudoku]]:
    """Read every named puzzle in `text`, with the boxes of `like` where it names none.

    Raises
    ------
    InputError
        For lines of wrong lengths, unknown entries, boxes that are none, and givens that
        contradict each other; the message names `source`, line and entry.
    """
    return read_all(sudoku_pieces(text, source, like))


def sudoku_pieces(text: str, source: str, like: Sudoku | None = None) -> Pieces[Sudoku]:
    """Tell the puzzles in `text` apart, see `parse_sudokus`."""
    pieces = list(_pieces(text, source, like))
    if not pieces:
        raise InputError(f"{source}: no Sudoku found, expected lines of values and holes")
    unnamed = itertools.count(1)
    numbers = [(name, next(unnamed) if not name else 0, read) for name, read in pieces]
    return [
        (name or (source if number == 1 else f"{source}#{number}"), read)
        for name, number, read in numbers
    ]


def _pieces(text: str, source: str, like: Sudoku | None) -> Iterator[tuple[str, partial[Sudoku]]]:
    for name, block in named_blocks(numbered_lines(text), source):
        name = "" if re.fullmatch(re.escape(source) + r"(#\d+)?", name) else name
        head, cells, regions = _parts(block)
        put_together = partial(_checked, head=head, regions=regions, like=like, source=source)
        is_grid = len(cells) == len("".join(cells[0][1].split())) <= MAX_ORDER
        if not is_grid and _order_of_line(cells[0][1]):
            for place, line in enumerate(cells, start=1):
                one = f"{name}#{place}" if name and len(cells) > 1 else name
                yield one, partial(_parse_line, line, source, put_together)
        else:
            yield name, partial(_parse_grid, cells, source, put_together)


def _parts(
    block: list[NumberedLine],
) -> tuple[list[NumberedLine], list[NumberedLine], list[NumberedLine]]:
    """Split a block: words before the cells, lines of cells, and `regions` with its lines."""
    lines = [(n, line) for n, line in block if not _RULE.fullmatch(line)] or block
    first = next((i for i, (_, line) in enumerate(lines) if not _is_word(line)), len(lines))
    behind = [i for i, (_, line) in enumerate(lines) if i >= first and _is_word(line)]
    end = behind[0] if behind else len(lines)
    cells, regions = _without_dashes(lines[first:end]), _without_dashes(lines[end + 1 :])
    return lines[:first], cells or lines[:1], [*lines[end : end + 1], *regions]


def _without_dashes(lines: list[NumberedLine]) -> list[NumberedLine]:
    """Leave out rules of dashes and `|` alone: rows of holes are those that make a square grid."""
    doubtful = {number for number, line in lines if _DASHES.fullmatch(line)}
    if not doubtful:
        return lines
    sure = [line for number, line in lines if number not in doubtful]

    def fits(line: str, order: int) -> bool:
        return len(_entries(line, order)[0]) == order

    for order in range(max(len(sure), MIN_ORDER), min(len(lines), MAX_ORDER) + 1):
        if sure and 2 * sum(fits(line, order) for line in sure) <= len(sure):
            continue
        rows = [
            (number, line)
            for number, line in lines
            if number not in doubtful
            or (fits(line, order) and (len(sure) < order or "|" not in line))
        ]
        if len(rows) == order:
            return rows
        if sure and len(lines) == order:  # one of them is too long, or too short
            return lines
    return [(n, line) for n, line in lines if n not in doubtful or "|" not in line] or lines


def _is_word(line: str) -> bool:
    return line.split()[0].lower() in _WORDS


def _order_of_line(line: str) -> int:
    """Order of the puzzle whose cells are all in `line`; 0 if it is none."""
    order = math.isqrt(len(line.strip()))
    fits = order**2 == len(line.strip()) and MIN_ORDER <= order <= len(SYMBOLS)
    return order if fits and len(line.split()) == 1 and not {",", "|"} & {*line} else 0


def _parse_line(line: NumberedLine, source: str, put_together: Callable[..., Sudoku]) -> Sudoku:
    number, text = line
    order = _order_of_line(text)
    where = f"{source}: line {number}"
    if not order:
        found = len(text.strip())
        raise InputError(
            f"{where}: {found} characters, expected 81 or those of another square of cells, "
            "as in the line before"
        )
    cells = _row(list(text.strip()), _symbols(order), where)
    grid = np.array(cells, np.int16).reshape(order, order)
    return put_together(grid, [number] * order)


def _parse_grid(
    cells: list[NumberedLine], source: str, put_together: Callable[..., Sudoku]
) -> Sudoku:
    order = len(cells)
    if not MIN_ORDER <= order <= MAX_ORDER:
        raise InputError(
            f"{source}: line {cells[0][0]}: a grid of {order} line{'s' * (order > 1)}, expected "
            f"{MIN_ORDER} ... {MAX_ORDER}, or a line of 81 cells"
        )
    rows = []
    for number, line in cells:
        where = f"{source}: line {number}"
        entries, compact = _entries(line, order)
        if len(entries) != order:
            raise InputError(
                f"{where}: {len(entries)} entries, expected {order} as the grid has {order} lines"
            )
        rows.append(_row(entries, _symbols(order) if compact else _numbers(order), where))
    return put_together(np.array(rows, np.int16), [number for number, _ in cells])


def _entries(line: str, order: int) -> tuple[list[str], bool]:
    """Entries of a line of a grid, and whether they are single characters."""
    if "," in line:
        fields = [field.strip() or "." for field in line.strip().split(",")]
        return fields[:-1] if len(fields) == order + 1 and fields[-1] == "." else fields, False
    words = line.replace("|", " ").split()
    if len(words) != order and len("".join(words)) == order:
        return list("".join(words)), True
    return words, False


@cache
def _symbols(order: int) -> dict[str, int]:
    """Meaning of each character of a compact grid: a value counted from 0, or -1 for a hole."""
    known = SYMBOLS[:order]
    meaning = {one: value for value, one in enumerate(known)}
    return meaning | {one.lower(): meaning[one] for one in known} | dict.fromkeys(HOLES, -1)


@cache
def _numbers(order: int) -> dict[str, int]:
    return {str(v + 1): v for v in range(order)} | dict.fromkeys(HOLES, -1)


def _row(entries: list[str], meaning: dict[str, int], where: str) -> list[int]:
    for place, entry in enumerate(entries, start=1):
        if entry not in meaning:
            values = [one for one in meaning if meaning[one] >= 0 and not one.islower()]
            raise InputError(
                f"{where}, entry {place}: {quoted(entry)}, expected {values[0]} ... {values[-1]}, "
                f"or {' '.join(HOLES)} for a hole"
            )
    return [meaning[entry] for entry in entries]


def _checked(
    grid: Grid,
    numbers: list[int],
    head: list[NumberedLine],
    regions: list[NumberedLine],
    like: Sudoku | None,
    source: str,
) -> Sudoku:
    """Put a puzzle together; `numbers` are the lines of its rows."""
    order = len(grid)
    diagonals, sides = 0, box_sides(order)
    if like is not None and not head and not regions and like.grid.shape == grid.shape:
        return like._replace(grid=grid)
    for number, line in head:
        word, *rest = line.split()
        where = f"{source}: line {number}"
        if word.lower() == "boxes":
            sides = _sides(" ".join(rest), order, where)
        elif word.lower() in ("diagonals", "x") and not rest:
            diagonals = 1
        else:
            raise InputError(
                f"{where}: {quoted(line.strip())}, expected `diagonals` or "
                f"`boxes {_fitting_sides(order)}`"
            )
    if regions:
        box = _regions(regions, order, source)
    elif sides is None:
        raise InputError(
            f"{source}: line {numbers[0]}: order {order} has no boxes of equal sides, expected "
            f"`regions` and {order} lines that name the box of each cell"
        )
    else:
        box = boxes(order, *sides)
    board = Sudoku(grid, box, diagonals)
    with contradictions():
        check_board(board, source, numbers)
    return board


def _sides(text: str, order: int, where: str) -> tuple[int, int]:
    found = _BOXES.fullmatch(text)
    rows, columns = (int(one) for one in found.groups()) if found else (0, 0)
    if rows * columns != order:
        raise InputError(
            f"{where}: boxes {quoted(text)}, expected ROWSxCOLUMNS with {order} cells, as "
            f"{_fitting_sides(order)}"
        )
    return rows, columns


def _fitting_sides(order: int) -> str:
    """Sides of boxes that fit, as an example in messages."""
    rows, columns = box_sides(order) or (1, order)
    return f"{rows}x{columns}"


def _regions(lines: list[NumberedLine], order: int, source: str) -> Grid:
    number, first = lines[0]
    if first.split()[0].lower() != "regions" or len(first.split()) > 1:
        raise InputError(
            f"{source}: line {number}: {quoted(first.strip())}, expected `regions` alone behind "
            "the cells, other words before them"
        )
    if len(lines) - 1 != order:
        raise InputError(
            f"{source}: line {number}: {len(lines) - 1} lines of regions, expected {order}"
        )
    names: dict[str, int] = {}
    rows = []
    for number, line in lines[1:]:
        entries, _ = _entries(line, order)
        if len(entries) != order:
            raise InputError(f"{source}: line {number}: {len(entries)} regions, expected {order}")
        rows.append([names.setdefault(entry, len(names)) for entry in entries])
    grid = np.array(rows, np.int16)
    for name, region in names.items():
        cells = int((grid == region).sum())
        if cells != order:
            raise InputError(
                f"{source}: line {lines[0][0]}: region {quoted(name)} has {cells} cells, "
                f"expected {order}"
            )
    return grid


def check_board(board: Sudoku, source: str, numbers: list[int] | None = None) -> None:
    """Raise `InputError` if the board has a wrong shape or a value stands twice in a group.

    `numbers` are the numbers of the lines of its rows in the file `source`.
    """
    grid, order = board.grid, len(board.grid)
    if grid.shape != (order, order) or not MIN_ORDER <= order <= MAX_ORDER:
        raise InputError(f"{source}: a grid of shape {grid.shape}, expected a square of order "
                         f"{MIN_ORDER} ... {MAX_ORDER}")  # fmt: skip
    if not -1 <= grid.min() <= grid.max() < order:
        raise InputError(f"{source}: a value is outside 0 ... {order - 1} and not a hole, -1")
    if (
        board.regions.shape != grid.shape
        or (np.bincount(board.regions.ravel(), minlength=order) != order).any()
    ):
        raise InputError(f"{source}: the boxes have other numbers of cells than {order}")
    groups = groups_of(board)
    cells = grid.ravel()
    first: dict[tuple[int, int], int] = {}
    for cell in np.flatnonzero(cells >= 0).tolist():
        for group in groups.of_cell[cell].tolist():
            other = first.setdefault((group, int(cells[cell])), cell)
            if other != cell and group < groups.n_groups:
                row, column = divmod(cell, order)
                above, before = divmod(other, order)
                where = f"{source}: line {numbers[row]}" if numbers else source
                what = ("row", "column", "box", "diagonal")[min(group // order, 3)]
                raise InputError(
                    f"{where}: the same given stands in row {above + 1}, column {before + 1} and "
                    f"in row {row + 1}, column {column + 1} of a {what}"
                )


def format_grid(grid: Grid) -> str:
    """Write `grid` with values 1 ... order in aligned columns and `.` in holes."""
    width = len(str(len(grid)))
    entries = [str(value + 1).rjust(width) for value in range(len(grid))] + [".".rjust(width)]
    return "\n".join(" ".join(map(entries.__getitem__, row)) for row in grid.tolist()) + "\n"


def format_board(board: Sudoku) -> str:
    """Write a puzzle, with its boxes if they are not the usual ones."""
    order = len(board.grid)
    head = "diagonals\n" * bool(board.diagonals)
    for rows in range(1, order + 1):
        if order % rows == 0 and (boxes(order, rows, order // rows) == board.regions).all():
            usual = (rows, order // rows) == box_sides(order)
            head += "" if usual else f"boxes {rows}x{order // rows}\n"
            return head + format_grid(board.grid)
    names = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if order <= 26 else [str(n + 1) for n in range(order)]
    width = max(map(len, names[:order]))
    regions = [" ".join(names[one].rjust(width) for one in row) for row in board.regions.tolist()]
    return head + format_grid(board.grid) + "regions\n" + "\n".join(regions) + "\n"
