"""What a problem registers for local search: `improve`, `perturb`, and what counterexamples guide.

The first two improve playouts within other searches. What dispatches on *orders* is for parallel
tempering: a playout is an order of items, each of which stands for a move wherever it can be
played. The rest is for problems that are searched by local search guided by counterexamples.

Such a problem has a check that is exact and slow, and says of an assignment that fails why: a
counterexample, which becomes a *constraint* that is fast to evaluate. The search goes on until
no known constraint is violated, then has the assignment checked again.

An assignment is a finished playout: a move for each step, any of which can be exchanged for another
that was possible there without the others ceasing to be. Functions dispatch on the class of the
constraints, `revisit` on that of the instance. None may allocate.
"""

from __future__ import annotations

from typing import Any

from solver.compiling.generic import generic, generic_with_default
from solver.compiling.random import Stream
from solver.domain import Moves


@generic_with_default
def improve(instance: Any, state: Any, moves: Moves) -> bool:
    """Rewrite the moves of a playout, int64[steps], into as many that score more, by local search.

    Returns whether it did; `state` is scratch. `legal_moves` need not list a move where it is
    played if `play` can play it: it is added to those listed; `Limits` must leave room for that.
    """
    return False


@generic
def perturb(instance: Any, state: Any, moves: Moves, stream: Stream) -> float:
    """Change the moves of a playout, int64[steps], a little and improve what that makes.

    That replaces `moves`, as many, unless it is worse; returns what `moves` then score.
    Consumes `stream`; `state` is scratch. Optional, for iterated local search.
    """


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
    """What tempering climbs by, see `solver.domain.shaped_score`."""


@generic
def keep(orders: Any, instance: Any, order: Moves, step: int) -> None:
    """Note what `go_to` needs of `order`, which was played; before `step` nothing has changed."""


@generic
def list_moves(orders: Any, instance: Any, order: Moves, moves: Moves) -> None:
    """Write the moves that the items of the order that is kept stand for into `moves`."""


@generic
def revisit(instance: Any, state: Any, step: int) -> None:
    """Go back to `step` of the finished playout in `state`, whose later moves stay made.

    `legal_moves` and priors are then asked as if the playout had just come there, and `play`
    exchanges the move that was made.
    """


@generic
def forget(constraints: Any, instance: Any) -> None:
    """Keep no constraint: a run begins."""


@generic
def reset_weights(constraints: Any) -> None:
    """Make all weights 1."""


@generic
def take_over(constraints: Any, instance: Any, state: Any) -> None:
    """Evaluate the constraints for the finished playout in `state`."""


@generic
def is_violated(constraints: Any) -> bool:
    """Whether a constraint is violated; one that is met without a margin is not."""


@generic
def violated(constraints: Any, stream: Stream) -> int:
    """A constraint drawn from those that are violated or met without a margin, -1 if none is."""


@generic
def step_to_change(constraints: Any, constraint: int, stream: Stream) -> int:
    """A step drawn from those whose moves decide on `constraint`."""


@generic
def assignment_cost(constraints: Any) -> float:
    """Violations, weighed and added up, and what else makes a check likely to fail."""


@generic
def move_cost(constraints: Any, instance: Any, step: int, move: int, most: float) -> float:
    """Return `assignment_cost` with `move` at `step`: exact where it is not above `most`."""


@generic
def commit(constraints: Any, instance: Any, step: int, move: int) -> None:
    """Make the move whose cost was the last asked for, and was not above `most`."""


@generic
def add_weight(constraints: Any, constraint: int, weight: float) -> None:
    """Make `constraint` weigh more by `weight`."""


@generic
def check(constraints: Any, instance: Any, state: Any) -> float:
    """Check the assignment, which is that of `state`, too; a counterexample becomes a constraint.

    Returns how far it is from a solution: 0 for one, which then has the score of the target.
    """
