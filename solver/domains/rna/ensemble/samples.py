"""Structures drawn from the Boltzmann ensemble (Ding & Lawrence 2003).

References
----------
.. [1] Y. Ding, C. E. Lawrence. A statistical sampling algorithm for RNA secondary structure
   prediction. Nucleic Acids Research 31(24), 2003.
"""

from __future__ import annotations

from solver.compiling.jit import called, inlined, kernel
from solver.compiling.random import Stream, next_uniform
from solver.domains.rna.ensemble.factors import BASE
from solver.domains.rna.ensemble.loops import (
    hairpin_factor,
    interior_factor,
    stem_place,
)
from solver.domains.rna.ensemble.workspace import BASES, WIDTH, EnsembleWorkspace, row_of
from solver.domains.rna.fold.parameters import FoldParameters
from solver.domains.rna.fold.sizes import MAX_LOOP
from solver.domains.rna.fold.vectors import Int32s, item
from solver.domains.rna.fold.workspace import SPAN, pair_type

#: Kinds of regions to draw: a pair, parts of a multiloop with two helices or more, with one or
#: more.
_PAIR, _TWO, _MULTI = range(3)


@inlined
def _push(stack: Int32s, depth: int, kind: int, i: int, j: int) -> int:
    stack[3 * depth] = kind
    stack[3 * depth + 1] = i
    stack[3 * depth + 2] = j
    return depth + 1


@inlined
def _helix(workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int) -> float:
    """Partition function of a helix (i, j) in a multiloop."""
    factor = item(workspace.scaled.multi, stem_place(workspace, energies, i, j))
    return item(workspace.closed, row_of(workspace, i) + j) * factor


@called
def _draw_exterior(
    workspace: EnsembleWorkspace, energies: FoldParameters, stream: Stream, stack: Int32s
) -> int:
    """Push the helices outside of all pairs; returns how many."""
    n, depth, i = workspace.scalars[BASES], 0, 1
    while i <= n - SPAN:
        left = next_uniform(stream) * workspace.suffix[i]
        left -= workspace.suffix[i + 1] * workspace.power[1]
        found = 0
        if left >= 0.0:
            for j in range(i + SPAN, n + 1):
                weight = item(workspace.closed, row_of(workspace, i) + j)
                if weight > 0.0:
                    weight *= workspace.scaled.exterior[stem_place(workspace, energies, i, j)]
                    found = j
                    left -= weight * workspace.suffix[j + 1]
                    if left < 0.0:
                        break
        if found > 0:
            depth = _push(stack, depth, _PAIR, i, found)
            i = found
        i += 1
    return depth


@called
def _draw_multi(
    workspace: EnsembleWorkspace,
    energies: FoldParameters,
    stream: Stream,
    stack: Int32s,
    depth: int,
    kind: int,
    i: int,
    j: int,
) -> int:
    """Push the first helix of a part of a multiloop, and what is behind; returns the depth."""
    base, width = workspace.scaled.scalars[BASE], workspace.scalars[WIDTH]
    matrix = workspace.two if kind == _TWO else workspace.multi
    while True:
        place = row_of(workspace, i) + j
        left = next_uniform(stream) * matrix[place] - base * matrix[place + width]
        if left >= 0.0 or j - i <= SPAN:
            break
        i += 1
    last, alone = 0, False
    for k in range(i + SPAN, j + 1):
        helix = _helix(workspace, energies, i, k)
        if helix == 0.0:
            continue
        if kind == _MULTI:
            last, alone = k, True
            left -= helix * base ** (j - k)
            if left < 0.0:
                break
        more = workspace.multi[row_of(workspace, k + 1) + j]
        if more > 0.0:
            last, alone = k, False
            left -= helix * more
            if left < 0.0:
                break
    if last > 0:
        depth = _push(stack, depth, _PAIR, i, last)
        if not alone:
            depth = _push(stack, depth, _MULTI, last + 1, j)
    return depth


@called
def _draw_loop(
    workspace: EnsembleWorkspace,
    energies: FoldParameters,
    stream: Stream,
    stack: Int32s,
    depth: int,
    i: int,
    j: int,
) -> int:
    """Push what the loop that (i, j) closes has inside; returns the depth."""
    left = next_uniform(stream) * workspace.closed[row_of(workspace, i) + j]
    left -= hairpin_factor(workspace, energies, i, j)
    if left < 0.0:
        return depth
    first, last = 0, 0
    for p in range(i + 1, min(j - SPAN - 1, i + MAX_LOOP + 1) + 1):
        for q in range(j - 1, max(p + SPAN, p + j - i - MAX_LOOP - 2) - 1, -1):
            if pair_type(workspace.code, energies, p, q):
                weight = interior_factor(workspace, energies, i, j, p, q)
                weight *= item(workspace.closed, row_of(workspace, p) + q)
                first, last = p, q
                left -= weight
                if left < 0.0:
                    return _push(stack, depth, _PAIR, p, q)
    if workspace.two[row_of(workspace, i + 1) + j - 1] > 0.0:
        return _push(stack, depth, _TWO, i + 1, j - 1)
    if first > 0:
        return _push(stack, depth, _PAIR, first, last)
    return depth


@kernel
def sample(
    workspace: EnsembleWorkspace,
    energies: FoldParameters,
    stream: Stream,
    pairs: Int32s,
    stack: Int32s,
) -> None:
    """Draw a structure with its probability in the ensemble; consumes `stream`.

    Parameters
    ----------
    workspace : EnsembleWorkspace
        As `fill` has left it.
    pairs : int32[n + 1]
        Written: the other end of the pair of each position, or 0.
    stack : int32[3 * n + 6] or longer
        Scratch.
    """
    pairs[:] = 0
    depth = _draw_exterior(workspace, energies, stream, stack)
    while depth > 0:
        depth -= 1
        kind, i, j = stack[3 * depth], stack[3 * depth + 1], stack[3 * depth + 2]
        if kind == _PAIR:
            pairs[i] = j
            pairs[j] = i
            depth = _draw_loop(workspace, energies, stream, stack, depth, i, j)
        else:
            depth = _draw_multi(workspace, energies, stream, stack, depth, kind, i, j)
