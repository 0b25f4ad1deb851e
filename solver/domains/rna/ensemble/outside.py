"""Probabilities of pairs, from what surrounds each pair.

Row by row from the 5' end the derivative of the partition function is taken by each entry of the
matrices of `inside`: by `closed` it is the partition function of all that is outside of a pair.
"""

from __future__ import annotations

from solver.compiling.jit import inlined, kernel
from solver.domains.rna.ensemble.factors import BASE, BULGE_ONE
from solver.domains.rna.ensemble.loops import (
    closing_factor,
    inside_mismatch,
    one_one_factor,
    one_two_factor,
    outside_mismatch,
    stack_factor,
    stem_place,
    two_one_factor,
    two_three_factor,
    two_two_factor,
)
from solver.domains.rna.ensemble.sizes import LANES
from solver.domains.rna.ensemble.vectors import (
    Floats,
    add_loops,
    add_scaled,
    extend_loops,
    product,
)
from solver.domains.rna.ensemble.workspace import (
    BASES,
    WIDTH,
    EnsembleWorkspace,
    OutsideWorkspace,
    row_of,
)
from solver.domains.rna.fold.parameters import FoldParameters
from solver.domains.rna.fold.sizes import MAX_LOOP
from solver.domains.rna.fold.vectors import Int32s, item
from solver.domains.rna.fold.workspace import SPAN


@inlined
def _sum_loops(workspace: EnsembleWorkspace, outside: OutsideWorkspace, p: int) -> None:
    """Add up the loops of many shapes outside of the pairs of row `p`."""
    n, width, factors = workspace.scalars[BASES], workspace.scalars[WIDTH], workspace.scaled
    row, begin = row_of(workspace, p), p + SPAN
    workspace.large[begin : n + LANES] = 0.0
    workspace.single[begin : n + LANES] = 0.0
    workspace.bulged[begin : n + LANES] = 0.0
    extend_loops(
        outside.inner, row - 3 * width - 1, 1, row + width + 3, -width,
        begin, n, MAX_LOOP, MAX_LOOP,
        workspace.extended, p, 2 * width, factors.unequal_edge, factors.interior, workspace.large,
    )  # fmt: skip
    add_loops(
        outside.inner_single, row - 2 * width + 1, 1, row - width + 2, -width,
        begin, n, MAX_LOOP, 3, MAX_LOOP - 1, factors.one_by_n, workspace.single,
    )  # fmt: skip
    add_loops(
        outside.ended, row - width + 1, 1, row - width + 1, -width,
        begin, n, MAX_LOOP, 2, MAX_LOOP, factors.bulge, workspace.bulged,
    )  # fmt: skip


@inlined
def _small_loops(
    workspace: EnsembleWorkspace,
    outside: OutsideWorkspace,
    energies: FoldParameters,
    p: int,
    q: int,
) -> float:
    """Sum over stacks and the interior loops that have tables, outside of the pair (p, q)."""
    outer, width, n = outside.outer, workspace.scalars[WIDTH], workspace.scalars[BASES]
    place, more = row_of(workspace, p - 1) + q + 1, n - q
    total = item(outer, place) * stack_factor(workspace, energies, p - 1, q + 1, p, q)
    bulge = item(workspace.scaled.scalars, BULGE_ONE)
    if more > 1:
        factor = stack_factor(workspace, energies, p - 1, q + 2, p, q)
        total += item(outer, place + 1) * factor * bulge
    if p < 3:
        return total
    place -= width
    total += item(outer, place) * stack_factor(workspace, energies, p - 2, q + 1, p, q) * bulge
    if more > 1:
        factor = one_one_factor(workspace, energies, p - 2, q + 2, p, q)
        total += item(outer, place + 1) * factor
    if more > 2:
        factor = one_two_factor(workspace, energies, p - 2, q + 3, p, q)
        total += item(outer, place + 2) * factor
    if p < 4:
        return total
    place -= width
    if more > 1:
        factor = two_one_factor(workspace, energies, p - 3, q + 2, p, q)
        total += item(outer, place + 1) * factor
    if more > 2:
        factor = two_two_factor(workspace, energies, p - 3, q + 3, p, q)
        total += item(outer, place + 2) * factor
    if more > 3:
        factor = two_three_factor(workspace, energies, p - 3, q + 4, p, q)
        total += item(outer, place + 3) * factor
    if p < 5 or more < 3:
        return total
    factor = two_three_factor(workspace, energies, p - 4, q + 3, p, q)
    return total + item(outer, place - width + 2) * factor


@inlined
def _fill_behind(workspace: EnsembleWorkspace, outside: OutsideWorkspace, p: int) -> None:
    """Find the derivatives of row `p` by a helix and those behind it, and by a last helix.

    The derivatives by the next row of `two` begin with what the unpaired base p hands on.
    """
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    base, row = item(workspace.scaled.scalars, BASE), row_of(workspace, p)
    here, there = p % 2 * width, (p + 1) % 2 * width
    several, multi, two = workspace.several, outside.multi, outside.two
    total = 0.0
    for j in range(n, p + SPAN - 1, -1):
        by_multi, by_two = item(multi, row + j), item(two, here + j)
        total = total * base + by_multi
        outside.behind[j] = total
        several[j] = by_multi + by_two
        multi[row + width + j] += base * by_multi
        two[there + j] = base * by_two


@inlined
def _fill_row(
    workspace: EnsembleWorkspace, outside: OutsideWorkspace, energies: FoldParameters, p: int
) -> None:
    """Fill what is outside of the pairs of row `p`."""
    n, width, factors = workspace.scalars[BASES], workspace.scalars[WIDTH], workspace.scaled
    row, there, several = row_of(workspace, p), (p + 1) % 2 * width, workspace.several
    _fill_behind(workspace, outside, p)
    before = item(outside.prefix, p - 1)
    begin = item(workspace.code, p) * width
    for place in range(
        item(workspace.first_partner, begin + p + SPAN),
        item(workspace.first_partner, begin + n + 1),
    ):
        q = item(workspace.partners, begin + place)
        stem = stem_place(workspace, energies, p, q)
        exterior = item(factors.exterior, stem)
        value = before * item(workspace.suffix, q + 1) * exterior
        closed = item(workspace.closed, row + q)
        outside.prefix[q] += before * closed * exterior
        if p > 1 and q < n:
            mismatch = outside_mismatch(workspace, energies, p, q)
            value += item(workspace.large, q) * item(factors.interior_mismatch, mismatch)
            value += item(workspace.single, q) * item(factors.one_by_n_mismatch, mismatch)
            value += item(workspace.bulged, q) * item(factors.terminal, mismatch // 25)
            value += _small_loops(workspace, outside, energies, p, q)
            start, next_row = q + 1 + SPAN, row_of(workspace, q + 1)
            factor = item(factors.multi, stem)
            helices = item(outside.behind, q)
            if start <= n:
                helices += product(several, start, workspace.multi, next_row + start, n + 1 - start)
                add_scaled(
                    outside.multi, next_row + start, several, start, closed * factor, n + 1 - start
                )
            value += helices * factor
        outside.outer[row + q] = value
        mismatch = inside_mismatch(workspace, energies, p, q)
        outside.inner[row + q] = value * item(factors.interior_mismatch, mismatch)
        outside.inner_single[row + q] = value * item(factors.one_by_n_mismatch, mismatch)
        outside.ended[row + q] = value * item(factors.terminal, mismatch // 25)
        outside.two[there + q - 1] += value * closing_factor(workspace, energies, p, q)
        probability = value * closed / workspace.suffix[1]
        outside.paired[p] += probability
        outside.paired[q] += probability


@kernel
def fill_outside(
    workspace: EnsembleWorkspace, outside: OutsideWorkspace, energies: FoldParameters
) -> None:
    """Compute what surrounds each pair, and how probable each base pairs.

    Parameters
    ----------
    workspace : EnsembleWorkspace
        As `fill` has left it.
    outside : OutsideWorkspace
        Of the same number of bases, as new or as left by this function.
    energies : FoldParameters
    """
    n = workspace.scalars[BASES]
    outside.prefix[:] = 0.0
    outside.paired[:] = 0.0
    outside.outer[:] = 0.0
    outside.inner[:] = 0.0
    outside.inner_single[:] = 0.0
    outside.ended[:] = 0.0
    outside.multi[:] = 0.0
    outside.two[:] = 0.0
    workspace.extended[:] = 0.0
    workspace.several[:] = 0.0
    outside.prefix[0] = 1.0
    for p in range(1, n + 1):
        if p <= n - SPAN:
            _sum_loops(workspace, outside, p)
            _fill_row(workspace, outside, energies, p)
        outside.prefix[p] += outside.prefix[p - 1] * workspace.power[1]


@inlined
def pair_probability(
    workspace: EnsembleWorkspace, outside: OutsideWorkspace, i: int, j: int
) -> float:
    """Probability that i pairs with j > i."""
    place = row_of(workspace, i) + j
    return item(workspace.closed, place) * item(outside.outer, place) / workspace.suffix[1]


@kernel
def position_defects(
    workspace: EnsembleWorkspace, outside: OutsideWorkspace, pairs: Int32s, defects: Floats
) -> float:
    """Probability that each base is not as in a structure.

    Parameters
    ----------
    workspace, outside : EnsembleWorkspace, OutsideWorkspace
        As `fill_outside` has left them.
    pairs : int32[n + 1]
        The other end of the pair of each position in the structure, or 0.
    defects : float64[n + 1]
        Written; at 0 there is 0.

    Returns
    -------
    float
        Their mean, the normalised ensemble defect (Zadeh, Wolfe & Pierce 2011).
    """
    n, total = workspace.scalars[BASES], 0.0
    defects[0] = 0.0
    for i in range(1, n + 1):
        j = pairs[i]
        defect = outside.paired[i]
        if j > 0:
            defect = 1.0 - pair_probability(workspace, outside, min(i, j), max(i, j))
        defects[i] = min(max(defect, 0.0), 1.0)
        total += defects[i]
    return total / n


@kernel
def pair_probabilities(
    workspace: EnsembleWorkspace, outside: OutsideWorkspace, probabilities: Floats
) -> None:
    """Write the probability that i pairs with j to (i - 1) * n + j - 1, for i < j; float64[n * n].

    The workspaces are as `fill_outside` has left them.
    """
    n = workspace.scalars[BASES]
    probabilities[:] = 0.0
    for i in range(1, n - SPAN + 1):
        for j in range(i + SPAN, n + 1):
            found = pair_probability(workspace, outside, i, j)
            probabilities[(i - 1) * n + j - 1] = found
