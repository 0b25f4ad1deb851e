"""Second trees: nothing of them stays but counts and proofs. Playouts: `test_search.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.algorithms.tree import Grave, TreeAlgorithm, Uct
from solver.algorithms.trees.two_level_grave import LEAF_PLAYOUTS, TwoLevelGrave
from solver.compiling.random import new_stream
from solver.contract.rules import play
from solver.games import load_game
from solver.kernels.tree.arrays import N_EDGES, NONE, ROOT
from solver.kernels.tree.expand import slot_of
from solver.kernels.tree.run import TreeRun
from solver.searching.analysis import analyse, usual_guides
from solver.searching.driver import Budget
from tests.solver.kernels.tree.test_proofs import position

SEARCH = TwoLevelGrave(20)


def new_run(algorithm: TreeAlgorithm, playouts: int, **options: Any) -> TreeRun:
    """Return a run of Hex after so many playouts."""
    game = load_game("hex")
    chosen = game.options(**{"size": 5, "first": "none", **options})
    instance = game.instance(game.start(chosen), chosen)
    run = TreeRun(game, instance, algorithm.parameters, 1 << 28)
    run.begin(new_stream(1))
    run.advance(playouts)
    return run


def test_each_new_state_has_so_many_playouts() -> None:
    """They go on from the same move of the root, one by one, until all are made."""
    run = new_run(SEARCH, 0)
    for leaf in range(20):
        for number in range(1, LEAF_PLAYOUTS + 1):
            run.advance(leaf * LEAF_PLAYOUTS + number)
            visits = run.moves_of().visits
            assert visits.sum() == run.played == leaf * LEAF_PLAYOUTS + number
            assert (visits % LEAF_PLAYOUTS > 0).sum() == (number < LEAF_PLAYOUTS)
        assert run.nodes == leaf + 2
    assert set(run.tree.nodes.visits[1 : run.nodes].tolist()) >= {LEAF_PLAYOUTS}


@pytest.mark.parametrize("proofs", [False, True])
@pytest.mark.parametrize("playouts", [3000, 3007])
def test_the_tree_stays_whole(proofs: bool, playouts: int) -> None:
    """The hash finds each of its states and no other; no move leads out; growth changes nothing."""
    run = new_run(TwoLevelGrave(20, proofs=proofs), playouts)
    tree, n = run.tree, run.nodes
    assert sorted(tree.hash[tree.hash != NONE].tolist()) == list(range(n))
    for number in range(n):
        assert tree.hash[slot_of(tree, tree.nodes.key[number])] == number
    sizes = np.maximum(tree.nodes.size[:n], 0)
    assert sizes.sum() <= tree.counters[N_EDGES]
    assert tree.edges.child[: tree.counters[N_EDGES]].max() < n
    assert n <= 1 + -(-playouts // LEAF_PLAYOUTS) + LEAF_PLAYOUTS or proofs
    for number in range(n):
        assert run.moves_of(number).visits.sum() <= tree.nodes.visits[number]


def test_one_playout_for_each_state_is_grave() -> None:
    """It makes the same playouts."""
    found = [
        new_run(algorithm, 2000).moves_of()
        for algorithm in (Grave(20), TwoLevelGrave(20, leaf_playouts=1))
    ]
    assert found[0].visits.tolist() == found[1].visits.tolist()
    assert found[0].value.tolist() == pytest.approx(found[1].value.tolist(), nan_ok=True)


@pytest.mark.parametrize(("seed", "moves_to_end"), [(1, 1), (8, 3)])
def test_wins_are_proved_with_their_length(seed: int, moves_to_end: int) -> None:
    """A win by one move and one by three are proved, and proofs stay: they tell the length."""
    game = load_game("breakthrough")
    options = game.options(rows=6, columns=4)
    instance = game.instance(game.start(options), options)
    state, budget = position(game, instance, seed, 14), Budget(playouts=5000)
    for algorithm in (Uct(proofs=True), TwoLevelGrave(proofs=True)):
        guides = usual_guides(game)
        found = analyse(game, instance, algorithm, budget, state=state, guides=guides)
        assert (found.proved, found.moves_to_end) == (1.0, moves_to_end)
        assert found.playouts < 5000


def test_a_second_tree_of_a_kept_tree_is_of_the_first() -> None:
    """A search that goes on where another has paused in a second tree finds all that is there."""
    run = new_run(SEARCH, 2003)
    moves, best, game = run.moves_of(), run.best(), load_game("hex")
    state = position(game, run.searched.instance, 0, 0)
    play(run.searched.instance, state, int(moves.move[best]))
    visits = int(run.tree.nodes.visits[moves.child[best]])
    run.begin(new_stream(2), state, keep=True)
    assert run.tree.nodes.visits[ROOT] == visits
    run.advance(1000)
    assert run.tree.nodes.visits[ROOT] == visits + 1000
