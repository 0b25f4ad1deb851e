"""Counts of a replayed Latin square from the rules alone: grids, sets and dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

Grid = list[list[int]]
Candidate = tuple[int, int, int]
"""Row, column and value."""


def domain_of(grid: Grid, row: int, column: int) -> set[int]:
    """Values that are not yet in the row or column of a cell; none if the cell is filled."""
    if grid[row][column] >= 0:
        return set()
    return set(range(len(grid))) - set(grid[row]) - {line[column] for line in grid}


def columns_of(grid: Grid, row: int, value: int) -> list[int]:
    """Columns of `row` where `value` is possible."""
    order = range(len(grid))
    return [column for column in order if value in domain_of(grid, row, column)]


def rows_of(grid: Grid, column: int, value: int) -> list[int]:
    """Rows of `column` where `value` is possible."""
    return [row for row in range(len(grid)) if value in domain_of(grid, row, column)]


def variables(grid: Grid, kinds: str) -> Iterator[list[Candidate]]:
    """Candidates of every cell and, for `sets`, of every value in every row, then column."""
    order = range(len(grid))
    for row in order:
        for column in order:
            yield [(row, column, value) for value in sorted(domain_of(grid, row, column))]
    if kinds == "sets":
        for row in order:
            for value in order:
                yield [(row, column, value) for column in columns_of(grid, row, value)]
        for column in order:
            for value in order:
                yield [(row, column, value) for row in rows_of(grid, column, value)]


def propagate(grid: Grid, propagation: str) -> None:
    """Fill what is forced until nothing is: cells, and for `channeling` places of values."""
    kinds = "sets" if propagation == "channeling" else "cells"
    while forced := next((v for v in variables(grid, kinds) if len(v) == 1), None):
        ((row, column, value),) = forced
        grid[row][column] = value


def dual(grid: Grid, row: int, column: int, value: int) -> tuple[int, ...]:
    """Count the cells of the column, and of the row, that can hold the value."""
    return len(rows_of(grid, column, value)), len(columns_of(grid, row, value))


def triple(grid: Grid, row: int, column: int, value: int) -> tuple[int, ...]:
    """The same and the number of values of the cell, in ascending order."""
    values = len(domain_of(grid, row, column))
    return tuple(sorted((values, *dual(grid, row, column, value))))


CODES = {"dual": dual, "triple": triple}


def replay(
    givens: Any, answer: Any, code: str, propagation: str, kinds: str
) -> tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]]:
    """Times played and times possible of each code while `answer` fills `givens`.

    The first of the smallest variables is branched on; only decisions between two
    moves or more count.
    """
    grid: Grid = givens.tolist()
    solution: Grid = answer.tolist()
    count: Counter[tuple[int, ...]] = Counter()
    nb: Counter[tuple[int, ...]] = Counter()
    propagate(grid, propagation)
    while any(-1 in row for row in grid):
        open_variables = [v for v in variables(grid, kinds) if v]
        moves = min(open_variables, key=len)  # the first of the smallest
        (played,) = (move for move in moves if solution[move[0]][move[1]] == move[2])
        if len(moves) > 1:
            nb.update(CODES[code](grid, *move) for move in moves)
            count[CODES[code](grid, *played)] += 1
        grid[played[0]][played[1]] = played[2]
        propagate(grid, propagation)
    return count, nb
