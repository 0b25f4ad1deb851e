"""Proofs that no tour keeps all windows, against all tours of small instances."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from solver.contract.domain import Problem
from solver.domains import load_domain
from solver.domains.tsptw.conflicts import conflict, is_hopeless
from solver.domains.tsptw.domain import TsptwDomain
from solver.domains.tsptw.reach import least_travel
from solver.domains.tsptw.text import follow_tour

INSTANCES = 150


def _instance(seed: int) -> Any:
    """Draw costs, asymmetric at times, and windows that leave some instances a tour."""
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 7))
    places = random.integers(0, 30, (n, 2))
    cost = np.abs(places[:, None] - places).sum(axis=2) + random.integers(0, 4, (n, n))
    np.fill_diagonal(cost, 0)
    start = random.integers(0, 100, n)
    end = start + random.integers(20, 60, n)
    start[0], end[0] = 0, int(random.integers(60, 250))
    return np.column_stack([cost, start, end]).astype(float)


def _has_tour(data: Any) -> bool:
    n = len(data)
    tours = itertools.permutations(range(1, n))
    return any(follow_tour(data, np.array([0, *tour, 0])).violations == 0 for tour in tours)


@pytest.fixture(scope="module")
def judged() -> list[tuple[Any, bool, str | None, bool]]:
    """Instances: whether there is a tour, and what both proofs say."""
    found = []
    for seed in range(INSTANCES):
        data = _instance(seed)
        n = len(data)
        cost, start, end = data[:, :n], data[:, n], data[:, n + 1]
        reach = least_travel(np.ascontiguousarray(cost), float(end.max()))
        why = conflict(reach, start, end, 0.0)
        found.append((data, _has_tour(data), why, is_hopeless(cost, reach, start, end, 10_000)))
    return found


def test_proofs_are_right(judged: list[tuple[Any, bool, str | None, bool]]) -> None:
    """The search of sets decides all of these; what is said at once is never said of others."""
    for _, has_tour, why, hopeless in judged:
        assert hopeless == (not has_tour)
        assert why is None or not has_tour
    reasons = {why.split()[0] + " " + why.split()[2] for *_, why, _ in judged if why}
    assert len(reasons) >= 2  # several kinds of conflicts were met
    assert any(has_tour for _, has_tour, *_ in judged)
    assert any(hopeless and why is None for *_, why, hopeless in judged)


@pytest.mark.parametrize(
    ("windows", "why"),
    [
        ([(0, 100), (0, 4), (0, 50)], "node 1 is due at 4, the depot is 5 away"),
        ([(9, 100), (0, 12), (0, 50)], "node 1 is due at 12, the depot opens at 9 and is 5 away"),
        ([(0, 12), (0, 5), (0, 12)], "the depot is due at 12, from node 2 that is 18 or later"),
        ([(0, 100), (0, 6), (0, 9)], "nodes 1 and 2 exclude each other"),
    ],
)
def test_reasons(windows: list[tuple[int, int]], why: str) -> None:
    cost = np.array([[0, 5, 9], [5, 0, 7], [9, 7, 0]], float)
    domain = load_domain("tsptw")
    data = np.column_stack([cost, np.array(windows, float)])
    assert isinstance(domain, TsptwDomain)
    found = domain.why_infeasible(Problem("three", data), domain.options())
    assert found is not None
    assert found.startswith(why)


def test_long_numbers() -> None:
    """Both sides of a comparison are written with the same digits."""
    reach = np.array([[0, 2234568.0], [2234568.0, 0]])
    why = conflict(reach, np.zeros(2), np.array([9e9, 2234567.0]), 0.0)
    assert why == "node 1 is due at 2234567, the depot is 2234568 away"


def test_more_customers_than_bits_and_states() -> None:
    """Nothing is said of what is too large."""
    n = 70
    data = np.column_stack([np.ones((n, n)), np.zeros(n), np.full(n, 5.0)])
    cost, start, end = data[:, :n], data[:, n], data[:, n + 1]
    assert not is_hopeless(cost, cost, start, end, 10_000)
    assert not is_hopeless(cost[:12, :12], cost[:12, :12], start[:12], np.full(12, 99.0), 50)
