"""Bridges of Hex that playouts save: the reply to a stone set between two that it would part."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.jit import inlined
from solver.games.boards.patterns import MINE, side_holder
from solver.games.boards.placement import FREE, NOBODY, TURN, WINNER


@inlined
def bridge_to_save(instance: Any, state: Any) -> int:
    """`urgent_move` of Hex: the cell that keeps two stones, or a stone and its side, connected.

    The last stone was set on one of the two cells between them, and the other is free. -1 where it
    was not, and in misère games.
    """
    placed, rims = state.board, instance.rims
    number, mover = placed.counters[FREE], placed.counters[TURN]
    if instance.misere or placed.counters[WINNER] != NOBODY or number == len(placed.free):
        return -1
    owner, width = placed.owner, instance.board.width
    last: Any = np.int64(placed.free[number])
    if owner[last] == mover:  # of a position given, or taken over by a swap
        return -1
    steps = (-width, 1 - width, 1, width, width - 1, -1)
    for place in range(6):
        between = last + steps[place]
        if (
            owner[between] == NOBODY
            and side_holder(owner, rims, last + steps[(place + 5) % 6], mover) == MINE
            and side_holder(owner, rims, last + steps[(place + 1) % 6], mover) == MINE
        ):
            return int(between)
    return -1
