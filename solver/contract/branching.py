"""Rules for complete search: generic functions that a domain may register besides its others.

A complete search needs `mark` and `undo`. With the functions here it also branches on the variables
that failed most, excludes moves that led nowhere, and keeps what it has learned from one restart
to the next. Moves are then numbers from 0 up to `Limits.codes`, each of which says something of the
answer ("this cell has this value"), and one that is excluded leaves all answers without it.
"""

from __future__ import annotations

from typing import Any

from solver.compiling.generic import generic, generic_with_default
from solver.compiling.random import Stream
from solver.contract.rules import Moves, legal_moves


@generic_with_default
def branching_moves(instance: Any, state: Any, stream: Stream, moves: Moves) -> int:
    """List the moves of the variable to branch on, as `legal_moves` (optional).

    `note_dead_end` has counted which constraints failed: the variable with the fewest values for
    each failure is the one to take. Scratch is written as by `legal_moves`.
    """
    return legal_moves(instance, state, stream, moves)


@generic
def exclude(instance: Any, state: Any, move: int) -> None:
    """Exclude `move` from the answers, with propagation; `undo` takes it back.

    Does nothing if `move` is not open, or in a dead end.
    """


@generic
def is_open(instance: Any, state: Any, move: int) -> bool:
    """Return whether `move` neither holds in `state` nor is excluded from it."""


@generic
def n_held(instance: Any, state: Any) -> int:
    """Number of moves that hold in `state`: those played and what propagation made of them."""


@generic
def held_move(instance: Any, state: Any, index: int) -> int:
    """Return the move that holds as number `index`, in the order in which they came to hold.

    `undo` takes away the last ones.
    """


#: What a domain has to register all of.
EXCLUSION = (exclude, is_open, n_held, held_move)
