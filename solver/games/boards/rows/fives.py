"""Rows of five in Gomoku, and free cells that complete one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import lowest_one
from solver.compiling.jit import inlined
from solver.games.boards.placement import NOBODY, Placed

#: Stones in a row that win.
FIVE = 5
#: Rows, columns and diagonals.
DIRECTIONS = 4
#: Places in a line, counted from a stone, that five through it may lie on.
AROUND = (-4, -3, -2, -1, 1, 2, 3, 4)


def _gaps() -> npt.NDArray[np.uint8]:
    """Return for the stones around a stone those missing for five, as bits, uint8[256].

    Bits are the cells of `AROUND`, in order.
    """
    gaps = np.zeros(256, np.uint8)
    for stones in range(256):
        line = {0, *(place for bit, place in enumerate(AROUND) if stones >> bit & 1)}
        for first in range(1 - FIVE, 1):
            missing = [place for place in range(first, first + FIVE) if place not in line]
            if len(missing) == 1:
                gaps[stones] |= 1 << AROUND.index(missing[0])
    return gaps


GAPS = _gaps()


@inlined
def row_wins(instance: Any, placed: Placed, cell: int, step: int, player: int) -> bool:
    """Return whether a stone on `cell` makes a row that wins, in one direction."""
    owner, first, last = placed.owner, cell, cell
    while owner[first - step] == player:
        first -= step
    while owner[last + step] == player:
        last += step
    return bool((FIVE - 1) * step <= last - first < instance.most * step)


@inlined
def step_of(direction: int, width: int) -> int:
    """Return the way from a cell to the next one in a direction.

    Loops over directions are `min(DIRECTIONS, width)` long: of a length that it knows LLVM makes a
    copy for each turn, of all that is called there.
    """
    return width - 2 + direction if direction else 1


@inlined
def first_bit(bits: int) -> int:
    """Return the number of the lowest bit of `bits`, which are not 0."""
    return int(np.int64(lowest_one(np.uint64(bits))))


@inlined
def place_of(cell: int, bit: int, step: int) -> int:
    """Return the cell of a bit of `AROUND` in one direction."""
    return cell + (bit - 4 if bit < 4 else bit - 3) * step


@inlined
def line_around(placed: Placed, cell: int, step: int, player: int) -> tuple[int, int]:
    """Return stones of `player` and free cells in one direction, as bits of `AROUND`.

    Without branches on stones, which nobody could foretell; the first and the last cell are rim.
    """
    owner, last = placed.owner, len(placed.owner) - 1
    stones, free = 0, 0
    for bit in range(8):
        there = owner[np.uint32(min(max(place_of(cell, bit, step), 0), last))]
        stones |= (there == player) << bit
        free |= (there == NOBODY) << bit
    return stones, free


@inlined
def fifth(instance: Any, placed: Placed, cell: int, player: int) -> int:
    """Return a free cell with which `player` wins by five through the stone on `cell`, or -1."""
    if instance.misere:
        return -1
    width = instance.board.width
    for direction in range(min(DIRECTIONS, width)):
        step = step_of(direction, width)
        stones, free = line_around(placed, cell, step, player)
        gaps = GAPS[np.uint8(stones)] & free
        while gaps:
            place = place_of(cell, first_bit(gaps), step)
            if instance.most > FIVE or row_wins(instance, placed, place, step, player):
                return place
            gaps &= gaps - 1
    return -1
