"""Completions of Latin squares by brute force."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def all_squares(grid: Any) -> Iterator[bytes]:
    """Complete `grid` in every way, a cell after the other."""
    holes = np.argwhere(grid < 0)
    if not len(holes):
        yield grid.tobytes()
        return
    row, column = holes[0]
    for value in range(len(grid)):
        if value not in grid[row] and value not in grid[:, column]:
            filled = grid.copy()
            filled[row, column] = value
            yield from all_squares(filled)
