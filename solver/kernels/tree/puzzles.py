"""Tree search of puzzles: the best playout is kept, states are not shared between paths.

Scores of puzzles count what was done on the way, and states have memos, which `key` would hash: a
node is told from others by the moves that lead to it. Codes that are hashes are folded.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.compiling.bits import mixed
from solver.compiling.generic import generic
from solver.compiling.random import Stream
from solver.contract.rules import Moves, key, legal_moves
from solver.kernels.arguments import Off
from solver.kernels.bounds import STEPS, note_broken
from solver.kernels.monitor import PLAYOUTS, Monitor, best_score, note_improvement

#: Codes that hashes are folded to, a power of two.
FOLDED = 4096
#: Of `Kept.steps`: moves before the root, moves of the best playout.
BEFORE, BEST = 0, 1


class Kept(NamedTuple):
    """The best playout; `Off` in its place keeps none, for games."""

    last: Moves
    """int64[steps]: moves of the playout that is made, those before the root included."""
    best: Moves
    """int64[steps]."""
    steps: Moves
    """int64[2]."""
    monitor: Monitor
    listing: Stream
    """uint64[4]: scratch."""
    target: float
    """Score at which the search ends, inf for none."""


@generic
def root_key(kept: Any, instance: Any, state: Any, stream: Stream) -> np.uint64:
    """Return the key of the root."""


@root_key.register(Off)
def _key_of_root(kept: Off, instance: Any, state: Any, stream: Stream) -> np.uint64:
    return key(instance, state)


@root_key.register(Kept)
def _random_key(kept: Kept, instance: Any, state: Any, stream: Stream) -> np.uint64:
    return stream[0]


@generic
def child_key(kept: Any, instance: Any, state: Any, parent: np.uint64, move: int) -> np.uint64:
    """Return the key of `state`, which `move` has made of that with the key `parent`."""


@child_key.register(Off)
def _key_of_state(kept: Off, instance: Any, state: Any, parent: np.uint64, move: int) -> np.uint64:
    return key(instance, state)


@child_key.register(Kept)
def _key_of_way(kept: Kept, instance: Any, state: Any, parent: np.uint64, move: int) -> np.uint64:
    return mixed(parent ^ mixed(move))


@generic
def list_moves(
    kept: Any, instance: Any, state: Any, stream: Stream, node_key: np.uint64, moves: Moves
) -> int:
    """Write the moves of a node into `moves` and return how many there are."""


@list_moves.register(Off)
def _list_moves(
    kept: Off, instance: Any, state: Any, stream: Stream, node_key: np.uint64, moves: Moves
) -> int:
    return int(legal_moves(instance, state, stream, moves))


@list_moves.register(Kept)
def _list_with_own_stream(
    kept: Kept, instance: Any, state: Any, stream: Stream, node_key: np.uint64, moves: Moves
) -> int:
    """A playout that begins anew, when there is room, finds what is listed: it draws nothing."""
    for word in range(len(kept.listing)):
        kept.listing[word] = mixed(node_key + np.uint64(word))
    return int(legal_moves(instance, state, kept.listing, moves))


@generic
def note_move(kept: Any, step: int, move: int) -> None:
    """Keep a move of the playout, the one at number `step` from the root."""


@note_move.register(Off)
def _forget_move(kept: Off, step: int, move: int) -> None:
    return


@note_move.register(Kept)
def _keep_move(kept: Kept, step: int, move: int) -> None:
    place = kept.steps[BEFORE] + step
    if place < len(kept.last):
        kept.last[place] = move
    else:
        note_broken(kept.monitor.broken, STEPS, place + 1, len(kept.last))


@generic
def note_end(kept: Any, reward: float, steps: int) -> bool:
    """Count a playout of so many steps from the root; returns whether it reached the target."""


@note_end.register(Off)
def _forget_end(kept: Off, reward: float, steps: int) -> bool:
    return False


@note_end.register(Kept)
def _keep_best(kept: Kept, reward: float, steps: int) -> bool:
    kept.monitor.counters[PLAYOUTS] += 1
    if reward <= best_score(kept.monitor):
        return False
    note_improvement(kept.monitor, reward)
    kept.steps[BEST] = kept.steps[BEFORE] + steps
    for step in range(kept.steps[BEST]):
        kept.best[step] = kept.last[step]
    return reward >= kept.target
