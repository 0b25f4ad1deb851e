"""Verdicts on tours that are kept, and what contradicts one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import tour_sizes, tour_threshold, tour_verdicts
from benchmarks.tour_verdicts import (
    CHECK,
    CHECKED,
    COLUMNS,
    INFEASIBLE,
    OPTIMAL,
    WRONG,
    contradicted,
    instances,
    methods_of,
    read_rows,
)
from solver.domains.tsptw.domain import TsptwDomain
from solver.errors import InputError
from tests.commands.shell import ROOT

KEPT = ROOT / "docs/results/tours/verdicts.csv"


def test_kept_rows() -> None:
    """Each of 300 instances has a row of every method, and no verdict is contradicted."""
    rows = read_rows(KEPT)
    of_instance: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        assert list(row) == list(COLUMNS)
        of_instance.setdefault((row["kind"], row["nodes"], row["instance"]), []).append(row)
    assert len(of_instance) == 300
    for (_, nodes, _), others in of_instance.items():
        solve = next(row for row in others if row["method"] == "solve")
        check = [CHECK] if solve["verdict"] in CHECKED else []
        methods = sorted([*methods_of(int(nodes)), *check])
        assert sorted(row["method"] for row in others) == methods
        assert not any(contradicted(row, others) for row in others)
        assert all(row["verdict"] != WRONG for row in others)


def test_kept_seconds() -> None:
    """The page quotes the table of the rows kept, of 200 instances."""
    rows = tour_threshold.read_rows(ROOT / "docs/results/tours/threshold.csv")
    assert len({row["instance"] for row in rows}) == len(rows) == 200
    page = (ROOT / "docs/problems/tsptw.md").read_text()
    for cells in tour_threshold.table(rows):
        assert f"| {' | '.join(cells)} |\n" in page


def test_contradictions() -> None:
    """A tour where there is said to be none, and one that is cheaper than the optimum."""
    tour = {"verdict": "in time", "cost": "10.0"}
    assert contradicted({"verdict": INFEASIBLE, "cost": ""}, [tour])
    assert contradicted({"verdict": OPTIMAL, "cost": "10.1"}, [tour])
    assert not contradicted({"verdict": OPTIMAL, "cost": "10.000001"}, [tour])
    assert not contradicted({"verdict": "in time", "cost": "12"}, [tour])


def test_kinds_of_instances() -> None:
    """Three kinds of four sizes, by turns asymmetric, are instances of the domain."""
    made = list(instances(2))
    assert len(made) == 24
    domain = TsptwDomain()
    for _, nodes, number, problem in made[:2] + made[12:14]:
        domain.instance(problem, domain.options())
        cost = problem.data[:, :nodes]
        assert ((cost == cost.T).all()) == (number % 2 == 0)


def test_a_file_that_was_cut_off_gets_its_names(tmp_path: Path) -> None:
    """Whoever was killed before the first row has left an empty file, or names of columns alone."""
    path = tmp_path / "rows.csv"
    path.touch()
    tour_verdicts.make_rows(path, 0, 0.1)
    assert path.read_text() == ",".join(COLUMNS) + "\n"
    for table in (tour_sizes, tour_threshold):
        path.write_text("")
        for _ in range(2):
            table.make_rows(path, 0)
            assert path.read_text() == ",".join(table.COLUMNS) + "\n"


def test_rows_to_check_are_there(tmp_path: Path) -> None:
    """No file is made where there is nothing to check."""
    path = tmp_path / "none.csv"
    with pytest.raises(InputError, match="no such file"):
        tour_verdicts.check_rows(path, 1, 1.0)
    assert not path.exists()
