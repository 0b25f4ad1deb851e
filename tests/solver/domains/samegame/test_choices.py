"""Choices as right as the one made: held against a replay of the cells by their names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.compiling.random import new_stream
from solver.contract import rules
from solver.contract.domain import Problem
from solver.domains.samegame.domain import SameGameDomain
from solver.domains.samegame.text import board_columns, group_at, remove, replay_game

DOMAIN = SameGameDomain()
Cell = tuple[int, int]


def random_game(seed: int) -> tuple[Problem, Any]:
    """A board of 7 x 6 in 3 colours, and random moves until none is left."""
    rng = np.random.default_rng(seed)
    board = rng.integers(1, 4, (6, 7)).astype(np.int8)
    problem = Problem(f"random-{seed}", board)
    columns = board_columns(board)
    answer: list[Cell] = []
    while True:
        cells = [(x, y) for x, column in enumerate(columns) for y in range(len(column))]
        groups = [group_at(columns, cell) for cell in cells]
        large = sorted({min(group) for group in groups if len(group) > 1})
        if not large:
            return problem, np.array(answer)
        answer.append(large[int(rng.integers(len(large)))])
        columns = remove(columns, group_at(columns, answer[-1]))


def named(groups: list[set[Cell]], width: int, height: int) -> list[dict[Cell, Cell]]:
    """Before each step, the cell of the start that lies in each place."""
    columns = [[(x, y) for y in range(height)] for x in range(width)]
    found = []
    for group in groups:
        found.append({(x, y): c for x, col in enumerate(columns) for y, c in enumerate(col)})
        columns = [
            [cell for y, cell in enumerate(column) if (x, y) not in group]
            for x, column in enumerate(columns)
        ]
        columns = [column for column in columns if column]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_groups_that_are_removed_later(seed: int) -> None:
    """A listed group is an equal choice where its very cells are removed together later, or now."""
    problem, answer = random_game(seed)
    height, width = problem.data.shape
    groups, _ = replay_game(problem.data, answer)
    places = named(groups, width, height)
    removed = [{places[step][cell] for cell in group} for step, group in enumerate(groups)]
    instance = DOMAIN.instance(problem, DOMAIN.options())
    state, solution = DOMAIN.new_state(instance), DOMAIN.solution(problem, answer)
    rules.reset(instance, state)
    columns, several = board_columns(problem.data), 0
    moves = np.zeros(DOMAIN.limits(instance).moves, np.int64)
    for step, group in enumerate(groups):
        n = rules.legal_moves(instance, state, new_stream(1), moves)
        for move in moves[:n].tolist():
            mine = {places[step][cell] for cell in group_at(columns, divmod(move, height))}
            expected = mine in removed[step:]
            assert rules.is_equal_choice(instance, state, solution, step, move) == expected
            several += expected and mine != removed[step]
            made = rules.is_solution_move(instance, state, solution, step, move)
            assert made == (mine == removed[step])
        rules.play(instance, state, int(solution[step]))
        columns = remove(columns, group)
    n = rules.legal_moves(instance, state, new_stream(1), moves)
    assert not any(
        rules.is_solution_move(instance, state, solution, len(groups), int(move))
        for move in moves[:n]
    )
    assert several > 0
