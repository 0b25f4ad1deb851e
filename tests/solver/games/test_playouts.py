"""Random playouts of games of several players, and of puzzles."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contract.rules import Floats, play, reset, score
from solver.games.playouts import random_playouts
from solver.testing import check_game
from tests.helpers import toy
from tests.toys.sequence import SequenceDomain
from tests.toys.take_away import TakeAway, TakeAwayOptions

PLAYOUTS = 20_000


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_a_game_of_any_number_of_players_keeps_the_contract(players: int) -> None:
    """Games of any number of players keep the contract, also if turns are skipped."""
    game = TakeAway()
    positions = game.parse("7 0 -1", "seven")
    check_game(game, positions, TakeAwayOptions(counters=12, players=players))


def expected(left: int, turn: int, last: int, players: int) -> Floats:
    """Mean moves and rewards of random play, from the text of the rules alone."""
    means = np.zeros(1 + players)
    if left == 0:
        means[1 + last] = 1.0
        return means
    turns = [(turn + k) % players for k in range(players)]
    mover = next(player for player in turns if max(player, 1) <= left)
    moves = [taken for taken in (mover, mover + 1) if 0 < taken <= left]
    for taken in moves:
        means += expected(left - taken, (mover + 1) % players, mover, players) / len(moves)
    means[0] += 1.0
    return means


@pytest.mark.parametrize("players", [2, 3])
def test_lengths_and_rewards_are_those_of_the_rules(players: int) -> None:
    """Playouts from the start and from a later state, which is not changed, fit the rules."""
    game, options = TakeAway(), TakeAwayOptions(counters=12, players=players)
    instance = game.instance(game.start(options), options)
    state = game.new_state(instance)
    reset(instance, state)
    for moved in range(2):
        left, turn, last = state.numbers.tolist()
        found = random_playouts(game, instance, PLAYOUTS, state=state, seed=moved)
        assert state.numbers.tolist() == [left, turn, last]
        samples = np.column_stack([found.steps, found.rewards])
        difference = np.abs(samples.mean(axis=0) - expected(left, turn, last, players))
        assert (difference <= 4 * samples.std(axis=0) / PLAYOUTS**0.5).all()
        play(instance, state, 1)


def test_a_seed_repeats_itself() -> None:
    """Whatever is played, the first playouts are those of fewer; another seed has others."""
    game, options = TakeAway(), TakeAwayOptions()
    instance = game.instance(game.start(options), options)
    few, many, others = (
        random_playouts(game, instance, playouts, seed=seed)
        for playouts, seed in ((1500, 0), (2500, 0), (2500, 1))
    )
    assert np.array_equal(few.rewards, many.rewards[:1500])
    assert not np.array_equal(many.rewards, others.rewards)


def test_a_puzzle_has_one_player() -> None:
    """A puzzle has one player, whose reward is the score."""
    domain, instance = SequenceDomain(), toy("123.")
    found = random_playouts(domain, instance, 200)
    assert found.rewards.shape == (200, 1)
    scores = set()
    for last in (0, 1, 2, 4, 5, 6, 7):
        state = domain.new_state(instance)
        reset(instance, state)
        for move in (1, 2, 3, last):
            play(instance, state, move)
        scores.add(float(score(instance, state)))
    assert set(found.rewards[:, 0].tolist()) == scores
    assert set(found.steps.tolist()) == {4}
