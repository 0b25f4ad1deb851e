"""Remaining cells of a board of SameGame, for tempering: groups are found one by one.

The board knows nothing of groups but the one being removed, which makes a game several times
cheaper than a playout. A cell never leaves its column: columns that have become empty are left
out of the links to the left and the right.

A board is one array, as a called function is handed each array in seven words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called, inlined
from solver.domains.samegame.board import N_PLANES, SameGame

#: Without a sign: an index that cannot be negative needs no check for it.
UInt16s = npt.NDArray[np.uint16]

#: No row and no cell.
GONE = 2**16 - 1
#: First items of a board: rows of a column and one, columns, the number for no cell, and where the
#: parts begin that are behind the cells: rows of the cells, cells of the columns, columns to the
#: left and to the right; then the place below that of the first cell.
STRIDE, WIDTH, EMPTY, ROWS, FILLED, LEFT, RIGHT, BELOW, HEADER = range(9)
#: Items of a cell that never change: of its colour are the cells from `LOW` to `HIGH` - 1.
COLOUR, COLUMN, LOW, HIGH, TRAITS = range(5)
#: Items of a cell of the group that is being removed.
GROUP_COLUMN, GROUP_ROW, GROUP_CELL, GROUP_ITEMS = range(4)
#: Seed of the keys of cells.
KEY_SEED = 1986


class Cells(NamedTuple):
    """Cells of an instance, by number: those of a colour follow one another."""

    board: UInt16s
    """uint16[items]: cell at HEADER + x * STRIDE + y for each place, EMPTY where there is none, as
    above each column; row of each cell now, `GONE` if it is removed, and an item to be written to
    for EMPTY; cells of each column; the column beside each that is not empty, on both sides,
    `WIDTH` for none, and beside an empty one as it was before its last cells went."""
    traits: UInt16s
    """uint16[4 * (width * height + 1)]: colour and column of each cell, and its colour's cells; of
    EMPTY last."""
    group: UInt16s
    """uint16[3 * (width * height + 1) + 2 * (width + 1)]: column, row and cell of each in the group
    that was removed last; its lowest row in each column, `height` elsewhere; scratch."""
    key: npt.NDArray[np.int64]
    """int64[width * height]: keys of the cells; those removed have an exclusive or."""
    number: UInt16s
    """uint16[width * height]: number of the cell that was in row y from below of column x of the
    start, at x * height + y."""
    origin: UInt16s
    """uint16[width * height]: where each cell was, as x * height + y."""


def new_cells(instance: SameGame) -> Cells:
    """List the cells of the start of `instance`."""
    width, height = instance.width, instance.height
    cells, stride = width * height, height + 1
    column, heights = instance.start.column[:-1], np.arange(height)
    colour = np.zeros((width, height), np.uint16)
    for plane in range(N_PLANES):
        colour |= (((column[:, [plane]] >> heights) & 1) << plane).astype(np.uint16)
    filled = np.count_nonzero(colour, axis=1)
    columns, places = np.count_nonzero(filled), np.arange(width + 1)
    origin = np.argsort(colour.ravel(), kind="stable")
    number = np.argsort(origin, kind="stable")
    sorted_colour = colour.ravel()[origin]
    cell = np.full((width + 1, stride), cells)
    cell[:-1, :-1] = np.where(colour > 0, number.reshape(width, height), cells)
    row = np.append(np.where(sorted_colour > 0, origin % height, GONE), GONE)
    left = np.where(places > 0, places - 1, width)
    right = np.where(places + 1 < columns, places + 1, width)
    rows = HEADER + cell.size
    begins = np.cumsum([rows, cells + 1, width + 1, width + 1])
    header, columns_filled = [stride, width, cells, *begins, cells], np.append(filled, 0)
    traits = np.zeros((cells + 1, TRAITS), np.uint16)
    traits[:-1, COLOUR], traits[:-1, COLUMN] = sorted_colour, origin // height
    traits[:-1, LOW] = np.searchsorted(sorted_colour, sorted_colour, "left")
    traits[:-1, HIGH] = np.searchsorted(sorted_colour, sorted_colour, "right")
    key = np.random.SeedSequence(KEY_SEED).generate_state(cells, np.uint64)
    return Cells(
        board=np.concatenate([header, cell.ravel(), row, columns_filled, left, right]).astype(
            np.uint16
        ),
        traits=traits.ravel(),
        group=np.full(GROUP_ITEMS * (cells + 1) + 2 * (width + 1), height, np.uint16),
        key=key.view(np.int64)[origin],
        number=number.astype(np.uint16),
        origin=origin.astype(np.uint16),
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
def _add_cell(
    board: UInt16s, group: UInt16s, x: int, y: int, place: int, low: int, high: int, size: int
) -> int:
    """Add the cell at `place` to the group of `size` cells if it is one of `low` to `high` - 1."""
    cell = item_of(board, place)
    if not low <= cell < high:
        return size
    begin = GROUP_ITEMS * size
    put_item(group, begin + GROUP_COLUMN, x)
    put_item(group, begin + GROUP_ROW, y)
    put_item(group, begin + GROUP_CELL, cell)
    put_item(board, place, item_of(board, EMPTY))
    return size + 1


@inlined
def take_group(board: UInt16s, traits: UInt16s, group: UInt16s, cell: int) -> int:
    """List the group of `cell`, whose places are empty from then on; returns its size."""
    stride, left, right = item_of(board, STRIDE), item_of(board, LEFT), item_of(board, RIGHT)
    trait = TRAITS * cell
    x, y = item_of(traits, trait + COLUMN), item_of(board, item_of(board, ROWS) + cell)
    low, high = item_of(traits, trait + LOW), item_of(traits, trait + HIGH)
    size = _add_cell(board, group, x, y, HEADER + x * stride + y, low, high, 0)
    done = 0
    while done < size:
        x = item_of(group, GROUP_ITEMS * done + GROUP_COLUMN)
        y = item_of(group, GROUP_ITEMS * done + GROUP_ROW)
        below = BELOW + x * stride + y
        size = _add_cell(board, group, x, y + 1, below + 2, low, high, size)
        size = _add_cell(board, group, x, y - 1, below, low, high, size)
        beside = item_of(board, left + x)
        place = HEADER + beside * stride + y
        size = _add_cell(board, group, beside, y, place, low, high, size)
        beside = item_of(board, right + x)
        place = HEADER + beside * stride + y
        size = _add_cell(board, group, beside, y, place, low, high, size)
        done += 1
    return size


@inlined
def _drop(board: UInt16s, x: int, lowest: int) -> None:
    """Let the cells of column `x` fall, from row `lowest` on, and leave it out if none is left."""
    begin = HEADER + x * item_of(board, STRIDE)
    rows, filled, empty = item_of(board, ROWS), item_of(board, FILLED), item_of(board, EMPTY)
    stays, end = lowest, item_of(board, filled + x)
    for y in range(lowest, end):
        cell = item_of(board, begin + y)
        put_item(board, begin + stays, cell)
        put_item(board, rows + cell, stays)
        stays += cell != empty
    for y in range(stays, end):
        put_item(board, begin + y, empty)
    put_item(board, filled + x, stays)
    if stays == 0:
        to_left, to_right = item_of(board, LEFT), item_of(board, RIGHT)
        left, right = item_of(board, to_left + x), item_of(board, to_right + x)
        if left != item_of(board, WIDTH):
            put_item(board, to_right + left, right)
        if right != item_of(board, WIDTH):
            put_item(board, to_left + right, left)


@called
def remove_group(board: UInt16s, traits: UInt16s, group: UInt16s, cell: int) -> int:
    """Remove the group of `cell`, which is there; returns its size, 1 if nothing is removed."""
    size = take_group(board, traits, group, cell)
    stride, rows = item_of(board, STRIDE), item_of(board, ROWS)
    if size == 1:
        x = item_of(traits, TRAITS * cell + COLUMN)
        put_item(board, HEADER + x * stride + item_of(board, rows + cell), cell)
        return size
    height = stride - 1
    lowest = GROUP_ITEMS * (len(traits) // TRAITS)
    touched = lowest + item_of(board, WIDTH) + 1
    columns = 0
    for index in range(size):
        x = item_of(group, GROUP_ITEMS * index + GROUP_COLUMN)
        y = item_of(group, GROUP_ITEMS * index + GROUP_ROW)
        put_item(board, rows + item_of(group, GROUP_ITEMS * index + GROUP_CELL), GONE)
        before = item_of(group, lowest + x)
        put_item(group, touched + columns, x)
        columns += before == height
        put_item(group, lowest + x, min(before, y))
    for index in range(columns):
        x = item_of(group, touched + index)
        _drop(board, x, item_of(group, lowest + x))
        put_item(group, lowest + x, height)
    put_item(board, rows + item_of(board, EMPTY), GONE)
    return size
