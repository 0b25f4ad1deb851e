"""Choice of the set of an exact cover to branch on: a smallest one, of those that failed most."""

from __future__ import annotations

import numpy as np

from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.propagation.exact_cover import EMPTY, FAILED, N_FAILURES, Cover, CoverState

#: Sets of the smallest size that are looked at for the one that was empty most often.
LOOKED_AT = 16
SET_BITS = np.uint64(32)


@inlined
def smallest_set(cover: Cover, state: CoverState, stream: Stream) -> int:
    """One of the sets with the fewest candidates, among those that may be branched on."""
    size = 1
    while state.start[size] == state.start[size + 1]:
        size += 1
    begin, end = state.start[size], state.start[size + 1]
    if cover.random_ties:
        return _most_failures(state, begin, end, next_below(stream, end - begin))
    smallest = state.by_size[begin]
    for index in range(begin + 1, end):
        smallest = min(smallest, state.by_size[index])
    return int(smallest)


@inlined
def _most_failures(state: CoverState, begin: int, end: int, chosen: int) -> int:
    """Return the set that was empty most often, from number `chosen` on; among equals the first.

    In searches that restart often, these are the constraints that failed, to branch on first
    (Boussemart et al., Boosting systematic search by weighting constraints, 2004).
    """
    here = np.uint64(begin) + np.uint64(chosen)
    best = np.uint64(state.by_size[here])
    if state.scalars[N_FAILURES]:
        # Failures and set in one number: without a branch that nobody can foresee.
        most = (np.uint64(state.failures[best]) << SET_BITS) + best
        first, stop = np.uint64(begin), np.uint64(end)
        for _ in range(min(stop - first, np.uint64(LOOKED_AT)) - np.uint64(1)):
            here += np.uint64(1)
            here = first if here == stop else here
            item = np.uint64(state.by_size[here])
            other = (np.uint64(state.failures[item]) << SET_BITS) + item
            if other >> SET_BITS > most >> SET_BITS:
                most = other
        best = most & ((np.uint64(1) << SET_BITS) - np.uint64(1))
    return int(best)


@inlined
def note_failure(state: CoverState) -> None:
    """Count the dead end that `state` is for the set that is empty there."""
    if state.scalars[FAILED]:
        state.failures[state.scalars[EMPTY]] += 1
        state.scalars[N_FAILURES] += 1
