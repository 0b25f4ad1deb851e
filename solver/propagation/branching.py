"""Complete search in exact covers and lines: the variable to branch on, and values excluded."""

from __future__ import annotations

import numpy as np

from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.propagation.bits import count_bits
from solver.propagation.combinations import (
    FAILED,
    N_OPEN,
    N_TRAIL,
    STUCK,
    Lines,
    LinesState,
    _propagate,
    _restrict,
)
from solver.propagation.exact_cover import Cover, CoverState


@inlined
def most_failed_set(cover: Cover, state: CoverState, stream: Stream) -> int:
    """One of the sets with the fewest candidates for each failure, a random one of these.

    The ratio of domain and weight of F. Boussemart et al., Boosting systematic search by weighting
    constraints, 2004. A set with one candidate comes first.
    """
    best, least, ties = -1, np.inf, 0
    for index in range(state.start[1], cover.n_variables):
        item = state.by_size[index]
        size = state.size[item]
        if size == 1:
            return int(item)
        ratio = size / (1.0 + state.failures[item])
        if ratio < least:
            best, least, ties = item, ratio, 1
        elif ratio == least:
            ties += 1
            if next_below(stream, ties) == 0:
                best = item
    return int(best)


@inlined
def most_failed_cell(lines: Lines, state: LinesState, stream: Stream) -> int:
    """One of the open cells with the fewest values for each failure of their lines.

    See `most_failed_set`.
    """
    best, least, ties = -1, np.inf, 0
    for cell in range(len(state.domain)):
        domain = state.domain[cell]
        if domain:
            failures = np.int64(state.failures[lines.lines[cell, 0]])
            failures += state.failures[lines.lines[cell, 1]]
            ratio = count_bits(domain) / (1.0 + failures)
            if ratio < least:
                best, least, ties = cell, ratio, 1
            elif ratio == least:
                ties += 1
                if next_below(stream, ties) == 0:
                    best = cell
    return best


@inlined
def exclude_value(lines: Lines, state: LinesState, cell: int, value: int) -> None:
    """Take a value from an open `cell` and propagate; nothing if it is gone, or in a dead end."""
    if state.scalars[FAILED] or not (state.domain[cell] >> value) & 1:
        return
    if _restrict(lines, state, cell, ~(np.int64(1) << value)):
        _propagate(lines, state)
    else:
        state.scalars[STUCK] = lines.lines[cell, 0]
        state.scalars[FAILED] = 1


@inlined
def n_assigned(lines: Lines, state: LinesState) -> int:
    """Cells assigned since the start, those that the clues alone fill not counted."""
    return int(lines.root.scalars[N_OPEN] - state.scalars[N_OPEN])


@inlined
def assigned_cell(lines: Lines, state: LinesState, index: int) -> int:
    """Cell assigned as number `index` since the start: mostly one of the last on the trail."""
    first = len(state.domain) + len(state.used)
    after = n_assigned(lines, state) - index
    entry = state.scalars[N_TRAIL]
    while after > 0:
        entry -= 1
        if state.trail[entry, 0] >= first:
            after -= 1
    return int(state.trail[entry, 0] - first)
