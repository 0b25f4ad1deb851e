"""Searches of positions from Python."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from solver import (
    Budget,
    Gnrpa,
    InputError,
    Mcps,
    TwoLevelGrave,
    Uct,
    analyse,
    load_domain,
    load_game,
)
from solver.contract.rules import play, reset
from solver.kernels.arguments import Off
from solver.kernels.tree.arrays import Guides
from solver.kernels.tree.run import UNGUIDED
from solver.priors.priors import NO_PRIOR, default_prior
from solver.searching.analysis import Analyst, guides_by, usual_guides
from tests.toys.take_away import TakeAway, TakeAwayOptions

GAME = load_game("hex")
SMALL = GAME.options(size=3, first="none")
INSTANCE = GAME.instance(GAME.start(SMALL), SMALL)


def test_a_state_on_the_way_is_searched() -> None:
    """It stays as it is, and the variation goes on from it."""
    state = GAME.new_state(INSTANCE)
    reset(INSTANCE, state)
    play(INSTANCE, state, int(INSTANCE.board.cells[4]))
    found = analyse(GAME, INSTANCE, Mcps(), Budget(playouts=400), state=state)
    assert found.player == 1
    assert state.board.counters.tolist()[:2] == [8, 1]
    assert len(found.candidates) == 8
    assert sum(candidate.visits for candidate in found.candidates) == found.playouts == 400
    assert found.variation[0] == found.candidates[0].move
    assert found.candidates[0].visits == max(one.visits for one in found.candidates)
    assert not found.full


def test_stop_and_progress() -> None:
    """A search that is stopped has what was found so far."""
    stop, seen = threading.Event(), []

    def progress(playouts: int) -> None:
        seen.append(playouts)
        stop.set()

    budget = Budget(playouts=10**8)
    found = analyse(GAME, INSTANCE, Uct(), budget, stop=stop, progress=progress)
    assert found.interrupted
    assert 0 < seen[0] <= found.playouts < 10**8


def test_a_search_has_an_end_and_threads() -> None:
    """Without a budget, nothing but `stop` could end it."""
    with pytest.raises(InputError, match=r"^a search has no budget, expected playouts or seconds"):
        analyse(GAME, INSTANCE, Uct(), Budget())
    threads: Any
    for threads in (0, 257, None):
        with pytest.raises(InputError, match=f"^threads is {threads}, expected 1 ... 256$"):
            analyse(GAME, INSTANCE, Uct(), Budget(playouts=1), threads=threads)


def test_a_search_of_another_kind_and_a_prior_are_no_arguments() -> None:
    """A line says what is expected in their places."""
    other: Any = Gnrpa(level=1)
    with pytest.raises(InputError, match=r"^Gnrpa is no tree search$"):
        analyse(GAME, INSTANCE, other, Budget(playouts=1))
    prior: Any = NO_PRIOR
    with pytest.raises(InputError, match=r"^guides are a Prior, expected those of guides_by$"):
        analyse(GAME, INSTANCE, Uct(), Budget(playouts=1), guides=prior)
    table: Any = NO_PRIOR.table
    with pytest.raises(InputError, match=r"^the prior is a NoPrior, expected a Prior$"):
        guides_by(table, "both")
    seed: Any = 1.5
    with pytest.raises(InputError, match=r"^seed is 1.5, expected 0 or more$"):
        analyse(GAME, INSTANCE, Uct(), Budget(playouts=1), seed=seed)
    budget: Any = 20
    with pytest.raises(InputError, match=r"^the budget is 20, expected a Budget$"):
        analyse(GAME, INSTANCE, Uct(), budget)
    memory: Any = "1 GB"
    with pytest.raises(InputError, match=r"^memory is '1 GB', expected bytes, 1 or more$"):
        analyse(GAME, INSTANCE, Uct(), Budget(playouts=1), memory=memory)
    puzzle: Any = load_domain("latin-square")
    expected = r"^latin-square is a puzzle, expected a game: `solve` searches puzzles$"
    with pytest.raises(InputError, match=expected):
        analyse(puzzle, INSTANCE, Uct(), Budget(playouts=1))
    with pytest.raises(InputError, match=expected):
        usual_guides(puzzle)


def test_threads_of_numpy() -> None:
    """They are whole numbers."""
    threads: Any = np.int64(1)
    found = analyse(GAME, INSTANCE, Uct(), Budget(playouts=9), threads=threads)
    assert found.playouts == analyse(GAME, INSTANCE, Uct(), Budget(playouts=9)).playouts


def test_a_prior_acts_where_it_is_asked_to() -> None:
    """In the tree, in playouts or in both, or nowhere; other words are refused."""
    prior = default_prior(GAME, GAME.prior_temperature)
    both = guides_by(prior, "both")
    assert both == Guides(prior.table, prior.table)
    assert guides_by(prior, "tree") == Guides(prior.table, Off())
    assert guides_by(prior, "playouts") == Guides(Off(), prior.table)
    assert guides_by(NO_PRIOR, "both") == UNGUIDED
    with pytest.raises(InputError, match="a prior acts in 'nodes', expected one of: tree"):
        guides_by(prior, "nodes")


def test_memory_is_told() -> None:
    """A search whose tree may not grow says so."""
    found = analyse(GAME, INSTANCE, Uct(), Budget(playouts=3000), memory=1 << 16)
    assert found.full
    assert found.playouts == 3000


def test_memory_that_is_not_enough_to_begin_with() -> None:
    """It is said in a line."""
    with pytest.raises(InputError, match=r"^memory is 0 MB, expected 1 or more for this tree$"):
        Analyst(GAME, INSTANCE, Mcps(), memory=1)


def test_second_trees_are_of_one_thread() -> None:
    """Several threads would drop states that others are at."""
    expected = r"^two-level-grave is a search by one thread, threads is 2$"
    with pytest.raises(InputError, match=expected):
        Analyst(GAME, INSTANCE, TwoLevelGrave(), threads=2)
    Analyst(GAME, INSTANCE, TwoLevelGrave(leaf_playouts=1), threads=2)


class Hashed(TakeAway):
    """A game with codes that are hashes."""

    def limits(self, instance: object) -> object:  # type: ignore[override]
        return super().limits(instance)._replace(codes=0)  # type: ignore[arg-type]


def test_statistics_need_dense_codes() -> None:
    """UCT does without them."""
    game, options = Hashed(), TakeAwayOptions()
    instance = game.instance(game.start(options), options)
    with pytest.raises(InputError, match="take-away: mcps needs codes that are numbers"):
        Analyst(game, instance, Mcps())
    Analyst(game, instance, Uct())


def test_estimates_are_of_games_that_have_them() -> None:
    """Elsewhere they would change nothing."""
    instance = GAME.instance(GAME.start(GAME.options()), GAME.options())
    with pytest.raises(InputError, match=r"^hex has no estimates of positions$"):
        Analyst(GAME, instance, Uct(estimates=True))
    gomoku = load_game("gomoku")
    instance = gomoku.instance(gomoku.start(gomoku.options()), gomoku.options())
    Analyst(gomoku, instance, Uct(estimates=True))


def test_estimates_are_of_games_to_be_won() -> None:
    """Gomoku estimates nothing where five in a row lose; what has no estimates needs none."""
    gomoku = load_game("gomoku")
    options = gomoku.options(misere=True)
    instance = gomoku.instance(gomoku.start(options), options)
    with pytest.raises(InputError, match=r"^gomoku has no estimates of positions with --misere$"):
        Analyst(gomoku, instance, Uct(estimates=True))
    Analyst(gomoku, instance, Uct())
