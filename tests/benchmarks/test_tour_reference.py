"""Proofs of tours made apart from the solver's, against all tours of small instances."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from benchmarks import tour_reference
from benchmarks.tour_reference import BETTER, NONE, OPEN, UNIT, cost_of, looked_for
from generators.tsptw import TsptwGenerator

INSTANCES = 45
HORIZONS = (0.0, 3.0, 2.2)


def test_the_best_of_all_tours() -> None:
    """There is no tour, or none cheaper than the best of all, and one as cheap as that."""
    none = 0
    for number in range(INSTANCES):
        generator = TsptwGenerator(
            customers=4 + number % 3,
            asymmetry=0.3 * (number % 2),
            windows="visited" if number % 3 == 0 else "anywhere",
            horizon=HORIZONS[number % 3],
        )
        data = generator.problem(11, number).data
        tours = ([0, *order, 0] for order in itertools.permutations(range(1, len(data))))
        costs = [cost for cost in (cost_of(data, tour) for tour in tours) if cost is not None]
        none += not costs
        assert looked_for(data, None, 5.0) == (BETTER if costs else NONE)
        if costs:
            assert looked_for(data, min(costs), 5.0) == NONE
            assert looked_for(data, min(costs) + 1 / UNIT, 5.0) == BETTER
    assert 5 < none < INSTANCES - 5


def test_too_little_time() -> None:
    """Without time nothing is found out."""
    assert looked_for(TsptwGenerator(customers=20).problem(11, 0).data, None, 0.0) == OPEN


def test_costs_of_tours() -> None:
    """A tour that is late, or leaves a customer out, has none."""
    data = TsptwGenerator(customers=2, width=0.0).problem(11, 1).data
    costs = [cost_of(data, tour) for tour in ([0, 1, 2, 0], [0, 2, 1, 0])]
    assert sorted(cost is None for cost in costs) == [False, True]
    assert cost_of(data, [0, 1, 0]) is None


def test_a_failure_of_the_bound_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS may end by numerical difficulties, which are no word on tours."""
    failed = SimpleNamespace(status=4, message="difficulties")
    monkeypatch.setattr(tour_reference, "linprog", lambda *_, **__: failed)
    problem = TsptwGenerator(customers=3).problem(1, 0)
    with pytest.raises(RuntimeError, match="status 4: difficulties"):
        looked_for(problem.data, None, 5.0)
