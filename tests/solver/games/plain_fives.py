"""Gomoku in plain Python: cells that complete five, and wins by fours."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver import load_game
from solver.contract.domain import Problem
from solver.contract.rules import reset
from solver.games.boards.grid import GridPosition

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
SIZE = 9
Cells = dict[tuple[int, int], int]


def started(cells: np.ndarray, turn: int, **options: Any) -> tuple[Any, Any, Any]:
    game = load_game("gomoku")
    problem = Problem("p", GridPosition(cells, turn))
    instance = game.instance(problem, game.options(**options))
    state = game.new_state(instance)
    reset(instance, state)
    return game, instance, state


def has_five(board: Cells, cell: tuple[int, int], exactly: bool) -> bool:
    """Return whether the stone on `cell` is in a row that wins."""
    mark = board[cell]
    for down, right in DIRECTIONS:
        length = 1
        for sign in (1, -1):
            at = 1
            while board.get((cell[0] + sign * at * down, cell[1] + sign * at * right)) == mark:
                length, at = length + 1, at + 1
        if length == 5 or (length > 5 and not exactly):
            return True
    return False


def fifths(board: Cells, mark: int, exactly: bool) -> set[tuple[int, int]]:
    """Free cells that complete five."""
    free = [cell for cell, owner in board.items() if owner == 0]
    return {cell for cell in free if has_five(board | {cell: mark}, cell, exactly)}


def wins_by_fours(board: Cells, mark: int, exactly: bool, depth: int) -> bool:
    """Return whether a row of fours, each with one reply, ends with two cells for five."""
    threats = fifths(board, 3 - mark, exactly)
    if len(threats) > 1:
        return False
    near = {
        (row + k * down, column + k * right)
        for (row, column), owner in board.items()
        if owner == mark
        for down, right in DIRECTIONS
        for k in range(-4, 5)
    }
    for cell in threats or [cell for cell in near if board.get(cell) == 0]:
        after = board | {cell: mark}
        ends = fifths(after, mark, exactly)
        if len(ends) > 1:
            return True
        if len(ends) == 1 and depth > 1:
            (reply,) = ends
            if wins_by_fours(after | {reply: 3 - mark}, mark, exactly, depth - 1):
                return True
    return False


def random_stones(random: np.random.Generator, low: int = 16, high: int = 30) -> np.ndarray:
    """Stones of both players, int64[SIZE, SIZE], near the middle: they make rows more often."""
    cells = np.zeros((SIZE, SIZE), np.int64)
    stones = int(random.integers(low, high))
    places = random.choice(49, stones, replace=False)
    cells[1 + places // 7, 1 + places % 7] = 1 + np.arange(stones) % 2
    return cells


def as_board(cells: np.ndarray) -> Cells:
    """Owner of each cell by row and column."""
    return {(int(r), int(c)): int(owner) for (r, c), owner in np.ndenumerate(cells)}
