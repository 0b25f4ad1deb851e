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
    """Restore the position after the first `step` items of `order`, int64, the order last kept.

    Before any order is kept, `step` is 0: the start.
    """


@generic
def draw_item(orders: Any, instance: Any, stream: Stream) -> int:
    """Random item, from those playable next or from all."""


@generic
def go_on(
    orders: Any,
    instance: Any,
    order: Moves,
    step: int,
    stream: Stream,
    played: Moves,
    floor: float,
) -> int:
    """Play the items of `order` from `step` on, skip those not playable, then play to the end.

    Writes the items played into `played` from `step` on; returns the index behind the last. A
    playout whose score and shaped score must be below `floor` may be given up: it is not kept.
    """


@generic
def order_score(orders: Any, instance: Any) -> float:
    """Score of the playout that `go_on` has finished."""


@generic
def shaped_order_score(orders: Any, instance: Any) -> float:
    """Smoother objective for tempering, see `solver.contract.rules.shaped_score`."""


@generic
def keep(orders: Any, instance: Any, order: Moves, step: int) -> None:
    """Store `order`, just played, for `go_to`; it differs from the last one from `step` on."""


@generic
def list_moves(orders: Any, instance: Any, order: Moves, moves: Moves) -> None:
    """Write the moves of the items of the kept order into `moves`."""


@generic
def list_items(orders: Any, instance: Any, moves: Moves, order: Moves) -> None:
    """Write items that stand for `moves`, a playout from the start, into `order`: optional.

    What a search needs that goes on from the playout of another.
    """
