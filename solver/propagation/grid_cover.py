"""Values in cells, and groups of cells that hold each value once: most puzzles on grids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.propagation.exact_cover import Cover, new_cover

Int64s = npt.NDArray[np.int64]


class Groups(NamedTuple):
    """Groups of cells, the whole ones first: those that have as many cells as there are values."""

    n_values: int
    n_groups: int
    n_whole: int
    """A whole group holds each value once, another one at most once."""
    of_cell: Int64s
    """int64[cells, most]: groups of each cell; `n_groups` in place of those that it lacks."""


class GridCover(NamedTuple):
    """The candidates of a grid: values of cells, and the cover."""

    place: Int64s
    """int64[c]: cells of the candidates."""
    value: Int64s
    cover: Cover


def new_groups(n_cells: int, n_values: int, groups: Sequence[npt.NDArray[Any]]) -> Groups:
    """Index groups of cells, each the numbers of at most `n_values` different cells."""
    ordered = sorted(groups, key=lambda cells: len(cells) < n_values)  # stable: whole ones first
    n_whole = sum(len(cells) == n_values for cells in ordered)
    cells = np.concatenate([np.zeros(0, np.int64), *(np.ravel(one) for one in ordered)])
    numbers = np.repeat(np.arange(len(ordered)), [np.size(one) for one in ordered])
    by_cell = np.argsort(cells, kind="stable")
    count = np.bincount(cells, minlength=n_cells)
    of_cell = np.full((n_cells, int(count.max(initial=0))), len(ordered), np.int64)
    first = np.cumsum(count) - count
    of_cell[cells[by_cell], np.arange(len(cells)) - first[cells[by_cell]]] = numbers[by_cell]
    return Groups(n_values, len(ordered), n_whole, of_cell)


def new_grid_cover(given: Int64s, groups: Groups, *, random_ties: bool = True) -> GridCover:
    """Build the cover of the cells that are open, without values that a group has.

    Its sets are the open cells, then the missing values of each whole group, then those of others.

    Parameters
    ----------
    given : int64[cells]
        Values 0 ... n_values - 1, -1 in open cells.
    """
    n_values, n_groups, n_whole, of_cell = groups
    held = np.zeros((n_groups + 1, n_values), np.bool_)
    filled = np.flatnonzero(given >= 0)
    held[of_cell[filled], given[filled, None]] = True
    held[n_groups] = False
    is_open = given < 0
    possible = is_open[:, None] & ~held[of_cell].any(axis=1)
    place, value = (np.ascontiguousarray(one) for one in np.nonzero(possible))
    n_open = int(is_open.sum())
    missing = ~held[:n_groups].ravel()
    n_sets = n_open + int(missing.sum())
    number = np.append(n_open + np.cumsum(missing) - 1, [n_sets] * n_values)
    sets = np.empty((len(place), 1 + of_cell.shape[1]), np.int64)
    sets[:, 0] = (np.cumsum(is_open) - 1)[place]
    sets[:, 1:] = number[of_cell[place] * n_values + value[:, None]]
    n_exact = n_open + int(missing[: n_whole * n_values].sum())
    cover = new_cover(
        sets,
        n_sets,
        n_variables=n_exact,
        n_propagated=n_exact,
        n_assignments=n_open,
        random_ties=random_ties,
    )
    return GridCover(place, value, cover)
