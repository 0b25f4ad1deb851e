"""GNRPA, then tempering: on SameGame, which alone has orders of items."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from solver.algorithms import Gnrpa, Relay, Tempering
from solver.contract.domain import Problem
from solver.domains import load_domain
from solver.domains.morpion.text import CROSS, Start
from solver.domains.samegame.text import board_columns
from solver.errors import InputError, message_of
from solver.priors.priors import NoPrior, default_prior
from solver.searching.driver import Budget, search
from solver.searching.solution import solve
from solver.testing import check_algorithm
from tests.helpers import toy
from tests.solver.algorithms.test_tempering import best_score, random_board
from tests.toys.sequence import SequenceDomain

DOMAIN = load_domain("samegame")
OPTIONS = DOMAIN.options()


def test_it_keeps_the_promises_of_algorithms() -> None:
    """Pauses, also at the change of searches, and threads change nothing; budgets are exact."""
    texts = ("1\n", "11\n", "12\n21\n", "112\n122\n313\n")
    small = [DOMAIN.parse(text, "text")[0] for text in texts]
    relay = Relay(replicas=3, turn=4, start="20")
    check_algorithm(relay, DOMAIN, [*small, random_board(7, 9, 8, 4)])


def test_gnrpa_begins() -> None:
    """Up to `start` playouts the search is GNRPA's, improvement by improvement; then it goes on."""
    problem = random_board(3, 15, 15, 5)
    instance, prior = DOMAIN.instance(problem, OPTIONS), default_prior(DOMAIN, None).table
    relay, budget = Relay(start="500"), Budget(playouts=20_000)
    begun = search(DOMAIN, instance, Gnrpa(), Budget(playouts=500), prior=prior, seed=3)
    found = search(DOMAIN, instance, relay, budget, prior=prior, seed=3)
    before = found.trace.playouts <= 500
    assert found.trace.playouts[before].tolist() == begun.trace.playouts.tolist()
    assert found.trace.score[before].tolist() == begun.trace.score.tolist()
    assert found.score > begun.score
    short = search(DOMAIN, instance, relay, Budget(playouts=500), prior=prior, seed=3)
    assert (short.score, short.moves.tolist()) == (begun.score, begun.moves.tolist())


def test_without_a_start_it_is_tempering() -> None:
    """With --start 0, and on small boards by itself, the two searches are the same."""
    problem = random_board(3, 8, 8, 4)
    instance, budget = DOMAIN.instance(problem, OPTIONS), Budget(playouts=3000)
    traces = [
        search(DOMAIN, instance, algorithm, budget, seed=4).trace.score.tolist()
        for algorithm in (Tempering(), Relay(), Relay(start="0"))
    ]
    assert traces[0] == traces[1] == traces[2]


@pytest.mark.parametrize(
    ("width", "height", "colours"),
    [
        (5, 5, 2),
        (5, 5, 9),
        (9, 8, 2),
        (15, 15, 3),
        (25, 20, 5),
        (40, 40, 2),
        (40, 40, 9),
        (70, 3, 4),
    ],
)
def test_boards_of_all_sizes(width: int, height: int, colours: int) -> None:
    """Games of the default search are verified, and as good as those of either part at least."""
    problem = random_board(width, height, width, colours)
    relay = Relay(start="30" if width * height > 64 else "auto")
    budget = Budget(playouts=300)
    found = solve(DOMAIN, problem, OPTIONS, relay, budget)
    assert found.verified
    assert DOMAIN.objective(problem, found.answer) == found.search.score
    if width * height > 64:
        begun = solve(DOMAIN, problem, OPTIONS, Gnrpa(), Budget(playouts=30))
        assert found.search.score >= begun.search.score


@pytest.mark.parametrize("seed", range(4))
def test_the_best_game_of_few_colours(seed: int) -> None:
    """The default finds the best of all games, also if a colour fills half of the board."""
    board = np.minimum(random_board(seed, 4, 5, 4).data, 2).astype(np.int8)
    problem = Problem("few colours", board)
    found = solve(DOMAIN, problem, OPTIONS, Relay(), Budget(playouts=20_000))
    assert found.search.score == best_score(board_columns(board))


@pytest.mark.parametrize("start", ["many", "-1", "1.5", ""])
def test_start_is_validated(start: str) -> None:
    """A start that is no number of playouts is refused with its value."""
    expected = f"start is {start!r}, expected a number of playouts or auto"
    with pytest.raises(InputError, match=f"^{re.escape(expected)}$") as error:
        Relay(start=start)
    assert message_of(error.value) == f"--{expected}"


def test_where_no_score_is_shaped() -> None:
    """The searches of both parts compare games by their scores."""
    morpion = load_domain("morpion")
    instance = morpion.instance(Problem("cross", Start(CROSS)), morpion.options())
    assert Relay(start="3").new_run(morpion, instance, NoPrior())


def test_only_where_there_are_orders() -> None:
    """Another problem is refused in a line."""
    relay: Any = Relay(start="3")
    with pytest.raises(InputError, match=r"^relay is not for toy, which has no orders of items$"):
        search(SequenceDomain(), toy("..."), relay, Budget(playouts=5))
