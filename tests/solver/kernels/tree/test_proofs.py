"""Proved outcomes of tree searches against plain minimax, which knows nothing of the tree."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from solver.algorithms.tree import Mcps, TreeAlgorithm, Uct
from solver.algorithms.trees.two_level_grave import TwoLevelGrave
from solver.compiling.random import new_stream, next_below
from solver.contract import rules as contract
from solver.contract.checks import listed, rewards_of
from solver.contract.domain import Game
from solver.games import load_game
from solver.kernels.tree.run import UNGUIDED
from solver.searching.analysis import analyse, usual_guides
from solver.searching.driver import Budget

#: Small enough for minimax once so many moves were played at random.
GAMES: list[tuple[str, dict[str, Any], int]] = [
    ("hex", {"size": 3, "first": "none"}, 3),
    ("hex", {"size": 3, "first": "none", "misere": True}, 3),
    ("hex", {"size": 2, "first": "none", "swap": True}, 0),
    ("gomoku", {"size": 5}, 19),
    ("atarigo", {"size": 3}, 3),
    ("nogo", {"size": 3}, 3),
    ("nogo", {"size": 3, "players": 3}, 3),
    ("breakthrough", {"rows": 4, "columns": 2}, 2),
    ("knightthrough", {"rows": 5, "columns": 2}, 2),
]
#: Games that are searched as by `solve`, with their priors: others search them so, too, and without
#: a prior each would be a kernel for these tests alone.
GUIDED = ("gomoku", "breakthrough", "knightthrough")
POSITIONS, PLAYOUTS = 5, 4000


class Minimax:
    """Bounds on the outcome for each player, from all positions that may follow."""

    def __init__(self, game: Game, instance: Any) -> None:
        self.game, self.instance = game, instance
        self.known: dict[int, list[float]] = {}

    @np.errstate(over="ignore")
    def sure(self, state: Any) -> list[float]:
        """Return the reward that each player can get whatever the others do."""
        found = int(contract.key(self.instance, state))
        if found not in self.known:
            self.known[found] = self._sure(state)
        return self.known[found]

    def _sure(self, state: Any) -> list[float]:
        moves = listed(self.game, self.instance, state, new_stream(0), "minimax")
        if not moves:
            return rewards_of(self.game, self.instance, state)
        mover = int(contract.player(self.instance, state))
        ways = [self.sure(self.after(state, move)) for move in moves]
        return [
            (max if player == mover else min)(way[player] for way in ways)
            for player in range(len(ways[0]))
        ]

    def after(self, state: Any, move: int) -> Any:
        """Return the state that `move` leads to."""
        after = self.game.new_state(self.instance)
        contract.copy_state(self.instance, state, after)
        contract.play(self.instance, after, move)
        return after


@functools.cache
def minimax_of(name: str, options: tuple[tuple[str, Any], ...]) -> Minimax:
    """Return the bounds of a game, which all searches of it are held against."""
    game = load_game(name)
    chosen = game.options(**dict(options))
    return Minimax(game, game.instance(game.start(chosen), chosen))


@np.errstate(over="ignore")
def position(game: Game, instance: Any, seed: int, moves: int) -> Any:
    """Return a state after so many random moves; None if the game was over before."""
    state, stream = game.new_state(instance), new_stream(seed)
    contract.reset(instance, state)
    for _ in range(moves):
        possible = listed(game, instance, state, stream, game.name)
        if not possible:
            return None
        contract.play(instance, state, possible[next_below(stream, len(possible))])
    return state if listed(game, instance, state, stream, game.name) else None


@pytest.mark.parametrize(("name", "options", "moves"), GAMES, ids=lambda value: str(value))
@pytest.mark.parametrize(
    "algorithm",
    [Uct(proofs=True), Mcps(proofs=True, decisive=True), TwoLevelGrave(proofs=True)],
    ids=str,
)
def test_outcomes_are_those_of_minimax(
    name: str, options: dict[str, Any], moves: int, algorithm: TreeAlgorithm
) -> None:
    minimax, proved = minimax_of(name, tuple(options.items())), 0
    game, instance = minimax.game, minimax.instance
    guides = usual_guides(game) if name in GUIDED else UNGUIDED
    for seed in range(POSITIONS):
        state = position(game, instance, seed, moves)
        if state is None:
            continue
        budget = Budget(playouts=PLAYOUTS)
        found = analyse(game, instance, algorithm, budget, state=state, guides=guides)
        sure = minimax.sure(state)
        if found.proved is not None:
            proved += 1
            assert found.proved == pytest.approx(sure[found.player])
            assert found.chosen is not None
            after = minimax.sure(minimax.after(state, found.chosen))
            assert after[found.player] == pytest.approx(sure[found.player])
        for candidate in found.candidates:
            if candidate.proved is not None:
                move = {
                    game.format_move(instance, state, number): number
                    for number in listed(game, instance, state, new_stream(0), name)
                }[candidate.move]
                outcome = minimax.sure(minimax.after(state, move))
                assert candidate.proved == pytest.approx(outcome[found.player])
    assert proved > 0 or options.get("players") == 3
