"""Units and calendars: tours depend neither on the scale of costs nor on when time begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.algorithms import Algorithm, Gnrpa, Ils, Nmcs, Sampling
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain, TsptwOptions
from solver.domains.tsptw.penalty import PENALTY, scale_of
from solver.errors import InputError
from solver.searching.driver import Budget
from solver.searching.solution import Solution, solve
from tests.instances import problems
from tests.solver.domains.tsptw.test_domain import OBJECTIVES, instances

ALGORITHMS: tuple[Algorithm, ...] = (
    Sampling(),
    Gnrpa(level=2, iterations=10, local_search=True),
    Ils(),
)
#: Factors by which floating point changes no digit, whatever is divided or rounded.
EXACT = (2.0**-20, 2.0**10, 2.0**20)
#: Nodes on a line and far apart, each way a million.
FAR = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0.0]]) * 1_000_000


def changed(data: Any, factor: float, shift: float) -> Problem:
    """The instance with costs and times in other units, from another time on."""
    return Problem("p", data * factor + np.where(np.arange(len(data) + 2) >= len(data), shift, 0.0))


def found(problem: Problem, objective: Any, algorithm: Algorithm, seed: int = 0) -> Solution:
    options = TsptwOptions(objective=objective)
    return solve(TsptwDomain(), problem, options, algorithm, Budget(120), seed=seed)


def assert_same(one: Solution, other: Solution, data: Any, factor: float) -> None:
    """The same tour at the same playouts, feasible or not, at the cost in other units."""
    assert other.answer.tolist() == one.answer.tolist()
    assert other.solved == one.solved
    assert other.search.trace.playouts.tolist() == one.search.trace.playouts.tolist()
    facts, others = (TsptwDomain().facts(s.problem, s.answer) for s in (one, other))
    assert others["violations"] == facts["violations"]
    assert others["cost"] == pytest.approx(facts["cost"] * factor, abs=1e-6)


@OBJECTIVES
@settings(max_examples=12)
@given(data=instances(8), seed=st.integers(0, 99), factor=st.sampled_from(EXACT))
def test_tours_are_the_same_in_any_unit(
    objective: Any, data: Any, seed: int, factor: float
) -> None:
    """Same seed and playouts, same tours; also where no tour is in time everywhere."""
    for algorithm in ALGORITHMS:
        plain = found(Problem("p", data), objective, algorithm, seed)
        other = found(changed(data, factor, 0.0), objective, algorithm, seed)
        assert_same(plain, other, data, factor)


@OBJECTIVES
@settings(max_examples=12)
@given(data=instances(8), seed=st.integers(0, 99), shift=st.sampled_from([1e9, -1e9, 1.7e12]))
def test_tours_are_the_same_at_any_time(objective: Any, data: Any, seed: int, shift: float) -> None:
    """Windows in UNIX time, in seconds or milliseconds, change nothing."""
    for algorithm in ALGORITHMS:
        plain = found(Problem("p", data), objective, algorithm, seed)
        other = found(changed(data, 1.0, shift), objective, algorithm, seed)
        assert_same(plain, other, data, 1.0)


@OBJECTIVES
@pytest.mark.parametrize("factor", [10.0, 1e3, 1e6])
@pytest.mark.parametrize("shift", [0.0, 1e9])
def test_a_generated_instance_in_other_units(objective: Any, factor: float, shift: float) -> None:
    """Times 10, 10^3, 10^6, and from 10^9 on, whole costs: the same tours."""
    rng = np.random.default_rng(7)
    places = rng.integers(0, 100, (21, 2))
    cost = np.hypot(*(places[:, None] - places).transpose(2, 0, 1)).round()
    start = rng.integers(0, 400, 21)
    start[0] = 0
    windows = np.stack([start, start + 90], axis=1)
    windows[0, 1] = 2000
    data = np.hstack([cost, windows])
    for algorithm in (*ALGORITHMS, Nmcs(level=2)):
        plain = found(Problem("p", data), objective, algorithm)
        other = found(changed(data, factor, shift), objective, algorithm)
        assert_same(plain, other, data, factor)


def test_a_right_tour_of_millions() -> None:
    """A tour that costs three millions violates no window, and says so."""
    windows = np.array([[0, 1e9]] * 3)
    problem = Problem("far", np.hstack([FAR, windows]))
    solution = found(problem, "cost", Ils())
    assert solution.status == "feasible"
    assert solution.search.score == -3_000_000.0
    scored = [(problem, solution.search.score)]
    assert TsptwDomain().describe_scores(scored) == "cost 3000000"
    late = Problem("late", np.hstack([FAR, [[0, 1e9], [0, 10], [0, 1e9]]]))
    solution = found(late, "cost", Ils())
    assert solution.status == "infeasible"
    scored += [(late, solution.search.score)]
    assert TsptwDomain().describe_scores(scored[1:]) == "cost 3000000, 1 window violated"
    assert TsptwDomain().describe_scores(scored) == "cost 6000000, 1 window violated"


def test_a_time_of_day_is_written_out() -> None:
    """A makespan in milliseconds of UNIX time has all its digits."""
    problem = Problem("now", np.hstack([FAR, np.array([[1.7e12, 1.8e12]] * 3)]))
    domain = TsptwDomain(TsptwOptions(objective="makespan"))
    score = found(problem, "makespan", Ils()).search.score
    assert domain.describe_scores([(problem, score)]) == "makespan 1700003000000"


def test_a_dear_tour_in_time_is_better_than_a_cheap_late_one() -> None:
    """Windows before costs, however much it costs: here the only tour in time is the dearest."""
    cost = np.array([[0, 1, 1, 1], [9e6, 0, 1, 1], [1, 1, 0, 1], [1, 9e6, 1, 0]])
    windows = np.array([[0, 1e9], [1.8e7, 1e9], [0, 9e6], [1e7, 1.1e7]])
    problem = Problem("p", np.hstack([cost, windows]))
    for algorithm in ALGORITHMS:
        solution = found(problem, "cost", algorithm)
        assert solution.answer.tolist() == [0, 2, 3, 1, 0]
        assert (solution.solved, solution.search.score) == (True, -18_000_002.0)


def test_the_penalty_of_the_papers() -> None:
    """10^6 wherever a tour costs less, so that scores are the papers' Tcost; else more."""
    small = problems("tsptw")["no-feasible-tour"].data
    assert scale_of(small, makespan=False).penalty == PENALTY == 1e6
    assert scale_of(np.hstack([FAR, [[0, 9]] * 3]), makespan=False).penalty == 1e7
    assert scale_of(np.hstack([FAR / 10, [[0, 9]] * 3]), makespan=False).penalty == 1e6
    opens = np.hstack([FAR / 10, [[5.0, 9.0], [5.0, 9.0], [8e6 + 5, 9e6]]])
    assert scale_of(opens, makespan=False) == (0.0, 1e6)
    assert scale_of(opens, makespan=True) == (5.0, 1e7)


@OBJECTIVES
@given(data=instances(5), factor=st.sampled_from([1.0, 1e6]), shift=st.sampled_from([0.0, 1e9]))
def test_scores_say_whether_a_tour_is_feasible(
    objective: Any, data: Any, factor: float, shift: float
) -> None:
    """A score is above `feasible_above` where no window is violated, and nowhere else."""
    domain = TsptwDomain(TsptwOptions(objective=objective))
    problem = changed(data, factor, shift)
    for rotation in range(1, len(data)):
        tour = np.array([0, *np.roll(np.arange(1, len(data)), rotation), 0])
        score = domain.objective(problem, tour)
        assert (score > domain.feasible_above(problem)) == domain.feasible(problem, tour)
        scale = scale_of(problem.data, makespan=objective == "makespan")
        assert scale.split(score)[1] == domain.facts(problem, tour)["violations"]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (np.full((2, 4), 1e200), "row 1, entry 1: 1e+200"),
        (np.array([[0, 1, 0, 1e150], [1, 0, 0, 9]]), "row 3, entry 2: 1e+150"),
    ],
)
def test_numbers_beyond_all_units(data: Any, place: str) -> None:
    """Sums must stay numbers."""
    with pytest.raises(InputError) as error:
        TsptwDomain().instance(Problem("p", data), TsptwOptions())
    assert str(error.value) == f"p: {place}, expected at most 1e+100"


def test_small_costs_are_no_zeros() -> None:
    """Facts keep six significant digits, of a makespan those of its parts: no rounding errors."""
    tour = np.array([0, 1, 0])
    data = np.array([[0, 1.23456789e-10, 0, 9], [3e-10, 0, 0, 9]])
    facts = TsptwDomain().facts(Problem("p", data), tour)
    assert (facts["cost"], facts["makespan"]) == (4.23457e-10, 4.23457e-10)
    data = np.array([[0, 0.1, -0.3, 9], [0.2, 0, 0, 9]])
    assert TsptwDomain().facts(Problem("p", data + 0), tour)["makespan"] == 0.2
    data[1, 2] = -1.0
    assert TsptwDomain().facts(Problem("p", data), tour)["makespan"] == 0.0


def test_ways_of_nearly_one_length() -> None:
    """They are long beside their differences, and warn of nothing."""
    data = np.array([[0, 100, 100, 0, 900], [100, 0, 101, 0, 900], [100, 101, 0, 0, 900]], float)
    instance = TsptwDomain().instance(Problem("near", data), TsptwOptions())
    assert instance.near[0, 1] == instance.near[0, 2] == 1.0
    assert instance.near[1, 2] == pytest.approx(np.exp(-10.0))
