"""What a fold keeps: the matrices of the last sequence, so that the next one need not fill all.

Positions count from 1 and `n` is the number of bases. A matrix is one array of `rows * width`
numbers, with (i, j) at `i * width + j`; rows are padded with infinite energies, so that vectors
may reach beyond their ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.domains.rna_fold_parameters import (
    INFINITE,
    MAX_BASES,
    MIN_HAIRPIN,
    N_CODES,
    FoldParameters,
)
from solver.domains.rna_fold_vectors import MAX_LOOP, STRETCH, Int32s, item
from solver.folding import Text
from solver.jit import inlined, spliced

SPAN = MIN_HAIRPIN + 1
"""Least distance between the bases of a pair."""
_PADDING = 40


class FoldWorkspace(NamedTuple):
    """Matrices of a sequence of n bases, int32 in 1/100 kcal/mol, and scratch."""

    code: Int32s
    """int32[n + 10]: codes of the last sequence, 0 before and behind it."""
    fresh: Int32s
    """int32[n + 10]: those of the sequence that is being folded."""
    sites: Int32s
    """int32[n]: where it differs from the last."""
    partners: Int32s
    """int32[5 * width]: positions that can pair with a base of each code, ascending."""
    first_partner: Int32s
    """int32[5 * width]: how many of them there are before each position."""
    closed: Int32s
    """int32[rows * width]: least energy of i ... j where i pairs with j; infinite if they cannot."""
    inner: Int32s
    """The same with the mismatch outside of the pair as in an interior loop."""
    bulge_row: Int32s
    """The same with the penalty of the helix's end, at (i, n - j)."""
    bulge_column: Int32s
    """The same, at (j, i)."""
    one_row: Int32s
    """As `closed`, with the mismatch as in a loop of one base and several, at (i, n - j)."""
    one_column: Int32s
    """The same, at (j, i)."""
    multi: Int32s
    """int32[rows * width]: least energy of i ... j as part of a multiloop, one helix or more."""
    two: Int32s
    """The same, two helices or more."""
    split: Int32s
    """int32[rows * width]: ascending j for which a helix from i, alone, is better than all else."""
    n_splits: Int32s
    """int32[rows]."""
    best: Int32s
    """int32[31 * 2 * width]: as in `interior_row`."""
    least: Int32s
    """int32[width]: of the row, the least energies of large interior loops."""
    stem: Int32s
    """int32[width]: of the row, least energies of one helix in a multiloop."""
    column: Int32s
    """int32[width]: part of a column of `inner`."""
    exterior: Int32s
    """int32[width]: least energy of the bases 1 ... j, for each j."""
    pairs: Int32s
    """int32[n + 1]: the other end of the pair of each position in the traced structure, or 0."""
    stack: Int32s
    """int32[3 * n + 9]: scratch of the trace."""
    scalars: Int32s
    """int32[2]: `BASES`, `WIDTH`."""


#: Scalars of a workspace.
BASES, WIDTH = range(2)


def new_fold_workspace(n: int) -> FoldWorkspace:
    """Allocate the matrices for sequences of `n` bases, about 36 n^2 bytes.

    Raises
    ------
    ValueError
        If that is more than `MAX_BASES`.
    """
    if not 0 < n < MAX_BASES:
        raise ValueError(f"{n} bases, expected 1 to {MAX_BASES - 1}")
    rows = n + 10
    width = -(-(n + _PADDING) // 16) * 16
    if width % 256 == 0:  # columns would all fall into the same few lines of the cache
        width += 16

    def infinite(count: int) -> Int32s:
        return np.full(count, INFINITE, np.int32)

    def zeros(count: int) -> Int32s:
        return np.zeros(count, np.int32)

    return FoldWorkspace(
        code=zeros(rows),
        fresh=zeros(rows),
        sites=zeros(n),
        partners=zeros(N_CODES * width),
        first_partner=zeros(N_CODES * width),
        closed=infinite(rows * width),
        inner=infinite(rows * width),
        bulge_row=infinite(rows * width),
        bulge_column=infinite(rows * width),
        one_row=infinite(rows * width),
        one_column=infinite(rows * width),
        multi=infinite(rows * width),
        two=infinite(rows * width),
        split=zeros(rows * width),
        n_splits=zeros(rows),
        best=infinite((MAX_LOOP + 1) * 2 * width),
        least=infinite(width),
        stem=infinite(width),
        column=infinite(width + STRETCH),
        exterior=zeros(width),
        pairs=zeros(n + 1),
        stack=zeros(3 * n + 9),
        scalars=np.array([n, width], np.int32),
    )


@inlined
def read_sequence(workspace: FoldWorkspace, parameters: FoldParameters, sequence: Text) -> int:
    """Take over `sequence` and note in `sites` where it differs; returns at how many places."""
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    count = 0
    for position in range(1, n + 1):
        workspace.fresh[position] = parameters.code[sequence[position - 1]]
        if workspace.fresh[position] != workspace.code[position]:
            workspace.sites[count] = position
            count += 1
    for place in range(count):
        _forget_pairs(workspace, parameters, workspace.sites[place])
    for place in range(count):
        workspace.code[workspace.sites[place]] = workspace.fresh[workspace.sites[place]]
    if count:
        for code in range(1, N_CODES):
            _list_partners(workspace, parameters, code * width, code)
    return count


@inlined
def _forget_pairs(workspace: FoldWorkspace, parameters: FoldParameters, site: int) -> None:
    """Make those pairs of a changed base infinite that are none any more.

    The others are written when their rows are filled; these would not be.
    """
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    begin = workspace.code[site] * width
    fresh = workspace.fresh[site] * N_CODES
    for place in range(begin, begin + workspace.first_partner[begin + n + 1]):
        other = workspace.partners[place]
        if parameters.pair_type[fresh + workspace.fresh[other]] == 0:
            i, j = min(site, other), max(site, other)
            row, column = i * width + j, j * width + i
            workspace.closed[row] = INFINITE
            workspace.inner[row] = INFINITE
            workspace.bulge_row[i * width + n - j] = INFINITE
            workspace.bulge_column[column] = INFINITE
            workspace.one_row[i * width + n - j] = INFINITE
            workspace.one_column[column] = INFINITE


@inlined
def _list_partners(
    workspace: FoldWorkspace, parameters: FoldParameters, begin: int, code: int
) -> None:
    n = workspace.scalars[BASES]
    count = 0
    for position in range(1, n + SPAN + 2):
        workspace.first_partner[begin + position] = count
        if parameters.pair_type[code * N_CODES + workspace.code[position]] > 0:
            workspace.partners[begin + count] = position
            count += 1


@spliced
def pair_type(code: Int32s, parameters: FoldParameters, one: int, other: int) -> int:
    """Type of the pair of two positions, seen from the loop behind `one`; 0 if they cannot."""
    return item(parameters.pair_type, item(code, one) * N_CODES + item(code, other))
