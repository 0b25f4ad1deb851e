"""Iterated local search: on tours, which alone have one to iterate."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from solver.algorithms import Ils
from solver.domains import load_domain
from solver.errors import InputError
from solver.searching.driver import Budget, search
from solver.testing import check_algorithm
from tests.helpers import assert_consistent, toy
from tests.instances import problems
from tests.solver.domains.tsptw.test_domain import plain_score
from tests.toys.sequence import SequenceDomain

DOMAIN = load_domain("tsptw")


def test_it_finds_the_best_of_all_tours() -> None:
    """Seven customers have 5,040 orders; the best is found, in time where one can be."""
    problem = problems("tsptw")["seven-customers"]
    instance = DOMAIN.instance(problem, DOMAIN.options())
    orders = map(list, itertools.permutations(range(1, instance.n)))
    best = max(plain_score(problem.data, order)[0] for order in orders)
    found = search(DOMAIN, instance, Ils(patience=5), Budget(playouts=400), seed=1)
    assert found.score == pytest.approx(best)
    assert_consistent(found, DOMAIN, instance)


def test_it_keeps_the_promises_of_algorithms() -> None:
    """Pauses and threads change nothing, budgets are exact, whatever the problem."""
    names = ("waiting", "asymmetric", "no-feasible-tour", "one-node")
    check_algorithm(Ils(patience=2), DOMAIN, [problems("tsptw")[name] for name in names])


def test_only_where_there_is_a_local_search() -> None:
    """Another problem is refused in a line; so is no patience."""
    with pytest.raises(
        InputError, match=r"^ils is not for toy, which has no local search to iterate$"
    ):
        search(SequenceDomain(), toy("..."), Ils(), Budget(playouts=5))
    with pytest.raises(InputError, match=r"^patience is 0, expected 1 or more$"):
        Ils(patience=0)


def test_playouts_after_a_perturbation_are_never_worse() -> None:
    """A longer budget has the shorter one's improvements at its beginning."""
    problem = problems("tsptw")["seven-customers"]
    instance = DOMAIN.instance(problem, DOMAIN.options())
    short, long = (
        search(DOMAIN, instance, Ils(), Budget(playouts=playouts), seed=7) for playouts in (3, 300)
    )
    n = len(short.trace.score)
    assert np.array_equal(long.trace.score[:n], short.trace.score)
    assert long.score >= short.score
