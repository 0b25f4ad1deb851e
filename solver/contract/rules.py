"""Rules of a problem or a game: generic functions that a domain registers for its instances.

An *instance* is a NamedTuple of read-only arrays and integers, a *state* a NamedTuple of
preallocated arrays that the functions change in place. `solver.contract.domain` has the Python
side: text, checks, names.

A state may hold two kinds of arrays besides what the rules depend on. *Memos* are right for every
state of the instance, whatever is played. *Scratch* is written by `legal_moves` for `code`,
`prior_code` and `odds`: these are called only for moves that it has just listed, in this very
state, before anything is played, copied or undone. `code` alone is called for a move of
`draw_move`, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import hash_arrays
from solver.compiling.copies import copy_arrays
from solver.compiling.generic import generic, generic_with_default
from solver.compiling.random import Stream, next_place

Moves = npt.NDArray[np.int64]


Floats = npt.NDArray[np.float64]


@generic
def reset(instance: Any, state: Any) -> None:
    """Make `state` the start state of `instance`.

    For the kernel that needs the start: a playout goes on from any state.
    """


@generic
def legal_moves(instance: Any, state: Any, stream: Stream, moves: Moves) -> int:
    """Write the possible moves into `moves` (int64) and return how many; 0 means terminal.

    A constraint problem picks its variable here and lists that variable's
    values; it may consume `stream` (uint64[4]) to break ties between variables.
    Where there is a target, what is left out must not lead to it: a search that has tried
    every move of every decision calls the problem infeasible.
    """


@generic_with_default
def draw_move(instance: Any, state: Any, stream: Stream, moves: Moves) -> int:
    """Write a move drawn uniformly into `moves[0]`, return how many are possible; 0 means terminal.

    For playouts that need not know the others: a game may do without listing them. It draws as this
    does, by one number of `stream`, none for a single move, from the order of `legal_moves`.
    """
    n = legal_moves(instance, state, stream, moves)
    if n > 0:
        moves[0] = moves[next_place(stream, n)]
    return n


@generic
def play(instance: Any, state: Any, move: int) -> None:
    """Apply `move` to `state`, propagation included.

    The move need not have been listed just before: moves that were recorded are played again.
    """


@generic
def score(instance: Any, state: Any) -> float:
    """Score of a terminal `state` of a puzzle; higher is better."""


@generic_with_default
def player(instance: Any, state: Any) -> int:
    """Number of the player who moves in `state`, from 0; one whose turn is skipped does not."""
    return 0


@generic_with_default
def rewards(instance: Any, state: Any, rewards: Floats) -> None:
    """Write what a terminal `state` is worth to each player into `rewards`, float64[players]."""
    rewards[0] = score(instance, state)


@generic_with_default
def score_from(instance: Any, state: Any, floor: float) -> float:
    """`score` of a terminal `state` if it is `floor` or more, else, if sooner, anything less."""
    return float(score(instance, state))


@generic_with_default
def shaped_score(instance: Any, state: Any, score: float) -> float:
    """Score of a terminal `state`, worth `score`, that nested search climbs by.

    For domains whose `score` jumps: what is nearly there should be worth more than what is far off.
    The `score_from` of a domain that has it must be exact.
    """
    return score


@generic
def code(instance: Any, state: Any, move: int) -> int:
    """Policy code of `move`: what NRPA learns a weight for.

    Dense in [0, `Limits.codes`), or any 64-bit hash where `Limits.codes` is 0. Asked for moves
    just listed, as `odds`.
    """


@generic_with_default
def copy_state(instance: Any, source: Any, target: Any) -> None:
    """Let play go on from `target`, a state in use or a new one, as it does from `source`.

    What the rules depend on is copied, `mark` and `undo` included; memos and scratch may stay
    behind: a copy lists its moves before it is asked for their codes. By default all is copied.
    """
    copy_arrays(source, target)


@generic_with_default
def key(instance: Any, state: Any) -> np.uint64:
    """64 bits by which tree search finds states: the same only where play goes on alike."""
    return np.uint64(hash_arrays(state, np.uint64(0)))


@generic_with_default
def mark(instance: Any, state: Any) -> int:
    """Where `undo` can go back to, so that a playout can back out of a dead end."""
    return 0


@generic_with_default
def undo(instance: Any, state: Any, mark: int) -> None:
    """Take back the moves played since `mark`."""
    return


@generic_with_default
def note_dead_end(instance: Any, state: Any) -> None:
    """Note in `state`, a dead end that is about to be undone, what failed there (optional).

    For `legal_moves`, to branch on that first. `reset` and `undo` keep the notes; a run begins
    with a new state.
    """
    return


@generic
def is_solution_move(instance: Any, state: Any, solution: Moves, step: int, move: int) -> bool:
    """Whether `move`, at step number `step`, is the one that `solution` (int64) plays."""


@generic
def prior_code(prior: Any, instance: Any, state: Any, move: int) -> int:
    """Row of the bias table of `prior` for `move` just listed; dispatches on the prior's class."""


@generic
def odds(prior: Any, instance: Any, state: Any, move: int) -> float:
    """Return exp(bias) of `move`, the factor by which `prior` multiplies its weight.

    Asked only for a move that `legal_moves` has just listed, in this very state: it may read what
    was noted there. Nothing is played, copied or undone in between.
    """


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
