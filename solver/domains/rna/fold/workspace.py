"""Matrices of the last fold, kept so that the next fold need not fill all of them.

Positions count from 1 and `n` is the number of bases. A matrix is one array of `rows * width`
numbers, with (i, j) at `i * width + j`; rows are padded with infinite energies, so that vectors
may reach beyond their ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compiling.jit import called, inlined
from solver.domains.rna.fold.parameters import (
    INFINITE,
    MAX_BASES,
    MIN_HAIRPIN,
    N_CODES,
    FoldParameters,
)
from solver.domains.rna.fold.sizes import MAX_LOOP
from solver.domains.rna.fold.vectors import Int32s, item, part
from solver.domains.rna.folding import Text

SPAN = MIN_HAIRPIN + 1
"""Least distance between the bases of a pair."""


class FoldWorkspace(NamedTuple):
    """Matrices of a sequence of n bases, int32 in 1/100 kcal/mol, and scratch.

    All arrays have a multiple of `width` numbers, a matrix n + 10 times `width`.
    """

    scalars: Int32s
    """int32[width]: `BASES`, `WIDTH`, and in `ENCLOSED` whether the first and the last base are
    taken to pair, where they can, 0 or 1."""
    code: Int32s
    """int32[width]: codes of the last sequence, 0 before and behind it."""
    fresh: Int32s
    """int32[width]: those of the sequence that is being folded."""
    sites: Int32s
    """int32[width]: positions where the sequence differs from the last one."""
    least: Int32s
    """int32[width]: of the row, the least energies of large interior loops."""
    stem: Int32s
    """int32[width]: of the row, the least energies of one helix in a multiloop."""
    column: Int32s
    """int32[2 * width]: part of a column of `inner`."""
    exterior: Int32s
    """int32[width]: least energy of the bases 1 ... j, for each j."""
    pairs: Int32s
    """int32[n + 1]: the other end of the pair of each position in the traced structure, or 0."""
    n_splits: Int32s
    """int32[width]: how many there are in each row of `split`."""
    stack: Int32s
    """int32[3 * width]: scratch of the trace."""
    partners: Int32s
    """int32[5 * width]: positions that can pair with a base of each code, ascending."""
    first_partner: Int32s
    """int32[5 * width]: how many of them there are before each position."""
    best: Int32s
    """int32[31 * 2 * width]: as in `interior_row`."""
    closed: Int32s
    """Matrix: least energy of i ... j where i pairs with j; infinite if they cannot."""
    inner: Int32s
    """Matrix: the same with the mismatch outside of the pair as in an interior loop."""
    bulge_row: Int32s
    """Matrix: the same with the penalty of the helix's end, at (i, n - j)."""
    bulge_column: Int32s
    """Matrix: the same, at (j, i)."""
    one_row: Int32s
    """Matrix: as `inner`, for loops of one base on one side and several, at (i, n - j)."""
    one_column: Int32s
    """Matrix: the same, at (j, i)."""
    multi: Int32s
    """Matrix: least energy of i ... j as part of a multiloop, one helix or more."""
    two: Int32s
    """Matrix: the same, two helices or more."""
    split: Int32s
    """Matrix: in each row i the j, ascending, for which a helix from i alone is better than all
    else that these bases could be in a multiloop."""


#: Scalars of a workspace.
BASES, WIDTH, ENCLOSED = range(3)

#: Rows of a matrix beside the n of the bases, and columns.
_MORE_ROWS, _MORE_COLUMNS = 10, 40
#: Rows of `width` numbers for the arrays that are no matrices, and the number of matrices.
_SMALL_ROWS, _MATRICES = 86, 9


def new_fold_memory(n: int, enclosed: bool = False) -> Int32s:
    """Allocate the memory of a workspace for sequences of `n` bases, about 36 n^2 bytes.

    An enclosed fold finds the least energy of all structures in which the first and
    the last base pair, if these can.

    Raises
    ------
    ValueError
        If that is more than `MAX_BASES`.
    """
    if not 0 < n < MAX_BASES:
        raise ValueError(f"{n} bases, expected 1 to {MAX_BASES - 1}")
    width = -(-(n + _MORE_COLUMNS) // 16) * 16
    if width % 256 == 0:  # columns would all fall into the same few lines of the cache
        width += 16
    rows = _SMALL_ROWS + _MATRICES * (n + _MORE_ROWS)
    memory = np.full(rows * width, INFINITE, np.int32)
    memory[: (_SMALL_ROWS - 2 * (MAX_LOOP + 1)) * width] = 0
    memory[BASES], memory[WIDTH], memory[ENCLOSED] = n, width, enclosed
    return memory


def new_fold_workspace(n: int) -> FoldWorkspace:
    """Allocate a workspace for sequences of `n` bases, as `new_fold_memory` says."""
    return workspace_of(new_fold_memory(n))


@called
def workspace_of(memory: Int32s) -> FoldWorkspace:
    """Return the arrays of a workspace, which lie one behind the other in its memory."""
    n, width = memory[BASES], memory[WIDTH]
    rows = (n + _MORE_ROWS) * width
    matrices = _SMALL_ROWS * width
    return FoldWorkspace(
        scalars=part(memory, 0, width),
        code=part(memory, width, width),
        fresh=part(memory, 2 * width, width),
        sites=part(memory, 3 * width, width),
        least=part(memory, 4 * width, width),
        stem=part(memory, 5 * width, width),
        column=part(memory, 6 * width, 2 * width),
        exterior=part(memory, 8 * width, width),
        pairs=part(memory, 9 * width, n + 1),
        n_splits=part(memory, 10 * width, width),
        stack=part(memory, 11 * width, 3 * width),
        partners=part(memory, 14 * width, N_CODES * width),
        first_partner=part(memory, 19 * width, N_CODES * width),
        best=part(memory, 24 * width, 2 * (MAX_LOOP + 1) * width),
        closed=part(memory, matrices, rows),
        inner=part(memory, matrices + rows, rows),
        bulge_row=part(memory, matrices + 2 * rows, rows),
        bulge_column=part(memory, matrices + 3 * rows, rows),
        one_row=part(memory, matrices + 4 * rows, rows),
        one_column=part(memory, matrices + 5 * rows, rows),
        multi=part(memory, matrices + 6 * rows, rows),
        two=part(memory, matrices + 7 * rows, rows),
        split=part(memory, matrices + 8 * rows, rows),
    )


@called
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


@called
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


@called
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


@inlined
def pair_type(code: Int32s, parameters: FoldParameters, one: int, other: int) -> int:
    """Type of the pair of two positions, seen from the loop behind `one`; 0 if they cannot."""
    return item(parameters.pair_type, item(code, one) * N_CODES + item(code, other))
