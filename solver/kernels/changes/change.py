"""Changes of orders, for tempering."""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.contract.orders import draw_item, go_to
from solver.contract.rules import Moves

#: Steps that an item is shifted by, at most.
LONGEST_SHIFT = 5


class TemperingParameters(NamedTuple):
    """Parameters of the search."""

    turn: int
    """Changes of an order before it is the turn of the next."""
    add: int
    """Percentage of changes that add an item."""
    move: int
    """Percentage of changes that move an item to any step."""
    shift: int
    """Percentage of changes that move an item by a few steps."""
    take: int
    """Percentage of changes that take an item out; the rest replace one."""
    shaping: bool
    """True if orders are compared by shaped scores."""


@inlined
def _with_item(order: Moves, changed: Moves, place: int, item: int) -> int:
    """Make `changed` the order with `item` before step `place`; returns its length."""
    for step in range(place):
        changed[step] = order[step]
    changed[place] = item
    for step in range(place, len(order)):
        changed[step + 1] = order[step]
    return len(order) + 1


@inlined
def _with_moved(order: Moves, changed: Moves, source: int, target: int) -> int:
    """Make `changed` the order with the item of step `source` at step `target`."""
    for step in range(len(order)):
        changed[step] = order[step]
    for step in range(source, target):
        changed[step] = order[step + 1]
    for step in range(source, target, -1):
        changed[step] = order[step - 1]
    changed[target] = order[source]
    return len(order)


@inlined
def _without(order: Moves, changed: Moves, place: int) -> int:
    """Make `changed` the order without the item of step `place`; returns its length."""
    for step in range(place):
        changed[step] = order[step]
    for step in range(place + 1, len(order)):
        changed[step - 1] = order[step]
    return len(order) - 1


@inlined
def _with_another(order: Moves, changed: Moves, place: int, item: int) -> int:
    """Make `changed` the order with `item` at step `place`; returns its length."""
    for step in range(len(order)):
        changed[step] = order[step]
    changed[place] = item
    return len(order)


@inlined
def change_order(
    parameters: TemperingParameters,
    orders: Any,
    instance: Any,
    order: Moves,
    changed: Moves,
    stream: Stream,
) -> tuple[int, int]:
    """Make `changed` the order after a change, and go there; returns its step and the length."""
    n = len(order)
    kind = next_below(stream, 100)
    if n < 2 or kind < parameters.add:
        step = next_below(stream, n + 1)
        go_to(orders, instance, order, step)
        return step, _with_item(order, changed, step, draw_item(orders, instance, stream))
    source = next_below(stream, n)
    kind -= parameters.add
    if kind < parameters.move + parameters.shift:
        if kind < parameters.move:
            target = next_below(stream, n)
        else:
            target = source + next_below(stream, 2 * LONGEST_SHIFT + 1) - LONGEST_SHIFT
            target = min(max(target, 0), n - 1)
        step = min(source, target)
        go_to(orders, instance, order, step)
        return step, _with_moved(order, changed, source, target)
    go_to(orders, instance, order, source)
    if kind < parameters.move + parameters.shift + parameters.take:
        return source, _without(order, changed, source)
    return source, _with_another(order, changed, source, draw_item(orders, instance, stream))
