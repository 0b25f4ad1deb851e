"""Exact minimum free energy folding that refills only entries a changed sequence affects.

The recursions are ViennaRNA's (Lorenz et al. 2011), with dangles 2 or 1, so that energies are
the same to the last digit; three things make it faster:

* Interior loops of two and more bases on each side are extended from those that the pair inside
  has (Lyngsø, Zuker & Pedersen 1999): 27 sizes a pair, not 400 loops.
* A multiloop is split only behind helices that are better alone than whatever else these bases
  could be in it (Wexler, Zilberstein & Ziv-Ukelson 2007): few for each row.
* A matrix entry depends on the bases between its ends and one beside each: the others stay.

References
----------
.. [1] R. Lorenz et al. ViennaRNA Package 2.0. Algorithms for Molecular Biology 6:26, 2011.
.. [2] R. B. Lyngsø, M. Zuker, C. N. S. Pedersen. Fast evaluation of internal loops in RNA
   secondary structure prediction. Bioinformatics 15(6), 1999.
.. [3] Y. Wexler, C. Zilberstein, M. Ziv-Ukelson. A study of accessible motifs and RNA folding
   complexity. Journal of Computational Biology 14(6), 2007.
"""

from __future__ import annotations

from solver.compiling.jit import inlined, kernel
from solver.domains.rna.fold.boundary import begin_rows
from solver.domains.rna.fold.pairs import closed_energy
from solver.domains.rna.fold.parameters import (
    DANGLES,
    INFINITE,
    LEAST_EXTERIOR,
    MULTI_BASE,
    FoldParameters,
)
from solver.domains.rna.fold.vectors import interior_row, item, lower
from solver.domains.rna.fold.workspace import (
    BASES,
    SPAN,
    WIDTH,
    FoldWorkspace,
    pair_type,
    read_sequence,
)
from solver.domains.rna.folding import Text

#: Changed sites so near to each other are treated as one stretch.
NEAR = 4
#: Least distance of a pair that closes an interior loop with two bases on each side.
INTERIOR_SPAN = SPAN + 6


@inlined
def _fill_pairs(workspace: FoldWorkspace, parameters: FoldParameters, i: int, first: int) -> None:
    """Fill row `i` of the matrices of pairs, from column `first` on."""
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    code = workspace.code
    workspace.least[first : n + 1] = INFINITE
    interior_row(
        workspace.inner,
        width,
        i,
        max(first, i + INTERIOR_SPAN),
        n,
        workspace.best,
        2 * width,
        parameters.unequal_edge,
        parameters.interior,
        workspace.least,
    )
    five, behind = item(code, i - 1), i * width
    begin = item(code, i) * width
    for place in range(
        item(workspace.first_partner, begin + first), item(workspace.first_partner, begin + n + 1)
    ):
        j = item(workspace.partners, begin + place)
        kind = pair_type(code, parameters, i, j)
        energy = closed_energy(workspace, parameters, i, j, kind)
        outside = pair_type(code, parameters, j, i) * 25 + item(code, j + 1) * 5 + five
        at_end = energy + item(parameters.terminal, kind)
        single = energy + item(parameters.one_by_n_mismatch, outside)
        workspace.closed[behind + j] = energy
        workspace.inner[behind + j] = energy + item(parameters.interior_mismatch, outside)
        workspace.bulge_row[behind + n - j] = at_end
        workspace.bulge_column[j * width + i] = at_end
        workspace.one_row[behind + n - j] = single
        workspace.one_column[j * width + i] = single


@inlined
def _fill_stems(workspace: FoldWorkspace, parameters: FoldParameters, i: int, first: int) -> None:
    """Find the least energy of one helix in a multiloop, for each column of row `i`."""
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    code, stem, multi = workspace.code, workspace.stem, parameters.multi
    dangles = item(parameters.scalars, DANGLES)
    stem[first : n + 2] = INFINITE
    begin = item(code, i) * width
    last = item(workspace.first_partner, begin + n + 1)
    if dangles == 2:
        five = item(code, i - 1) * 5
        for place in range(item(workspace.first_partner, begin + first), last):
            j = item(workspace.partners, begin + place)
            kind = pair_type(code, parameters, i, j) * 25
            stem[j] = item(workspace.closed, i * width + j) + item(
                multi, kind + five + item(code, j + 1)
            )
        return
    base = item(parameters.scalars, MULTI_BASE)
    for place in range(item(workspace.first_partner, begin + first - 1), last):
        j = item(workspace.partners, begin + place)
        energy = item(workspace.closed, i * width + j)
        kind = pair_type(code, parameters, i, j) * 25
        stem[j] = min(stem[j], energy + item(multi, kind))
        stem[j + 1] = min(stem[j + 1], energy + base + item(multi, kind + item(code, j + 1)))
    begin, five = item(code, i + 1) * width, item(code, i) * 5
    last = item(workspace.first_partner, begin + n + 1)
    for place in range(item(workspace.first_partner, begin + first - 1), last):
        j = item(workspace.partners, begin + place)
        energy = item(workspace.closed, (i + 1) * width + j) + base
        kind = pair_type(code, parameters, i + 1, j) * 25 + five
        stem[j] = min(stem[j], energy + item(multi, kind))
        stem[j + 1] = min(stem[j + 1], energy + base + item(multi, kind + item(code, j + 1)))


@inlined
def _fill_multi(workspace: FoldWorkspace, parameters: FoldParameters, i: int, first: int) -> None:
    """Fill row `i` of the matrices of multiloops, from column `first` on."""
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    multi, two, stem = workspace.multi, workspace.two, workspace.stem
    base = item(parameters.scalars, MULTI_BASE)
    row = i * width
    two[row + first : row + n + 1] = INFINITE
    lower(two, row + first, two, row + width + first, base, n + 1 - first)
    count = 0
    while count < workspace.n_splits[i] and workspace.split[row + count] < first:
        k = item(workspace.split, row + count)
        begin = max(first, k + 1 + SPAN)
        lower(two, row + begin, multi, (k + 1) * width + begin, multi[row + k], n + 1 - begin)
        count += 1
    before = item(multi, row + first - 1)
    for j in range(first, n + 1):
        energy = min(before + base, item(multi, row + width + j) + base)
        energy = min(energy, item(two, row + j))
        if item(stem, j) < energy:
            energy = item(stem, j)
            workspace.split[row + count] = j
            count += 1
            begin = j + 1 + SPAN
            lower(two, row + begin, multi, (j + 1) * width + begin, energy, n + 1 - begin)
        multi[row + j] = energy
        before = energy
    workspace.n_splits[i] = count


@inlined
def _fill_exterior(workspace: FoldWorkspace, parameters: FoldParameters, first: int) -> None:
    """Find the least energies of the bases 1 ... j, for j from `first` on."""
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    code, exterior, table = workspace.code, workspace.exterior, parameters.exterior
    dangles = item(parameters.scalars, DANGLES)
    useful = -item(parameters.scalars, LEAST_EXTERIOR)
    exterior[first : n + 2] = 0
    for i in range(1, n - SPAN + 1):
        before = item(exterior, i - 1)  # no pair from i on changes it
        if i >= first:
            exterior[i] = min(exterior[i], before)
        begin, five = item(code, i) * width, item(code, i - 1) * 5
        farther = before if i == 1 else item(exterior, i - 2)
        for place in range(
            item(workspace.first_partner, begin + max(first - 1, i + SPAN)),
            item(workspace.first_partner, begin + n + 1),
        ):
            j = item(workspace.partners, begin + place)
            energy = item(workspace.closed, i * width + j)
            if energy >= useful:  # no better than nothing
                continue
            kind, three = pair_type(code, parameters, i, j) * 25, item(code, j + 1)
            if dangles == 2:
                if j >= first:
                    total = before + energy + item(table, kind + five + three)
                    exterior[j] = min(exterior[j], total)
                continue
            plain, left = before + energy, farther + energy
            if j >= first:
                total = min(plain + item(table, kind), left + item(table, kind + five))
                exterior[j] = min(exterior[j], total)
            if j < n:
                total = plain + item(table, kind + three)
                total = min(total, left + item(table, kind + five + three))
                exterior[j + 1] = min(exterior[j + 1], total)
    for j in range(max(first, n - SPAN + 1), n + 1):
        exterior[j] = min(exterior[j], exterior[j - 1])


@kernel
def fold(workspace: FoldWorkspace, parameters: FoldParameters, sequence: Text) -> int:
    """Fold `sequence`: fill the matrices of its minimum free energy.

    Parameters
    ----------
    workspace : FoldWorkspace
        As new, or as another sequence of the same length has left it: then only what the
        differing bases change is filled.
    parameters : FoldParameters
        Always the same for a workspace.
    sequence : uint8[n] or longer
        Letters A, C, G and U.

    Returns
    -------
    int
        Minimum free energy in 1/100 kcal/mol.
    """
    n = workspace.scalars[BASES]
    previous, last = n, read_sequence(workspace, parameters, sequence) - 1
    if last < 0:
        return workspace.exterior[n]
    leftmost = workspace.sites[0]
    while last >= 0:
        start = last
        while start > 0 and workspace.sites[start] - workspace.sites[start - 1] <= NEAR:
            start -= 1
        # rows in which these are the first changed sites; one beside an end counts as inside
        top = min(workspace.sites[last] + 1, n - SPAN)
        bottom = 1 if start == 0 else workspace.sites[start - 1] + 2
        first = max(workspace.sites[start] - 1, 1)
        if top >= bottom:
            begin_rows(workspace, parameters, top, bottom, first, previous)
            for i in range(top, bottom - 1, -1):
                begin = max(first, i + SPAN)
                _fill_pairs(workspace, parameters, i, begin)
                _fill_stems(workspace, parameters, i, begin)
                _fill_multi(workspace, parameters, i, begin)
            previous = first
        last = start - 1
    _fill_exterior(workspace, parameters, max(leftmost - 1, 1))
    return workspace.exterior[n]
