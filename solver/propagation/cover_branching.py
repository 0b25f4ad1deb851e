"""Rules for complete search of any domain that is an exact cover.

They stand apart from `solver.propagation.cover_rules`: no table of a prior depends on them.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from solver.compiling.random import Stream
from solver.contract import branching
from solver.contract.rules import Moves
from solver.propagation.branching import most_failed_set
from solver.propagation.exact_cover import (
    FAILED,
    N_ASSIGNED,
    Cover,
    CoverState,
    is_over,
    list_candidates,
    remove,
)


def branching_moves(instance: Any, state: CoverState, stream: Stream, moves: Moves) -> int:
    """Candidates of a set that failed most for its size."""
    if is_over(instance.cover, state):
        return 0
    item = most_failed_set(instance.cover, state, stream)
    return list_candidates(instance.cover, state, item, moves)


def exclude(instance: Any, state: CoverState, move: int) -> None:
    """Remove a candidate, and assign what that forces."""
    if state.alive[move] and not state.scalars[FAILED]:
        remove(instance.cover, state, move)


def is_open(instance: Any, state: CoverState, move: int) -> bool:
    """True if the candidate is possible and not assigned."""
    return bool(state.alive[move])


def n_held(instance: Any, state: CoverState) -> int:
    """Candidates assigned."""
    return int(state.scalars[N_ASSIGNED])


def held_move(instance: Any, state: CoverState, index: int) -> int:
    """Candidate assigned as number `index`."""
    return int(state.assigned[index])


def all_sets(cover: Cover, contradiction: int) -> list[Moves]:
    """Return the candidates of each set, int64[n]; after a `contradiction` a set without any."""
    if contradiction:
        return [np.zeros(0, np.int64)]
    ends = itertools.pairwise(cover.first.tolist())
    return [cover.members[begin:end].astype(np.int64) for begin, end in ends]


def register_cover_branching(instance_class: type) -> None:
    """Register the rules for the instances of a domain, those apart that are registered already.

    A domain whose `play` knows constraints of its own has an `exclude` that does, too.
    """
    for function in (branching_moves, exclude, is_open, n_held, held_move):
        stub = getattr(branching, function.__name__)
        if stub.implementation(instance_class) is None:
            stub.register(instance_class)(function)
