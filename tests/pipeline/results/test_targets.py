"""Gaps to the best score known, and the targets that runs reached."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.reports.report import write_report
from pipeline.results.data import Family, Instance, MethodRuns
from pipeline.results.reading import read_report_data
from pipeline.results.statistics import median_curve
from pipeline.results.targets import TARGETS, final_gaps, gaps_at, log_effort, reached_at
from tests.pipeline.reports.report_runs import Rows, a_run, save, table

PENALTY = 1e6


def tour(instance: int, prior: str, trace: list[tuple[int, float]], **values: Any) -> Rows:
    """A run of 1,000 playouts whose best score rose as `trace`, (playouts, score), says."""
    at, score = (list(column) for column in zip(*trace, strict=True))
    valid = score[-1] > -PENALTY
    row = a_run("cities", instance, "nrpa", prior, domain="tsptw", **values)
    return [
        row
        | {"solved": valid, "status": "budget", "score": score[-1], "playouts": 1000}
        | {"trace_playouts": at, "trace_score": score, "solution": None}
        | {"trace_seconds": [n / 1000 for n in at], "seconds": 1.0, "budget_playouts": 1000}
    ]


ROWS = [
    *tour(0, "none", [(1, -2 * PENALTY), (10, -150.0), (100, -110.0)]),
    *tour(0, "far", [(2, -104.0), (20, -100.0)]),
    *tour(1, "none", [(1, -PENALTY - 500.0)]),
    *tour(1, "far", [(1, -300.0), (50, -200.0)]),
]


@pytest.fixture
def family(tmp_path: Path) -> Family:
    (family,) = read_report_data([save(tmp_path, ROWS, decision=False)]).families
    return family


def method(family: Family, prior: str) -> MethodRuns:
    (found,) = (runs for runs in family.methods if runs.method.prior == prior)
    return found


def test_gaps_are_to_the_best_of_all_runs(family: Family) -> None:
    """A penalty is no answer; the least cost of any run has no gap."""
    assert family.is_cost
    assert final_gaps(method(family, "none"), family).tolist() == pytest.approx([0.1, np.inf])
    assert final_gaps(method(family, "far"), family).tolist() == [0.0, 0.0]
    within = gaps_at(method(family, "none"), family, "playouts", np.array([5.0, 10.0, 999.0]))
    assert within.tolist() == [[np.inf, 0.5, pytest.approx(0.1)], [np.inf] * 3]


def test_a_best_known_score_is_the_measure(family: Family) -> None:
    """A best known score counts if it is better than those of the runs."""
    family.instances["000"] = Instance("a", "", -80.0)
    family.instances["001"] = Instance("b", "", -250.0)
    assert final_gaps(method(family, "far"), family).tolist() == pytest.approx([0.25, 0.0])


def test_costs_beyond_a_million_are_answers(tmp_path: Path) -> None:
    """Feasibility is kept with each run: neither the size of a cost nor its gap tells it."""
    rows = [
        *tour(0, "none", [(1, -1e10 - 5e6), (5, -9e7), (9, -4e6)]),
        *tour(0, "far", [(1, -3e6)]),
    ]
    (family,) = read_report_data([save(tmp_path, rows, decision=False)]).families
    family.instances["000"] = Instance("a", "", -2e6, feasible_above=-1e10)
    assert final_gaps(method(family, "none"), family).tolist() == [1.0]
    assert final_gaps(method(family, "far"), family).tolist() == [0.5]
    within = gaps_at(method(family, "none"), family, "playouts", np.array([1.0, 5.0]))
    assert within.tolist() == [[np.inf, 44.0]]


def test_of_late_tours_none_is_the_measure(tmp_path: Path) -> None:
    """Without a feasible answer no run has a gap."""
    rows = [*tour(0, "none", [(1, -PENALTY - 5.0)]), *tour(0, "far", [(1, -PENALTY - 4.0)])]
    (family,) = read_report_data([save(tmp_path, rows, decision=False)]).families
    for prior in ("none", "far"):
        assert final_gaps(method(family, prior), family).tolist() == [np.inf]


def test_targets_are_reached_when_the_trace_does(family: Family) -> None:
    """Each target has the playouts of the first improvement that is good enough."""
    reached = reached_at(method(family, "none"), family, "playouts")
    expected = [10 if gap >= 0.5 else 100 if gap >= 0.1 else np.inf for gap in TARGETS]
    assert reached.tolist() == [expected, [np.inf] * len(TARGETS)]
    effort = log_effort(method(family, "none"), family, 1000)
    counted = np.where(np.isfinite(expected), expected, 2 * 1000)
    assert effort[0] == pytest.approx(np.log2(counted).mean())
    assert effort[1] == pytest.approx(np.log2(2 * 1000))


def test_a_peer_reaches_targets_when_its_trace_does(tmp_path: Path) -> None:
    """Without a trace it reaches them when it ends."""
    ((row,),) = [tour(0, "none", [(10, -150.0), (100, -100.0)])]
    row |= {"algorithm": "pyvrp", "prior": "", "playouts": None, "trace_playouts": []}
    silent = row | {"run": "silent", "algorithm": "mute", "trace_score": [], "trace_seconds": []}
    (family,) = read_report_data([save(tmp_path, [row, silent], decision=False)]).families
    times = {
        runs.method.algorithm: reached_at(runs, family, "seconds")[0] for runs in family.methods
    }
    assert times["pyvrp"].tolist() == [0.01 if gap >= 0.5 else 0.1 for gap in TARGETS]
    assert times["mute"].tolist() == [1.0] * len(TARGETS)


def test_costs_are_reported_as_gaps(tmp_path: Path) -> None:
    """Median gaps, valid answers and the gain in playouts; penalties are in no mean."""
    write_report(save(tmp_path, ROWS, decision=False))
    text = (tmp_path / "report.md").read_text()
    found = table(text, "Summary")
    assert found[""][:3] == ["Runs", "Valid", "Median gap"]
    assert found["NRPA, no prior"][:2] == ["2", "1/2"]
    assert found["NRPA, no prior"][2].startswith("∞")
    assert found["NRPA + far"][1:3] == ["2/2", "0% (0%)"]
    paired = table(text, "Paired differences")["NRPA + far (against NRPA, no prior)"]
    assert paired[2] == "+10.0 (on 1)"
    assert paired[3].startswith("+50 points")
    ratio = 2 ** np.mean(
        [
            log_effort(runs, family, 1000)
            for family in read_report_data([tmp_path]).families
            for runs in family.methods
        ],
        axis=1,
    )
    assert paired[1].startswith(f"{ratio.max() / ratio.min():.0f}× (")
    assert {"gap-playouts", "gap-seconds", "targets-playouts", "targets-seconds", "paired"} == {
        path.stem.removeprefix("tsptw-cities-") for path in (tmp_path / "figures").iterdir()
    }


def test_equal_methods_reach_the_targets_alike(tmp_path: Path) -> None:
    """The same trace twice: no gain, said as such."""
    trace = [(1, -150.0), (9, -100.0)]
    rows = [row for k in range(4) for prior in ("none", "x") for row in tour(k, prior, trace)]
    write_report(save(tmp_path, rows, decision=False))
    text = (tmp_path / "report.md").read_text()
    assert "no clear gain in playouts to the targets (1.0× fewer)" in text
    assert json.dumps("nan") not in text


def test_of_equal_costs_the_one_reached_sooner_is_the_best(tmp_path: Path) -> None:
    """Searches that spend all their time differ in when they had their answer, not in the end."""
    at = {"none": 900, "late": 800, "soon": 3, "later": 850}
    rows = [row for k in range(4) for prior in at for row in tour(k, prior, [(at[prior], -100.0)])]
    for row in rows:
        row["seconds"] -= 0.1 * (row["prior"] == "late")
    write_report(save(tmp_path, rows, decision=False))
    text = (tmp_path / "report.md").read_text()
    assert "\n**NRPA + soon ended 0% above the least cost known" in text
    assert "On the 4 common instances the targets take 300× fewer playouts" in text


def test_median_curve_takes_infinities() -> None:
    """A median is infinite as long as half of the runs have no answer."""
    values = np.array([[np.inf, np.inf, 1.0], [np.inf, 2.0, 1.0], [3.0, 2.0, 1.0]])
    median, low, high = median_curve(values)
    assert median.tolist() == [np.inf, 2.0, 1.0]
    assert (low <= median).all()
    assert (median <= high).all()
    assert high[2] == 1.0
