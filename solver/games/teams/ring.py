"""The units that still move, in order, as a ring; and lists from which items are taken out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined

Ints = npt.NDArray[np.int32]


@inlined
def close_ring(ring: Ints) -> None:
    """Put all units into a ring, int32[2, units]: the unit after each one, and the one before."""
    last = ring.shape[1] - 1
    for unit in range(ring.shape[1]):
        ring[0, unit] = unit + 1 if unit < last else 0
        ring[1, unit] = unit - 1 if unit > 0 else last


@inlined
def leave_ring(ring: Ints, unit: int) -> None:
    """Take a unit out; its successor is still found in its place."""
    after, before = ring[0, unit], ring[1, unit]
    ring[0, before], ring[1, after] = after, before


@inlined
def take_out(items: Ints, count: int, item: int) -> None:
    """Take `item`, one of the first `count` items, out of them; the others stay in order."""
    place = 0
    while items[place] != item:
        place += 1
    for later in range(place + 1, count):
        items[later - 1] = items[later]
