"""Fronts as `solve` prints them: text that `check` reads, JSON of the schema, a table."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from solver.domains.tsptw.domain import TsptwDomain
from tests.commands.shell import Run
from tests.commands.test_solve_schema import validate
from tests.tours_of_fronts import small_tour, whole_front

WORDS = ["--algorithm", "pareto-nrpa", "--iterations", 20, "--playouts", 4000, "--seconds", "inf"]


@pytest.fixture
def tour(tmp_path: Path) -> Path:
    path = tmp_path / "small.txt"
    path.write_text(TsptwDomain().format_problem(small_tour()))
    return path


def test_text_has_a_tour_for_each_point(run: Run, tour: Path) -> None:
    """Each tour stands below its cost and makespan; `check` confirms all of them."""
    out = tour.with_name("front.txt")
    finished = run("solve", "tsptw", tour, *WORDS, "--out", out)
    assert finished.status == 0
    assert "a front of 4" in finished.err
    lines = out.read_text().splitlines()
    heads = [f"# small.txt cost {cost:g}, makespan {time:g}" for cost, time in whole_front()]
    assert lines[::2] == heads
    checked = run("check", "tsptw", tour, out, "--json")
    records = [json.loads(line) for line in checked.out.splitlines()]
    assert checked.status == 0
    assert [(record["cost"], record["makespan"]) for record in records] == whole_front()


def test_json_fits_the_schema(run: Run, tour: Path) -> None:
    """The front is in the line of the problem; in a table it is JSON in a column."""
    record = validate(run("solve", "tsptw", tour, *WORDS, "--json").out)
    points = record["front"]
    assert [tuple(point["objectives"].values()) for point in points] == whole_front()
    assert record["answer"] == points[0]["answer"]
    (row,) = csv.DictReader(io.StringIO(run("solve", "tsptw", tour, *WORDS, "--csv").out))
    assert json.loads(row["front"]) == points


def test_other_searches_have_no_front(run: Run, tour: Path) -> None:
    """Lines of other algorithms are as they were."""
    record = validate(run("solve", "tsptw", tour, "--playouts", 50, "--json").out)
    assert "front" not in record


def test_problem_without_objectives(run: Run) -> None:
    """It is refused in one line."""
    finished = run("solve", "samegame", "-", *WORDS, stdin="1122\n1122\n")
    assert finished.status == 2
    assert finished.err == "solve: samegame has no objectives, which pareto-nrpa looks for\n"
