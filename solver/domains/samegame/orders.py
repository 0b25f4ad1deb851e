"""Games of SameGame for tempering: orders of cells, replayed after each change.

A game is an order of cells of the start. Each in turn, if it is still there, removes the group that
it is in by then; when the order is through, what can be removed still is. So a group that has grown
is one move and not two, and a changed move leaves most of what follows as it was.

A changed order is played beside the one that is kept. Where no column differs that a move of both
touches, the move is not played: its columns become what they are in the kept game. Where no column
differs at all and the same moves follow, the game ends as the kept one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.copies import copy_items
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.contract import orders as contract
from solver.contract.rules import Moves
from solver.domains.samegame.board import SameGame
from solver.domains.samegame.cells import (
    EMPTY,
    FIRST,
    GROUP,
    GROUP_COLUMN,
    GROUP_ITEMS,
    GROUP_ROW,
    LAST,
    ROW_BITS,
    ROW_MASK,
    Cells,
    column_beside,
    has_colour_of,
    item_of,
    list_column,
    new_cells,
    remove_group,
    row_now,
    set_of,
)
from solver.domains.samegame.kernels import CELL_COST, CLEARED
from solver.propagation.bits import count_bits

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


def new_cell_orders(instance: SameGame) -> CellOrders:
    """Allocate the orders for tempering of `instance`; the first board kept is the start."""
    cells = new_cells(instance)
    steps = instance.width * instance.height // 2
    kept = np.zeros((steps + 1, N_GAME), np.int64)
    kept[0, CELLS_LEFT] = instance.start.left.sum()
    gone = np.zeros((steps + 1, len(cells.gone)), np.int64)
    gone[0] = cells.gone
    return CellOrders(
        cells=cells,
        game=kept[0].copy(),
        order=np.zeros(steps, np.int64),
        steps=np.full(1, NOTHING_KEPT),
        kept=kept,
        gone=gone,
        move=np.zeros((steps, N_MOVE), np.int64),
    )


@inlined
def _column_of(cells: Cells, item: int) -> int:
    return int(np.int64(cells.place[np.uint64(item), 0]))


@inlined
def _row_of(cells: Cells, item: int) -> int:
    return int(np.int64(cells.place[np.uint64(item), 1]))


@inlined
def _remove(orders: CellOrders, instance: SameGame, item: int) -> int:
    """Remove the group of a cell; returns its size, 1 or less if nothing is removed."""
    cells, game = orders.cells, orders.game
    size = remove_group(
        cells.gone, cells.listed, cells.board, cells.start, cells.group, instance.height,
        _column_of(cells, item), _row_of(cells, item),
    )  # fmt: skip
    if size > 1:
        game[POINTS] += (size - 2) * (size - 2)
        game[CELLS_LEFT] -= size
    return size


@inlined
def _list(orders: CellOrders, instance: SameGame, x: int) -> None:
    cells = orders.cells
    list_column(cells.gone, cells.listed, cells.board, cells.start, instance.height, x)


@inlined
def _is_grouped(orders: CellOrders, instance: SameGame, x: int, y: int) -> bool:
    """Return whether the cell in row `y` of a listed column is like that above or to the right."""
    height, cells = instance.height, orders.cells
    place = x * (height + 1) + y
    cell = item_of(cells.board, place)
    if has_colour_of(cell, item_of(cells.board, place + 1)):
        return True
    right = column_beside(cells.gone, height, x, 1)
    _list(orders, instance, right)
    return bool(has_colour_of(cell, item_of(cells.board, right * (height + 1) + y)))


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
        _list(orders, instance, x)
        for y in range(height - count_bits(set_of(cells.gone, x))):
            cell = item_of(cells.board, x * (height + 1) + y)
            if not has_colour_of(cell, avoided) and _is_grouped(orders, instance, x, y):
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
def _restore(orders: CellOrders, step: int) -> None:
    copy_items(orders.gone[step], orders.cells.gone)
    copy_items(orders.kept[step], orders.game)


@contract.go_to.register(CellOrders)
def go_to(orders: CellOrders, instance: SameGame, order: Moves, step: int) -> None:
    _restore(orders, step)


@contract.draw_item.register(CellOrders)
def draw_item(orders: CellOrders, instance: SameGame, stream: Stream) -> int:
    """Draw a cell, if it is easy one of a group."""
    cells, item = orders.cells, 0
    for _ in range(MOST_DRAWS):
        item = next_below(stream, len(cells.start))
        x, row = _column_of(cells, item), _row_of(cells, item)
        gone = set_of(cells.gone, x)
        if not (gone >> row) & 1:
            _list(orders, instance, x)
            if _is_grouped(orders, instance, x, row_now(gone, row)):
                break
    return item


@inlined
def _bit(x: int) -> int:
    return 1 << min(x, LAST_BIT)


@inlined
def _differing(orders: CellOrders, differing: int, first: int, last: int, kept: int) -> int:
    """Compare columns with those of the kept game after step `kept`; returns which differ.

    `differing` are the bits of those that did before.
    """
    gone, other = orders.cells.gone, orders.gone[kept]
    for x in range(first, last + 1):
        if set_of(gone, x) != set_of(other, x):
            differing |= _bit(x)
        elif x < LAST_BIT:
            differing &= ~_bit(x)
    return differing


@inlined
def _follows(orders: CellOrders, order: Moves, step: int, kept: int) -> bool:
    """Return whether the moves of `order` from `step` on are those that are kept from `kept` on."""
    if len(order) - step != orders.steps[0] - kept:
        return False
    for index in range(step, len(order)):
        if order[index] != orders.order[kept]:
            return False
        kept += 1
    return True


@contract.go_on.register(CellOrders)
def go_on(
    orders: CellOrders, instance: SameGame, order: Moves, step: int, stream: Stream, played: Moves
) -> int:
    cells, game, move = orders.cells, orders.game, orders.move
    steps, kept, end = step, step, orders.steps[0]
    differing = 0  # bits of columns that are not as after `kept` steps of the kept order
    for index in range(step, len(order)):
        item = order[index]
        if kept + 1 < end and item == orders.order[kept + 1] and item != orders.order[kept]:
            first, last = move[kept, KEPT_FIRST], move[kept, KEPT_LAST]
            kept += 1
            differing = _differing(orders, differing, first, last, kept)
        if kept < end and item == orders.order[kept]:
            first, last = move[kept, KEPT_FIRST], move[kept, KEPT_LAST]
            size, touched = move[kept, SIZE], move[kept, TOUCHED]
            kept += 1
            if touched & differing == 0:
                other = orders.gone[kept]
                for x in range(first, last + 1):
                    cells.gone[np.uint64(x)] = set_of(other, x)
                game[POINTS] += (size - 2) * (size - 2)
                game[CELLS_LEFT] -= size
                played[steps] = item
                steps += 1
            else:
                if _remove(orders, instance, item) > 1:
                    played[steps] = item
                    steps += 1
                    first = min(first, item_of(cells.group, FIRST))
                    last = max(last, item_of(cells.group, LAST))
                differing = _differing(orders, differing, first, last, kept)
        elif _remove(orders, instance, item) > 1:
            played[steps] = item
            steps += 1
            first, last = item_of(cells.group, FIRST), item_of(cells.group, LAST)
            differing = _differing(orders, differing, first, last, kept)
        if differing == 0 and _follows(orders, order, index + 1, kept):
            return _end_as_kept(orders, instance, kept, steps, stream, played)
    if game[CELLS_LEFT] < 2:
        return steps
    return _end(orders, instance, steps, stream, played)


@inlined
def _end(orders: CellOrders, instance: SameGame, steps: int, stream: Stream, played: Moves) -> int:
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
        _remove(orders, instance, item)
        unchanged = _columns_unchanged(instance, orders, begin)
        others, all_passed = min(others, unchanged), min(all_passed, unchanged)
        played[steps] = item
        steps += 1


@inlined
def _end_as_kept(
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


@contract.order_score.register(CellOrders)
def order_score(orders: CellOrders, instance: SameGame) -> float:
    game = orders.game
    return float(game[POINTS] + (CLEARED if game[CELLS_LEFT] == 0 else 0))


@contract.shaped_order_score.register(CellOrders)
def shaped_order_score(orders: CellOrders, instance: SameGame) -> float:
    return float(orders.game[POINTS] + CLEARED - CELL_COST * orders.game[CELLS_LEFT])


@inlined
def _note_move(orders: CellOrders, instance: SameGame, step: int, size: int) -> None:
    """Store the group that was removed last as that of step `step`."""
    gone, group, height = orders.cells.gone, orders.cells.group, instance.height
    first, last = item_of(group, FIRST), item_of(group, LAST)
    begin = column_beside(gone, height, first, -1)
    end = column_beside(gone, height, last, 1)
    move = orders.move
    move[step, TOUCHED] = (_bit(end) << 1) - _bit(begin)
    move[step, SIZE], move[step, KEPT_FIRST], move[step, KEPT_LAST] = size, first, last


@inlined
def _is_as_kept(orders: CellOrders, kept: int) -> bool:
    """Return whether the board is that of the kept order after `kept` steps."""
    gone, other = orders.cells.gone, orders.gone[kept]
    for x in range(len(gone)):
        if gone[x] != other[x]:
            return False
    return True


@contract.keep.register(CellOrders)
def keep(orders: CellOrders, instance: SameGame, order: Moves, step: int) -> None:
    _restore(orders, step)
    steps, kept = len(order), orders.kept
    last = steps if steps != orders.steps[0] else step
    for index in range(step, steps):
        if order[index] != orders.order[index]:
            orders.order[index] = order[index]
            last = max(last, index + 1)
    orders.steps[0] = steps
    for index in range(step, steps):
        _note_move(orders, instance, index, _remove(orders, instance, order[index]))
        if index + 1 >= last and _is_as_kept(orders, index + 1):
            more = orders.game[POINTS] - kept[index + 1, POINTS]
            for after in range(index + 1, steps + 1):
                kept[after, POINTS] += more
            return
        copy_items(orders.game, kept[index + 1])
        copy_items(orders.cells.gone, orders.gone[index + 1])


@inlined
def _columns_before(orders: CellOrders, instance: SameGame, x: int) -> int:
    """Count the columns to the left of `x` that are not empty."""
    columns, x = 0, column_beside(orders.cells.gone, instance.height, x, -1)
    while x > 0:
        columns, x = columns + 1, column_beside(orders.cells.gone, instance.height, x, -1)
    return columns


@contract.list_moves.register(CellOrders)
def list_moves(orders: CellOrders, instance: SameGame, order: Moves, moves: Moves) -> None:
    """A move is the lowest cell of the first column of its group, by where they are then."""
    group, height = orders.cells.group, instance.height
    _restore(orders, 0)
    for step in range(len(order)):
        size = _remove(orders, instance, order[step])
        first, y = item_of(group, FIRST), height
        for index in range(size):
            begin = GROUP + GROUP_ITEMS * index
            if item_of(group, begin + GROUP_COLUMN) == first:
                y = min(y, item_of(group, begin + GROUP_ROW))
        moves[step] = _columns_before(orders, instance, first) * height + y


@contract.list_items.register(CellOrders)
def list_items(orders: CellOrders, instance: SameGame, moves: Moves, order: Moves) -> None:
    """An item is the cell of the start that lies, by then, where the move says."""
    cells, height = orders.cells, instance.height
    _restore(orders, 0)
    for step in range(len(moves)):
        x = column_beside(cells.gone, height, 0, 1)
        for _ in range(moves[step] // height):
            x = column_beside(cells.gone, height, x, 1)
        _list(orders, instance, x)
        cell = item_of(cells.board, x * (height + 1) + moves[step] % height)
        order[step] = (x - 1) * height + (cell & ROW_MASK)
        _remove(orders, instance, order[step])
