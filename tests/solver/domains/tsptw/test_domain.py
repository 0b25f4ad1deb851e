"""The travelling salesman problem with time windows against plain Python."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.algorithms import Gnrpa, Sampling
from solver.compiling.random import new_stream, next_below
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import OPTIMA, TsptwDomain, TsptwOptions
from solver.domains.tsptw.kernels import NextTable
from solver.errors import InputError, VerificationError
from solver.searching.driver import Budget
from solver.searching.solution import solve
from tests.instances import problems

DOMAIN = TsptwDomain()
FREE = TsptwOptions(pruning="off")
MAKESPAN = TsptwOptions(objective="makespan")
OBJECTIVES = pytest.mark.parametrize("objective", ["cost", "makespan"])


@st.composite
def instances(draw: Any, most: int = 6) -> Any:
    """Small instances with integer costs, asymmetric, and windows of all kinds."""
    n = draw(st.integers(1, most))
    numbers = st.integers(0, 9)
    cost = [[0 if i == j else draw(numbers) for j in range(n)] for i in range(n)]
    starts = [draw(st.integers(0, 20)) for _ in range(n)]
    windows = [[start, start + draw(st.integers(0, 30))] for start in starts]
    return np.hstack([np.array(cost, float), np.array(windows, float)])


def from_depot(data: Any) -> Any:
    """The instance with times counted from the start of the depot's window."""
    n = len(data)
    return np.hstack([data[:, :n], data[:, n:] - data[0, n]])


def plain_score(data: Any, tour: list[int], objective: str = "cost") -> tuple[float, float, int]:
    """Score, time after the last customer and windows violated until then, by definition."""
    n = len(data)
    time, cost, late = float(data[0, n]), 0.0, 0
    for here, there in itertools.pairwise([0, *tour]):
        cost += data[here, there]
        arrival = time + data[here, there]
        late += int(arrival > data[there, n + 1])
        time = max(arrival, data[there, n])
    home = data[([0, *tour])[-1], 0]
    back = int(time + home > data[0, n + 1])
    spent = time + home if objective == "makespan" else cost + home
    return -spent - 1e6 * (late + back), time, late


def plain_reach(data: Any) -> Any:
    """Least travel between nodes over any customers."""
    reach = data[:, : len(data)].copy()
    for via, here, there in itertools.product(range(1, len(data)), *2 * [range(len(data))]):
        reach[here, there] = min(reach[here, there], reach[here, via] + reach[via, there])
    return reach


def plain_moves(data: Any, tour: list[int]) -> set[int]:
    """Nodes that pruning leaves: the papers', but a node may be reached over any others."""
    n, reach = len(data), plain_reach(data)
    _, time, _ = plain_score(data, tour)
    here = ([0, *tour])[-1]
    rest = set(range(1, n)) - set(tour)
    lost = {node for node in rest if time + reach[here, node] > data[node, n + 1]}
    if lost and len(rest) > 1:
        return lost

    def violates(node: int) -> bool:
        arrival = time + data[here, node]
        then = max(arrival, data[node, n])
        late = {other for other in rest - {node} if then + reach[node, other] > data[other, n + 1]}
        return bool(late) or arrival > data[node, n + 1]

    return {node for node in rest if not violates(node)} or rest


@given(instances(), st.integers(0, 99), st.booleans(), st.sampled_from(["cost", "makespan"]))
def test_playouts_equal_plain_python(data: Any, seed: int, pruned: bool, objective: Any) -> None:
    """Moves, codes, prior and score of a random playout are what the definitions say."""
    options = TsptwOptions("on" if pruned else "off", objective)
    instance = DOMAIN.instance(Problem("p", data), options)
    state, stream = DOMAIN.new_state(instance), new_stream(seed)
    n = len(data)
    buffer = np.zeros(n, np.int64)
    contract.reset(instance, state)
    ways = [data[i, j] for i in range(n) for j in range(n) if i != j] or [0.0]
    span = max(ways) - min(ways)
    tour: list[int] = []
    with np.errstate(over="ignore"):
        while listed := contract.legal_moves(instance, state, stream, buffer):
            moves = [int(move) for move in buffer[:listed]]
            rest = set(range(1, n)) - set(tour)
            assert set(moves) == (plain_moves(data, tour) if pruned else rest)
            here = ([0, *tour])[-1]
            for move in moves:
                assert contract.code(instance, state, move) == here * n + move
                bias = -10 * (data[here, move] - min(ways)) / span if span else 0.0
                odds = contract.odds(DOMAIN.handmade["distance"], instance, state, move)
                assert odds == pytest.approx(np.exp(bias))
            move = moves[next_below(stream, listed)]
            contract.play(instance, state, move)
            tour.append(move)
    assert sorted(tour) == list(range(1, n))
    assert contract.score(instance, state) == plain_score(data, tour, objective)[0]
    assert DOMAIN.answer(instance, state).tolist() == [0, *tour, 0]


@OBJECTIVES
@given(data=instances(7), seed=st.integers(0, 99))
def test_the_best_tour_is_found(objective: Any, data: Any, seed: int) -> None:
    """Without pruning a search of a small instance finds what trying all tours finds."""
    options = TsptwOptions("off", objective)
    problem = Problem("p", data)
    algorithm = Gnrpa(level=1, iterations=20, local_search=True)  # 200 starts
    found = solve(DOMAIN, problem, options, algorithm, Budget(4000), seed=seed)
    tours = itertools.permutations(range(1, len(data)))
    assert found.verified
    best = max(plain_score(data, list(tour), objective)[0] for tour in tours)
    assert found.search.score == best
    assert DOMAIN.with_options(options).objective(problem, found.answer) == found.search.score
    assert found.solved == (found.search.score > -1e6)


def test_solved_means_no_violated_window() -> None:
    """An answer with a violated window is verified with its score, and not solved."""
    problem = problems("tsptw")["no-feasible-tour"]
    found = solve(DOMAIN, problem, TsptwOptions(), Sampling(), Budget(playouts=20))
    assert found.verified
    assert not found.solved
    assert found.search.score == -1_000_015.0
    assert DOMAIN.facts(problem, found.answer) == {"cost": 15.0, "makespan": 15.0, "violations": 1}


def test_waiting_costs_nothing() -> None:
    """Waiting costs nothing; the score is the travel cost alone."""
    problem = problems("tsptw")["waiting"]
    tour = np.array([0, 1, 0])
    DOMAIN.verify(problem, tour)
    assert DOMAIN.objective(problem, tour) == -7.0
    by_makespan = DOMAIN.with_options(MAKESPAN)
    assert by_makespan.objective(problem, tour) == -9.0  # it waits from 3 to 5
    assert by_makespan.facts(problem, tour) == {"cost": 7.0, "makespan": 9.0, "violations": 0}
    late = Problem("late", np.array([[0, 3, 0, 8], [4, 0, 5, 9.0]]))
    assert DOMAIN.objective(late, tour) == -1_000_007.0  # back at 9, the depot closed at 8
    assert not DOMAIN.feasible(late, tour)


@pytest.mark.parametrize(
    ("tour", "message"),
    [
        ([0, 1, 2, 3], "4 nodes in the tour, expected 5"),
        ([1, 0, 2, 3, 1], "the tour does not begin and end at the depot, 0"),
        ([0, 1, 2, 2, 0], "node 2 is visited 2 times, expected once"),
        ([0, 1, 2, 4, 0], "node 3 is visited 0 times, expected once"),
    ],
)
def test_broken_tours(tour: list[int], message: str) -> None:
    """The error says which rule is broken."""
    with pytest.raises(VerificationError) as error:
        DOMAIN.verify(problems("tsptw")["asymmetric"], np.array(tour))
    assert str(error.value) == message


def test_the_prior_code() -> None:
    """The code tells the detour, the number of earlier due times, and the place in the tour."""
    cost = np.array([[0, 5, 3, 9], [5, 0, 1, 1], [3, 1, 0, 1], [9, 1, 1, 0.0]])
    window = np.array([[0, 1000], [0, 70], [20, 80], [500, 600]])
    instance = DOMAIN.instance(Problem("p", np.hstack([cost, window])), FREE)
    assert instance.detour == 40 / 12 - 1
    state, stream, moves = DOMAIN.new_state(instance), new_stream(1), np.zeros(3, np.int64)
    table = NextTable(np.zeros(DOMAIN.priors["next"].rows))
    contract.reset(instance, state)
    assert contract.legal_moves(instance, state, stream, moves) == 3
    codes = [contract.prior_code(table, instance, state, move) for move in (1, 2, 3)]
    near = [math.ceil(8 * math.sqrt(farther / instance.detour)) for farther in (2, 0, 6)]
    assert near[:2] == [8, 0]
    # Node 1 is served at 5, node 2 at 20, node 3 at 500.
    assert codes == [(8 * 5 + 0) * 3 + 0, (0 * 5 + 1) * 3 + 1, (9 * 5 + 2) * 3 + 2]
    contract.play(instance, state, 2)
    assert contract.legal_moves(instance, state, stream, moves) == 2
    codes = [contract.prior_code(table, instance, state, move) for move in (1, 3)]
    assert codes == [0, (0 * 5 + 1) * 3 + 1]


def test_the_benchmark_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a folder in the data home; facts tell the gap to the optimum."""
    monkeypatch.setenv("NESTOR_DATA", str(tmp_path))
    with pytest.raises(
        InputError, match=r"^no tsptw in the data home, the folder that NESTOR_DATA"
    ):
        DOMAIN.benchmark("potvin-bengio")
    folder = tmp_path / "tsptw"
    folder.mkdir()
    with pytest.raises(InputError, match=r"no files rc_2\*.txt$"):
        DOMAIN.benchmark("potvin-bengio")
    (folder / "rc_206.1.txt").write_text("2\n0 60\n60 0\n0 200\n0 100\n")
    (problem,) = DOMAIN.benchmark("potvin-bengio")
    assert problem.name == "rc_206.1"
    facts = DOMAIN.facts(problem, np.array([0, 1, 0]))
    spent = {"cost": 120, "makespan": 120, "violations": 0}
    assert facts == {**spent, "optimum": 117.85, "gap_percent": 1.824}
    assert DOMAIN.best_known(problem) == -117.85
    by_makespan = DOMAIN.with_options(MAKESPAN)  # the optima are of the cost
    assert by_makespan.best_known(problem) is None
    assert by_makespan.facts(problem, np.array([0, 1, 0])) == spent
    assert DOMAIN.best_known(Problem("another", problem.data)) is None
    assert len(OPTIMA) == 30
    with pytest.raises(InputError, match=r"no files rc_204.1.txt$"):
        DOMAIN.benchmark("rc204.1")
    (folder / "rc_204.1.txt").write_text("2\n0 60\n60 0\n0 200\n0 100\n")
    assert [problem.name for problem in DOMAIN.benchmark("rc204.1")] == ["rc_204.1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pruning": "maybe"}, "pruning is 'maybe', expected on or off"),
        ({"objective": "time"}, "objective is 'time', expected cost or makespan"),
        (
            {"distances": "round"},
            "distances is 'round', expected one of: auto, floor, truncate, exact",
        ),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    """The error says what there is."""
    with pytest.raises(InputError) as error:
        TsptwOptions(**options)
    assert str(error.value) == message
