"""Wins by fours in Gomoku: sound against every reply, and those that a plain search finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver import Budget, analyse, load_game
from solver.commands.games.options import tree_algorithm
from solver.contract.rules import copy_state, decisive_move, forced_move, play
from solver.games.moves import moves_by_text
from solver.searching.analysis import usual_guides
from tests.solver.games.plain_fives import (
    SIZE,
    as_board,
    fifths,
    has_five,
    random_stones,
    started,
    wins_by_fours,
)


def wins_whatever(game: Any, instance: Any, state: Any) -> bool:
    """Return whether `forced_move` and `decisive_move` win against each reply."""
    after = game.new_state(instance)
    if decisive_move(instance, state) >= 0:
        return True
    move = forced_move(instance, state)
    if move < 0:
        return False
    copy_state(instance, state, after)
    play(instance, after, move)
    for reply in moves_by_text(game, instance, after).values():
        then = game.new_state(instance)
        copy_state(instance, after, then)
        play(instance, then, reply)
        if not wins_whatever(game, instance, then):
            return False
    return True


@pytest.mark.parametrize("exactly", [False, True])
def test_wins_by_fours(exactly: bool) -> None:
    """On random positions: those of a plain search, each sound, and the position is unchanged."""
    random, found = np.random.default_rng(20_261), [0, 0]
    for _ in range(60):
        cells = random_stones(random)
        board = as_board(cells)
        if any(fifths(board, mark, exactly) for mark in (1,)) or any(
            mark and has_five(board, cell, exactly) for cell, mark in board.items()
        ):
            continue
        game, instance, state = started(cells, 0, size=SIZE, exactly_five=exactly)
        before = [array.copy() for array in state.board]
        wins = forced_move(instance, state) >= 0
        assert all(np.array_equal(a, b) for a, b in zip(before, state.board, strict=True))
        assert wins == wins_by_fours(board, 1, exactly, depth=10)
        assert wins == wins_whatever(game, instance, state)
        found[wins] += 1
    assert min(found) > 5


def test_a_search_proves_a_win_by_fours() -> None:
    """Two fours, the second of which leaves two ends; few playouts prove it."""
    text = """\
.........
.oxxx....
.........
....x....
.....x...
......x..
.........
..oo..o..
o.....o..
x to move
"""
    game = load_game("gomoku")
    (problem,) = game.parse(text, "p")
    instance = game.instance(problem, game.options())
    uct, guides = tree_algorithm("uct", {}), usual_guides(game)
    found = analyse(game, instance, uct, Budget(playouts=2_000), guides=guides)
    assert (found.player, found.proved) == (0, 1.0)
    assert found.moves_to_end is not None
    assert found.playouts < 500


def test_no_four_wins_where_five_lose() -> None:
    """With misère nothing is forced."""
    cells = np.zeros((SIZE, SIZE), np.int64)
    cells[4, 2:5] = 1
    for misere, wins in ((False, True), (True, False)):
        _, instance, state = started(cells, 0, size=SIZE, misere=misere)
        assert (forced_move(instance, state) >= 0) is wins
