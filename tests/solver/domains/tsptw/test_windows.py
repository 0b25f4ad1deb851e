"""Several windows of a place, against plain Python that tries every window and every order."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.algorithms import Ils
from solver.compiling.random import new_stream
from solver.contract import rules
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain, TsptwOptions
from solver.domains.tsptw.penalty import PENALTY
from solver.domains.tsptw.proofs.proving import Windows, prove
from solver.domains.tsptw.text import describe_lateness, follow_tour, format_tsptw, parse_tsptw
from solver.domains.tsptw.windows import pack_windows, times_of, windows_of
from solver.errors import InputError
from solver.searching.driver import Budget
from solver.searching.solution import solve
from tests.solver.domains.tsptw.test_domain import OBJECTIVES
from tests.solver.domains.tsptw.test_local_search import neighbours

DOMAIN = TsptwDomain()
Places = list[list[tuple[float, float]]]


def packed(cost: Any, windows: Places) -> Any:
    """The instance as an array."""
    rows = pack_windows(windows, ["f"] * len(windows))
    return np.hstack([np.array(cost, float), rows])


@st.composite
def instances(draw: Any, most: int = 7) -> tuple[list[list[float]], Places]:
    """Asymmetric costs, and one to three windows of each customer, which may overlap."""
    n = draw(st.integers(2, most))
    numbers = st.integers(0, 9)
    cost = [[0.0 if i == j else float(draw(numbers)) for j in range(n)] for i in range(n)]
    windows: Places = [[(0.0, float(draw(st.integers(20, 60))))]]
    for _ in range(n - 1):
        of_node = []
        for _ in range(draw(st.integers(1, 3))):
            start = draw(st.integers(0, 40))
            of_node.append((float(start), float(start + draw(st.integers(0, 8)))))
        windows.append(of_node)
    return cost, windows


def followed(cost: Any, windows: Places, tour: list[int], objective: str) -> tuple[float, int]:
    """Amount spent and windows missed, by the definition: the first window still open is used."""
    time, spent, late = windows[0][0][0], 0.0, 0
    for here, there in itertools.pairwise([0, *tour, 0]):
        time += cost[here][there]
        spent += cost[here][there]
        times = [max(time, start) for start, end in windows[there] if time <= end]
        if there == 0:
            late += time > windows[0][0][1]
        elif times:
            time = min(times)
        else:
            late += 1
    return (time - windows[0][0][0] if objective == "makespan" else spent), late


def score_of(cost: Any, windows: Places, tour: list[int], objective: str) -> float:
    spent, late = followed(cost, windows, tour, objective)
    return -spent - PENALTY * late


@OBJECTIVES
@given(drawn=instances(), data=st.data())
def test_scores_and_local_search(objective: Any, drawn: tuple[Any, Places], data: Any) -> None:
    """A tour has the score of the definition; improved and in time, no change betters it."""
    cost, windows = drawn
    tour = data.draw(st.permutations(range(1, len(cost))))
    domain = DOMAIN.with_options(TsptwOptions(objective=objective))
    problem = Problem("p", packed(cost, windows))
    instance = domain.instance(problem, domain.chosen)
    state, moves = domain.new_state(instance), np.array(tour, np.int64)
    score = score_of(cost, windows, tour, objective)
    rules.reset(instance, state)
    for node in tour:
        rules.play(instance, state, node)
    assert rules.score(instance, state) == score
    assert domain.objective(problem, np.array([0, *tour, 0])) == score
    rules.improve(instance, state, moves)
    with np.errstate(over="ignore"):
        told = rules.perturb(instance, state, moves, new_stream(1))
    better = [int(node) for node in moves]
    now = score_of(cost, windows, better, objective)
    assert sorted(better) == sorted(tour)
    assert told == now
    rules.improve(instance, state, moves)
    better = [int(node) for node in moves]
    now = score_of(cost, windows, better, objective)
    if now > -PENALTY:
        others = (score_of(cost, windows, other, objective) for other in neighbours(better))
        assert max(others, default=-np.inf) <= now


@pytest.mark.parametrize("by_time", [False, True])
def test_proofs(by_time: bool) -> None:
    """The dynamic program ends with the best of all tours, or with the proof that none is."""
    objective = "makespan" if by_time else "cost"
    none, random = 0, np.random.default_rng(3)
    for _ in range(60):
        n = int(random.integers(3, 7))
        cost = random.integers(0, 12, (n, n)).astype(float)
        np.fill_diagonal(cost, 0)
        windows: Places = [[(0.0, 45.0)]]
        for _ in range(n - 1):
            starts = random.integers(0, 40, 2).astype(float)
            windows.append([(float(a), float(a + random.integers(2, 9))) for a in starts])
        tours = map(list, itertools.permutations(range(1, n)))
        visits = [followed(cost, windows, tour, objective) for tour in tours]
        least = min((spent for spent, late in visits if not late), default=np.inf)
        problem = packed(cost, windows)
        found = prove(Windows.of(problem), np.inf, by_time=by_time, most=500)
        assert found.ended
        assert found.bound == pytest.approx(least)
        none += bool(np.isinf(least))
        if by_time is False and np.isfinite(least):
            answer = solve(
                DOMAIN, Problem("p", problem), TsptwOptions(), Ils(), Budget(playouts=300)
            )
            assert answer.solved
            assert answer.search.score == pytest.approx(-least)
    assert 2 < none < 55


def test_rows_of_windows() -> None:
    """Windows are sorted, joined where they overlap or touch, and written as they are read."""
    windows = [[(0.0, 99.0)], [(40.0, 90.0), (20.0, 30.0), (30.0, 35.0), (0.0, 3.0)], [(5.0, 6.0)]]
    rows = pack_windows(windows, ["f"] * 3)
    assert rows.tolist() == [
        [0, 99, 99, 99, 99, 99], [0, 90, 3, 20, 35, 40], [5, 6, 6, 6, 6, 6],
    ]  # fmt: skip
    assert windows_of(rows[1]) == [(0, 3), (20, 35), (40, 90)]
    assert windows_of(rows[2]) == [(5, 6)]
    data = np.hstack([np.zeros((3, 3)), rows])
    text = format_tsptw(data)
    assert text.splitlines()[-3:] == ["0 99", "0 3 20 35 40 90", "5 6"]
    assert np.array_equal(parse_tsptw(text, "f"), data)


def test_bad_windows() -> None:
    """A window that ends before it starts, and several of the depot, are named."""
    with pytest.raises(InputError, match=r"^g: the window of node 1 ends before it starts$"):
        pack_windows([[(0, 9)], [(1, 2), (5, 4)]], ["f", "g"])
    with pytest.raises(InputError, match=r"^f: 2 windows of the depot, expected 1$"):
        pack_windows([[(0, 9), (11, 12)]], ["f"])
    with pytest.raises(InputError, match=r"^p: gaps between windows that are not in order$"):
        DOMAIN.instance(Problem("p", np.array([[0.0, 0, 9, 3, 2]])), DOMAIN.options())


#: In time are 0, 1, 2, 0 with the windows of node 2 until 0.3, by decimal arithmetic alone.
DECIMALS = "3\n0 0.1 9\n9 0 0.2\n0.1 9 0\n0 {}\n0 100\n{}\n"


@pytest.mark.parametrize("windows", ["0 0.3", "0 0.3 8 9"])
@pytest.mark.parametrize("due", ["0.4", "100"])
@OBJECTIVES
def test_sums_of_decimals_are_in_time(windows: str, due: str, objective: Any) -> None:
    """0.1 + 0.2 is not later than 0.3 for the search, the proofs, the reasons and the check."""
    (problem,) = DOMAIN.parse(DECIMALS.format(due, windows), "f")
    options = TsptwOptions(objective=objective)
    domain, tour = TsptwDomain(options), np.array([0, 1, 2, 0])
    for thorough in (False, True):
        assert domain.why_infeasible(problem, options, thorough=thorough) is None
    assert domain.feasible(problem, tour)
    assert follow_tour(problem.data, tour).taken == pytest.approx(0.4)
    answer = solve(domain, problem, options, Ils(), Budget(playouts=20), proves=True)
    assert answer.solved
    assert answer.answer.tolist() == tour.tolist()
    for by_time in (False, True):
        found = prove(Windows.of(problem.data), np.inf, by_time=by_time, most=500)
        assert found.tour is not None
        assert found.tour.tolist() == tour.tolist()


def test_what_is_late_stays_late() -> None:
    """A tour that is late by a digit of the file; where sums are exact, windows are as given."""
    (problem,) = DOMAIN.parse(DECIMALS.format(100, "0 0.29999999"), "f")
    late = describe_lateness(problem.data, np.array([0, 1, 2, 0]))
    assert late == "node 2 is reached at 0.3, due at 0.29999999"
    exact = packed([[0, 2.5], [2.0, 0]], [[(7.0, 20.25)], [(8.0, 9.0), (10.0, 1e15)]])
    assert times_of(exact).tolist() == [[0, 13.25, 13.25, 13.25], [1, 1e15 - 7, 2, 3]]
    calendar = packed([[0, 0.1], [0.1, 0]], [[(1.7e9 + 0.1, 1.7e9 + 0.3)]] * 2)
    assert follow_tour(calendar, np.array([0, 1, 0])).violations == 0
