"""Tours that end elsewhere, against all orders of the customers; tours to begin with."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.algorithms import Ils
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain, TsptwOptions
from solver.domains.tsptw.ends import ending_at, is_open, open_ended
from solver.domains.tsptw.text import format_tsptw, read_start
from solver.errors import InputError
from solver.searching.driver import Budget, search
from solver.searching.solution import solve
from tests.solver.domains.tsptw.proofs.test_proving import instance

DOMAIN = TsptwDomain()


def best_way(data: Any, last: int | None) -> float:
    """Least cost of a way in time over all nodes, to `last` or to any, by the depot's due time."""
    n, least = len(data), np.inf
    for order in itertools.permutations(range(1, n)):
        time, cost, in_time = data[0, n], 0.0, last in (None, order[-1])
        for here, there in itertools.pairwise([0, *order]):
            time, cost = time + data[here, there], cost + data[here, there]
            in_time &= bool(time <= data[there, n + 1])
            time = max(time, data[there, n])
        if in_time and time <= data[0, n + 1]:
            least = min(least, cost)
    return float(least)


@pytest.mark.parametrize("ends", [False, True])
def test_the_best_of_all_ways(ends: bool, tmp_path: Path) -> None:
    """The best way of all is found from the file and the option, and is written as such."""
    found = 0
    for seed in range(25):
        data = np.round(instance(seed), 3)
        last = len(data) - 1 if ends else None
        least = best_way(data, last)
        options = TsptwOptions(end=last) if last else TsptwOptions(open="yes")
        domain = DOMAIN.with_options(options)
        (problem,) = domain.parse(format_tsptw(data), "f")
        assert is_open(problem.data)
        assert not is_open(data)
        answer = solve(domain, problem, options, Ils(), Budget(playouts=300), proves=True)
        assert answer.solved == np.isfinite(least)
        if answer.solved:
            found += 1
            assert -answer.search.score == pytest.approx(least)
            text = domain.format(problem, answer.answer)
            nodes = text.split()
            assert len(nodes) == len(data)
            assert last in (None, int(nodes[-1]))
            again = domain.parse_answer(problem, text, "g")
            assert again.tolist() == answer.answer.tolist()
    assert 5 < found < 25


def test_optima_are_of_round_tours() -> None:
    """A known optimum is no fact of a tour that ends elsewhere."""
    problem = Problem("rc_201.1", instance(1))
    assert DOMAIN.best_known(problem) == -444.54
    for options in (TsptwOptions(open="yes"), TsptwOptions(end=1)):
        domain = DOMAIN.with_options(options)
        assert domain.best_known(problem) is None
        tour = np.array([0, *range(1, len(problem.data)), 0])
        assert "optimum" not in domain.facts(problem, tour)


def test_bad_ends() -> None:
    """No such node, both options, and an end of a file that has one."""
    data = instance(1)
    with pytest.raises(InputError, match=r"^f: no node 99 to end at, expected 1 \.\.\. \d$"):
        ending_at(data, 99, "f")
    with pytest.raises(InputError, match=r"^f: no node 1 to end at, the depot is the only node$"):
        ending_at(np.array([[0.0, 0.0, 9.0]]), 1, "f")
    with pytest.raises(InputError, match=r"^open yes and --end 2, expected one of both$"):
        TsptwOptions(open="yes", end=2)
    for options in (TsptwOptions(end=1), TsptwOptions(open="yes")):
        domain = DOMAIN.with_options(options)
        with pytest.raises(InputError, match=r"^f: its tours end at node 2, expected no other end"):
            domain.parse(format_tsptw(ending_at(data, 2, "f")), "f")


def test_ends_where_the_way_back_is_free() -> None:
    """Costs of 0 are no end of a file: both options are as for other files, and may be repeated."""
    data = open_ended(instance(1))
    ended = ending_at(data, 2, "f")
    for options, given, expected in (
        (TsptwOptions(open="yes"), data, data),
        (TsptwOptions(end=2), data, ended),
        (TsptwOptions(end=2), ended, ended),
    ):
        (problem,) = DOMAIN.with_options(options).parse(format_tsptw(given), "f")
        assert problem.data.tolist() == expected.tolist()


def test_a_tour_to_begin_with(tmp_path: Path) -> None:
    """The search is never worse than its start, improved; another start is another search."""
    data = instance(5)
    problem, n = Problem("p", data), len(data)
    path = tmp_path / "start.txt"
    compiled = DOMAIN.instance(problem, DOMAIN.options())
    best = search(DOMAIN, compiled, Ils(), Budget(playouts=300), seed=1)
    path.write_text(" ".join(map(str, [0, *best.moves, 0])))
    first = search(DOMAIN, compiled, Ils(start_tour=str(path)), Budget(playouts=1), seed=2)
    assert first.score >= best.score
    assert first.playouts == 1
    path.write_text(" ".join(map(str, [0, *range(1, n)])))
    other = search(DOMAIN, compiled, Ils(start_tour=str(path)), Budget(playouts=1), seed=2)
    worst = DOMAIN.objective(problem, np.array([0, *range(1, n), 0]))
    assert other.score >= worst


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f: node 0 is not visited"),
        ("1 2 3 0", "f: line 1, entry 1: node 1 first, expected the depot, 0"),
        ("0 1\n2 4", "f: line 2, entry 2: '4', expected a node, 0 ... 3"),
        ("0 1 x", "f: line 1, entry 3: 'x', expected a node, 0 ... 3"),
        ("0 1 2 1 0", "f: line 1, entry 4: node 1 a second time"),
        ("0 1 0 2 3 0", "f: line 1, entry 3: node 0 a second time"),
        ("# a comment\n0 1 2 0", "f: node 3 is not visited"),
        ("0 3 2 1 0 1", "f: line 1, entry 5: node 0 a second time"),
    ],
)
def test_bad_starts(text: str, message: str) -> None:
    """The error names the line and the entry."""
    with pytest.raises(InputError) as error:
        read_start(text, "f", 4)
    assert str(error.value) == message


def test_starts() -> None:
    """With the depot at the end or without, on any number of lines."""
    for text in ("0 2 1 3 0", "0 2 1 3\n", "0\n2 1 # middle\n3 0"):
        assert read_start(text, "f", 4).tolist() == [2, 1, 3]
    assert read_start("0 0", "f", 1).tolist() == []


def test_due_times_out_of_all_proportion() -> None:
    """No deadline, as the largest integer: legs that are late stay short, and sums exact."""
    data = np.round(instance(1), 3)
    far = data.copy()
    far[:, -1] = 2.0**63
    last = len(data) - 1
    ended = ending_at(far, last, "f")
    assert ended.max() < 1e6
    assert DOMAIN.with_options(TsptwOptions(end=last)).parse(format_tsptw(ended), "f")
    assert (ending_at(ended, last, "f") == ended).all()
    several = np.hstack([far, far[:, -1:], far[:, -1:]])  # gaps that are none but for one node
    several[2, -2:] = 5.0, 10.0
    assert ending_at(several, last, "f").max() < 1e6
    moderate = data.copy()
    moderate[:, -1] = 1e5
    costs = []
    for each in (far, moderate):
        options = TsptwOptions(end=last)
        domain = DOMAIN.with_options(options)
        (problem,) = domain.parse(format_tsptw(each), "f")
        found = solve(domain, problem, options, Ils(), Budget(playouts=300), proves=True)
        costs.append(found.search.score)
    assert costs[0] == costs[1]


@pytest.mark.parametrize("forbidden", [1e9, 1e16])
def test_searches_with_very_long_legs_end(forbidden: float) -> None:
    """Legs that are forbidden by their length make gains inexact; local search ends all the same.

    Where it does not, no budget is heeded, and this test does not end.
    """
    for seed in range(20):
        random = np.random.default_rng(seed)
        n = 8
        data = np.hstack([np.round(random.uniform(0.2, 1.3, (n, n)), 2), np.zeros((n, 2))])
        data[:, :n][random.uniform(size=(n, n)) < 0.15] = forbidden
        data[np.arange(n), np.arange(n)] = 0.0
        data[:, n + 1] = 1e5
        problem = Problem("p", data)
        found = solve(DOMAIN, problem, TsptwOptions(), Ils(), Budget(playouts=300), proves=False)
        assert found.search.playouts == 300
        tours = np.array([[0, *order, 0] for order in itertools.permutations(range(1, n))])
        least = data[tours[:, :-1], tours[:, 1:]].sum(axis=1).min()
        assert -found.search.score == pytest.approx(least)
