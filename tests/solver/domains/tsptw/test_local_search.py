"""The local search on tours against plain Python that tries every change."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.algorithms import Gnrpa
from solver.compiling.jit import kernel
from solver.compiling.random import new_stream
from solver.contract import rules
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain, TsptwOptions
from solver.domains.tsptw.local_search import LONGEST_EXCHANGED, LONGEST_MOVED
from solver.domains.tsptw.penalty import PENALTY
from solver.kernels.monitor import IMPROVEMENTS, PLAYOUTS
from solver.kernels.nested.adapt import adapt
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget, search
from solver.searching.solution import solve
from tests.helpers import advance, assert_consistent, begun, moves_of_record, same_search
from tests.instances import problems
from tests.solver.domains.tsptw.test_domain import OBJECTIVES, from_depot, instances, plain_score

DOMAIN = TsptwDomain()

adapt_kernel = kernel(adapt)


@st.composite
def tours(draw: Any) -> tuple[Any, list[int]]:
    """Asymmetric instances with windows of all kinds, and an order of the customers."""
    data = draw(instances(8))
    return data, draw(st.permutations(range(1, len(data))))


def neighbours(tour: list[int]) -> Iterator[list[int]]:
    """Every tour that or-opt, either direction, 2-opt and exchanges make."""
    for begin in range(len(tour)):
        for end in range(begin + 1, len(tour) + 1):
            part, rest = tour[begin:end], tour[:begin] + tour[end:]
            yield tour[:begin] + part[::-1] + tour[end:]
            if len(part) <= LONGEST_MOVED:
                for place in range(len(rest) + 1):
                    yield rest[:place] + part + rest[place:]
                    yield rest[:place] + part[::-1] + rest[place:]
            for other in range(end + 1, len(tour)) if len(part) <= LONGEST_EXCHANGED else ():
                for stop in range(other + 1, min(other + LONGEST_EXCHANGED, len(tour)) + 1):
                    yield tour[:begin] + tour[other:stop] + tour[end:other] + part + tour[stop:]


def warp_of(data: Any, tour: list[int]) -> float:
    """Return the total lateness of a tour whose late arrivals go on as if in time."""
    n = len(data)
    time, warp = float(data[0, n]), 0.0
    for here, there in itertools.pairwise([0, *tour, 0]):
        time += data[here, there]
        warp += max(time - data[there, n + 1], 0.0)
        time = min(time, data[there, n + 1])
        time = max(time, data[there, n]) if there else time
    return warp


def improved(data: Any, tour: list[int], objective: Any = "cost") -> tuple[bool, list[int]]:
    instance = DOMAIN.instance(Problem("p", data), TsptwOptions(objective=objective))
    moves = np.array(tour, np.int64)
    changed = rules.improve(instance, DOMAIN.new_state(instance), moves)
    return changed, [int(move) for move in moves]


@OBJECTIVES
@given(drawn=tours())
def test_a_local_optimum(objective: str, drawn: tuple[Any, list[int]]) -> None:
    """The same nodes in an order that no change betters; better than before, or the same.

    Where all nodes are near and the tour is in time: what is late has less of it in all first.
    """
    data, tour = drawn
    changed, better = improved(data, tour, objective)
    assert sorted(better) == sorted(tour)
    score = plain_score(data, better, objective)[0]
    assert changed == (score > plain_score(data, tour, objective)[0])
    assert changed or better == tour
    if score > -PENALTY:
        assert all(plain_score(data, other, objective)[0] <= score for other in neighbours(better))
        assert improved(data, better, objective) == (False, better)


@pytest.mark.slow
@OBJECTIVES
@given(drawn=tours(), seed=st.integers(0, 99), unit=st.sampled_from([1.0, 0.1, 1 / 3]))
def test_perturbing_in_time_is_never_worse(
    objective: Any, drawn: tuple[Any, list[int]], seed: int, unit: float
) -> None:
    """The same nodes, in time and not dearer if they were in time; scored as the rules have it.

    It ends, too, where arrivals just in time are late by rounding.
    """
    data, tour = from_depot(drawn[0]) * unit, drawn[1]
    instance = DOMAIN.instance(Problem("p", data), TsptwOptions(objective=objective))
    moves, state, stream = np.array(tour, np.int64), DOMAIN.new_state(instance), new_stream(seed)
    score = plain_score(data, tour, objective)[0]
    for _ in range(4):
        with np.errstate(over="ignore"):
            told = rules.perturb(instance, state, moves, stream)
        assert sorted(moves.tolist()) == sorted(tour)
        now = plain_score(data, moves.tolist(), objective)[0]
        assert told == now
        assert now >= score or score <= -PENALTY
        score = now


def test_a_dearer_tour_that_ends_sooner() -> None:
    """Waiting counts for the makespan, not for the cost."""
    data = np.array([[0, 1, 4, 0, 99], [4, 0, 1, 9, 99], [1, 5, 0, 0, 99.0]])
    assert [plain_score(data, tour, "cost")[0] for tour in ([1, 2], [2, 1])] == [-3, -13]
    assert [plain_score(data, tour, "makespan")[0] for tour in ([1, 2], [2, 1])] == [-11, -13]
    data[1, 3:] = 8, 99
    data[1, 0] = 0
    assert [plain_score(data, tour, "cost")[0] for tour in ([1, 2], [2, 1])] == [-3, -9]
    assert [plain_score(data, tour, "makespan")[0] for tour in ([1, 2], [2, 1])] == [-10, -9]
    assert improved(data, [2, 1], "cost") == (True, [1, 2])
    assert improved(data, [1, 2], "makespan") == (True, [2, 1])


def test_costs_of_the_way_there_and_back() -> None:
    """A reversal that looks cheap at its ends, and is not inside, is left alone."""
    cost = np.full((4, 4), 9.0)
    for here, there in ((0, 1), (1, 2), (2, 3), (3, 0)):
        cost[here, there] = 2.0
    cost[0, 3] = cost[1, 0] = 0.0
    data = np.hstack([cost, np.tile([0.0, 99.0], (4, 1))])
    assert improved(data, [1, 2, 3]) == (False, [1, 2, 3])
    assert improved(data, [3, 2, 1]) == (True, [1, 2, 3])


def test_windows_come_before_costs() -> None:
    """A dearer tour is taken if fewer of its windows are violated."""
    data = np.array([[0, 1, 5, 0, 99], [5, 0, 1, 6, 99], [1, 5, 0, 0, 5.0]])
    assert plain_score(data, [1, 2])[0] == -1_000_003
    assert improved(data, [1, 2]) == (True, [2, 1])
    data[2, 4] = 1.0  # node 2 is late whenever it is visited, by 6 behind node 1, else by 4
    assert improved(data, [1, 2]) == (False, [1, 2])
    assert improved(data, [2, 1]) == (False, [2, 1])


@pytest.mark.parametrize("level", [1, 2, 3])
def test_searches_are_deterministic_and_consistent(level: int) -> None:
    """Any number of threads, any pause: the same answer, with its moves, score and trace."""
    problem = problems("tsptw")["seven-customers"]
    instance = DOMAIN.instance(problem, TsptwOptions())
    algorithm = Gnrpa(level=level, iterations=8, local_search=True)
    one, two = (
        search(DOMAIN, instance, algorithm, Budget(playouts=3000), seed=4, threads=threads)
        for threads in (1, 2)
    )
    assert same_search(one, two)
    assert one.playouts == 3000
    assert_consistent(one, DOMAIN, instance)
    runs = [begun(algorithm, DOMAIN, instance, NoPrior(), seed=4) for _ in range(2)]
    advance(runs[0], 200)
    for pause in range(1, 201):
        advance(runs[1], pause)
    for run in runs:
        assert run.monitor.counters[PLAYOUTS] == 200
    assert np.array_equal(runs[0].policy.weight, runs[1].policy.weight)
    assert np.array_equal(runs[0].monitor.trace_score, runs[1].monitor.trace_score)


def big_problem() -> Problem:
    """Ten customers in a square, windows that exclude much: single playouts are seldom best."""
    rng = np.random.default_rng(5)
    place = rng.random((11, 2)) * 50
    away = np.sqrt(((place[:, None] - place[None]) ** 2).sum(axis=2))
    cost = np.round(away + 5 * rng.random((11, 11)), 2)
    start = np.floor(rng.random(11) * 150)
    window = np.stack([start, start + 60], axis=1)
    window[0] = 0, 999
    return Problem("big", np.hstack([cost, window]))


def test_the_policy_adapts_to_the_improved_tour() -> None:
    """The record is what a playout that chose these moves leaves; weights move towards them."""
    problem = big_problem()
    for pruning in ("on", "off"):
        instance = DOMAIN.instance(problem, TsptwOptions(pruning=pruning))
        run = begun(
            Gnrpa(level=1, iterations=50, local_search=True), DOMAIN, instance,
            DOMAIN.handmade["distance"], seed=1,
        )  # fmt: skip
        advance(run, 1)
        assert run.monitor.counters[IMPROVEMENTS] == 1
        row = run.row_of[1]
        records, moves = run.records, moves_of_record(run, row)
        assert improved(problem.data, moves) == (False, moves)
        assert records.score[row] == plain_score(problem.data, moves)[0]
        assert records.score[row] == run.monitor.trace_score[0]
        state, stream, buffer = DOMAIN.new_state(instance), new_stream(1), np.zeros(11, np.int64)
        contract.reset(instance, state)
        decision = begin = 0
        for here, move in zip([0, *moves[:-1]], moves, strict=True):
            listed = contract.legal_moves(instance, state, stream, buffer)
            nodes = [int(node) for node in buffer[:listed]]
            nodes += [move] if move not in nodes else []
            if len(nodes) > 1:
                end = int(records.end[row, decision + 1])
                codes = [here * instance.n + node for node in nodes]
                assert records.slot[row, begin:end].tolist() == codes
                assert nodes[records.chosen[row, decision]] == move
                odds = [instance.near[here, node] for node in nodes]
                assert records.odds[row, begin:end].tolist() == odds
                decision, begin = decision + 1, end
            contract.play(instance, state, move)
        assert decision == records.decisions[row] > 0
        weights = run.policy.weight[1].copy()
        adapt_kernel(run.policy, 1, records, row, 1.0, 1.0, run.levels.probability)
        for here, move in zip([0, *moves[:-1]], moves, strict=True):
            code = here * instance.n + move
            assert run.policy.weight[1, code] >= weights[code]


def test_moves_that_pruning_hides() -> None:
    """An improved tour may play what `legal_moves` does not list: it is listed then."""
    # Node 1 is too far from everywhere to be in time: no more is listed before it was visited.
    cost = np.array([[0, 9, 1, 9], [9, 0, 9, 1], [9, 9, 0, 1], [1, 1, 9, 0]], float)
    window = np.array([[0, 99], [0, 0], [0, 99], [0, 99]], float)
    data = np.hstack([cost, window])
    best = plain_score(data, [2, 3, 1])[0]
    assert all(plain_score(data, [1, *rest])[0] < best for rest in ([2, 3], [3, 2]))
    found, pruned = (
        solve(DOMAIN, Problem("p", data), TsptwOptions(), algorithm, Budget(50))
        for algorithm in (Gnrpa(level=1, local_search=True), Gnrpa(level=1))
    )
    assert found.search.score == best
    assert pruned.search.score < best


def test_it_finds_more() -> None:
    """With the same playouts a search that improves its bests is not behind one that does not."""
    problem = big_problem()
    plain, local = (
        solve(DOMAIN, problem, TsptwOptions(), Gnrpa(1, 20, local_search=local), Budget(20))
        for local in (False, True)
    )
    assert local.search.score > plain.search.score
