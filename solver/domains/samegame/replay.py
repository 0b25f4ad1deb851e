"""Games of SameGame beside a kept one: what a changed order plays, and what it need not play.

A move of both games is not played where its group is the same, for no column of it differs, and
nothing that differs beside it is like it: its columns become what they are in the kept game. Where
no column differs at all and the same moves follow, the game ends as the kept one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.copies import copy_items
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.contract.rules import Moves
from solver.domains.samegame.board import MAX_COLOURS, SameGame
from solver.domains.samegame.cells import (
    EMPTY,
    FIRST,
    GROUP,
    LAST,
    ROW_BITS,
    ROW_MASK,
    Cells,
    UInt16s,
    column_beside,
    has_colour_of,
    item_of,
    list_column,
    put_item,
    remove_group,
    row_now,
    set_of,
)
from solver.domains.samegame.kernels import CELL_COST, CLEARED
from solver.propagation.bits import count_bits, lowest_bit

Int64s = npt.NDArray[np.int64]

#: Draws for a cell with an equal neighbour.
MOST_DRAWS = 32
#: Columns from this one on share a bit of those that differ, which is not taken back.
LAST_BIT = 62

#: Steps of the order that is kept before there is one.
NOTHING_KEPT = -1
#: No cell.
NONE = -1

POINTS, CELLS_LEFT, N_GAME = range(3)  # of a game
TOUCHED, SIZE, KEPT_FIRST, KEPT_LAST, N_MOVE = range(5)  # of a move that is kept


class CellOrders(NamedTuple):
    """A game under way, and the order that is kept."""

    cells: Cells
    """The board under way."""
    game: Int64s
    """int64[2]: points so far, cells left."""
    order: Moves
    """int64[steps]: the order that is kept."""
    steps: Int64s
    """int64[1]: of that order, `NOTHING_KEPT` before the first."""
    kept: Int64s
    """int64[steps + 1, 2]: its game after each step."""
    gone: Int64s
    """int64[steps + 1, width + 2]: cells that are gone then, see `Cells`."""
    move: Int64s
    """int64[steps, 4]: bits of the columns of each group and of those beside it; size; first and
    last column."""


@inlined
def column_of(cells: Cells, item: int) -> int:
    return int(np.int64(cells.place[np.uint64(item), 0]))


@inlined
def row_of(cells: Cells, item: int) -> int:
    return int(np.int64(cells.place[np.uint64(item), 1]))


@inlined
def remove(orders: CellOrders, instance: SameGame, item: int) -> int:
    """Remove the group of a cell; returns its size, 1 or less if nothing is removed."""
    cells, game = orders.cells, orders.game
    size = remove_group(
        cells.gone, cells.listed, cells.board, cells.start, cells.group, instance.height,
        column_of(cells, item), row_of(cells, item),
    )  # fmt: skip
    if size > 1:
        game[POINTS] += (size - 2) * (size - 2)
        game[CELLS_LEFT] -= size
    return size


@inlined
def list_cells(orders: CellOrders, instance: SameGame, x: int) -> None:
    cells = orders.cells
    list_column(cells.gone, cells.listed, cells.board, cells.start, instance.height, x)


@inlined
def list_beside(orders: CellOrders, instance: SameGame, x: int) -> int:
    """List column `x` and that to its right; returns where that begins on the board."""
    list_cells(orders, instance, x)
    right = column_beside(orders.cells.gone, instance.height, x, 1)
    list_cells(orders, instance, right)
    return right * (instance.height + 1)


@inlined
def is_grouped(board: UInt16s, cell: int, place: int, beside: int) -> bool:
    """Return whether a cell at `place` is like that above it, or that to its right, at `beside`."""
    return bool(
        has_colour_of(cell, item_of(board, place + 1))
        or has_colour_of(cell, item_of(board, beside))
    )


@inlined
def _grouped_column(
    instance: SameGame, orders: CellOrders, begin: int, passed: int, avoided: int
) -> tuple[int, int]:
    """Find a cell of a group that has not the colour of `avoided`, in columns from `begin` around.

    The first `passed` columns have none. Returns how many have none, and the cell; or `NONE`.
    """
    height, cells = instance.height, orders.cells
    for step in range(passed, instance.width):
        x = begin + step
        if x > instance.width:
            x -= instance.width
        filled = height - count_bits(set_of(cells.gone, x))
        if filled == 0:
            continue
        beside, place = list_beside(orders, instance, x), x * (height + 1)
        for y in range(filled):
            cell = item_of(cells.board, place + y)
            if not has_colour_of(cell, avoided) and is_grouped(
                cells.board, cell, place + y, beside + y
            ):
                return step, (x - 1) * height + (cell & ROW_MASK)
    return instance.width, NONE


@inlined
def _columns_unchanged(instance: SameGame, orders: CellOrders, begin: int) -> int:
    """Count the columns from `begin` around that the last removal of a group left alone.

    A column has changed if its cells have, or those of the column to its right.
    """
    group, width = orders.cells.group, instance.width
    first, last = item_of(group, FIRST), item_of(group, LAST)
    left = column_beside(orders.cells.gone, instance.height, first, -1)
    least = width
    for changed in range(max(left, 1), last + 1):
        least = min(least, changed - begin + (width if changed < begin else 0))
    return least


@inlined
def restore(orders: CellOrders, step: int) -> None:
    copy_items(orders.gone[step], orders.cells.gone)
    copy_items(orders.kept[step], orders.game)


@inlined
def bit_of(x: int) -> int:
    return 1 << min(x, LAST_BIT)


@inlined
def differing_columns(orders: CellOrders, differing: int, first: int, last: int, kept: int) -> int:
    """Compare columns with those of the kept game after step `kept`; returns which differ.

    `differing` are the bits of those that did before.
    """
    gone, other = orders.cells.gone, orders.gone[kept]
    for x in range(first, last + 1):
        if set_of(gone, x) != set_of(other, x):
            differing |= bit_of(x)
        elif x < LAST_BIT:
            differing &= ~bit_of(x)
    return differing


@inlined
def is_apart(
    orders: CellOrders, instance: SameGame, differing: int, first: int, last: int, kept: int
) -> bool:
    """Return whether a kept group, which move `kept` removes, is one in the game under way.

    It is not looked for where one of its columns differs.
    """
    left, right = bit_of(first) - 1, -(bit_of(last) << 1)
    if last >= LAST_BIT or differing & ~(left | right):
        return False
    if differing & left and _is_joined(orders, instance, first, -1, kept):
        return False
    return not (differing & right and _is_joined(orders, instance, last, 1, kept))


@inlined
def _is_joined(orders: CellOrders, instance: SameGame, x: int, side: int, kept: int) -> bool:
    """Return whether a cell of a kept group in column `x` is like the one beside it on a side."""
    cells, height = orders.cells, instance.height
    beside = column_beside(cells.gone, height, x, side)
    list_cells(orders, instance, beside)
    gone = set_of(cells.gone, x)
    rest = set_of(orders.gone[kept], x) & ~gone
    while rest:
        row = lowest_bit(rest)
        cell = item_of(cells.start, (x - 1) * height + row)
        if has_colour_of(cell, item_of(cells.board, beside * (height + 1) + row_now(gone, row))):
            return True
        rest &= rest - 1
    return False


@inlined
def follows(orders: CellOrders, order: Moves, step: int, kept: int) -> bool:
    """Return whether the moves of `order` from `step` on are those that are kept from `kept` on."""
    if len(order) - step != orders.steps[0] - kept:
        return False
    for index in range(step, len(order)):
        if order[index] != orders.order[kept]:
            return False
        kept += 1
    return True


@inlined
def most_points(orders: CellOrders, instance: SameGame) -> float:
    """Bound of the shaped score, as if all cells of each colour that are left were one group."""
    cells, game, height = orders.cells, orders.game, instance.height
    for colour in range(MAX_COLOURS + 1):
        put_item(cells.group, GROUP + colour, 0)
    for x in range(1, instance.width + 1):
        rest = ~set_of(cells.gone, x) & ((1 << height) - 1)
        while rest:
            cell = item_of(cells.start, (x - 1) * height + lowest_bit(rest))
            place = GROUP + (cell >> ROW_BITS)
            put_item(cells.group, place, item_of(cells.group, place) + 1)
            rest &= rest - 1
    most = float(game[POINTS] + CLEARED)
    for colour in range(MAX_COLOURS + 1):
        size = item_of(cells.group, GROUP + colour)
        if size > 1:
            most += (size - 2) * (size - 2)
        elif size == 1:
            most -= CELL_COST
    return most


@inlined
def play_to_end(
    orders: CellOrders, instance: SameGame, steps: int, stream: Stream, played: Moves
) -> int:
    """Remove what can be removed still, from a column drawn at random around."""
    begin = 1 + next_below(stream, instance.width)
    dominant = instance.dominant << ROW_BITS
    others, all_passed = 0, 0  # columns without groups: of other colours than the dominant, of any
    while True:
        others, item = _grouped_column(instance, orders, begin, others, dominant)
        if item == NONE:
            all_passed, item = _grouped_column(instance, orders, begin, all_passed, EMPTY)
        if item == NONE:
            return steps
        remove(orders, instance, item)
        unchanged = _columns_unchanged(instance, orders, begin)
        others, all_passed = min(others, unchanged), min(all_passed, unchanged)
        played[steps] = item
        steps += 1


@inlined
def end_as_kept(
    orders: CellOrders, instance: SameGame, kept: int, steps: int, stream: Stream, played: Moves
) -> int:
    """End the game as the kept order does after `kept` steps."""
    game, end = orders.game, orders.steps[0]
    for item in (POINTS, CELLS_LEFT):
        game[item] += orders.kept[end, item] - orders.kept[kept, item]
    for index in range(kept, end):
        played[steps] = orders.order[index]
        steps += 1
    if game[CELLS_LEFT] >= 2:
        next_below(stream, instance.width)  # as if it had been played to the end
    return steps
