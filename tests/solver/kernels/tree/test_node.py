"""Tree searches from elsewhere: what they are given, and what they do with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.algorithms.tree import Mcps, Puct, TreeAlgorithm, Uct
from solver.compiling.random import new_stream
from solver.games import load_game
from solver.kernels.tree.run import UNGUIDED, TreeRun
from solver.priors.priors import Prior
from solver.searching.analysis import guides_by
from solver.searching.driver import Budget, search
from tests.helpers import same_search, toy
from tests.toys.sequence import SequenceDomain
from tests.toys.tree_searches import MyMcps, MyPuct, MyUct, WayDown

#: Two players with transpositions, and three with shared rewards.
GAMES: list[tuple[str, dict[str, Any]]] = [
    ("hex", {"size": 4, "first": "none"}),
    ("investment", {"units": 2, "players": 3, "codes": "exact"}),
]
#: A search that ships without its progressive bias, the same from elsewhere, and one of these
#: games, not all: each case is two kernels to compile.
CASES = [
    (Uct(0.3), MyUct(0.3), 1), (Mcps(5), MyMcps(5), 0), (Puct(1.5), MyPuct(1.5), 1)
]  # fmt: skip
PLAYOUTS = 1000


def found_by(
    algorithm: TreeAlgorithm, name: str, options: dict[str, Any], *, guided: bool, memory: int
) -> list[Any]:
    """Everything that a search of the start of a game finds."""
    game = load_game(name)
    chosen = game.options(**options)
    instance, guides = game.instance(game.start(chosen), chosen), UNGUIDED
    if guided:
        code = next(iter(game.priors.values()))
        table = code.table_class(np.random.default_rng(1).gamma(0.5, size=code.rows))
        guides = guides_by(Prior("random", table, 1.0), "both")
    run = TreeRun(game, instance, algorithm.parameters, memory, guides)
    run.begin(new_stream(4))
    run.advance(PLAYOUTS)
    moves = run.moves_of()
    counts = run.nodes, run.full, *run.stream.tolist()
    return [*counts, moves.move.tolist(), moves.visits.tolist(), repr(moves.value.tolist())]


@pytest.mark.parametrize(("shipped", "own", "game"), CASES)
def test_a_shipped_search_written_by_an_author_is_the_same(
    shipped: TreeAlgorithm, own: TreeAlgorithm, game: int
) -> None:
    """It makes the same playouts, with all statistics at hand."""
    one, other = (
        found_by(algorithm, *GAMES[game], guided=False, memory=1 << 30)
        for algorithm in (shipped, own)
    )
    assert one == other


def test_a_prior_is_at_hand() -> None:
    """PUCT with a prior, from elsewhere."""
    one, other = (
        found_by(algorithm, *GAMES[0], guided=True, memory=1 << 30)
        for algorithm in (Puct(), MyPuct())
    )
    assert one == other


def test_a_full_tree() -> None:
    """A full tree keeps the statistics of its nodes."""
    one, other = (
        found_by(algorithm, *GAMES[0], guided=False, memory=200_000)
        for algorithm in (Mcps(5), MyMcps(5))
    )
    assert one == other
    assert one[1]


def test_a_puzzle() -> None:
    """Scores are compared by their span so far, before the first playout none."""
    domain, instance = SequenceDomain(), toy("..3.0....")
    one, other = (
        search(domain, instance, algorithm, Budget(playouts=2000), seed=2)
        for algorithm in (Uct(0.3), MyUct(0.3))
    )
    assert same_search(one, other)


def test_depth_and_playouts() -> None:
    """The root alone has depth 0, and playouts of the whole tree are counted."""
    game = load_game("hex")
    options = game.options(size=3, first="none")
    run = TreeRun(game, game.instance(game.start(options), options), WayDown().parameters, 1 << 30)
    run.begin(new_stream(1))
    run.advance(100)
    assert run.moves_of().visits.tolist() == [40, *[0] * 7, 60]
    below = run.moves_of(int(run.moves_of().child[0])).visits
    assert (below > 0).sum() > 1


def test_numbers_of_either_kind_are_one_kernel() -> None:
    """A whole number for a parameter that need not be one is converted."""
    exploration, _ = MyUct(1).parameters.own
    assert (exploration, type(exploration)) == (1.0, float)
