"""Partition function that refills only entries a changed sequence affects.

McCaskill's recursions [1]_ with dangles 2, as ViennaRNA has them, so that free energies are the
same; `solver.domains.rna.fold` says what makes them fast. Multiloops are built helix by helix from
the 5' end: a row is a sum, over the helices that begin with its base, of the rows behind them.

References
----------
.. [1] J. S. McCaskill. The equilibrium partition function and base pair binding probabilities for
   RNA secondary structure. Biopolymers 29, 1990.
"""

from __future__ import annotations

import numpy as np

from solver.compiling.jit import called, inlined, kernel
from solver.domains.rna.ensemble.boundary import begin_rows
from solver.domains.rna.ensemble.factors import BASE, BULGE_ONE, BoltzmannFactors
from solver.domains.rna.ensemble.loops import (
    closing_factor,
    hairpin_factor,
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
from solver.domains.rna.ensemble.vectors import add_loops, add_scaled, extend_loops
from solver.domains.rna.ensemble.workspace import (
    BASES,
    SCALE,
    WIDTH,
    EnsembleWorkspace,
    read_sequence,
    row_of,
    scale_factors,
)
from solver.domains.rna.fold.matrices import INTERIOR_SPAN, NEAR
from solver.domains.rna.fold.parameters import FoldParameters
from solver.domains.rna.fold.sizes import MAX_LOOP
from solver.domains.rna.fold.vectors import item
from solver.domains.rna.fold.workspace import SPAN
from solver.domains.rna.folding import Text

#: Logarithm of the largest and of the least partition function that is kept at a scale.
RANGE = 400.0
#: Change of the scale after a partition function beyond the range of float64, and most changes.
RESCALE, RESCALES = 0.25, 100


@inlined
def _sum_loops(workspace: EnsembleWorkspace, i: int, first: int) -> None:
    """Add up the loops of many shapes that the pairs of row `i` close, from column `first` on."""
    n, width, factors = workspace.scalars[BASES], workspace.scalars[WIDTH], workspace.scaled
    workspace.large[first : n + LANES] = 0.0
    workspace.single[first : n + LANES] = 0.0
    workspace.bulged[first : n + LANES] = 0.0
    row, begin, reach = row_of(workspace, i), max(first, i + INTERIOR_SPAN), LANES - 7 - i
    extend_loops(
        workspace.inner, row + 3 * width + 1, -1, row - width - 3, width,
        begin, n, reach, MAX_LOOP,
        workspace.extended, i, 2 * width, factors.unequal_edge, factors.interior, workspace.large,
    )  # fmt: skip
    add_loops(
        workspace.inner_single, row + 2 * width - 1, -1, row + width - 2, width,
        begin, n, reach, 3, MAX_LOOP - 1, factors.one_by_n, workspace.single,
    )  # fmt: skip
    begin = max(first, i + SPAN + 4)
    add_loops(
        workspace.ended, row + width - 1, -1, row + width - 1, width,
        begin, n, reach, 2, MAX_LOOP, factors.bulge, workspace.bulged,
    )  # fmt: skip


@inlined
def _small_loops(workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int) -> float:
    """Sum over the interior loops that have tables of their own."""
    closed, width = workspace.closed, workspace.scalars[WIDTH]
    place = row_of(workspace, i + 2) + j - 2
    total = item(closed, place) * one_one_factor(workspace, energies, i, j, i + 2, j - 2)
    total += item(closed, place - 1) * one_two_factor(workspace, energies, i, j, i + 2, j - 3)
    place += width
    total += item(closed, place) * two_one_factor(workspace, energies, i, j, i + 3, j - 2)
    total += item(closed, place - 1) * two_two_factor(workspace, energies, i, j, i + 3, j - 3)
    total += item(closed, place - 2) * two_three_factor(workspace, energies, i, j, i + 3, j - 4)
    place += width - 1
    return total + item(closed, place) * two_three_factor(workspace, energies, i, j, i + 4, j - 3)


@inlined
def _stacks(workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int) -> float:
    """Sum over stacks, with at most one unpaired base on one side."""
    closed, width = workspace.closed, workspace.scalars[WIDTH]
    place = row_of(workspace, i + 1) + j - 1
    bulges = item(closed, place + width) * stack_factor(workspace, energies, i, j, i + 2, j - 1)
    bulges += item(closed, place - 1) * stack_factor(workspace, energies, i, j, i + 1, j - 2)
    total = item(closed, place) * stack_factor(workspace, energies, i, j, i + 1, j - 1)
    return total + bulges * item(workspace.scaled.scalars, BULGE_ONE)


@inlined
def _fill_pairs(workspace: EnsembleWorkspace, energies: FoldParameters, i: int, first: int) -> None:
    """Fill row `i` of the matrices of pairs, from column `first` on."""
    n, width, factors = workspace.scalars[BASES], workspace.scalars[WIDTH], workspace.scaled
    _sum_loops(workspace, i, first)
    row = row_of(workspace, i)
    workspace.closed[row + first : row + n + 1] = 0.0
    workspace.inner[row + first : row + n + 1] = 0.0
    workspace.inner_single[row + first : row + n + 1] = 0.0
    workspace.ended[row + first : row + n + 1] = 0.0
    begin = item(workspace.code, i) * width
    for place in range(
        item(workspace.first_partner, begin + first), item(workspace.first_partner, begin + n + 1)
    ):
        j = item(workspace.partners, begin + place)
        inside = inside_mismatch(workspace, energies, i, j)
        value = hairpin_factor(workspace, energies, i, j) + _stacks(workspace, energies, i, j)
        value += item(workspace.bulged, j) * item(factors.terminal, inside // 25)
        if j - i > 7:
            value += _small_loops(workspace, energies, i, j)
            value += item(workspace.large, j) * item(factors.interior_mismatch, inside)
            value += item(workspace.single, j) * item(factors.one_by_n_mismatch, inside)
        if j - i > 10:
            loops = item(workspace.two, row + width + j - 1)
            value += loops * closing_factor(workspace, energies, i, j)
        outside = outside_mismatch(workspace, energies, i, j)
        workspace.closed[row + j] = value
        workspace.inner[row + j] = value * item(factors.interior_mismatch, outside)
        workspace.inner_single[row + j] = value * item(factors.one_by_n_mismatch, outside)
        workspace.ended[row + j] = value * item(factors.terminal, outside // 25)


@inlined
def _fill_multi(workspace: EnsembleWorkspace, energies: FoldParameters, i: int, first: int) -> None:
    """Fill row `i` of the matrices of multiloops, from column `first` on."""
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    multi, two, stem, several = workspace.multi, workspace.two, workspace.stem, workspace.several
    base, row = item(workspace.scaled.scalars, BASE), row_of(workspace, i)
    stem[i : n + 1] = 0.0
    several[first : n + 1] = 0.0
    begin = item(workspace.code, i) * width
    for place in range(
        item(workspace.first_partner, begin + i + SPAN),
        item(workspace.first_partner, begin + n + 1),
    ):
        j = item(workspace.partners, begin + place)
        factor = item(workspace.scaled.multi, stem_place(workspace, energies, i, j))
        helix = item(workspace.closed, row + j) * factor
        stem[j] = helix
        start = max(first, j + 1 + SPAN)
        behind = row_of(workspace, j + 1) + start
        add_scaled(several, start, multi, behind, helix, n + 1 - start)
    one = 0.0
    for j in range(i + SPAN, first):
        one = one * base + item(stem, j)
    for j in range(first, n + 1):
        one = one * base + item(stem, j)
        more = item(several, j)
        multi[row + j] = one + more + base * item(multi, row + width + j)
        two[row + j] = more + base * item(two, row + width + j)


@inlined
def _fill_suffix(workspace: EnsembleWorkspace, energies: FoldParameters, last: int) -> None:
    """Find the partition functions of the bases i ... n, for i from `last` down."""
    n, width, suffix = workspace.scalars[BASES], workspace.scalars[WIDTH], workspace.suffix
    suffix[n + 1] = 1.0
    for i in range(last, 0, -1):
        row, total = row_of(workspace, i), 0.0
        begin = item(workspace.code, i) * width
        for place in range(
            item(workspace.first_partner, begin + min(i + SPAN, n + 1)),
            item(workspace.first_partner, begin + n + 1),
        ):
            j = item(workspace.partners, begin + place)
            factor = item(workspace.scaled.exterior, stem_place(workspace, energies, i, j))
            total += item(workspace.closed, row + j) * factor * item(suffix, j + 1)
        suffix[i] = total + item(suffix, i + 1) * item(workspace.power, 1)


@called
def _fill(workspace: EnsembleWorkspace, energies: FoldParameters, count: int) -> None:
    """Fill what `count` changed sites affect."""
    n = workspace.scalars[BASES]
    previous, last = n, count - 1
    rightmost = workspace.sites[last]
    while last >= 0:
        start = last
        while start > 0 and workspace.sites[start] - workspace.sites[start - 1] <= NEAR:
            start -= 1
        # rows in which these are the first changed sites; one beside an end counts as inside
        top = min(workspace.sites[last] + 1, n - SPAN)
        bottom = 1 if start == 0 else workspace.sites[start - 1] + 2
        first = max(workspace.sites[start] - 1, 1)
        if top >= bottom:
            begin_rows(workspace, top, bottom, first, previous)
            for i in range(top, bottom - 1, -1):
                begin = max(first, i + SPAN)
                _fill_pairs(workspace, energies, i, begin)
                _fill_multi(workspace, energies, i, begin)
            previous = first
        last = start - 1
    _fill_suffix(workspace, energies, min(rightmost + 1, n))


@kernel
def fill(
    workspace: EnsembleWorkspace,
    energies: FoldParameters,
    factors: BoltzmannFactors,
    sequence: Text,
) -> float:
    """Compute the partition function of `sequence`.

    Parameters
    ----------
    workspace : EnsembleWorkspace
        As new, or as another sequence of the same length has left it: then only what the
        differing bases change is filled.
    energies, factors : FoldParameters, BoltzmannFactors
        Always the same for a workspace.
    sequence : uint8[n] or longer
        Letters A, C, G and U.

    Returns
    -------
    float
        Natural logarithm of the partition function; the free energy of the ensemble is -kT times
        that.
    """
    n, numbers = workspace.scalars[BASES], workspace.numbers
    if workspace.power[0] == 0.0:
        scale_factors(workspace, factors)
    count = read_sequence(workspace, energies, sequence)
    if count > 0:
        _fill(workspace, energies, count)
    for _ in range(RESCALES):
        total = workspace.suffix[1]
        finite = total > 0.0 and total < np.inf
        if finite and abs(np.log(total)) <= RANGE:
            break
        if finite:
            numbers[SCALE] += np.log(total) / n
        else:
            numbers[SCALE] += -RESCALE if total == 0.0 else RESCALE
        scale_factors(workspace, factors)
        for place in range(n):
            workspace.sites[place] = place + 1
        _fill(workspace, energies, n)
    return np.log(workspace.suffix[1]) + n * numbers[SCALE]
