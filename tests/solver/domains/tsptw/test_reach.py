"""Pruning loses no feasible tour, whatever the costs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from solver.algorithms import Gnrpa
from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain, TsptwOptions
from solver.domains.tsptw.reach import least_travel
from solver.domains.tsptw.text import follow_tour
from solver.searching.driver import Budget
from solver.searching.solution import solve
from tests.solver.domains.tsptw.test_domain import instances, plain_reach

DOMAIN = TsptwDomain()
KINDS = ("symmetric", "asymmetric", "non-metric", "line")


def hidden_tour(kind: str, n: int, width: int, seed: int) -> Any:
    """Random costs of a kind, and windows up to `width` around the visits of a random tour."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 1000, (n, 2)) / 10
    if kind == "line":  # the way over a node in between is as long, but for rounding
        place[:, 1] = 0.0
    cost = np.hypot(*(place[:, None] - place).transpose(2, 0, 1))
    if kind == "asymmetric":
        cost += rng.integers(0, 50, (n, n)) / 10
    if kind == "non-metric":
        cost = rng.integers(0, 1000, (n, n)) / 10
    np.fill_diagonal(cost, 0.0)
    tour = [0, *rng.permutation(np.arange(1, n)).tolist(), 0]
    time, window = 0.0, np.zeros((n, 2))
    for here, there in itertools.pairwise(tour):
        arrival = time + cost[here, there]
        opens = arrival + rng.integers(-width, width // 4 + 1) / 2
        time = max(arrival, opens) if there else arrival
        window[there] = opens, time + rng.integers(0, width + 1) / 2
    window[0] = 0.0, time
    return np.hstack([cost, window])


def is_feasible_from(data: Any, tour: list[int], time: float) -> bool:
    """True if a tour in time begins with `tour`, which is left at `time`."""
    n = len(data)
    rest = set(range(1, n)) - set(tour)
    if not rest:
        return bool(time + data[tour[-1], 0] <= data[0, n + 1])
    arrivals = [(node, time + data[tour[-1], node]) for node in rest]
    return any(
        arrival <= data[node, n + 1]
        and is_feasible_from(data, [*tour, node], max(arrival, data[node, n]))
        for node, arrival in arrivals
    )


def lost_move(data: Any) -> tuple[list[int], int] | None:
    """A way to a feasible tour and its next node where that is not listed; None if all are."""
    n = len(data)
    instance = DOMAIN.instance(Problem("p", data), TsptwOptions())
    stream, moves = new_stream(1), np.zeros(n, np.int64)
    ways: list[tuple[list[int], float, Any]] = []
    state = DOMAIN.new_state(instance)
    contract.reset(instance, state)
    ways.append(([0], float(data[0, n]), state))
    while ways:
        tour, time, state = ways.pop()
        listed = set(moves[: contract.legal_moves(instance, state, stream, moves)].tolist())
        for node in set(range(1, n)) - set(tour):
            arrival = time + data[tour[-1], node]
            then = max(arrival, data[node, n])
            if arrival > data[node, n + 1] or not is_feasible_from(data, [*tour, node], then):
                continue
            if node not in listed:
                return tour, node
            after = DOMAIN.new_state(instance)
            contract.copy_state(instance, state, after)
            contract.play(instance, after, node)
            ways.append(([*tour, node], then, after))
    return None


@given(instances(6))
def test_no_feasible_tour_is_pruned(data: Any) -> None:
    """Every feasible tour is a way through listed moves; whole costs, zeros among them."""
    assert lost_move(data) is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [0, 20, 80])
def test_no_feasible_tour_is_pruned_around_a_hidden_one(kind: str, width: int) -> None:
    """The same for up to eight nodes, decimals, and windows that close at the arrival."""
    for seed in range(25):
        data = hidden_tour(kind, 4 + seed % 5, width, seed)
        assert is_feasible_from(data, [0], data[0, len(data)])
        assert lost_move(data) is None, seed


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_feasible_tour_is_found_where_there_is_one(kind: str) -> None:
    """The search finds a feasible tour if trying all tours does, up to eight nodes."""
    for seed in range(6):
        data = hidden_tour(kind, 8, 30, seed)
        found = solve(
            DOMAIN, Problem("p", data), TsptwOptions(), Gnrpa(level=2), Budget(5000), seed=seed
        )
        assert found.solved, seed
        assert follow_tour(data, found.answer).violations == 0


@pytest.mark.parametrize("seed", range(6))
def test_a_hidden_tour_of_25_nodes(seed: int) -> None:
    """Without the triangle inequality too."""
    data = hidden_tour("non-metric", 25, 60, seed)
    found = solve(DOMAIN, Problem("p", data), TsptwOptions(), Gnrpa(level=2), Budget(20_000))
    assert found.solved


def test_a_detour_in_time() -> None:
    """A detour over another node is in time though the direct way is too long."""
    cost = np.array([[0, 1, 100, 9], [9, 0, 1, 9], [9, 9, 0, 1], [1, 9, 9, 0]], float)
    data = np.hstack([cost, [[0, 99], [0, 99], [0, 10], [0, 99]]])
    found = solve(DOMAIN, Problem("p", data), TsptwOptions(), Gnrpa(level=1), Budget(20))
    assert found.solved
    assert found.answer.tolist() == [0, 1, 2, 3, 0]


@given(instances(8))
def test_least_travel(data: Any) -> None:
    """The least over all ways; costs that no way over others undercuts are kept to the bit."""
    n = len(data)
    off_diagonal = ~np.eye(n, dtype=bool)
    reach, expected = least_travel(data[:, :n], 50.0), plain_reach(data)
    assert np.allclose(reach[off_diagonal], expected[off_diagonal], rtol=0, atol=1e-12)
    shortest = data[:, :n][off_diagonal]
    over_others = over_another(expected)[off_diagonal]
    kept = shortest < over_others
    assert (reach[off_diagonal][kept] == shortest[kept]).all()
    assert (reach[off_diagonal][~kept] < over_others[~kept]).all()


def over_another(reach: Any) -> Any:
    """Least travel over one customer or more."""
    n = len(reach)
    over = np.full((n, n), np.inf)
    for here in range(n):
        for there in range(n):
            others = [via for via in range(1, n) if via not in (here, there)]
            ways = [reach[here, via] + reach[via, there] for via in others]
            over[here, there] = min(ways, default=np.inf)
    return over
