"""Dynamic programs on tours, against all tours of small instances."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from solver.domains.tsptw.proofs.proving import Windows, prove
from solver.domains.tsptw.text import follow_tour

INSTANCES = 120


def instance(seed: int) -> Any:
    """Draw costs, asymmetric and not whole at times, and windows that leave some a tour."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 8))
    places = random.integers(0, 30, (n, 2))
    cost = np.abs(places[:, None] - places).sum(axis=2).astype(float)
    if seed % 3:
        cost += random.integers(0, 9, (n, n))
    if seed % 2:
        cost += random.random((n, n))
    np.fill_diagonal(cost, 0)
    start = random.integers(0, 100, n)
    end = start + random.integers(20, 90, n)
    start[0], end[0] = 0, int(random.integers(60, 300))
    return np.column_stack([cost, start, end]).astype(float)


def best_of_all(data: Any, *, by_time: bool) -> float:
    """Return the least cost, or duration, of all tours in time; infinite without one."""
    n = len(data)
    tours = (np.array([0, *tour, 0]) for tour in itertools.permutations(range(1, n)))
    visits = [follow_tour(data, tour) for tour in tours]
    spent = [v.taken if by_time else v.cost for v in visits if not v.violations]
    return min(spent, default=np.inf)


@pytest.mark.parametrize("by_time", [False, True])
def test_the_best_of_all_tours(by_time: bool) -> None:
    """Without a tour known before the program ends with the best one, or with the proof of none."""
    none = 0
    for seed in range(INSTANCES):
        data = instance(seed)
        least = best_of_all(data, by_time=by_time)
        found = prove(Windows.of(data), np.inf, by_time=by_time, most=5000)
        assert found.ended
        assert found.bound == pytest.approx(least)
        if np.isinf(least):
            none += 1
            assert found.tour is None
            continue
        assert found.tour is not None
        visits = follow_tour(data, found.tour)
        assert sorted(found.tour[:-1]) == list(range(len(data)))
        assert visits.violations == 0
        assert (visits.taken if by_time else visits.cost) == pytest.approx(least)
    assert 10 < none < INSTANCES - 10


@pytest.mark.parametrize("by_time", [False, True])
def test_tours_known_before(by_time: bool) -> None:
    """A worse one is bettered, the best one stays; bounds without room for labels are bounds."""
    for seed in range(INSTANCES):
        data = instance(seed)
        least = best_of_all(data, by_time=by_time)
        if np.isinf(least):
            continue
        windows = Windows.of(data)
        better = prove(windows, least + 2.5, by_time=by_time, most=5000)
        assert better.ended
        assert better.bound == pytest.approx(least)
        assert better.tour is not None
        same = prove(windows, least, by_time=by_time, most=5000)
        assert same.ended
        assert same.tour is None
        assert same.bound == pytest.approx(least)
        narrow = prove(windows, least, by_time=by_time, most=2)
        assert narrow.bound <= least * (1 + 1e-12)
        assert narrow.ended or narrow.tour is None


def test_more_customers_than_bits() -> None:
    """Sets of several words: a line of 140 customers whose windows leave one order."""
    n = 141
    cost = np.abs(np.arange(n)[:, None] - np.arange(n)).astype(float)
    start = np.arange(n) * 2.0
    data = np.column_stack([cost, start, start + 3.5])
    data[0, n:] = 0, 1000
    found = prove(Windows.of(data), np.inf, by_time=False, most=1000)
    assert found.ended
    assert found.tour is not None
    assert follow_tour(data, found.tour).violations == 0
    data[n // 2, n + 1] = data[n // 2, n] = 1.0
    assert prove(Windows.of(data), np.inf, by_time=False, most=1000).bound == np.inf
