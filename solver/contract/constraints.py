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
    """Return to `step` of the finished playout in `state`, without undoing later moves.

    `legal_moves` and priors then answer as if the playout had just arrived there, and `play`
    exchanges the move of that step.
    """


@generic
def forget(constraints: Any, instance: Any) -> None:
    """Remove all constraints, at the beginning of a run."""


@generic
def reset_weights(constraints: Any) -> None:
    """Set all weights to 1."""


@generic
def evaluate(constraints: Any, instance: Any, state: Any) -> None:
    """Evaluate the constraints for the finished playout in `state`."""


@generic
def is_violated(constraints: Any) -> bool:
    """Return whether any constraint is violated; one met without a margin is not."""


@generic
def violated(constraints: Any, stream: Stream) -> int:
    """Random constraint of those violated or met without a margin; -1 if there is none."""


@generic
def step_to_change(constraints: Any, constraint: int, stream: Stream) -> int:
    """Random step of those whose moves `constraint` depends on."""


@generic
def assignment_cost(constraints: Any) -> float:
    """Weighted sum of violations, plus other terms that make a check likely to fail."""


@generic
def move_cost(constraints: Any, instance: Any, step: int, move: int, most: float) -> float:
    """Return `assignment_cost` with `move` at `step`; exact up to `most`, above it any bound."""


@generic
def commit(constraints: Any, instance: Any, step: int, move: int) -> None:
    """Apply the move of the last call of `move_cost`, whose cost was at most `most`."""


@generic
def add_weight(constraints: Any, constraint: int, weight: float) -> None:
    """Increase the weight of `constraint` by `weight`."""


@generic
def check(constraints: Any, instance: Any, state: Any) -> float:
    """Check the assignment exactly; add a constraint for each counterexample found.

    `state` has the same assignment. Returns the distance to a solution: 0 if it is one, whose
    score is then the target.
    """
