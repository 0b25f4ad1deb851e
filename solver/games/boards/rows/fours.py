"""Wins in Gomoku by fours alone: each is a threat of five, which leaves one reply [1]_.

References
----------
.. [1] L. V. Allis, H. J. van den Herik and M. P. H. Huntjens, Go-Moku and threat-space search,
   Computational Intelligence 12, 1996.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called, inlined
from solver.games.boards.placement import FREE, NOBODY, WINNER, Placed
from solver.games.boards.rows.fives import (
    AROUND,
    DIRECTIONS,
    FIVE,
    GAPS,
    first_bit,
    line_around,
    place_of,
    row_wins,
    step_of,
)

Ints = npt.NDArray[np.int32]
#: Fours in a row that are looked for, cells of one that are tried, fours tried in all.
DEPTH, MOST_CELLS, MOST_TRIED = 10, 24, 120
#: Rows of an array of a search: the four, the reply, the other cell where a four has two, the next
#: cell to try, how many there are.
MOVE, REPLY, OTHER, NEXT, COUNT, CELLS = range(6)


def _windows() -> npt.NDArray[np.uint8]:
    """Return the other places of the five rows of five through a stone, as bits of `AROUND`."""
    windows = [
        sum(1 << AROUND.index(place) for place in range(first, first + FIVE) if place != 0)
        for first in range(1 - FIVE, 1)
    ]
    return np.array(windows, np.uint8)


WINDOWS = _windows()
#: Bits that are set in a byte.
BITS = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


def new_plan() -> Ints:
    """Allocate the fours of a search, int32[DEPTH, ...]."""
    return np.zeros((DEPTH, CELLS + MOST_CELLS), np.int32)


@called
def _fifths(instance: Any, placed: Placed, cell: int, player: int) -> tuple[int, int]:
    """Return two cells that complete five through the stone on `cell`, -1 for one that is not."""
    width, first = instance.board.width, -1
    for direction in range(min(DIRECTIONS, width)):
        step = step_of(direction, width)
        stones, free = line_around(placed, cell, step, player)
        gaps = GAPS[np.uint8(stones)] & free
        while gaps:
            place = place_of(cell, first_bit(gaps), step)
            gaps &= gaps - 1
            if place != first and (
                instance.most > FIVE or row_wins(instance, placed, place, step, player)
            ):
                if first >= 0:
                    return first, place
                first = place
    return first, -1


@called
def _add_fours(
    instance: Any, placed: Placed, cell: int, player: int, must: int, plan: Ints, level: int
) -> None:
    """Note the free cells where a stone makes four with that on `cell`; `must` is -1 or the one."""
    width = instance.board.width
    for direction in range(min(DIRECTIONS, width)):
        step = step_of(direction, width)
        stones, free = line_around(placed, cell, step, player)
        found = 0
        for number in range(len(WINDOWS)):
            window = int(WINDOWS[number])
            rest = window & ~stones
            if BITS[np.uint8(window & stones)] == 2 and rest & ~free == 0:
                found |= rest
        while found:
            place = place_of(cell, first_bit(found), step)
            found &= found - 1
            if must < 0 or place == must:
                count, known = plan[level, COUNT], False
                for number in range(count):
                    known |= plan[level, CELLS + number] == place
                if not known and count < MOST_CELLS:
                    plan[level, CELLS + count] = place
                    plan[level, COUNT] = count + 1


@inlined
def _list_fours(
    instance: Any, placed: Placed, player: int, must: int, plan: Ints, level: int
) -> None:
    """List the fours of `player` once the moves of `plan` above `level` are made."""
    plan[level, NEXT] = plan[level, COUNT] = 0
    for number in range(placed.counters[FREE], len(placed.free)):
        cell = int(placed.free[number])
        if placed.owner[cell] == player:
            _add_fours(instance, placed, cell, player, must, plan, level)
    for above in range(level):
        _add_fours(instance, placed, int(plan[above, MOVE]), player, must, plan, level)


@inlined
def _threat(instance: Any, placed: Placed, player: int) -> int:
    """Return the cell where `player` threatens five, -1 for none, -2 for two of them."""
    first = -1
    for number in range(placed.counters[FREE], len(placed.free)):
        cell = int(placed.free[number])
        if placed.owner[cell] == player:
            one, two = _fifths(instance, placed, cell, player)
            if two >= 0 or (one >= 0 and first >= 0 and one != first):
                return -2
            first = max(first, one)
    return first


@inlined
def _has_last(instance: Any, placed: Placed, player: int, plan: Ints, level: int) -> bool:
    """Return whether a four at a level leaves two cells to complete five on, then its move."""
    for number in range(plan[level, COUNT]):
        cell = int(plan[level, CELLS + number])
        placed.owner[cell] = player
        reply, other = _fifths(instance, placed, cell, player)
        placed.owner[cell] = NOBODY
        if other >= 0:
            plan[level, MOVE], plan[level, REPLY], plan[level, OTHER] = cell, reply, other
            return True
    return False


@inlined
def _wins_by_fours(instance: Any, placed: Placed, player: int, plan: Ints) -> int:
    """Try the fours of `plan` depth first, return how many win, the first ones of it; 0 for none.

    At each level those that leave two cells to complete five on come first: ways are short.

    Stones are on the board while they are tried, and are taken off again.
    """
    owner, level, tried, won = placed.owner, 0, 0, 0
    while level >= 0:
        if won == 0 and plan[level, NEXT] == 0 and _has_last(instance, placed, player, plan, level):
            won = level + 1
        if won > 0 or tried >= MOST_TRIED or plan[level, NEXT] == plan[level, COUNT]:
            level -= 1
            if level >= 0:
                owner[plan[level, MOVE]] = owner[plan[level, REPLY]] = NOBODY
            continue
        cell = int(plan[level, CELLS + plan[level, NEXT]])
        plan[level, NEXT] += 1
        tried += 1
        owner[cell] = player
        reply, _ = _fifths(instance, placed, cell, player)
        plan[level, MOVE], plan[level, REPLY], plan[level, OTHER] = cell, reply, -1
        if reply < 0 or level + 1 == DEPTH:
            owner[cell] = NOBODY
            continue
        owner[reply] = 1 - player
        must, two = _fifths(instance, placed, reply, 1 - player)
        if two >= 0:
            owner[cell] = owner[reply] = NOBODY
            continue
        level += 1
        _list_fours(instance, placed, player, must, plan, level)
    return won


@called
def wins_by_fours(instance: Any, placed: Placed, player: int, plan: Ints) -> int:
    """Return how many fours in a row win for `player` on the move, the first ones of `plan`.

    Each four leaves one reply, until one leaves two cells to complete five on. 0 where no such row
    is found. Asked where `player` has no five; `plan` is of `new_plan`.
    """
    if instance.misere or placed.counters[WINNER] != NOBODY:
        return 0
    _list_fours(instance, placed, player, -1, plan, 0)
    if plan[0, COUNT] == 0:
        return 0
    must = _threat(instance, placed, 1 - player)
    if must == -2:
        return 0
    if must >= 0:
        _list_fours(instance, placed, player, must, plan, 0)
    return int(_wins_by_fours(instance, placed, player, plan))
