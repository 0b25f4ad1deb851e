"""Constraints, for local search guided by counterexamples: generic functions of their class.

A problem for such search has a check that is exact and slow, and that gives the reason why an
assignment fails: a counterexample, which becomes a *constraint* that is fast to evaluate. The
search goes on until no known constraint is violated, then has the assignment checked again.

An assignment is a finished playout: a move for each step, any of which can be exchanged for another
that was possible there without the others ceasing to be. `revisit` dispatches on the class of the
instance. No function may allocate.
"""

from __future__ import annotations

from typing import Any

from solver.compiling.generic import generic
from solver.compiling.random import Stream


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
