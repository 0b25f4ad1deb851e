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
#: First items of a board: rows of a column and one, columns, and where the parts begin that are
#: behind the cells: rows of the cells, cells of the columns, columns to the left and to the right.
STRIDE, WIDTH, ROWS, FILLED, LEFT, RIGHT, HEADER = range(7)
#: Items of a cell that never change.
COLOUR, COLUMN, TRAITS = range(3)
#: Items of a cell of the group that is being removed.
GROUP_COLUMN, GROUP_ROW, GROUP_CELL, GROUP_ITEMS = range(4)
#: Seed of the keys of cells.
KEY_SEED = 1986


class Cells(NamedTuple):
    """Cells of an instance. Cell x * height + y was in row y from below of column x."""

    board: UInt16s
    """uint16[items]: cell at HEADER + x * STRIDE + y, for each place; row of each cell now, `GONE`
    if it is removed; cells of each column; the column beside each that is not empty, on both sides,
    `WIDTH` for none."""
    traits: UInt16s
    """uint16[2 * width * height]: colour and column of each cell."""
    group: UInt16s
    """uint16[3 * width * height + 2 * (width + 1)]: column, row and cell of each in the group
    that was removed last; its lowest row in each column, `height` elsewhere; scratch."""
    key: npt.NDArray[np.int64]
    """int64[width * height]: keys of the cells; those removed have an exclusive or."""


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
    cell = np.zeros((width + 1, stride), np.uint16)
    cell[:-1, :-1] = np.arange(cells).reshape(width, height)
    row = np.where(colour > 0, heights, GONE).ravel()
    left = np.where(places > 0, places - 1, width)
    right = np.where(places + 1 < columns, places + 1, width)
    rows = HEADER + cell.size
    begins = np.cumsum([rows, cells, width + 1, width + 1])
    header, columns_filled = np.array([stride, width, *begins]), np.append(filled, 0)
    key = np.random.SeedSequence(KEY_SEED).generate_state(cells, np.uint64)
    return Cells(
        board=np.concatenate([header, cell.ravel(), row, columns_filled, left, right]).astype(
            np.uint16
        ),
        traits=np.stack([colour.ravel(), np.arange(cells) // height], 1).astype(np.uint16).ravel(),
        group=np.full(GROUP_ITEMS * cells + 2 * (width + 1), height, np.uint16),
        key=key.view(np.int64),
    )


@inlined
def item_of(items: UInt16s, place: int) -> int:
    """Return an item as an integer with a sign: those without make floats of sums in Numba."""
    return int(np.int64(items[place]))


@inlined
def _add_neighbour(
    board: UInt16s, traits: UInt16s, group: UInt16s, x: int, y: int, colour: int, size: int
) -> int:
    """Add the cell at `x`, `y` to the group of `size` cells if it belongs there."""
    cell = item_of(board, HEADER + x * item_of(board, STRIDE) + y)
    place = item_of(board, ROWS) + cell
    if traits[TRAITS * cell + COLOUR] != colour or board[place] == GONE:
        return size
    board[place] = GONE
    begin = GROUP_ITEMS * size
    group[begin + GROUP_COLUMN], group[begin + GROUP_ROW], group[begin + GROUP_CELL] = x, y, cell
    return size + 1


@inlined
def take_group(board: UInt16s, traits: UInt16s, group: UInt16s, cell: int) -> int:
    """List the group of `cell`, whose cells have no row from then on; returns its size."""
    filled, left, right = item_of(board, FILLED), item_of(board, LEFT), item_of(board, RIGHT)
    place = item_of(board, ROWS) + cell
    colour, x = traits[TRAITS * cell + COLOUR], item_of(traits, TRAITS * cell + COLUMN)
    group[GROUP_COLUMN], group[GROUP_ROW], group[GROUP_CELL] = x, board[place], cell
    board[place] = GONE
    size, done = 1, 0
    while done < size:
        x = item_of(group, GROUP_ITEMS * done + GROUP_COLUMN)
        y = item_of(group, GROUP_ITEMS * done + GROUP_ROW)
        if y + 1 < item_of(board, filled + x):
            size = _add_neighbour(board, traits, group, x, y + 1, colour, size)
        if y > 0:
            size = _add_neighbour(board, traits, group, x, y - 1, colour, size)
        beside = item_of(board, left + x)
        if y < item_of(board, filled + beside):
            size = _add_neighbour(board, traits, group, beside, y, colour, size)
        beside = item_of(board, right + x)
        if y < item_of(board, filled + beside):
            size = _add_neighbour(board, traits, group, beside, y, colour, size)
        done += 1
    return size


@inlined
def _drop(board: UInt16s, x: int, lowest: int) -> None:
    """Let the cells of column `x` fall, from row `lowest` on, and leave it out if none is left."""
    begin = HEADER + x * item_of(board, STRIDE)
    rows, filled = item_of(board, ROWS), item_of(board, FILLED)
    stays = lowest
    for y in range(lowest, item_of(board, filled + x)):
        cell = item_of(board, begin + y)
        if board[rows + cell] != GONE:
            board[begin + stays], board[rows + cell] = cell, stays
            stays += 1
    board[filled + x] = stays
    if stays == 0:
        to_left, to_right = item_of(board, LEFT), item_of(board, RIGHT)
        left, right = item_of(board, to_left + x), item_of(board, to_right + x)
        if left != item_of(board, WIDTH):
            board[to_right + left] = right
        if right != item_of(board, WIDTH):
            board[to_left + right] = left


@called
def remove_group(board: UInt16s, traits: UInt16s, group: UInt16s, cell: int) -> int:
    """Remove the group of `cell`, which is there; returns its size, 1 if nothing is removed."""
    y = board[item_of(board, ROWS) + cell]
    size = take_group(board, traits, group, cell)
    if size == 1:
        board[item_of(board, ROWS) + cell] = y
        return size
    height = item_of(board, STRIDE) - 1
    lowest = GROUP_ITEMS * (len(traits) // TRAITS)
    touched = lowest + item_of(board, WIDTH) + 1
    columns = 0
    for index in range(size):
        x = item_of(group, GROUP_ITEMS * index + GROUP_COLUMN)
        y = group[GROUP_ITEMS * index + GROUP_ROW]
        if item_of(group, lowest + x) == height:
            group[touched + columns] = x
            columns += 1
        group[lowest + x] = min(group[lowest + x], y)
    for index in range(columns):
        x = item_of(group, touched + index)
        _drop(board, x, item_of(group, lowest + x))
        group[lowest + x] = height
    return size
