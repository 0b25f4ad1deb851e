"""Parallel tempering: on SameGame, which alone has orders of items."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from solver.algorithms import Tempering
from solver.contract.domain import Problem
from solver.domains import load_domain
from solver.domains.samegame.text import board_columns, group_at, remove
from solver.errors import InputError, message_of
from solver.searching.driver import Budget, search
from solver.searching.solution import solve
from solver.testing import check_algorithm
from tests.helpers import toy
from tests.toys.sequence import SequenceDomain

DOMAIN = load_domain("samegame")
QUICK = Tempering(replicas=3, turn=4)


def best_score(columns: list[list[int]]) -> int:
    """The best score of all games from a board, which are all tried."""
    cells = {(x, y) for x, column in enumerate(columns) for y in range(len(column))}
    if not cells:
        return 1000
    groups = {frozenset(group_at(columns, cell)) for cell in cells}
    games = [
        (len(group) - 2) ** 2 + best_score(remove(columns, set(group)))
        for group in groups
        if len(group) > 1
    ]
    return max(games, default=0)


def random_board(seed: int, height: int, width: int, colours: int) -> Problem:
    """A board of random cells."""
    rng = np.random.default_rng(seed)
    board = rng.integers(1, colours + 1, (height, width)).astype(np.int8)
    return Problem(f"random-{seed}", board)


@pytest.mark.parametrize("seed", range(6))
def test_it_finds_the_best_of_all_games(seed: int) -> None:
    """The best of all games of small boards is found; the verifier agrees."""
    problem = random_board(seed, 4, 4, 3)
    found = solve(DOMAIN, problem, DOMAIN.options(), Tempering(), Budget(playouts=20_000))
    assert found.verified
    assert found.search.score == best_score(board_columns(problem.data))


def test_it_keeps_the_promises_of_algorithms() -> None:
    """Pauses and threads change nothing, budgets are exact, also where there is nothing to do."""
    texts = ("1\n", "11\n", "12\n21\n", "112\n122\n313\n")
    small = [DOMAIN.parse(text, "text")[0] for text in texts]
    check_algorithm(QUICK, DOMAIN, [*small, random_board(7, 9, 8, 4)])


def test_its_games_are_worth_what_it_says() -> None:
    """Moves are verified with the score of the search, on flat, high and usual boards."""
    for shape in ((15, 15, 5), (3, 30, 3), (30, 3, 2)):
        problem = random_board(1, *shape)
        found = solve(DOMAIN, problem, DOMAIN.options(), QUICK, Budget(playouts=3000), seed=2)
        assert found.verified
        assert DOMAIN.objective(problem, found.answer) == found.search.score


def test_the_same_seed_makes_the_same_search() -> None:
    """The result of a search with seed 3, and its time in playouts, are known."""
    problem = random_board(3, 15, 15, 5)
    instance = DOMAIN.instance(problem, DOMAIN.options())
    quick = Tempering(cold=7.0, hot=35.0, replicas=8, turn=500)
    found = search(DOMAIN, instance, quick, Budget(playouts=30_000), seed=3)
    assert (found.score, found.trace.playouts[-1]) == (1889.0, 29781)


def test_threads_share_a_search() -> None:
    """On more threads, also more than temperatures, the search is the same, pause by pause."""
    instance = DOMAIN.instance(random_board(5, 12, 12, 4), DOMAIN.options())
    algorithm, budget = Tempering(replicas=5, turn=30), Budget(playouts=4321)
    found = [
        search(DOMAIN, instance, algorithm, budget, seed=2, threads=threads)
        for threads in (1, 2, 5, 7)
    ]
    assert {each.playouts for each in found} == {4321}
    assert len({tuple(each.trace.playouts) for each in found}) == 1
    assert len({tuple(each.trace.score) for each in found}) == 1
    assert len({tuple(each.moves) for each in found}) == 1


def test_shares_of_changes_are_per_cent() -> None:
    """Whatever they add up to, what is not named is not done, and the search is another one."""
    assert Tempering(changes="add:1,move:1,take:1").percentages() == {
        "add": 33, "move": 34, "shift": 0, "take": 33, "replace": 0,
    }  # fmt: skip
    instance = DOMAIN.instance(random_board(3, 15, 15, 5), DOMAIN.options())
    searches = [QUICK, Tempering(replicas=3, turn=4, changes="add,move"),
                Tempering(replicas=3, turn=4, shaping=False)]  # fmt: skip
    budget = Budget(playouts=2000)
    traces = {tuple(search(DOMAIN, instance, each, budget).trace.score) for each in searches}
    assert len(traces) == len(searches)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cold": 0.0}, "cold is 0.0, expected more than 0"),
        ({"hot": float("inf")}, "hot is inf, expected more than 0"),
        ({"hot": float("nan")}, "hot is nan, expected a number, more than 0"),
        ({"cold": 9.0, "hot": 8.0}, "hot is 8.0, expected 9.0 or more as cold"),
        ({"replicas": 1}, "replicas is 1, expected 2 ... 1,024"),
        ({"replicas": 1025}, "replicas is 1025, expected 2 ... 1,024"),
        ({"turn": 0}, "turn is 0, expected 1 or more"),
        (
            {"changes": "add:1,swap:1"},
            "changes has 'swap', expected one of add, move, shift, take, replace",
        ),
        (
            {"changes": "add:1e308,move:1e308"},
            "changes is 'add:1e308,move:1e308', expected shares of a finite sum",
        ),
        ({"changes": "add:-1"}, "changes has 'add:-1', expected NAME:SHARE, the share above 0"),
    ],
)
def test_parameters_are_validated(parameters: dict[str, Any], message: str) -> None:
    """A parameter out of range is refused with its name and value."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$") as error:
        Tempering(**parameters)
    assert message_of(error.value) == f"--{message}"


def test_only_where_there_are_orders() -> None:
    """Another problem is refused in a line."""
    with pytest.raises(
        InputError, match=r"^tempering is not for toy, which has no orders of items$"
    ):
        search(SequenceDomain(), toy("..."), Tempering(), Budget(playouts=5))
