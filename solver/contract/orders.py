"""Orders of items, for parallel tempering: generic functions of the class of the orders.

A playout is an order of items, each of which stands for a move wherever it can be played.
"""

from __future__ import annotations

from typing import Any

from solver.compiling.generic import generic
from solver.compiling.random import Stream
from solver.contract.rules import Moves


@generic
def go_to(orders: Any, instance: Any, order: Moves, step: int) -> None:
    """Go to where the first `step` items of `order`, int64, lead: those of the order that is kept.

    Where none is kept, only to the start: step 0.
    """


@generic
def draw_item(orders: Any, instance: Any, stream: Stream) -> int:
    """An item drawn from those that can be played next, or from all."""


@generic
def go_on(
    orders: Any, instance: Any, order: Moves, step: int, stream: Stream, played: Moves
) -> int:
    """Play the items of `order` from `step` on, without those that cannot be, then to the end.

    Writes the items that were played, from `step` on, into `played`; returns where they end.
    """


@generic
def order_score(orders: Any, instance: Any) -> float:
    """What the playout that `go_on` ended is worth."""


@generic
def shaped_order_score(orders: Any, instance: Any) -> float:
    """What tempering climbs by, see `solver.contract.rules.shaped_score`."""


@generic
def keep(orders: Any, instance: Any, order: Moves, step: int) -> None:
    """Note what `go_to` needs of `order`, which was played; before `step` nothing has changed."""


@generic
def list_moves(orders: Any, instance: Any, order: Moves, moves: Moves) -> None:
    """Write the moves that the items of the order that is kept stand for into `moves`."""
