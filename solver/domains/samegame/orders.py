"""Games of SameGame for tempering: orders of cells, replayed after each change.

A game is an order of cells of the start. Each in turn, if it is still there, removes the group that
it is in by then; when the order is through, what can be removed still is. So a group that has grown
is one move and not two, and a changed move leaves most of what follows as it was.
"""

from __future__ import annotations

import numpy as np

from solver.compiling.copies import copy_items
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.contract import orders as contract
from solver.contract.rules import Moves
from solver.domains.samegame.board import SameGame
from solver.domains.samegame.cells import (
    FIRST,
    GROUP,
    GROUP_COLUMN,
    GROUP_ITEMS,
    GROUP_ROW,
    LAST,
    ROW_MASK,
    column_beside,
    item_of,
    new_cells,
    row_now,
    set_of,
)
from solver.domains.samegame.kernels import CELL_COST, CLEARED
from solver.domains.samegame.replay import (
    CELLS_LEFT,
    KEPT_FIRST,
    KEPT_LAST,
    MOST_DRAWS,
    N_GAME,
    N_MOVE,
    NOTHING_KEPT,
    POINTS,
    SIZE,
    TOUCHED,
    CellOrders,
    bit_of,
    column_of,
    differing_columns,
    end_as_kept,
    follows,
    is_apart,
    is_grouped,
    list_beside,
    list_cells,
    most_points,
    play_to_end,
    remove,
    restore,
    row_of,
)


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


@contract.go_to.register(CellOrders)
def go_to(orders: CellOrders, instance: SameGame, order: Moves, step: int) -> None:
    restore(orders, step)


@contract.draw_item.register(CellOrders)
def draw_item(orders: CellOrders, instance: SameGame, stream: Stream) -> int:
    """Draw a cell, if it is easy one of a group."""
    cells, item = orders.cells, 0
    for _ in range(MOST_DRAWS):
        item = next_below(stream, len(cells.start))
        x, row = column_of(cells, item), row_of(cells, item)
        gone = set_of(cells.gone, x)
        if not (gone >> row) & 1:
            beside, y = list_beside(orders, instance, x), row_now(gone, row)
            place = x * (instance.height + 1) + y
            if is_grouped(cells.board, item_of(cells.board, place), place, beside + y):
                break
    return item


@contract.go_on.register(CellOrders)
def go_on(
    orders: CellOrders,
    instance: SameGame,
    order: Moves,
    step: int,
    stream: Stream,
    played: Moves,
    floor: float,
) -> int:
    cells, game, move = orders.cells, orders.game, orders.move
    steps, kept, end = step, step, orders.steps[0]
    differing = 0  # bits of columns that are not as after `kept` steps of the kept order
    for index in range(step, len(order)):
        item = order[index]
        if kept + 1 < end and item == orders.order[kept + 1] and item != orders.order[kept]:
            first, last = move[kept, KEPT_FIRST], move[kept, KEPT_LAST]
            kept += 1
            differing = differing_columns(orders, differing, first, last, kept)
        first, last, is_played = instance.width, 0, False
        if kept < end and item == orders.order[kept]:
            first, last = move[kept, KEPT_FIRST], move[kept, KEPT_LAST]
            size, near = move[kept, SIZE], move[kept, TOUCHED] & differing
            kept += 1
            if near == 0 or is_apart(orders, instance, near, first, last, kept):
                other = orders.gone[kept]
                for x in range(first, last + 1):
                    cells.gone[np.uint64(x)] = set_of(other, x)
                game[POINTS] += (size - 2) * (size - 2)
                game[CELLS_LEFT] -= size
                is_played = True
        if not is_played:
            is_played = remove(orders, instance, item) > 1
            if is_played:
                first = min(first, item_of(cells.group, FIRST))
                last = max(last, item_of(cells.group, LAST))
            differing = differing_columns(orders, differing, first, last, kept)
        if is_played:
            played[steps] = item
            steps += 1
        if differing == 0 and follows(orders, order, index + 1, kept):
            return end_as_kept(orders, instance, kept, steps, stream, played)
    if game[CELLS_LEFT] < 2 or most_points(orders, instance) < floor:
        return steps
    return play_to_end(orders, instance, steps, stream, played)


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
    move[step, TOUCHED] = (bit_of(end) << 1) - bit_of(begin)
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
    restore(orders, step)
    steps, kept = len(order), orders.kept
    last = steps if steps != orders.steps[0] else step
    for index in range(step, steps):
        if order[index] != orders.order[index]:
            orders.order[index] = order[index]
            last = max(last, index + 1)
    orders.steps[0] = steps
    for index in range(step, steps):
        _note_move(orders, instance, index, remove(orders, instance, order[index]))
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
    restore(orders, 0)
    for step in range(len(order)):
        size = remove(orders, instance, order[step])
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
    restore(orders, 0)
    for step in range(len(moves)):
        x = column_beside(cells.gone, height, 0, 1)
        for _ in range(moves[step] // height):
            x = column_beside(cells.gone, height, x, 1)
        list_cells(orders, instance, x)
        cell = item_of(cells.board, x * (height + 1) + moves[step] % height)
        order[step] = (x - 1) * height + (cell & ROW_MASK)
        remove(orders, instance, order[step])
