"""Virtual connections of the sides of Hex: whoever has one wins, even if the other moves [1]_.

A flood begins at a side. A group of stones that has two free cells in common with what the flood
has found is connected to it: where the other takes one of these cells, the second one connects. So
is the opposite side. The pairs of cells of a connection, its *carrier*, do not overlap. They are
chosen greedily: some connections are missed, none is wrong.

References
----------
.. [1] V. V. Anshelevich, A hierarchical approach to computer Hex, Artificial Intelligence 134,
   2002: its rule OR, of connections by a single free cell each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called, inlined
from solver.games.boards.placement import NOBODY, UInts

Longs = npt.NDArray[np.int64]
#: Rows of a plan. NUMBERS has the numbers of floods: of the latest (LATEST), of those from either
#: side (1 and 2), the lines that need a stone (LINES), and those that these floods have come to
#: (REACHED + 1 and + 2). The other rows are by cell: the flood that found a stone, in which the
#: stone tried joins a group, that claimed a free cell, needs it, needs a group, and saw a free cell
#: beside a group.
NUMBERS, STONE, JOINED, CLAIMED, CARRIER, NEEDED, SEEN = range(7)
#: Of a group: that free cell, the two cells that connect it, or 0, and the group before it; of a
#: free cell: the group that it was found beside; cells to look at, stones and groups to look at; 1
#: for a free cell that is in all carriers.
FIRST, ONE, TWO, BEFORE, BESIDE, QUEUE, STACK, COMMON = range(7, 15)
#: The flood that found a free cell: row LIBERTY + 1 and + 2 of floods from either side, and
#: LIBERTY + TRIED of those in which a stone is tried.
LIBERTY, TRIED = 14, 3
ROWS = 18
LATEST, LINES, REACHED = 0, 3, 3
#: The sides where a flood begins and ends, among the groups: cells of the rim.
START, GOAL = 0, 1


def new_plan(area: int) -> Longs:
    """Allocate the scratch of floods, int64[ROWS, area]."""
    return np.zeros((ROWS, area), np.int64)


@inlined
def _group(parent: UInts, plan: Longs, flood: int, tried: int, stone: int) -> int:
    """Return the number of a stone's group: a cell of it; the stone tried joins several."""
    if stone == tried:
        return tried
    root = int(parent[stone])
    while int(parent[root]) != root:
        root = int(parent[root])
    return tried if plan[JOINED, root] == flood else root


@inlined
def _join(instance: Any, state: Any, plan: Longs, flood: int, tried: int, player: int) -> None:
    """Note the groups that a stone tried joins."""
    width, owner = instance.board.width, state.board.owner
    for near in (
        tried - width, tried - width + 1, tried + 1, tried + width, tried + width - 1, tried - 1,
    ):  # fmt: skip
        if owner[near] == player:
            plan[JOINED, _group(state.parent, plan, flood, tried, near)] = flood


@called
def _add(
    instance: Any, state: Any, flood: int, player: int, side: int, tried: int, stone: int, tail: int
) -> int:
    """Add a stone's group to what is connected to a side, and free cells beside it to the queue.

    Returns the new end of the queue.
    """
    row = LIBERTY + (TRIED if tried else side)
    plan, owner, width = state.plan, state.board.owner, instance.board.width
    own = _group(state.parent, plan, flood, tried, stone)
    plan[STONE, stone], plan[STACK, 0] = flood, stone
    top = 1
    while top > 0:
        top -= 1
        cell = plan[STACK, top]
        if instance.sides[player, cell] & (3 - side):
            plan[STONE, GOAL] = flood
            plan[BEFORE, GOAL], plan[ONE, GOAL] = own, 0
            return tail
        for near in (
            cell - width, cell - width + 1, cell + 1, cell + width, cell + width - 1, cell - 1,
        ):  # fmt: skip
            if owner[near] == player:
                if plan[STONE, near] != flood:
                    plan[STONE, near], plan[STACK, top] = flood, near
                    top += 1
            elif owner[near] == NOBODY and plan[row, near] != flood:
                plan[row, near] = flood
                plan[BESIDE, near], plan[QUEUE, tail] = own, near
                tail += 1
    return tail


@inlined
def _begin(instance: Any, state: Any, flood: int, player: int, side: int, tried: int) -> int:
    """Add what lies at a side; returns the end of the queue."""
    plan, owner, width, tail = state.plan, state.board.owner, instance.board.width, 0
    size, row = width - 2, LIBERTY + (TRIED if tried else side)
    step = width if player else 1
    cell = width + 1
    if side == 2:
        cell = width + size if player else size * width + 1
    for _ in range(size):
        if owner[cell] == player:
            if plan[STONE, cell] != flood:
                group = _group(state.parent, plan, flood, tried, cell)
                plan[BEFORE, group], plan[ONE, group] = START, 0
                tail = _add(instance, state, flood, player, side, tried, cell, tail)
        elif owner[cell] == NOBODY and plan[row, cell] != flood:
            plan[row, cell] = flood
            plan[BESIDE, cell], plan[QUEUE, tail] = START, cell
            tail += 1
        cell += step
    return tail


@inlined
def _pairs(plan: Longs, flood: int, group: int, cell: int) -> bool:
    """Return whether a free cell makes a pair beside a group with the one seen first, else note it.

    A pair is claimed for the group.
    """
    first = plan[FIRST, group]
    if plan[SEEN, group] == flood and first != cell and plan[CLAIMED, first] != flood:
        plan[ONE, group], plan[TWO, group] = first, cell
        plan[CLAIMED, first] = plan[CLAIMED, cell] = flood
        return True
    plan[SEEN, group], plan[FIRST, group] = flood, cell
    return False


@called
def connects(instance: Any, state: Any, player: int, side: int, tried: int) -> bool:
    """Find out whether a side of `player`, 1 or 2, is connected to the opposite one.

    A stone is tried, set already in `owner`, on a cell, or on none: 0.
    """
    plan, owner, width = state.plan, state.board.owner, instance.board.width
    plan[NUMBERS, LATEST] += 1
    flood = plan[NUMBERS, LATEST]
    if tried > 0:
        _join(instance, state, plan, flood, tried, player)
    else:
        plan[NUMBERS, side] = flood
    tail, head, lines = _begin(instance, state, flood, player, side, tried), 0, 0
    while head < tail and plan[STONE, GOAL] != flood:
        cell = plan[QUEUE, head]
        lines |= instance.lines[player, cell]
        head += 1
        if plan[CLAIMED, cell] == flood:
            continue
        if instance.sides[player, cell] & (3 - side) and _pairs(plan, flood, GOAL, cell):
            return True
        for near in (
            cell - width, cell - width + 1, cell + 1, cell + width, cell + width - 1, cell - 1,
        ):  # fmt: skip
            if owner[near] == player and plan[STONE, near] != flood:
                group = _group(state.parent, plan, flood, tried, near)
                if _pairs(plan, flood, group, cell):
                    tail = _add(instance, state, flood, player, side, tried, near, tail)
                    break
    if tried == 0:
        plan[NUMBERS, REACHED + side] = lines
    return bool(plan[STONE, GOAL] == flood)


@called
def count_pairs(plan: Longs) -> int:
    """Note the free cells that the latest connection needs; returns how many pairs these are."""
    flood, top, pairs = plan[NUMBERS, LATEST], 1, 0
    plan[STACK, 0] = GOAL
    while top > 0:
        top -= 1
        group = plan[STACK, top]
        one, two = plan[ONE, group], plan[TWO, group]
        if one == 0:
            befores = plan[BEFORE, group], plan[BEFORE, group]
        else:
            pairs += 1
            plan[CARRIER, one] = plan[CARRIER, two] = flood
            befores = plan[BESIDE, one], plan[BESIDE, two]
        for before in befores:
            if before != START and plan[NEEDED, before] != flood:
                plan[NEEDED, before], plan[STACK, top] = flood, before
                top += 1
    return pairs


@inlined
def _is_near(instance: Any, state: Any, side: int, cell: int) -> bool:
    """Return whether a stone on a free cell would be connected to what is connected to a side."""
    plan, owner, width, n = state.plan, state.board.owner, instance.board.width, 0
    row, flood = LIBERTY + side, plan[NUMBERS, side]
    if plan[row, cell] == flood:
        return True
    for near in (
        cell - width, cell - width + 1, cell + 1, cell + width, cell + width - 1, cell - 1,
    ):  # fmt: skip
        n += owner[near] == NOBODY and plan[row, near] == flood
    return n >= 2


@inlined
def may_connect(instance: Any, state: Any, player: int, cell: int) -> bool:
    """Return whether a stone of `player` on a free cell may connect both sides.

    Lines and floods from both sides are those of the state without the stone, which has no
    connection.
    """
    if instance.lines[player, cell] & state.plan[NUMBERS, LINES] == 0:
        return False
    return _is_near(instance, state, 1, cell) and _is_near(instance, state, 2, cell)


@inlined
def connects_by(instance: Any, state: Any, player: int, cell: int) -> bool:
    """Find out whether a stone of `player` on a free cell connects both sides."""
    state.board.owner[cell] = player
    found = connects(instance, state, player, 1, cell)
    if not found:
        found = connects(instance, state, player, 2, cell)
    state.board.owner[cell] = NOBODY
    return found
