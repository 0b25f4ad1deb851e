"""Games of Morpion Solitaire for tempering: orders of lines, replayed after each change.

A game is an order of lines. Each in turn is drawn if it can be; when the order is through, lines
that can be drawn are drawn at random until there is none. Most lines can wait for others, so a
changed line leaves most of the game as it was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.contract import orders as contract
from solver.contract.rules import Moves
from solver.domains.morpion.board import (
    N_LISTED,
    PLY,
    READY,
    Bytes,
    Int64s,
    Morpion,
    copy_sheet,
    draw_line,
    missing_dot,
)

#: Steps from one sheet that is kept to the next.
BETWEEN = 4


class Sheet(NamedTuple):
    """A sheet without its moves, see `solver.domains.morpion.board.MorpionState`."""

    on_line: Bytes
    """uint8[4 * AREA]"""
    dot: Bytes
    """uint8[AREA]"""
    listed: Int64s
    """int64[moves + MOST_NEW]"""
    scalars: Int64s
    """int64[2]: lines listed, moves."""


class LineOrders(NamedTuple):
    """The sheet under way, and those on the way of the order that is kept."""

    sheet: Sheet
    kept: Sheet
    """Every `BETWEEN` steps of the order that is kept: a dimension more at the front."""


def new_line_orders(instance: Morpion) -> LineOrders:
    """Allocate the orders for tempering of `instance`; the first sheet kept is the start."""
    start = instance.start
    n = (len(start.line) - int(start.scalars[PLY])) // BETWEEN + 1
    kept = Sheet(
        on_line=np.zeros((n, len(start.on_line)), np.uint8),
        dot=np.zeros((n, len(start.dot)), np.uint8),
        listed=np.zeros((n, len(start.listed)), np.int64),
        scalars=np.zeros((n, len(start.scalars)), np.int64),
    )
    kept.on_line[0], kept.dot[0] = start.on_line, start.dot
    kept.listed[0], kept.scalars[0] = start.listed, start.scalars
    under_way = Sheet(
        kept.on_line[0].copy(), kept.dot[0].copy(), kept.listed[0].copy(), kept.scalars[0].copy()
    )
    return LineOrders(under_way, kept)


@inlined
def _kept(kept: Sheet, place: int) -> Sheet:
    """Sheet number `place` of those that are kept."""
    return Sheet(kept.on_line[place], kept.dot[place], kept.listed[place], kept.scalars[place])


@inlined
def _draw(sheet: Sheet, instance: Morpion, line: int) -> None:
    scalars = sheet.scalars
    place = missing_dot(sheet.dot, line)
    scalars[PLY] += 1
    scalars[N_LISTED] = draw_line(
        sheet.on_line, sheet.dot, sheet.listed, scalars[N_LISTED], line, place, instance.reach
    )


@inlined
def _restore(orders: LineOrders, instance: Morpion, order: Moves, step: int) -> None:
    place = step // BETWEEN
    copy_sheet(_kept(orders.kept, place), orders.sheet)
    for before in range(place * BETWEEN, step):
        _draw(orders.sheet, instance, order[before])


@contract.go_to.register(LineOrders)
def go_to(orders: LineOrders, instance: Morpion, order: Moves, step: int) -> None:
    _restore(orders, instance, order, step)


@contract.draw_item.register(LineOrders)
def draw_item(orders: LineOrders, instance: Morpion, stream: Stream) -> int:
    """Draw a line that can be drawn, any line where none can."""
    sheet = orders.sheet
    n = sheet.scalars[N_LISTED]
    if n == 0:
        return next_below(stream, len(sheet.on_line))
    return int(sheet.listed[next_below(stream, n)])


@contract.go_on.register(LineOrders)
def go_on(
    orders: LineOrders,
    instance: Morpion,
    order: Moves,
    step: int,
    stream: Stream,
    played: Moves,
    floor: float,
) -> int:
    sheet, steps = orders.sheet, step
    for index in range(step, len(order)):
        line = order[index]
        if sheet.on_line[line] == READY:
            _draw(sheet, instance, line)
            played[steps] = line
            steps += 1
    while sheet.scalars[N_LISTED] > 0:
        line = int(sheet.listed[next_below(stream, sheet.scalars[N_LISTED])])
        _draw(sheet, instance, line)
        played[steps] = line
        steps += 1
    return steps


@contract.order_score.register(LineOrders)
def order_score(orders: LineOrders, instance: Morpion) -> float:
    return float(orders.sheet.scalars[PLY])


@contract.shaped_order_score.register(LineOrders)
def shaped_order_score(orders: LineOrders, instance: Morpion) -> float:
    return float(orders.sheet.scalars[PLY])


@contract.keep.register(LineOrders)
def keep(orders: LineOrders, instance: Morpion, order: Moves, step: int) -> None:
    _restore(orders, instance, order, step)
    for index in range(step, len(order)):
        _draw(orders.sheet, instance, order[index])
        if (index + 1) % BETWEEN == 0:
            copy_sheet(orders.sheet, _kept(orders.kept, (index + 1) // BETWEEN))


@contract.list_moves.register(LineOrders)
def list_moves(orders: LineOrders, instance: Morpion, order: Moves, moves: Moves) -> None:
    """A move is its line."""
    for step in range(len(order)):
        moves[step] = order[step]


@contract.list_items.register(LineOrders)
def list_items(orders: LineOrders, instance: Morpion, moves: Moves, order: Moves) -> None:
    """An item is the line of the move."""
    for step in range(len(moves)):
        order[step] = moves[step]
