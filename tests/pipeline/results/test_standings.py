"""Several methods together: ranks, tests, profiles and the virtual best, by hand and by SciPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import wilcoxon

from pipeline.results.data import Method
from pipeline.results.reading import read_report_data
from pipeline.results.standings import PLAYOUTS, SCORE, SECONDS, Standings, standings
from tests.pipeline.reports.report_runs import a_run, save

METHODS = [Method("nrpa", "none", f"m{k}", {}, k) for k in range(3)]


def of_costs(costs: list[list[float]], unit: str = PLAYOUTS) -> Standings:
    """Standing of methods with these costs, all solved."""
    values = np.array(costs, dtype=np.float64)
    return Standings(METHODS[: len(costs)], unit, values, np.zeros(values.shape, dtype=np.bool_))


def test_ranks_and_the_virtual_best() -> None:
    """Ties share ranks; the virtual best has the least cost of every instance."""
    standing = of_costs([[1, 5, 2], [1, 4, 3], [2, 6, 1]])
    assert standing.ranks.tolist() == [[1.5, 2, 2], [1.5, 1, 3], [3, 3, 1]]
    assert standing.virtual_best.tolist() == [1, 4, 1]
    assert standing.is_best.mean(axis=1).tolist() == pytest.approx([1 / 3, 2 / 3, 1 / 3])


def test_a_profile_is_a_share_of_instances() -> None:
    """Within a factor of the best, of scores within a gap; unsolved instances are never within."""
    standing = of_costs([[1, 10], [2, 5]])
    assert standing.profile(0, np.array([1.0, 1.9, 2.0])).tolist() == [0.5, 0.5, 1.0]
    assert standing.profile(1, np.array([1.0, 1.9, 2.0])).tolist() == [0.5, 0.5, 1.0]
    unsolved = Standings(METHODS[:2], SECONDS, standing.costs, np.array([[0, 1], [0, 0]]) > 0)
    assert unsolved.profile(0, np.array([2.0])).tolist() == [0.5]
    scores = of_costs([[-100, -50], [-90, np.inf]], SCORE)
    assert scores.profile(0, np.array([0.0])).tolist() == [1.0]
    assert scores.profile(1, np.array([0.05, 0.1])).tolist() == [0.0, 0.5]


def test_p_values_are_those_of_scipy_after_holm() -> None:
    """Smallest p times the number of pairs, and so on; equal methods have 1."""
    rng = np.random.default_rng(3)
    first = rng.lognormal(3, 1, 20)
    costs = np.array([first, first * 1.5, first * rng.lognormal(0, 0.3, 20)])
    standing = of_costs(costs.tolist())
    plain = {
        pair: wilcoxon(costs[pair[0]] - costs[pair[1]], zero_method="zsplit").pvalue
        for pair in [(0, 1), (0, 2), (1, 2)]
    }
    corrected, most = {}, 0.0
    for place, (pair, p) in enumerate(sorted(plain.items(), key=lambda item: item[1])):
        most = max(most, min(1.0, p * (3 - place)))
        corrected[pair] = most
    for (i, j), p in corrected.items():
        assert standing.p_values[i, j] == standing.p_values[j, i] == pytest.approx(p)
    assert standing.groups == [[0, 2]]
    assert of_costs([[1, 2], [1, 2]]).p_values.tolist() == [[1, 1], [1, 1]]
    assert of_costs([[1, 2], [1, 2]]).groups == [[0, 1]]


def test_no_answer_is_worse_than_any() -> None:
    """A method without answers loses every instance, however near the others are."""
    there = [float(k) for k in range(1, 21)]
    standing = of_costs([there, [np.inf] * 20], SCORE)
    assert standing.p_values[0, 1] < 1e-4
    assert standing.groups == []


def rows(**values: Any) -> list[dict[str, Any]]:
    """Two methods on three instances, the second without an answer to the last."""
    need = {"sampling": [10, 100, 1000], "nrpa": [20, 50, 5000]}
    return [
        a_run("f", k, name, "none", need=n, **values)
        for name, needs in need.items()
        for k, n in enumerate(needs)
    ]


def costs_by_name(standing: Standings) -> dict[str, list[float]]:
    """Costs of each algorithm."""
    names = [method.algorithm for method in standing.methods]
    return dict(zip(names, standing.costs.tolist(), strict=True))


def test_costs_of_runs(tmp_path: Path) -> None:
    """Playouts where they alone were limited, else seconds; unsolved counts as twice the limit."""
    (family,) = read_report_data([save(tmp_path / "playouts", rows())]).families
    standing = standings(family)
    assert standing is not None
    assert standing.unit == PLAYOUTS
    by_name = {
        m.algorithm: c.tolist() for m, c in zip(standing.methods, standing.costs, strict=True)
    }
    assert by_name == {"sampling": [10, 100, 1000], "nrpa": [20, 50, 2048]}
    (family,) = read_report_data([save(tmp_path / "seconds", rows(budget_seconds=2.0))]).families
    timed = standings(family)
    assert timed is not None
    assert timed.unit == SECONDS
    assert costs_by_name(timed) == {"sampling": [0.01, 0.1, 1.0], "nrpa": [0.02, 0.05, 4.0]}


def test_common_instances_only(tmp_path: Path) -> None:
    """Instances that a method did not run on are left out; one method alone has no standing."""
    (family,) = read_report_data([save(tmp_path / "some", rows()[:-1])]).families
    standing = standings(family)
    assert standing is not None
    assert standing.costs.shape == (2, 2)
    (family,) = read_report_data([save(tmp_path / "one", rows()[:3])]).families
    assert standings(family) is None


def test_instances_without_any_answer_say_nothing() -> None:
    """All methods are level there, without a warning."""
    answered = [[1.0, 2.0, 3.0], [1.5, 2.5, 4.0]]
    beside = [[*costs, np.inf] for costs in answered]
    standing = of_costs(beside, SCORE)
    assert standing.p_values.tolist() == of_costs(answered, SCORE).p_values.tolist()
    assert standing.profile(0, np.array([0.0])).tolist() == [0.75]
