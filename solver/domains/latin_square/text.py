"""Latin squares as text: grids as people write them, `.pls` and `.col` files.

A grid is `order` lines of `order` entries separated by blanks: a value 1 ...
order, or `.`, `0`, `_` or `-` for a hole. Up to order 9 a line may also be written
without blanks. Entries may be separated by commas, where nothing between two is a hole.
Several grids are separated by blank lines; lines that start with `#` are
comments, the last one before a grid names it. A `.pls` file (the quasigroup benchmarks)
begins with `order N` and writes values 0 ... N - 1 and -1 for a hole; several squares
follow each other. A file that begins with `c` or `p` is a graph to be coloured:
`solver/domains/latin_square/graph.py`; one with `[|` has arrays of MiniZinc:
`solver/domains/latin_square/minizinc.py`.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import numpy.typing as npt

from solver.contract.problems import Pieces, read_all
from solver.domains.latin_square.graph import is_graph, parse_graph
from solver.domains.latin_square.minizinc import is_minizinc, minizinc_blocks
from solver.errors import InputError, UnsolvableError, quoted
from solver.system.text_blocks import (
    NumberedLine,
    content_lines,
    named_blocks,
    numbered_lines,
    whole_number,
)

MAX_ORDER = 128
HOLES = {".", "0", "_", "-"}

Grid = npt.NDArray[np.int16]


def parse_grids(text: str, source: str, answered: int | None = None) -> list[tuple[str, Grid]]:
    """Read every named grid in `text`, int16[order, order] with -1 in holes.

    Parameters
    ----------
    answered : int, optional
        Order of the problem that the grids answer; None where they are problems.

    Raises
    ------
    InputError
        For ragged or missing lines, unknown entries, values out of range and
        givens that contradict each other; the message names `source` and line.
    """
    return read_all(grid_pieces(text, source, answered))


def grid_pieces(text: str, source: str, answered: int | None = None) -> Pieces[Grid]:
    """Tell the grids in `text` apart, see `parse_grids`."""
    content = content_lines(text)
    if not content:
        raise InputError(f"{source}: no grid found, expected lines of values and holes")
    if content[0][1].split()[0] == "order":
        return [
            (source if place == 0 else f"{source}#{place + 1}",
             partial(_parse_pls, square, source, answered))
            for place, square in enumerate(_pls_squares(content))
        ]  # fmt: skip
    if is_graph(content[0][1]):
        return [(source, partial(_parse_graph, content, source))]
    if is_minizinc(text):
        blocks = minizinc_blocks(text, source)
    else:
        blocks = named_blocks(numbered_lines(text), source)
    return [(name, partial(_parse_block, block, source, answered)) for name, block in blocks]


def _parse_graph(content: list[NumberedLine], source: str) -> Grid:
    return np.array(parse_graph(content, source, MAX_ORDER), np.int16)


def _parse_block(block: list[NumberedLine], source: str, answered: int | None) -> Grid:
    order = len(block)
    meaning = _grid_entries(max(order, answered or 0))
    rows = []
    for number, line in block:
        entries = _entries(line)
        if len(entries) == 1 and order > 1 and len(entries[0]) == order and order <= 9:
            entries = list(entries[0])
        where = f"{source}: line {number}"
        if len(entries) != order:
            raise InputError(
                f"{where}: {len(entries)} entries, expected {order} as the grid has {order} lines"
            )
        rows.append(_row(entries, meaning, where))
    return _checked(rows, [number for number, _ in block], source, answered)


def _entries(line: str) -> list[str]:
    """Split a line at its commas, of which the last may end it, else at blanks."""
    if "," not in line:
        return line.split()
    entries = [entry.strip() or "." for entry in line.split(",")]
    return entries[:-1] if line.rstrip().endswith(",") else entries


def _pls_squares(content: list[NumberedLine]) -> list[list[NumberedLine]]:
    """Split the lines of a `.pls` file before each `order N`."""
    squares: list[list[NumberedLine]] = []
    for number, line in content:
        if line.split()[0] == "order":
            squares.append([])
        squares[-1].append((number, line))
    return squares


def _parse_pls(content: list[NumberedLine], source: str, answered: int | None) -> Grid:
    number, header = content[0]
    words = header.split()
    order = whole_number(words[1], 0, 10**6) if len(words) == 2 else None
    if order is None:
        found = quoted(header.strip())
        raise InputError(f"{source}: line {number}: expected `order N`, found {found}")
    if len(content) - 1 != order:
        raise InputError(
            f"{source}: {len(content) - 1} rows, expected {order} as line {number} says"
        )
    rows, meaning = [], _pls_entries(max(order, answered or 0))
    for number, line in content[1:]:
        entries = line.split()
        if len(entries) != order:
            raise InputError(f"{source}: line {number}: {len(entries)} entries, expected {order}")
        rows.append(_row(entries, meaning, f"{source}: line {number}"))
    return _checked(rows, [number for number, _ in content[1:]], source, answered)


@cache
def _grid_entries(order: int) -> dict[str, int]:
    """Meaning of each entry of a text grid: a value counted from 0, or -1 for a hole."""
    return {str(v + 1): v for v in range(order)} | dict.fromkeys(HOLES, -1)


@cache
def _pls_entries(order: int) -> dict[str, int]:
    return {str(v): v for v in range(-1, order)}


def _row(entries: list[str], meaning: dict[str, int], where: str) -> list[int]:
    try:
        return list(map(meaning.__getitem__, entries))
    except KeyError:
        column = next(i for i, entry in enumerate(entries, start=1) if entry not in meaning)
        values = [entry for entry in meaning if meaning[entry] >= 0]
        holes = sorted(entry for entry in meaning if meaning[entry] < 0)
        raise InputError(
            f"{where}, entry {column}: {quoted(entries[column - 1])}, expected {values[0]} ... "
            f"{values[-1]}, or {' '.join(holes)} for a hole"
        ) from None


def _checked(rows: list[list[int]], numbers: list[int], source: str, answered: int | None) -> Grid:
    order = len(rows)
    if not 1 <= order <= MAX_ORDER:
        raise InputError(f"{source}: order {order}, expected 1 ... {MAX_ORDER}")
    if answered not in (None, order):
        where = f"{source}: line {numbers[0]}"
        raise UnsolvableError(f"{where}: the answer has order {order}, the problem {answered}")
    grid = np.array(rows, np.int16)
    try:
        check_givens(grid, source, numbers)
    except InputError as error:
        message = str(error)
        if answered is not None:  # not in `check_givens`: tables that ship hold its digest
            message = "the same value".join(message.rsplit("the same given", 1))
        raise UnsolvableError(message) from None
    return grid


def check_givens(grid: Grid, source: str, numbers: list[int] | None = None) -> None:
    """Raise `InputError` if a value stands twice in a row or column of `grid`."""
    order = len(grid)
    if grid.shape != (order, order):
        raise InputError(f"{source}: a grid of shape {grid.shape}, expected a square")
    if order and not -1 <= grid.min() <= grid.max() < order:
        raise InputError(f"{source}: a value is outside 0 ... {order - 1} and not a hole, -1")
    for axis, lines in (("row", grid), ("column", grid.T)):
        index_and_value = (np.arange(order)[:, None] * order + lines)[lines >= 0]
        repeated = np.flatnonzero(np.bincount(index_and_value, minlength=1) > 1)
        for index in repeated[:1] // order:
            line = lines[index]
            given = line[line >= 0]
            value = int(np.argmax(np.bincount(given)))
            first, second = np.flatnonzero(line == value)[:2]
            if axis == "row":
                cells = f"in columns {first + 1} and {second + 1} of row {index + 1}"
                row = index
            else:
                cells = f"in rows {first + 1} and {second + 1} of column {index + 1}"
                row = int(second)
            place = f"{source}: line {numbers[row]}" if numbers else source
            raise InputError(f"{place}: the same given stands {cells}")


def format_grid(grid: Grid) -> str:
    """Write `grid` with values 1 ... order in aligned columns and `.` in holes."""
    width = len(str(len(grid)))
    entries = [str(value + 1).rjust(width) for value in range(len(grid))] + [".".rjust(width)]
    return "\n".join(" ".join(map(entries.__getitem__, row)) for row in grid.tolist()) + "\n"
