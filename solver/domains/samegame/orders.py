"""Games of SameGame for tempering: orders of cells, replayed after each change.

A game is an order of cells of the start. Each in turn, if it is still there, removes the group that
it is in by then; when the order is through, what can be removed still is. So a group that has grown
is one move and not two, and a changed move leaves most of what follows as it was.

The board knows nothing of groups but the one being removed, which makes a game several times
cheaper than a playout. A cell never leaves its column: columns that have become empty are left
out of the links to the left and the right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.copies import copy_items, copy_rows
from solver.compiling.jit import called, inlined
from solver.compiling.random import Stream, next_below
from solver.contract import orders as contract
from solver.contract.rules import Moves
from solver.domains.samegame.board import N_PLANES, SameGame
from solver.domains.samegame.kernels import CELL_COST, CLEARED

#: Without a sign: an index that cannot be negative needs no check for it.
UInt16s = npt.NDArray[np.uint16]

#: No row, no cell and no colour.
GONE = 2**16 - 1
#: Draws for a cell with an equal neighbour.
MOST_DRAWS = 32
#: Steps between two boards that are kept, at least: a board is as dear to copy as some moves.
STEPS_BETWEEN = 4
#: Boards that are kept, at most.
MOST_KEPT = 64

POINTS, LEFT = range(2)


class CellBoard(NamedTuple):
    """Remaining cells of a board. Cell x * height + y was in row y from below of column x."""

    cell: UInt16s
    """uint16[width + 1, height + 1]: cells of each column from below; the last has none."""
    row: UInt16s
    """uint16[width * height]: row of each cell now, `GONE` if it is removed."""
    filled: UInt16s
    """uint16[width + 1]: cells of each column."""
    left: UInt16s
    """uint16[width + 1]: column beside each that is not empty; `width` stands for none."""
    right: UInt16s
    """uint16[width + 1]."""
    scalars: npt.NDArray[np.int64]
    """int64[2]: points so far, cells left."""


class CellOrders(NamedTuple):
    """The board under way, those on the way of the order that is kept, and scratch."""

    colour: UInt16s
    """uint16[width * height]: of each cell."""
    board: CellBoard
    kept: CellBoard
    """Every `between` steps of the order that is kept: a dimension more at the front."""
    between: int
    stack_x: UInt16s
    """uint16[width * height]: scratch, columns of the group."""
    stack_y: UInt16s
    """uint16[width * height]: scratch, rows of the group."""
    lowest: UInt16s
    """uint16[width + 1]: scratch, lowest row of the group in each column, `height` elsewhere."""
    touched: UInt16s
    """uint16[width + 1]: scratch, columns of the group."""


def _new_board(width: int, height: int, *more: int) -> CellBoard:
    """Allocate a board, or as many as `more` says."""
    return CellBoard(
        cell=np.zeros((*more, width + 1, height + 1), np.uint16),
        row=np.full((*more, width * height), GONE, np.uint16),
        filled=np.zeros((*more, width + 1), np.uint16),
        left=np.zeros((*more, width + 1), np.uint16),
        right=np.zeros((*more, width + 1), np.uint16),
        scalars=np.zeros((*more, 2), np.int64),
    )


def new_cell_orders(instance: SameGame) -> CellOrders:
    """Allocate the orders for tempering of `instance`; the first board kept is the start."""
    width, height = instance.width, instance.height
    cells = width * height
    between = max(STEPS_BETWEEN, cells // 2 // MOST_KEPT)
    column, rows = instance.start.column[:-1], np.arange(height)
    colour = np.zeros((width, height), np.uint16)
    for plane in range(N_PLANES):
        colour |= (((column[:, [plane]] >> rows) & 1) << plane).astype(np.uint16)
    filled = np.count_nonzero(colour, axis=1)
    columns, places = np.count_nonzero(filled), np.arange(width + 1)
    kept = _new_board(width, height, cells // 2 // between + 1)
    kept.cell[0, :-1, :-1] = np.arange(cells).reshape(width, height)
    kept.row[0] = np.where(colour > 0, rows, GONE).ravel()
    kept.filled[0, :-1] = filled
    kept.left[0] = np.where(places > 0, places - 1, width)
    kept.right[0] = np.where(places + 1 < columns, places + 1, width)
    kept.scalars[0, LEFT] = filled.sum()
    return CellOrders(
        colour=colour.ravel(),
        board=_new_board(width, height),
        kept=kept,
        between=between,
        stack_x=np.zeros(cells, np.uint16),
        stack_y=np.zeros(cells, np.uint16),
        lowest=np.full(width + 1, height, np.uint16),
        touched=np.zeros(width + 1, np.uint16),
    )


@inlined
def _copy_board(source: CellBoard, target: CellBoard) -> None:
    copy_rows(source.cell, target.cell)
    copy_items(source.row, target.row)
    copy_items(source.filled, target.filled)
    copy_items(source.left, target.left)
    copy_items(source.right, target.right)
    copy_items(source.scalars, target.scalars)


@inlined
def _kept(kept: CellBoard, place: int) -> CellBoard:
    """Board number `place` of those that are kept."""
    return CellBoard(
        kept.cell[place], kept.row[place], kept.filled[place], kept.left[place],
        kept.right[place], kept.scalars[place],
    )  # fmt: skip


@inlined
def _add_neighbour(orders: CellOrders, x: int, y: int, colour: int, size: int) -> int:
    """Add the cell at `x`, `y` to the group of `size` cells if it belongs there."""
    board = orders.board
    cell = board.cell[x, y]
    if orders.colour[cell] != colour or board.row[cell] == GONE:
        return size
    board.row[cell] = GONE
    orders.stack_x[size], orders.stack_y[size] = x, y
    return size + 1


@inlined
def _take_group(instance: SameGame, orders: CellOrders, cell: int) -> int:
    """List the group of `cell`, whose cells have no row from then on; returns its size."""
    board = orders.board
    colour, x, y = orders.colour[cell], cell // instance.height, board.row[cell]
    board.row[cell] = GONE
    orders.stack_x[0], orders.stack_y[0] = x, y
    size, done = 1, 0
    while done < size:
        x, y = orders.stack_x[done], orders.stack_y[done]
        if y + 1 < board.filled[x]:
            size = _add_neighbour(orders, x, y + 1, colour, size)
        if y > 0:
            size = _add_neighbour(orders, x, y - 1, colour, size)
        beside = board.left[x]
        if y < board.filled[beside]:
            size = _add_neighbour(orders, beside, y, colour, size)
        beside = board.right[x]
        if y < board.filled[beside]:
            size = _add_neighbour(orders, beside, y, colour, size)
        done += 1
    return size


@inlined
def _drop(orders: CellOrders, width: int, x: int, lowest: int) -> None:
    """Let the cells of column `x` fall, from row `lowest` on, and leave it out if none is left."""
    board = orders.board
    filled = lowest
    for y in range(lowest, board.filled[x]):
        cell = board.cell[x, y]
        if board.row[cell] != GONE:
            board.cell[x, filled] = cell
            board.row[cell] = filled
            filled += 1
    board.filled[x] = filled
    if filled == 0:
        left, right = board.left[x], board.right[x]
        if left != width:
            board.right[left] = right
        if right != width:
            board.left[right] = left


@called
def _remove(instance: SameGame, orders: CellOrders, cell: int) -> bool:
    """Remove the group of `cell`, which is there; returns whether it has two cells or more."""
    board, width, height = orders.board, instance.width, instance.height
    y = board.row[cell]
    size = _take_group(instance, orders, cell)
    if size == 1:
        board.row[cell] = y
        return False
    columns = 0
    for index in range(size):
        x, y = orders.stack_x[index], orders.stack_y[index]
        if orders.lowest[x] == height:
            orders.touched[columns] = x
            columns += 1
        orders.lowest[x] = min(orders.lowest[x], y)
    for index in range(columns):
        x = orders.touched[index]
        _drop(orders, width, x, orders.lowest[x])
        orders.lowest[x] = height
    board.scalars[POINTS] += (size - 2) * (size - 2)
    board.scalars[LEFT] -= size
    return True


@inlined
def _is_grouped(orders: CellOrders, x: int, y: int) -> bool:
    """Return whether the cell at `x`, `y` has an equal one above it or to its right."""
    board, colour = orders.board, orders.colour
    right = board.right[x]
    wanted = colour[board.cell[x, y]]
    if y + 1 < board.filled[x] and colour[board.cell[x, y + 1]] == wanted:
        return True
    return bool(y < board.filled[right] and colour[board.cell[right, y]] == wanted)


@inlined
def _grouped_cell(instance: SameGame, orders: CellOrders, begin: int, avoided: int) -> int:
    """Find a cell of a group that has not the colour `avoided`, from column `begin`; or `GONE`."""
    board = orders.board
    for step in range(instance.width):
        x = begin + step
        if x >= instance.width:
            x -= instance.width
        for y in range(board.filled[x]):
            cell = board.cell[x, y]
            if orders.colour[cell] != avoided and _is_grouped(orders, x, y):
                return int(cell)
    return GONE


@inlined
def _restore(orders: CellOrders, instance: SameGame, order: Moves, step: int) -> None:
    place = step // orders.between
    _copy_board(_kept(orders.kept, place), orders.board)
    for before in range(place * orders.between, step):
        _remove(instance, orders, order[before])


@contract.go_to.register(CellOrders)
def go_to(orders: CellOrders, instance: SameGame, order: Moves, step: int) -> None:
    _restore(orders, instance, order, step)


@contract.draw_item.register(CellOrders)
def draw_item(orders: CellOrders, instance: SameGame, stream: Stream) -> int:
    """Draw a cell, if it is easy one of a group."""
    cell = 0
    for _ in range(MOST_DRAWS):
        cell = next_below(stream, len(orders.colour))
        y = orders.board.row[cell]
        if y != GONE and _is_grouped(orders, cell // instance.height, y):
            break
    return cell


@contract.go_on.register(CellOrders)
def go_on(
    orders: CellOrders, instance: SameGame, order: Moves, step: int, stream: Stream, played: Moves
) -> int:
    steps = step
    for index in range(step, len(order)):
        cell = order[index]
        if orders.board.row[cell] != GONE and _remove(instance, orders, cell):
            played[steps] = cell
            steps += 1
    if orders.board.scalars[LEFT] < 2:
        return steps
    begin = next_below(stream, instance.width)
    while True:
        cell = _grouped_cell(instance, orders, begin, instance.dominant)
        if cell == GONE:
            cell = _grouped_cell(instance, orders, begin, GONE)
        if cell == GONE:
            return steps
        _remove(instance, orders, cell)
        played[steps] = cell
        steps += 1


@contract.order_score.register(CellOrders)
def order_score(orders: CellOrders, instance: SameGame) -> float:
    scalars = orders.board.scalars
    return float(scalars[POINTS] + (CLEARED if scalars[LEFT] == 0 else 0))


@contract.shaped_order_score.register(CellOrders)
def shaped_order_score(orders: CellOrders, instance: SameGame) -> float:
    scalars = orders.board.scalars
    return float(scalars[POINTS] + CLEARED - CELL_COST * scalars[LEFT])


@contract.keep.register(CellOrders)
def keep(orders: CellOrders, instance: SameGame, order: Moves, step: int) -> None:
    _restore(orders, instance, order, step)
    for index in range(step, len(order)):
        _remove(instance, orders, order[index])
        if (index + 1) % orders.between == 0:
            _copy_board(orders.board, _kept(orders.kept, (index + 1) // orders.between))


@contract.list_moves.register(CellOrders)
def list_moves(orders: CellOrders, instance: SameGame, order: Moves, moves: Moves) -> None:
    """A move is the lowest cell of the first column of its group, by where they are then."""
    board, width, height = orders.board, instance.width, instance.height
    for step in range(len(order)):
        _restore(orders, instance, order, step)
        size = _take_group(instance, orders, order[step])
        first = width * height
        for index in range(size):
            column, x = 0, board.left[orders.stack_x[index]]
            while x != width:
                column, x = column + 1, board.left[x]
            first = min(first, column * height + orders.stack_y[index])
        moves[step] = first


@contract.list_items.register(CellOrders)
def list_items(orders: CellOrders, instance: SameGame, moves: Moves, order: Moves) -> None:
    """An item is the cell of the start that lies, by then, where the move says."""
    board = orders.board
    _copy_board(_kept(orders.kept, 0), board)
    for step in range(len(moves)):
        column, x = moves[step] // instance.height, 0
        while column > 0 or board.filled[x] == 0:
            column -= board.filled[x] > 0
            x += 1
        order[step] = board.cell[x, moves[step] % instance.height]
        _remove(instance, orders, order[step])
