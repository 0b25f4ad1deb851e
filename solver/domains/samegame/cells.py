"""Remaining cells of a board of SameGame, for tempering: groups are found one by one.

A cell never leaves its column, so a column is what a set of its cells has left: bits of an integer.
The cells of a column are listed, from below, when a group is looked for there, and the list is good
for as long as its column has that set.

The board knows nothing of groups but the one being removed, which makes a game several times
cheaper than a playout.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called, inlined
from solver.domains.samegame.board import MAX_COLOURS, N_PLANES, SameGame
from solver.propagation.bits import count_bits, lowest_bit

#: Without a sign: an index that cannot be negative needs no check for it.
UInt16s = npt.NDArray[np.uint16]
Int64s = npt.NDArray[np.int64]

#: A cell is its colour, then its row at the start in so many bits.
ROW_BITS = 6
ROW_MASK = (1 << ROW_BITS) - 1
#: Where there is no cell: of no colour.
EMPTY = 2**16 - 1
#: Set of a column that no list is good for.
NOT_LISTED = -1
#: Items of a cell of the group that is being removed, which follow its first and last column.
GROUP_COLUMN, GROUP_ROW, GROUP_CELL, GROUP_ITEMS = range(4)
FIRST, LAST, GROUP = range(3)


class Cells(NamedTuple):
    """Cells of an instance. Columns count from 1: on both sides is one that stays empty.

    These are no empty columns by their sets, so that whoever looks for a column that is not empty
    stops there.
    """

    gone: Int64s
    """int64[width + 2]: cells of each column that are gone, bit y for that of row y at the start.
    """
    listed: Int64s
    """int64[width + 2]: the same when the column was listed, or `NOT_LISTED`."""
    board: UInt16s
    """uint16[(width + 2) * (height + 1)]: cell at x * (height + 1) + y in row y of column x, as the
    column was listed; EMPTY where there is none, as above each column."""
    start: UInt16s
    """uint16[width * height]: cell that was in row y of column x at the start, at
    (x - 1) * height + y."""
    place: UInt16s
    """uint16[width * height, 2]: column and row at the start of each of these."""
    group: UInt16s
    """uint16[2 + 3 * width * height or more]: first and last column of the group that was removed
    last; column, row and cell of each in it; scratch."""


def new_cells(instance: SameGame) -> Cells:
    """List the cells of the start of `instance`."""
    width, height = instance.width, instance.height
    column, heights = instance.start.column[:-1], np.arange(height)
    colour = np.zeros((width, height), np.int64)
    for plane in range(N_PLANES):
        colour |= ((column[:, [plane]] >> heights) & 1) << plane
    gone = np.zeros(width + 2, np.int64)
    gone[1:-1] = ((colour == 0) << heights).sum(axis=1)
    listed = np.full(width + 2, NOT_LISTED)
    listed[[0, -1]] = 0
    columns = np.repeat(np.arange(1, width + 1), height)
    return Cells(
        gone=gone,
        listed=listed,
        board=np.full((width + 2) * (height + 1), EMPTY, np.uint16),
        start=((colour << ROW_BITS) + heights).astype(np.uint16).ravel(),
        place=np.stack([columns, np.tile(heights, width)], axis=1).astype(np.uint16),
        group=np.zeros(GROUP + max(GROUP_ITEMS * width * height, MAX_COLOURS + 1), np.uint16),
    )


@inlined
def item_of(items: UInt16s, place: int) -> int:
    """Return an item as an integer with a sign: those without make floats of sums in Numba.

    The place has none: it cannot be negative, and need not be looked at for it.
    """
    return int(np.int64(items[np.uint64(place)]))


@inlined
def put_item(items: UInt16s, place: int, item: int) -> None:
    """Set an item, see `item_of`."""
    items[np.uint64(place)] = item


@inlined
def set_of(sets: Int64s, x: int) -> int:
    """Return the set of column `x`, see `item_of`."""
    return int(sets[np.uint64(x)])


@inlined
def row_now(gone: int, row: int) -> int:
    """Row that the cell of row `row` at the start has fallen to in a column."""
    return row - count_bits(gone & ((1 << row) - 1))


@inlined
def has_colour_of(cell: int, other: int) -> bool:
    """Return whether two cells are equal, of which one may be EMPTY."""
    return (cell ^ other) <= ROW_MASK


@inlined
def list_column(
    gone: Int64s, listed: Int64s, board: UInt16s, start: UInt16s, height: int, x: int
) -> None:
    """List the cells of column `x`, unless the list is good."""
    cells = set_of(gone, x)
    if set_of(listed, x) == cells:
        return
    place, begin = x * (height + 1), (x - 1) * height
    end, rest = place + height, ~cells & ((1 << height) - 1)
    while rest:
        put_item(board, place, item_of(start, begin + lowest_bit(rest)))
        place += 1
        rest &= rest - 1
    for above in range(place, end):
        put_item(board, above, EMPTY)
    listed[np.uint64(x)] = cells


@inlined
def column_beside(gone: Int64s, height: int, x: int, step: int) -> int:
    """Return the next column that is not empty: to the right for `step` 1, to the left for -1."""
    x += step
    while set_of(gone, x) == (1 << height) - 1:
        x += step
    return x


@inlined
def _add_cell(
    board: UInt16s, group: UInt16s, x: int, y: int, height: int, colour: int, size: int
) -> int:
    """Add the cell in row `y` of column `x` to the group of `size` cells if it is like `colour`."""
    place = x * (height + 1) + y
    cell = item_of(board, place)
    if not has_colour_of(cell, colour):
        return size
    begin = GROUP + GROUP_ITEMS * size
    put_item(group, begin + GROUP_COLUMN, x)
    put_item(group, begin + GROUP_ROW, y)
    put_item(group, begin + GROUP_CELL, cell)
    put_item(board, place, EMPTY)
    return size + 1


@called
def remove_group(
    gone: Int64s,
    listed: Int64s,
    board: UInt16s,
    start: UInt16s,
    group: UInt16s,
    height: int,
    x: int,
    row: int,
) -> int:
    """Remove the group of the cell of row `row` of column `x` at the start, if it is there.

    Returns its size, 0 if the cell is gone; a cell alone stays.
    """
    cells = set_of(gone, x)
    if (cells >> row) & 1:
        return 0
    list_column(gone, listed, board, start, height, x)
    y = row_now(cells, row)
    colour = item_of(board, x * (height + 1) + y)
    size = _add_cell(board, group, x, y, height, colour, 0)
    done = 0
    while done < size:
        begin = GROUP + GROUP_ITEMS * done
        x, y = item_of(group, begin + GROUP_COLUMN), item_of(group, begin + GROUP_ROW)
        size = _add_cell(board, group, x, y + 1, height, colour, size)
        size = _add_cell(board, group, x, y - 1, height, colour, size)
        beside = column_beside(gone, height, x, -1)
        list_column(gone, listed, board, start, height, beside)
        size = _add_cell(board, group, beside, y, height, colour, size)
        beside = column_beside(gone, height, x, 1)
        list_column(gone, listed, board, start, height, beside)
        size = _add_cell(board, group, beside, y, height, colour, size)
        done += 1
    if size == 1:
        put_item(board, x * (height + 1) + y, colour)
        return size
    first, last = x, x
    for index in range(size):
        begin = GROUP + GROUP_ITEMS * index
        x = item_of(group, begin + GROUP_COLUMN)
        first, last = min(first, x), max(last, x)
        listed[np.uint64(x)] = NOT_LISTED
        gone[np.uint64(x)] |= 1 << (item_of(group, begin + GROUP_CELL) & ROW_MASK)
    put_item(group, FIRST, first)
    put_item(group, LAST, last)
    return size
