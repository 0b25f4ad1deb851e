"""Choice of the variable to branch on: a set of an exact cover, a cell of lines."""

from __future__ import annotations

import numpy as np

from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.propagation.bits import count_bits
from solver.propagation.combinations import Lines, LinesState
from solver.propagation.exact_cover import Cover, CoverState


@inlined
def most_failed_set(cover: Cover, state: CoverState, stream: Stream) -> int:
    """One of the sets with the fewest candidates for each failure, a random one of these.

    The ratio of domain and weight of Boussemart et al., see `_most_failures`; a set with one
    candidate comes first.
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
def smallest_cell(lines: Lines, state: LinesState, stream: Stream) -> int:
    """One of the open cells with the fewest values, of those a random one whose lines failed most.

    See `solver.propagation.exact_cover.smallest_set`.
    """
    fewest = 64
    smallest = -1
    ties = 0
    for cell in range(len(state.domain)):
        domain = state.domain[cell]
        if domain:
            size = count_bits(domain)
            if size < fewest:
                fewest, smallest, ties = size, cell, 1
                if size == 2 and not lines.random_ties:
                    break
            elif size == fewest:
                ties += 1
    if not lines.random_ties or ties == 1:
        return smallest
    skip = next_below(stream, ties)
    # Among equals the first from number `skip` on, those before it being the last.
    best, most, best_before, most_before = -1, -1, -1, -1
    for cell in range(smallest, len(state.domain)):
        if state.domain[cell] and count_bits(state.domain[cell]) == fewest:
            failures = np.int64(state.failures[lines.lines[cell, 0]])
            failures += state.failures[lines.lines[cell, 1]]
            if skip > 0:
                if failures > most_before:
                    best_before, most_before = cell, failures
            elif failures > most:
                best, most = cell, failures
            skip -= 1
    return best_before if most_before > most else best


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
