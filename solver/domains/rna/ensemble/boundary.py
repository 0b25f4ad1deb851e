"""Starts of the rows that are filled anew: interior loops of the pairs just outside of them."""

from __future__ import annotations

from solver.compiling.jit import called
from solver.domains.rna.ensemble.vectors import add_scaled
from solver.domains.rna.ensemble.workspace import WIDTH, EnsembleWorkspace, row_of
from solver.domains.rna.fold.sizes import MAX_LOOP, MIN_LOOP
from solver.domains.rna.fold.workspace import SPAN


@called
def begin_rows(
    workspace: EnsembleWorkspace, top: int, bottom: int, first: int, previous: int
) -> None:
    """Write into `extended` the starts of the rows `top` down to `bottom`, from column `first` on.

    As `solver.domains.rna.fold.boundary.begin_rows`, with sums in place of least energies.
    """
    width = workspace.scalars[WIDTH]
    for u in range(MIN_LOOP, MAX_LOOP + 1):
        begin = u * 2 * width
        workspace.extended[begin + bottom + first : begin + top + previous + 1] = 0.0
    _begin_column(workspace, top, bottom, first - 1)
    _begin_row(workspace, top + 1, first - 1, previous - 1)


@called
def _begin_column(workspace: EnsembleWorkspace, top: int, bottom: int, j: int) -> None:
    """Loops that the pairs (bottom + 1, j) ... (top, j) close."""
    width, column = workspace.scalars[WIDTH], workspace.column
    for right in range(2, MAX_LOOP - 1):
        q = j - 1 - right
        if q - SPAN < bottom + 4:
            break
        for p in range(bottom + 4, min(q - SPAN, top + MAX_LOOP) + 1):
            column[p] = workspace.inner[row_of(workspace, p) + q]
        for left in range(2, MAX_LOOP - right + 1):
            p = bottom + 2 + left
            add_scaled(
                workspace.extended,
                (left + right) * 2 * width + bottom + 1 + j,
                column,
                p,
                workspace.scaled.unequal[abs(left - right)],
                min(top + 1 + left, q - SPAN) + 1 - p,
            )


@called
def _begin_row(workspace: EnsembleWorkspace, i: int, first: int, last: int) -> None:
    """Loops that the pairs (i, first) ... (i, last) close."""
    width = workspace.scalars[WIDTH]
    for left in range(2, MAX_LOOP - 1):
        p = i + 1 + left
        if p + SPAN + 3 > last:
            break
        for right in range(2, MAX_LOOP - left + 1):
            j = max(first, p + SPAN + right + 1)
            add_scaled(
                workspace.extended,
                (left + right) * 2 * width + i + j,
                workspace.inner,
                row_of(workspace, p) + j - 1 - right,
                workspace.scaled.unequal[abs(left - right)],
                last + 1 - j,
            )
