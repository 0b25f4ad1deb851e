"""Choice of the set of an exact cover to branch on: a smallest one, of those that failed most."""

from __future__ import annotations

from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.propagation.exact_cover import EMPTY, FAILED, N_FAILURES, Cover, CoverState

#: Sets of the smallest size that are looked at for the one that was empty most often.
LOOKED_AT = 16


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
    here = begin + chosen
    best = state.by_size[here]
    looked_at = LOOKED_AT if state.scalars[N_FAILURES] else 1
    for _ in range(min(end - begin, looked_at) - 1):
        here += 1
        if here == end:
            here = begin
        item = state.by_size[here]
        if state.failures[item] > state.failures[best]:
            best = item
    return int(best)


@inlined
def note_failure(state: CoverState) -> None:
    """Count the dead end that `state` is for the set that is empty there."""
    if state.scalars[FAILED]:
        state.failures[state.scalars[EMPTY]] += 1
        state.scalars[N_FAILURES] += 1
