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

from typing import Any, NamedTuple

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

    Called by the kernels that need the start state; a playout may begin in any state.
    """


@generic
def legal_moves(instance: Any, state: Any, stream: Stream, moves: Moves) -> int:
    """Write the legal moves into `moves` (int64) and return their number; 0 if terminal.

    A constraint problem chooses its variable here and lists the values of that variable; it may
    consume `stream` (uint64[4]) to break ties between variables. In a problem with a target, a
    move that is not listed must not lead to the target: a search that has tried every listed move
    of every decision proves the problem infeasible.
    """


@generic_with_default
def draw_move(instance: Any, state: Any, stream: Stream, moves: Moves) -> int:
    """Write a uniformly drawn legal move into `moves[0]`, return the number of legal moves.

    Optional, for random playouts, which need no list of all moves. An implementation must draw as
    this default does: one number of `stream` (none if there is a single move) selects from the
    order of `legal_moves`.
    """
    n = legal_moves(instance, state, stream, moves)
    if 0 < n <= len(moves):
        moves[0] = moves[next_place(stream, n)]
    return n


@generic
def play(instance: Any, state: Any, move: int) -> None:
    """Apply `move` to `state`, including propagation.

    `move` need not have been listed just before: recorded moves are replayed.
    """


@generic
def score(instance: Any, state: Any) -> float:
    """Score of a terminal `state` of a puzzle; higher is better."""


@generic_with_default
def player(instance: Any, state: Any) -> int:
    """Number of the player to move in `state`, from 0, never one whose turn is skipped."""
    return 0


@generic_with_default
def decisive_move(instance: Any, state: Any) -> int:
    """Move that ends the game with the reward 1 for who moves, -1 if none is known (optional).

    For tree searches that prove wins, or whose playouts take them. Reads no scratch; -1 where the
    game is over.
    """
    return -1


@generic_with_default
def saving_move(instance: Any, state: Any) -> int:
    """Move without which the next player wins at once, -1 if none is known (optional).

    Each other legal move leaves the next player one that ends the game with the reward 1; it may
    do so, too. Asked where `decisive_move` is -1.
    """
    return -1


@generic_with_default
def forced_move(instance: Any, state: Any) -> int:
    """First move of a win by force, -1 if none is known (optional).

    With it who moves ends with the reward 1, whatever is replied. Tree searches that prove take it
    for all moves of a state, where `decisive_move` is -1, and prove it by searching on: it is asked
    of states of the tree, not of playouts, and may take some microseconds. A state that it tries
    moves in is as before when it returns.
    """
    return -1


@generic_with_default
def saving_moves(instance: Any, state: Any, moves: Moves, n: int) -> tuple[int, int]:
    """Move those of the first `n` of `moves` to the front that may save, count them (optional).

    Each of the others leaves the next player a win by force: searches that prove leave it out of
    the tree. The moves have just been listed by `legal_moves`; at least one has to be left. Asked
    where `decisive_move`, `forced_move` and `saving_move` are -1, as often as `forced_move`.

    Returns
    -------
    int
        Number of moves left, `n` where none is known to lose.
    int
        Moves in which the game ends at the latest after one of the others, itself included.
    """
    return n, 0


@generic_with_default
def won_by_force(instance: Any, state: Any) -> tuple[int, int]:
    """Tell who wins by force in `state`, whoever moves (optional).

    Searches that prove ask it of each new state of the tree where `decisive_move` is -1, take it
    for the outcome, and do not search the state. It may take some microseconds, and leaves the
    state as it was.

    Returns
    -------
    int
        Player who can end with the reward 1 whatever the others play, -1 if none is known, and
        where the game is over.
    int
        Moves in which the game then ends at the latest. Where no winner is known 0 if
        `forced_move`, `saving_move` and `saving_moves` have nothing to say of the state, else 1.
    """
    return -1, 1


@generic_with_default
def solved_move(instance: Any, state: Any) -> tuple[int, int]:
    """Tell the first move of a win by force that a longer search finds (optional).

    Searches that prove ask it once of the state that they begin with, and then need no playouts. It
    may take some milliseconds, and leaves the state as it was.

    Returns
    -------
    int
        The move, legal, -1 if none is known, and where the game is over.
    int
        Moves in which the game then ends at the latest, that one included.
    """
    return -1, 0


@generic_with_default
def estimate(instance: Any, state: Any, rewards: Floats) -> bool:
    """Write what each player may expect of `state` into `rewards`, or return False (optional).

    Tree searches with `estimates` take it in the place of a playout. False where the game is over,
    which `rewards` is for.
    """
    return False


@generic_with_default
def urgent_move(instance: Any, state: Any) -> int:
    """Legal move that playouts take instead of one at random, -1 for none (optional).

    The default is a decisive move, else a saving one; an implementation may look less closely.
    """
    move = decisive_move(instance, state)
    return int(move if move >= 0 else saving_move(instance, state))


@generic_with_default
def rewards(instance: Any, state: Any, rewards: Floats) -> None:
    """Write the reward of each player in a terminal `state` into `rewards`, float64[players]."""
    rewards[0] = score(instance, state)


@generic_with_default
def score_from(instance: Any, state: Any, floor: float) -> float:
    """`score` of a terminal `state` if at least `floor`, else any smaller value (optional).

    Lets a domain stop early once the score is known to be below `floor`.
    """
    return float(score(instance, state))


@generic_with_default
def shaped_score(instance: Any, state: Any, score: float) -> float:
    """Smoother objective for nested search (optional), of a terminal `state` with `score`.

    Must increase as the state approaches a complete solution. A domain with a shaped score needs
    an exact `score_from`.
    """
    return score


@generic
def code(instance: Any, state: Any, move: int) -> int:
    """Policy code of `move`: the index of the weight that NRPA learns.

    Dense in [0, `Limits.codes`), or any 64-bit hash if `Limits.codes` is 0. Called only for moves
    just listed, as `odds`.
    """


@generic_with_default
def copy_state(instance: Any, source: Any, target: Any) -> None:
    """Copy `source` into `target`, a new state or one in use (optional).

    Copies everything that the rules depend on, including `mark` and `undo`. Memos and scratch may
    be left out: the moves of a copy are listed before their codes are requested. The default
    copies all arrays.
    """
    copy_arrays(source, target)


@generic_with_default
def key(instance: Any, state: Any) -> np.uint64:
    """Hash of `state` for transpositions in tree search (optional).

    Equal keys mean that all continuations are the same.
    """
    return np.uint64(hash_arrays(state, np.uint64(0)))


@generic_with_default
def mark(instance: Any, state: Any) -> int:
    """Mark of the current position for `undo`, so that a playout can back out of a dead end."""
    return 0


@generic_with_default
def undo(instance: Any, state: Any, mark: int) -> None:
    """Take back the moves played since `mark`."""
    return


@generic_with_default
def note_dead_end(instance: Any, state: Any) -> None:
    """Record in `state`, a dead end about to be undone, which constraint failed (optional).

    `legal_moves` may branch on often failed variables first. `reset` and `undo` keep the record;
    each run begins with a new state.
    """
    return


@generic
def is_solution_move(instance: Any, state: Any, solution: Moves, step: int, move: int) -> bool:
    """Return whether `solution` (int64) plays `move` at step number `step`."""


@generic_with_default
def is_equal_choice(instance: Any, state: Any, solution: Moves, step: int, move: int) -> bool:
    """Return whether `move` is as right as the move that `solution` plays at `step` (optional).

    If moves commute, the solution may play `move` later: a fit then asks for any of these.
    """
    return False


@generic
def prior_code(prior: Any, instance: Any, state: Any, move: int) -> int:
    """Row of `move`, just listed, in the bias table of `prior`; dispatches on the prior's class."""


@generic
def odds(prior: Any, instance: Any, state: Any, move: int) -> float:
    """Return exp(bias) of `move`: the factor by which `prior` multiplies its probability.

    Called only for a move that `legal_moves` has just listed, in this very state, before anything
    is played, copied or undone: it may read the scratch written there.
    """


class Product(NamedTuple):
    """A prior of several codes: the product of a table's odds and of those of the other tables."""

    first: Any
    """Prior of one code."""
    rest: Any
    """Prior of the others: of one code, or a `Product` again."""


@odds.register(Product)
def _product_odds(prior: Product, instance: Any, state: Any, move: int) -> float:
    factor = odds(prior.first, instance, state, move)
    return float(factor * odds(prior.rest, instance, state, move))


@generic_with_default
def write_rows(prior: Any, instance: Any, state: Any, move: int, rows: Moves, at: int) -> None:
    """Write the row of `move` in each table of `prior` into `rows` (int64), from place `at` on."""
    rows[at] = prior_code(prior, instance, state, move)


@write_rows.register(Product)
def _write_rows_of_several(
    prior: Product, instance: Any, state: Any, move: int, rows: Moves, at: int
) -> None:
    rows[at] = prior_code(prior.first, instance, state, move)
    write_rows(prior.rest, instance, state, move, rows, at + 1)


@generic_with_default
def improve(instance: Any, state: Any, moves: Moves) -> bool:
    """Improve the moves of a playout, int64[steps], in place by local search (optional).

    Returns whether the score has increased; the number of moves stays the same. `state` is scratch.
    A move need not be one that `legal_moves` lists at its step if `play` accepts it: it is added
    to those listed, and `Limits` must leave room for it.
    """
    return False


@generic
def perturb(instance: Any, state: Any, moves: Moves, stream: Stream) -> float:
    """Perturb the moves of a playout, int64[steps], and improve the result (optional).

    One iteration of iterated local search: the result replaces `moves` unless its score is lower.
    Returns the score of `moves`. Consumes `stream`; `state` is scratch.
    """
