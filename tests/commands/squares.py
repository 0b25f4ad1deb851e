"""Latin squares that the tests of `solve` give it, and how its answers to them are checked."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

SQUARE = "1 . 3 .\n. . . 1\n. 1 . .\n. . . .\n"
SOLVED = "1 2 3\n2 3 1\n3 1 2\n"
#: No way to complete it, which propagation alone does not find out.
IMPOSSIBLE = ". 2 . . .\n. 5 . 4 .\n2 . 4 . 1\n4 1 . . .\n. 4 3 . .\n"
CONTRADICTION = "1 2 .\n. . 3\n. . .\n"
PLS = "order 3\n0 -1 -1\n-1 -1 0\n-1 0 -1\n"


def grids(text: str) -> list[list[list[str]]]:
    """Entries of every grid in `text`, without lines that begin with #."""
    blocks = text.split("\n\n")
    lines = [[line.split() for line in b.splitlines() if not line.startswith("#")] for b in blocks]
    return [block for block in lines if block]


def assert_completes(answer: str, problem: str) -> None:
    """`answer` is a Latin square with the givens of `problem`, by the rules alone."""
    (square,), (givens,) = grids(answer), grids(problem)
    values = sorted(str(value + 1) for value in range(len(givens)))
    assert [sorted(line) for line in square] == [values] * len(values)
    assert [sorted(line) for line in zip(*square, strict=True)] == [values] * len(values)
    for given_row, row in zip(givens, square, strict=True):
        assert all(given in (".", value) for given, value in zip(given_row, row, strict=True))


def solved_lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def completions(grid: Any) -> int:
    """Number of ways to complete a grid, by trying all values of the tightest hole."""
    order = len(grid)
    choices = [
        (set(range(order)) - set(grid[r]) - {row[c] for row in grid}, r, c)
        for r, c in np.ndindex(order, order)
        if grid[r][c] < 0
    ]
    if not choices:
        return 1
    values, r, c = min(choices, key=lambda choice: len(choice[0]))
    found = 0
    for value in values:
        grid[r][c] = value
        found += completions(grid)
    grid[r][c] = -1
    return found
