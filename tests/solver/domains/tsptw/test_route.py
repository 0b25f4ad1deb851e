"""Segments of tours against following them node by node; lists of near nodes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.contract.domain import Problem
from solver.domains.tsptw.changes import betters_exchanged, betters_moved, betters_reversed
from solver.domains.tsptw.domain import TsptwDomain, TsptwOptions
from solver.domains.tsptw.reach import NEAR, near_lists
from solver.domains.tsptw.route import (
    BEGIN,
    END,
    LATE,
    TAKEN,
    TOTAL_WARP,
    Route,
    measure_route,
    new_route,
    pass_back,
    pass_places,
    pass_segment,
)
from tests.solver.domains.tsptw.test_domain import from_depot, instances, plain_score
from tests.solver.domains.tsptw.test_local_search import tours, warp_of

DOMAIN = TsptwDomain()


def routed(data: Any, tour: list[int], objective: Any = "cost") -> tuple[Any, Route]:
    """A measured route."""
    instance = DOMAIN.instance(Problem("p", data), TsptwOptions(objective=objective))
    route = new_route(instance.n)
    route.tour[1:-1] = tour
    measure_route(instance, route, 1, instance.n + 1)
    return instance, route


def followed(data: Any, nodes: list[int], here: int, time: float) -> tuple[float, float]:
    """Time and warp after going from `here` over `nodes`, the last depot without waiting."""
    n, warp = len(data), 0.0
    for there in nodes:
        time += data[here, there]
        warp += max(time - data[there, n + 1], 0.0)
        time = min(time, data[there, n + 1])
        time = max(time, data[there, n]) if there else time
        here = there
    return time, warp


def many(n: int, seed: int) -> tuple[Any, list[int]]:
    """An instance that needs the longest segments, and an order."""
    rng = np.random.default_rng(seed)
    cost, start = rng.integers(0, 9, (n, n)).astype(float), np.arange(n) * 4.0
    start[1:] = rng.permutation(start[1:])
    start[0] = 0
    window = np.stack([start, start + rng.integers(5, 200, n)], axis=1)
    window[0, 1] = 5.0 * n
    tour = 1 + np.argsort(start[1:] + rng.integers(0, 40, n - 1))
    return np.hstack([cost, window]), [int(node) for node in tour]


@given(drawn=tours(), time=st.integers(0, 60))
def test_segments_are_what_following_them_gives(drawn: tuple[Any, list[int]], time: int) -> None:
    """Segments equal a step-by-step replay, at any time, forwards, back and over the end."""
    data, tour = from_depot(drawn[0]), drawn[1]
    instance, route = routed(data, tour)
    n = instance.n
    assert (route.scalars[LATE] == 0) == (plain_score(data, tour)[0] > -1e6)
    assert route.measure[TOTAL_WARP] == warp_of(data, tour)
    for begin, end in itertools.combinations(range(1, n + 1), 2):
        nodes = [0, *tour][begin:end]
        for here in range(n):
            there = pass_places(instance, route, begin, end, here, float(time), 0.0)
            assert there == (nodes[-1], *followed(data, nodes, here, time))
            back = pass_back(instance, route, begin, end, here, float(time), 0.0, np.inf)
            assert back == (nodes[0], *followed(data, nodes[::-1], here, time))
    for place in range(1, n + 1):
        rest = [*tour, 0][place - 1 :]
        arrival = float(time + data[0, rest[0]])
        assert pass_segment(route.tail[place], arrival, 0.0) == followed(data, rest, 0, time)


@pytest.mark.parametrize("seed", range(4))
def test_long_segments(seed: int) -> None:
    """More places than the longest segment that is kept has."""
    data, tour = many(90, seed)
    instance, route = routed(data, tour)
    for begin, end in ((1, 90), (3, 70), (20, 53), (50, 51)):
        nodes = [0, *tour][begin:end]
        expected = (nodes[-1], *followed(data, nodes, 0, 9.0))
        assert pass_places(instance, route, begin, end, 0, 9.0, 0.0) == expected


@pytest.mark.parametrize("seed", range(4))
def test_what_is_measured_anew(seed: int) -> None:
    """After a change of some places all is as if the tour were measured from the beginning."""
    data, tour = many(60, seed)
    instance, route = routed(data, tour)
    rng = np.random.default_rng(seed)
    for _ in range(40):
        begin, end = sorted(int(place) for place in rng.choice(np.arange(1, 61), 2, replace=False))
        route.tour[begin:end] = rng.permutation(route.tour[begin:end])
        measure_route(instance, route, begin, end)
        _, fresh = routed(data, [int(node) for node in route.tour[1:-1]])
        for name in ("place", "time", "warp", "there", "back", "tail", "jump", "measure"):
            assert np.array_equal(getattr(route, name), getattr(fresh, name)), name
        assert route.scalars[LATE] == fresh.scalars[LATE]


@pytest.mark.parametrize("objective", ["cost", "makespan"])
@settings(max_examples=60)
@given(drawn=tours())
def test_changes_are_better_as_the_rules_have_it(
    objective: str, drawn: tuple[Any, list[int]]
) -> None:
    """A change of a feasible tour is better exactly if it scores more."""
    data, tour = from_depot(drawn[0]), drawn[1]
    instance, route = routed(data, tour, objective)
    n, nodes = instance.n, [0, *tour, 0]
    if route.scalars[LATE]:
        return
    score = plain_score(data, tour, objective)[0]
    assert -route.measure[TAKEN] == score

    def check(better: bool, changed: list[int]) -> None:
        assert better == (plain_score(data, changed[1:-1], objective)[0] > score)
        if better:
            begin, end = route.scalars[BEGIN], route.scalars[END]
            laid = [*nodes[:begin], *route.trial[begin:end].tolist(), *nodes[end:]]
            assert laid == changed

    for begin, end in itertools.combinations(range(1, n + 1), 2):
        part, others = nodes[begin:end], [*nodes[:begin], *nodes[end:]]
        reverse = [*nodes[:begin], *part[::-1], *nodes[end:]]
        check(betters_reversed(instance, route, begin, end), reverse)
        for place in range(n):
            if begin - 1 <= place < end:
                continue
            at = place + 1 if place < begin else place + 1 - len(part)
            for piece, back in ((part, False), (part[::-1], True)):
                moved = [*others[:at], *piece, *others[at:]]
                check(betters_moved(instance, route, begin, end, place, back), moved)
        for other, stop in itertools.combinations(range(end + 1, n + 1), 2):
            middle, later = nodes[end:other], nodes[other:stop]
            exchanged = [*nodes[:begin], *later, *middle, *part, *nodes[stop:]]
            check(betters_exchanged(instance, route, begin, end, other, stop), exchanged)


@given(data=instances(8))
def test_near_nodes(data: Any) -> None:
    """Small instances have all others in each list; the lists are two views of one order."""
    n = len(data)
    behind, ahead = near_lists(data[:, :n].copy(), data[:, n], data[:, n + 1])
    for node in range(n):
        for nodes in (behind[node], ahead[node]):
            assert sorted(nodes.tolist()) == [other for other in range(n) if other != node]


def test_few_of_many_are_near() -> None:
    """Among equal costs, neighbours without waiting and lateness come first."""
    n = 40
    data = np.ones((n, n + 2))
    data[:, n], data[:, n + 1] = np.arange(n), np.arange(n) + 1.0
    behind, ahead = near_lists(data[:, :n].copy(), data[:, n], data[:, n + 1])
    assert behind.shape == ahead.shape == (n, NEAR)
    assert {11, 12} <= set(behind[10, :4].tolist())
    assert {8, 9} <= set(ahead[10, :4].tolist())
