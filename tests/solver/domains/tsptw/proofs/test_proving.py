"""Dynamic programs on tours, against all tours of small instances."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest

from solver.domains.tsptw.proofs import proving, relaxation
from solver.domains.tsptw.proofs.facts import facts_of_bound
from solver.domains.tsptw.proofs.layers import new_room
from solver.domains.tsptw.proofs.proving import Verdict, Windows, _by_relaxation, prepare, prove
from solver.domains.tsptw.proofs.relaxation import Raised, raised_bound
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


@pytest.mark.parametrize("remembered", [1, 5])
def test_ways_that_forget(remembered: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds by ways that forget bound all tours, and a best way that is a tour is the best one."""
    monkeypatch.setattr(relaxation, "REMEMBERED", remembered)
    closed = raises = 0
    for seed in range(INSTANCES):
        data = instance(seed)
        least = best_of_all(data, by_time=False)
        if len(data) < 3 or np.isinf(least):
            continue
        windows = Windows.of(data)
        prepared = prepare(windows, windows.end, np.inf, by_time=False)
        assert prepared is not None
        ways, root = prepared
        for goal, most in ((least - 1e-3, 500), (least + 5.0, 500), (least + 5.0, 6)):
            raised = raised_bound(ways, goal, root, new_room(most, len(data)), np.inf)
            assert raised.bound <= least * (1 + 1e-9)
            raises += raised.bound > root + 1e-6
            if raised.tour is not None:
                closed += 1
                assert sorted(raised.tour[:-1]) == list(range(len(data)))
                visits = follow_tour(data, raised.tour)
                assert visits.violations == 0
                assert visits.cost == pytest.approx(least)
    assert closed > INSTANCES // 2
    assert raises > INSTANCES // 3


@pytest.mark.parametrize("more", [0.0, 2.5])
def test_proofs_by_ways_that_forget(more: float) -> None:
    """A bound of the cost of the best tour known is a proof, and a tour that is found the best."""
    ended = 0
    for seed in range(INSTANCES):
        data = instance(seed)
        least = best_of_all(data, by_time=False)
        if len(data) < 3 or np.isinf(least):
            continue
        windows, limit = Windows.of(data), least + more - 1e-6
        prepared = prepare(windows, windows.end, limit, by_time=False)
        assert prepared is not None
        ways, root = prepared
        known = Verdict(False, min(root, least), None, 0.0)
        found = _by_relaxation(ways, least + more, limit, known, new_room(500, len(data)), np.inf)
        ended += found.ended
        assert known.bound * (1 - 1e-9) <= found.bound <= least * (1 + 1e-9)
        if found.ended:
            assert found.bound == pytest.approx(least)
            assert (found.tour is not None) == (more > 0)
        if found.tour is not None:
            assert follow_tour(data, found.tour).violations == 0
            assert follow_tour(data, found.tour).cost == pytest.approx(least)
    assert ended > INSTANCES // 4


def test_bounds_without_room_for_all_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ways that forget raise the bound where sets of customers are too many."""
    n, most, wide = 60, 3000, 300
    raises = []
    for seed in range(3):
        random = np.random.default_rng(seed)
        places = random.integers(0, 60, (n, 2))
        cost = np.abs(places[:, None] - places).sum(axis=2).astype(float)
        arrival = np.append(0.0, np.cumsum(np.diagonal(cost, 1)))
        start = np.maximum(arrival - random.integers(0, wide, n), 0.0)
        end = arrival + random.integers(0, wide, n)
        start[0], end[0] = 0, 5000
        windows = Windows.of(np.column_stack([cost, start, end]).astype(float))
        known = float(np.diagonal(cost, 1).sum() + cost[-1, 0])  # the tour of all, in their order
        found = prove(windows, known, by_time=False, most=most)
        with monkeypatch.context() as patch:
            patch.setattr(proving, "raised_bound", lambda *given: Raised(given[2], None))
            before = prove(windows, known, by_time=False, most=most)
        raises.append(found.bound / before.bound)
        assert found.bound <= known
        assert before.ended <= found.ended
        facts = json.loads(json.dumps(facts_of_bound(known + 1.0, found.bound)))
        assert facts["lower_bound"] == pytest.approx(found.bound)
    assert min(raises) >= 1.0
    assert max(raises) > 1.02


@pytest.mark.parametrize("unit", [1e-10, 1e-3, 1e8])
@pytest.mark.parametrize("by_time", [False, True])
def test_proofs_in_any_unit(unit: float, by_time: bool) -> None:
    """A tour little worse than the best one is not proved optimal, however small the costs are."""
    found = 0
    for seed in range(1, 40):
        data = instance(seed) * unit
        least = best_of_all(data, by_time=by_time)
        known = least * (1 + 1e-7)
        better = prove(Windows.of(data), known, by_time=by_time, most=500)
        assert better.ended
        if np.isfinite(least):
            assert better.tour is not None
            assert better.bound == pytest.approx(least, rel=1e-9, abs=0)
            assert prove(Windows.of(data), least, by_time=by_time, most=500).tour is None
            found += 1
    assert found > 5


def test_facts_in_any_unit() -> None:
    """Amounts keep six digits; a bound below the tour is none that proves it, on any day."""
    facts = facts_of_bound(4.123456789e-10, 4e-10)
    assert facts == {"lower_bound": 4e-10, "optimal": False, "bound_gap_percent": 2.994}
    assert facts_of_bound(4.123456789e-10, 4.123456789e-10)["lower_bound"] == 4.12346e-10
    assert facts_of_bound(12.3456789, 12.3456789)["lower_bound"] == 12.345679
    calendar = facts_of_bound(1.7e9 + 100, 1.7e9 + 99, 1.7e9)
    assert (calendar["optimal"], calendar["bound_gap_percent"]) == (False, 1.0)
    assert facts_of_bound(1.7e9 + 100, 1.7e9 + 100 - 1e-7, 1.7e9)["optimal"]
    assert facts_of_bound(0.0, 0.0) == {"lower_bound": 0.0, "optimal": True}


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


@pytest.mark.parametrize("by_time", [False, True])
def test_arrivals_when_it_is_due(by_time: bool) -> None:
    """A tour that is in time to the last bit is not taken for late, in costs with a decimal."""
    for seed in range(300):
        random = np.random.default_rng(seed)
        n = int(random.integers(3, 7))
        cost = np.round(100 * random.random((n, n)), 1)
        np.fill_diagonal(cost, 0.0)
        due, time, here = np.full(n, 1e4), 0.0, 0
        for node in (*random.permutation(np.arange(1, n)), 0):
            time += cost[here, node]
            due[node], here = time, node
        data = np.column_stack([cost, np.zeros(n), due])
        found = prove(Windows.of(data), np.inf, by_time=by_time, most=500)
        assert found.tour is not None
        assert follow_tour(data, found.tour).violations == 0
        assert found.bound == pytest.approx(best_of_all(data, by_time=by_time))
