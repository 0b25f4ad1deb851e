"""Latin square completion as exactly-one constraints, the encoding of the SAT literature.

C. P. Gomes and D. Shmoys, Completing quasigroups or Latin squares: a structured graph coloring
problem (2002): every hole has exactly one value, every row and every column each of its missing
values exactly once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Grid = npt.NDArray[np.int16]


class ExactlyOne(NamedTuple):
    """Variables that are true or false, and sets of them of which exactly one is true."""

    givens: Grid
    """int16[order, order], -1 in holes."""
    places: npt.NDArray[np.int64]
    """int64[variables, 3]: row, column and value that a variable says are together."""
    groups: list[list[int]]
    """Numbers of the variables of each set, from 0; an empty set makes it impossible."""

    def square(self, chosen: npt.NDArray[np.int64]) -> Grid:
        """Fill the holes by the variables that are true, int64[holes]."""
        filled = self.givens.copy()
        rows, columns, values = self.places[chosen].T
        filled[rows, columns] = values
        return filled


def exactly_one(givens: Grid) -> ExactlyOne:
    """Encode a square, int16[order, order] with -1 in holes."""
    order = len(givens)
    values = np.arange(order)
    in_row = (givens[:, :, None] == values).any(axis=1)  # [row, value]
    in_column = (givens[:, :, None] == values).any(axis=0)  # [column, value]
    allowed = (givens < 0)[:, :, None] & ~in_row[:, None, :] & ~in_column[None, :, :]
    places = np.argwhere(allowed)
    number = np.full(allowed.shape, -1)
    number[allowed] = np.arange(len(places))
    sets = [number[r, c] for r, c in np.argwhere(givens < 0)]
    sets += [number[r, :, v] for r, v in np.argwhere(~in_row)]
    sets += [number[:, c, v] for c, v in np.argwhere(~in_column)]
    return ExactlyOne(givens, places, [one[one >= 0].tolist() for one in sets])
