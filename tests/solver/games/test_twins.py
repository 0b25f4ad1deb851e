"""Twins of games, turned and mirrored: codes are the same, so that a prior learns them from one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from solver.compiling.random import new_stream, next_below
from solver.contract.rules import play, prior_code, reset
from solver.games import load_game
from solver.games.moves import moves_by_text

Cell = tuple[int, int]
Turn = Callable[[Cell, int, int], Cell]


def mirrored(cell: Cell, rows: int, columns: int) -> Cell:
    return cell[0], columns - 1 - cell[1]


def quarter(cell: Cell, rows: int, columns: int) -> Cell:
    return cell[1], rows - 1 - cell[0]


def half(cell: Cell, rows: int, columns: int) -> Cell:
    return rows - 1 - cell[0], columns - 1 - cell[1]


TWINS: list[tuple[str, dict[str, Any], list[Turn]]] = [
    ("atarigo", {"size": 5}, [mirrored, quarter]),
    ("nogo", {"size": 5}, [mirrored, quarter]),
    ("gomoku", {"size": 7}, [mirrored, quarter]),
    ("hex", {"size": 5, "first": "none"}, [half]),
    ("breakthrough", {"rows": 7, "columns": 5}, [mirrored]),
    ("knightthrough", {"rows": 7, "columns": 5}, [mirrored]),
]


@pytest.mark.parametrize(
    ("name", "options", "turn"), [(name, options, turn) for name, options, t in TWINS for turn in t]
)
def test_twins_have_the_same_codes(name: str, options: dict[str, Any], turn: Turn) -> None:
    """Every code of every move of a random game is that of the move in the twin of the game."""
    game: Any = load_game(name)
    instance = game.instance(game.start(game.options(**options)), game.options(**options))
    states = [game.new_state(instance) for _ in range(2)]
    shape = game.position(instance, states[0]).cells.shape
    priors = [code.table_class(np.zeros(code.rows)) for code in game.priors.values()]

    def cells_of(word: str) -> list[Cell]:
        return [game.cell_named(at, *shape, word) for at in word.replace("x", "-").split("-")]

    compared = 0
    for seed in range(2):
        stream = new_stream(seed)
        for state in states:
            reset(instance, state)
        while possible := moves_by_text(game, instance, states[0]):
            there = moves_by_text(game, instance, states[1])
            twins = {tuple(cells_of(word)): move for word, move in there.items()}
            pairs = [
                (move, twins[tuple(turn(cell, *shape) for cell in cells_of(word))])
                for word, move in possible.items()
            ]
            assert len(pairs) == len(twins)
            for prior in priors:
                for move, twin in pairs:
                    rows = [
                        prior_code(prior, instance, state, one)
                        for state, one in zip(states, (move, twin), strict=True)
                    ]
                    assert rows[0] == rows[1]
                    compared += 1
            with np.errstate(over="ignore"):
                chosen = pairs[next_below(stream, len(pairs))]
            for state, one in zip(states, chosen, strict=True):
                play(instance, state, one)
    assert compared > 100
