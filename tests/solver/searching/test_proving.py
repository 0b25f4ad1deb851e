"""Proofs beside a search, on small tours."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest

from solver.algorithms import Ils, Sampling
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain, TsptwOptions
from solver.searching.driver import Budget
from solver.searching.solution import solve
from tests.solver.domains.tsptw.proofs.test_proving import best_of_all, instance

SECONDS = Budget(seconds=60.0)
PLAYOUTS = Budget(playouts=30)


@pytest.mark.parametrize("objective", ["cost", "makespan"])
@pytest.mark.parametrize("budget", [PLAYOUTS, Budget(seconds=3.0)])
def test_the_bound_is_the_best_of_all_tours(objective: str, budget: Budget) -> None:
    """Whatever the budget, small tours are proved the best, or that there is none."""
    options = TsptwOptions(objective=objective)  # type: ignore[arg-type]
    domain = TsptwDomain(options)
    infeasible, number = 0, 12 if budget == PLAYOUTS else 5
    for seed in range(number):
        data = instance(seed)
        least = best_of_all(data, by_time=objective == "makespan")
        problem = Problem("tour", data)
        found = solve(domain, problem, options, Ils(), budget, proves=True)
        if np.isinf(least):
            infeasible += 1
            assert (found.status, bool(found.why)) == ("infeasible", True)
            continue
        begin = data[0, len(data)] if objective == "makespan" else 0.0
        assert found.status == "feasible"
        assert -found.search.score == pytest.approx(begin + least)
        assert found.bound is not None
        assert domain.bound_facts(problem, found.answer, found.bound)["optimal"]
    assert 0 < infeasible < number


def test_a_proof_ends_a_search() -> None:
    """A minute is not used up, and the search was not interrupted; an interruption is one."""
    problem = Problem("tour", instance(4))
    domain = TsptwDomain()
    budget = Budget(seconds=2.0)
    found = solve(domain, problem, domain.options(), Ils(), budget, proves=True)
    assert not found.search.interrupted
    assert found.bound is not None or found.why
    stop = threading.Event()
    stop.set()
    cut = solve(domain, problem, domain.options(), Ils(), SECONDS, proves=True, stop=stop)
    assert cut.search.interrupted


def test_playouts_are_as_without_proofs() -> None:
    """A budget in playouts is spent as without proofs, however many threads there are."""
    data = instance(4)
    problem, domain = Problem("tour", data), TsptwDomain()
    plain = solve(domain, problem, domain.options(), Ils(), PLAYOUTS, seed=3)
    proved = [
        solve(domain, problem, domain.options(), Ils(), PLAYOUTS, seed=3, threads=n, proves=True)
        for n in (1, 2)
    ]
    assert {one.search.playouts for one in proved} == {plain.search.playouts}
    assert np.array_equal(proved[0].answer, proved[1].answer)
    assert proved[0].search.score >= plain.search.score
    assert plain.bound is None


def test_a_better_tour_of_the_proof() -> None:
    """A proof that finds a better tour than the search gives it, verified."""
    n = 12
    places = np.random.default_rng(1).random((n, 2)) * 100
    cost = np.round(np.hypot(*(places[:, None] - places).transpose(2, 0, 1)), 3)
    data = np.column_stack([cost, np.zeros(n), np.full(n, 1e4)])
    problem, domain = Problem("tour", data), TsptwDomain()
    one = Budget(playouts=1)
    plain = solve(domain, problem, domain.options(), Sampling(), one)
    proved = solve(domain, problem, domain.options(), Sampling(), one, proves=True)
    assert proved.search.score > plain.search.score
    assert proved.bound == pytest.approx(proved.search.score)


def test_the_first_tour_in_time_of_the_proof_is_proved_too() -> None:
    """A proof that begins without a tour looks again, from the one that it has found."""
    random = np.random.default_rng(8)
    n = 15
    places = random.integers(0, 50, (n, 2))
    cost = np.floor(np.hypot(*(places[:, None] - places).transpose(2, 0, 1)))
    order = [0, *(random.permutation(n - 1) + 1)]
    due = np.cumsum([0.0, *(cost[a, b] for a, b in pairwise(order))])
    windows = np.zeros((n, 2))
    windows[order] = np.column_stack(
        [np.maximum(due - random.integers(0, 30, n), 0), due + random.integers(0, 30, n)]
    )
    windows[0] = 0.0, due[-1] + cost[order[-1], 0] + 10
    problem, domain = Problem("tour", np.hstack([cost, windows])), TsptwDomain()
    found = solve(domain, problem, domain.options(), Sampling(), Budget(playouts=1), proves=True)
    assert found.solved
    assert found.bound == pytest.approx(found.search.score)
