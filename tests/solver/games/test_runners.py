"""Moves that searches of Breakthrough and Knightthrough leave out, against plain rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver import Budget, load_game
from solver.commands.games.options import tree_algorithm
from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.contract.checks import ContractError
from solver.contract.domain import Problem
from solver.contract.rules import decisive_move, legal_moves, play, reset, saving_moves
from solver.games.boards.grid import GridPosition
from solver.games.moves import moves_by_text
from solver.priors.priors import default_prior
from solver.searching.analysis import Analyst, guides_by
from solver.testing.games import check_left_out
from tests.solver.games.plain_rules import runner_rules


def started(name: str, cells: np.ndarray, turn: int) -> tuple[Any, Any, Any]:
    """Game, instance and state of a position."""
    game = load_game(name)
    instance = game.instance(Problem("p", GridPosition(cells, turn)), game.options())
    state = game.new_state(instance)
    reset(instance, state)
    return game, instance, state


def loses_at_once(name: str, cells: np.ndarray, turn: int, move: str) -> bool:
    """Return whether the next player ends the game after a move, and wins."""
    game, instance, state = started(name, cells, turn)
    play(instance, state, moves_by_text(game, instance, state)[move])
    replies, ends = runner_rules(name)(game.position(instance, state))
    if ends is not None:  # no piece is left to move
        return False
    for reply in replies:
        _, _, after = started(name, *game.position(instance, state)[:2])
        play(instance, after, moves_by_text(game, instance, after)[reply])
        _, ends = runner_rules(name)(game.position(instance, after))
        if ends is not None and ends[1 - turn] == 1.0:
            return True
    return False


@pytest.mark.parametrize("name", ["breakthrough", "knightthrough"])
def test_moves_that_are_left_out_lose_at_once(name: str) -> None:
    """Each lets the next player win; one move is left where all do."""
    random, n_left_out, n_lost = np.random.default_rng(4), 0, 0
    for number in range(60):
        cells = random.choice(3, (5, 4), p=(0.5, 0.25, 0.25))
        cells[0, cells[0] == 1] = cells[-1, cells[-1] == 2] = 0
        game, instance, state = started(name, cells, number % 2)
        words = {move: word for word, move in moves_by_text(game, instance, state).items()}
        if len(words) < 2 or decisive_move(instance, state) >= 0:
            continue
        moves = np.zeros(100, np.int64)
        with np.errstate(over="ignore"):
            n = int(legal_moves(instance, state, new_stream(0), moves))
        left, longest = saving_moves(instance, state, moves, n)
        assert sorted(moves[:n]) == sorted(words)
        assert 0 < left <= n
        assert left == n or longest == 2
        losing = {move for move in words if loses_at_once(name, cells, number % 2, words[move])}
        assert {*moves[left:n]} <= losing
        n_left_out += n - left
        n_lost += len(losing) == n and left == 1
    assert n_left_out > 30
    assert n_lost > 3


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((0, 2), "leaves 0 moves of"),
        ((1, 0), "ends in 0 moves"),
        ((1, 2), "which does not lose at once"),
    ],
)
def test_wrong_answers_to_what_may_be_left_out_are_found(
    answer: tuple[int, int], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moves have to be left, and those that are not have to lose as soon as it says."""
    game = load_game("breakthrough")
    instance = game.instance(game.start(game.options()), game.options())
    check_left_out(game, instance, "toy")
    monkeypatch.setattr(game, "has", lambda function: True)
    monkeypatch.setattr(contract, "saving_moves", lambda *arguments: answer)
    with pytest.raises(ContractError, match=f"toy: saving_moves .*{expected}"):
        check_left_out(game, instance, "toy")


def test_a_win_in_five_is_proved_that_other_moves_hide() -> None:
    """A move whose only answers are captures, among 34 that look better."""
    text = """\
o.o.....
.o..o.oo
..oooo..
oo.x.oo.
o.x.ox..
..x...x.
..xxxx..
x.xx...x
x to move
"""
    game = load_game("knightthrough")
    (problem,) = game.parse(text, "p")
    instance = game.instance(problem, game.options())
    guides = guides_by(default_prior(game), "tree")
    analyst = Analyst(game, instance, tree_algorithm("mcps", {}), guides=guides)
    for seed in range(8):
        found = analyst.analyse(Budget(playouts=1_000), seed=seed)
        assert (found.proved, found.candidates[0].move) == (1.0, "c4-b6")
