"""Starts of the rows that a fold fills anew: interior loops of the pairs just outside of them."""

from __future__ import annotations

from solver.compiling.jit import called
from solver.domains.rna.fold.parameters import INFINITE, FoldParameters
from solver.domains.rna.fold.sizes import MAX_LOOP, MIN_LOOP
from solver.domains.rna.fold.vectors import lower
from solver.domains.rna.fold.workspace import SPAN, WIDTH, FoldWorkspace


@called
def begin_rows(
    workspace: FoldWorkspace,
    parameters: FoldParameters,
    top: int,
    bottom: int,
    first: int,
    previous: int,
) -> None:
    """Write into `best` the starts of the rows `top` down to `bottom`, from column `first` on.

    These are the pairs of row top + 1 in the columns before `previous`, behind which `best` is
    what the row has left in it, and those of column first - 1. Their loops are not kept, as that
    would take fifteen times the memory of all else.
    """
    width = workspace.scalars[WIDTH]
    for u in range(MIN_LOOP, MAX_LOOP + 1):
        begin = u * 2 * width
        workspace.best[begin + bottom + first : begin + top + previous + 1] = INFINITE
    _begin_column(workspace, parameters, top, bottom, first - 1)
    _begin_row(workspace, parameters, top + 1, first - 1, previous - 1)


@called
def _begin_column(
    workspace: FoldWorkspace, parameters: FoldParameters, top: int, bottom: int, j: int
) -> None:
    """Loops that the pairs (bottom + 1, j) ... (top, j) close."""
    width, column = workspace.scalars[WIDTH], workspace.column
    for right in range(2, MAX_LOOP - 1):
        q = j - 1 - right
        if q - SPAN < bottom + 4:
            break
        for p in range(bottom + 4, min(q - SPAN, top + MAX_LOOP) + 1):
            column[p] = workspace.inner[p * width + q]
        for left in range(2, MAX_LOOP - right + 1):
            p = bottom + 2 + left
            lower(
                workspace.best,
                (left + right) * 2 * width + bottom + 1 + j,
                column,
                p,
                parameters.unequal[abs(left - right)],
                min(top + 1 + left, q - SPAN) + 1 - p,
            )


@called
def _begin_row(
    workspace: FoldWorkspace, parameters: FoldParameters, i: int, first: int, last: int
) -> None:
    """Loops that the pairs (i, first) ... (i, last) close."""
    width = workspace.scalars[WIDTH]
    for left in range(2, MAX_LOOP - 1):
        p = i + 1 + left
        if p + SPAN + 3 > last:
            break
        for right in range(2, MAX_LOOP - left + 1):
            j = max(first, p + SPAN + right + 1)
            lower(
                workspace.best,
                (left + right) * 2 * width + i + j,
                workspace.inner,
                p * width + j - 1 - right,
                parameters.unequal[abs(left - right)],
                last + 1 - j,
            )
