"""Games of SameGame for tempering: orders of cells, replayed after each change.

A game is an order of cells of the start. Each in turn, if it is still there, removes the group that
it is in by then; when the order is through, what can be removed still is. So a group that has grown
is one move and not two, and a changed move leaves most of what follows as it was.

Moves in different corners can be made in any order: where the cells that a changed order has
removed are those of the order that is kept, and the same moves follow, nothing more is played.
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
    COLOUR,
    COLUMN,
    FILLED,
    GONE,
    GROUP_CELL,
    GROUP_COLUMN,
    GROUP_ITEMS,
    GROUP_ROW,
    HEADER,
    LEFT,
    RIGHT,
    ROWS,
    STRIDE,
    TRAITS,
    Cells,
    UInt16s,
    item_of,
    new_cells,
    remove_group,
    take_group,
)
from solver.domains.samegame.kernels import CELL_COST, CLEARED

Int64s = npt.NDArray[np.int64]

#: Draws for a cell with an equal neighbour.
MOST_DRAWS = 32
#: Steps between two boards that are kept, at least: a board is as dear to copy as some moves.
STEPS_BETWEEN = 2
#: Boards that are kept, about, where the steps are many.
MOST_KEPT = 128

#: Steps of the order that is kept before there is one.
NOTHING_KEPT = -1

POINTS, CELLS_LEFT, REMOVED, N_GAME = range(4)  # of a game


class CellOrders(NamedTuple):
    """A game under way, and the order that is kept."""

    cells: Cells
    """The board under way."""
    game: Int64s
    """int64[3]: points so far, cells left, exclusive or of the keys of those removed."""
    order: Moves
    """int64[steps]: the order that is kept."""
    steps: Int64s
    """int64[1]: of that order, `NOTHING_KEPT` before the first."""
    kept: Int64s
    """int64[steps + 1, 3]: its game after each step."""
    boards: UInt16s
    """uint16[boards, items]: its boards every `between` steps."""
    between: int


def new_cell_orders(instance: SameGame) -> CellOrders:
    """Allocate the orders for tempering of `instance`; the first board kept is the start."""
    cells = new_cells(instance)
    steps = instance.width * instance.height // 2
    between = max(STEPS_BETWEEN, steps // MOST_KEPT)
    kept = np.zeros((steps + 1, N_GAME), np.int64)
    kept[0, CELLS_LEFT] = instance.start.left.sum()
    boards = np.zeros((steps // between + 1, len(cells.board)), np.uint16)
    boards[0] = cells.board
    return CellOrders(
        cells=cells,
        game=kept[0].copy(),
        order=np.zeros(steps, np.int64),
        steps=np.full(1, NOTHING_KEPT),
        kept=kept,
        boards=boards,
        between=between,
    )


@inlined
def _remove(orders: CellOrders, cell: int) -> int:
    """Remove the group of `cell`, which is there; returns its size, 1 if nothing is removed."""
    cells, game = orders.cells, orders.game
    size = remove_group(cells.board, cells.traits, cells.group, item_of(cells.number, cell))
    if size == 1:
        return size
    game[POINTS] += (size - 2) * (size - 2)
    game[CELLS_LEFT] -= size
    for index in range(size):
        game[REMOVED] ^= cells.key[cells.group[GROUP_ITEMS * index + GROUP_CELL]]
    return size


@inlined
def _is_there(orders: CellOrders, cell: int) -> bool:
    board = orders.cells.board
    return bool(board[item_of(board, ROWS) + item_of(orders.cells.number, cell)] != GONE)


@inlined
def _colour(orders: CellOrders, x: int, y: int) -> int:
    """Colour of the cell in row `y` of column `x`, 0 if there is none."""
    cell = item_of(orders.cells.board, HEADER + x * item_of(orders.cells.board, STRIDE) + y)
    return item_of(orders.cells.traits, TRAITS * cell + COLOUR)


@inlined
def _is_grouped(orders: CellOrders, x: int, y: int) -> bool:
    """Return whether the cell at `x`, `y` has an equal one above it or to its right."""
    board = orders.cells.board
    colour, right = _colour(orders, x, y), item_of(board, item_of(board, RIGHT) + x)
    return bool(_colour(orders, x, y + 1) == colour or _colour(orders, right, y) == colour)


@inlined
def _grouped_column(
    instance: SameGame, orders: CellOrders, begin: int, passed: int, avoided: int
) -> tuple[int, int]:
    """Find a cell of a group that has not the colour `avoided`, in columns from `begin` around.

    The first `passed` columns have none. Returns how many have none, and the cell; or `GONE`.
    """
    board = orders.cells.board
    for step in range(passed, instance.width):
        x = begin + step
        if x >= instance.width:
            x -= instance.width
        for y in range(item_of(board, item_of(board, FILLED) + x)):
            if _colour(orders, x, y) != avoided and _is_grouped(orders, x, y):
                cell = item_of(board, HEADER + x * item_of(board, STRIDE) + y)
                return step, item_of(orders.cells.origin, cell)
    return instance.width, GONE


@inlined
def _columns_unchanged(instance: SameGame, orders: CellOrders, begin: int, size: int) -> int:
    """Count the columns from `begin` around that the removal of a group of `size` cells left alone.

    A column has changed if its cells have, or those of the column to its right.
    """
    group, board = orders.cells.group, orders.cells.board
    least = instance.width
    for index in range(size):
        x = item_of(group, GROUP_ITEMS * index + GROUP_COLUMN)
        left = item_of(board, item_of(board, LEFT) + x)
        for changed in (x, x if left == instance.width else left):
            least = min(least, changed - begin + (instance.width if changed < begin else 0))
    return least


@inlined
def _restore(orders: CellOrders, order: Moves, step: int) -> None:
    place = step // orders.between
    begin = place * orders.between
    copy_items(orders.boards[place], orders.cells.board)
    copy_items(orders.kept[begin], orders.game)
    for before in range(begin, step):
        _remove(orders, order[before])


@contract.go_to.register(CellOrders)
def go_to(orders: CellOrders, instance: SameGame, order: Moves, step: int) -> None:
    _restore(orders, order, step)


@contract.draw_item.register(CellOrders)
def draw_item(orders: CellOrders, instance: SameGame, stream: Stream) -> int:
    """Draw a cell, if it is easy one of a group."""
    board, traits, origin = orders.cells.board, orders.cells.traits, 0
    for _ in range(MOST_DRAWS):
        origin = next_below(stream, len(orders.cells.key))
        cell = item_of(orders.cells.number, origin)
        y = item_of(board, item_of(board, ROWS) + cell)
        if y != GONE and _is_grouped(orders, item_of(traits, TRAITS * cell + COLUMN), y):
            break
    return origin


@inlined
def _follows(orders: CellOrders, order: Moves, step: int) -> bool:
    """Return whether the game is that of the kept order, and the same moves follow.

    `order` has been played up to `step`.
    """
    kept = step + orders.steps[0] - len(order)
    if not 0 <= kept <= orders.steps[0] or orders.game[REMOVED] != orders.kept[kept, REMOVED]:
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
    steps = step
    for index in range(step, len(order)):
        cell = order[index]
        if _is_there(orders, cell) and _remove(orders, cell) > 1:
            played[steps] = cell
            steps += 1
        if _follows(orders, order, index + 1):
            return _end_as_kept(orders, instance, order, index + 1, steps, stream, played)
    if orders.game[CELLS_LEFT] < 2:
        return steps
    begin = next_below(stream, instance.width)
    others, all_passed = 0, 0  # columns without groups: of other colours than the dominant, of any
    while True:
        others, cell = _grouped_column(instance, orders, begin, others, instance.dominant)
        if cell == GONE:
            all_passed, cell = _grouped_column(instance, orders, begin, all_passed, GONE)
        if cell == GONE:
            return steps
        unchanged = _columns_unchanged(instance, orders, begin, _remove(orders, cell))
        others, all_passed = min(others, unchanged), min(all_passed, unchanged)
        played[steps] = cell
        steps += 1


@inlined
def _end_as_kept(
    orders: CellOrders, instance: SameGame, order: Moves, step: int, steps: int, stream: Stream,
    played: Moves,
) -> int:  # fmt: skip
    """End the game as the kept order does from where `order` is at `step`."""
    game, end = orders.game, orders.steps[0]
    kept = end - (len(order) - step)
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


@contract.keep.register(CellOrders)
def keep(orders: CellOrders, instance: SameGame, order: Moves, step: int) -> None:
    _restore(orders, order, step)
    steps, kept = len(order), orders.kept
    last = steps if steps != orders.steps[0] else step
    for index in range(step, steps):
        if order[index] != orders.order[index]:
            orders.order[index] = order[index]
            last = max(last, index + 1)
    orders.steps[0] = steps
    for index in range(step, steps):
        _remove(orders, order[index])
        same = index + 1 >= last and orders.game[REMOVED] == kept[index + 1, REMOVED]
        if same:
            more = orders.game[POINTS] - kept[index + 1, POINTS]
            for after in range(index + 1, steps + 1):
                kept[after, POINTS] += more
            return
        copy_items(orders.game, kept[index + 1])
        if (index + 1) % orders.between == 0:
            copy_items(orders.cells.board, orders.boards[(index + 1) // orders.between])


@contract.list_moves.register(CellOrders)
def list_moves(orders: CellOrders, instance: SameGame, order: Moves, moves: Moves) -> None:
    """A move is the lowest cell of the first column of its group, by where they are then."""
    cells, width, height = orders.cells, instance.width, instance.height
    board, group = cells.board, cells.group
    left = item_of(board, LEFT)
    for step in range(len(order)):
        _restore(orders, order, step)
        size = take_group(board, cells.traits, group, item_of(cells.number, order[step]))
        first = width * height
        for index in range(size):
            column, x = 0, item_of(board, left + group[GROUP_ITEMS * index + GROUP_COLUMN])
            while x != width:
                column, x = column + 1, item_of(board, left + x)
            row = item_of(group, GROUP_ITEMS * index + GROUP_ROW)
            first = min(first, column * height + row)
        moves[step] = first


@contract.list_items.register(CellOrders)
def list_items(orders: CellOrders, instance: SameGame, moves: Moves, order: Moves) -> None:
    """An item is the cell of the start that lies, by then, where the move says."""
    board = orders.cells.board
    filled = item_of(board, FILLED)
    copy_items(orders.boards[0], board)
    copy_items(orders.kept[0], orders.game)
    for step in range(len(moves)):
        column, x = moves[step] // instance.height, 0
        while column > 0 or board[filled + x] == 0:
            column -= board[filled + x] > 0
            x += 1
        y = moves[step] % instance.height
        cell = item_of(board, HEADER + x * item_of(board, STRIDE) + y)
        order[step] = orders.cells.origin[cell]
        _remove(orders, order[step])
