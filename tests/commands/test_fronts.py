"""Fronts as `solve` prints them: text that `check` reads, JSON of the schema, a table."""

from __future__ import annotations

import csv
import io
import json
import signal
from pathlib import Path

import pytest

from solver.domains.tsptw.domain import TsptwDomain
from tests.commands.shell import Run, ended, launched, wait_until
from tests.commands.test_solve_schema import validate
from tests.tours_of_fronts import small_tour, whole_front

WORDS = ["--algorithm", "pareto-nrpa", "--iterations", 20, "--playouts", 4000, "--seconds", "inf"]

#: Tours of which a file has several; those of a benchmark set are in files that may not be here.
TOURS = """
from solver.domains.tsptw.domain import TsptwDomain
from solver.contract.domain import Problem


class Tours(TsptwDomain):
    \"""Tours with time windows, with blank lines between.\"""

    name = "tours"

    def parse(self, text, source):
        blocks = text.strip().split("\\n\\n")
        return [Problem(str(i), self._read(block, source)) for i, block in enumerate(blocks)]
"""


SEVEN = """\
7
0 3 26 40 9 18 4
11 0 30 37 31 26 25
14 1 0 14 11 1 40
17 8 26 0 25 15 36
4 13 11 39 0 22 36
31 34 29 2 6 0 3
39 8 32 36 17 39 0
10 400
109 204
15 167
20 213
11 147
117 265
115 194
"""


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


@pytest.mark.parametrize("objective", ["cost", "makespan"])
def test_the_answer_is_of_the_front(run: Run, tmp_path: Path, objective: str) -> None:
    """Another tour of as good an objective, which one of the front dominates, is not the answer."""
    problem = tmp_path / "seven.txt"
    problem.write_text(SEVEN)
    line = json.loads(
        run("solve", "tsptw", problem, *WORDS, "--objective", objective, "--json").out
    )
    best = min(point["objectives"][objective] for point in line["front"])
    assert (line[objective], line["answer"] in [p["answer"] for p in line["front"]]) == (best, True)


def test_killed_and_run_again(run: Run, tour: Path) -> None:
    """After SIGKILL the same command goes on; fronts are those of an untouched run."""
    text, count = tour.read_text(), 20
    domain = tour.with_name("tours.py")
    domain.write_text(TOURS)
    tours = tour.with_name("tours.txt")
    tours.write_text("\n\n".join([text] * count))
    command = [domain, tours, *WORDS, "--prior", "none", "--json"]
    expected = run("solve", *command).out
    out = tour.with_name("fronts.jsonl")
    growing = out.with_name("fronts.jsonl.part")
    with launched("solve", *command, "--out", out) as process:
        wait_until(lambda: growing.exists() and growing.read_text().count("\n") > 1, process)
        process.kill()
        assert ended(process).status == -signal.SIGKILL
    left = growing.read_text()
    assert 1 < left.count("\n") < count
    finished = run("solve", *command, "--out", out)
    assert finished.status == 0
    assert out.read_text().startswith(left[: left.rindex("\n") + 1])
    lines = [
        [json.loads(line) for line in lines.splitlines()] for lines in (out.read_text(), expected)
    ]
    for record in (*lines[0], *lines[1]):
        del record["seconds"]
    assert lines[0] == lines[1]


def test_other_searches_have_no_front(run: Run, tour: Path) -> None:
    """Lines of other algorithms are as they were."""
    record = validate(run("solve", "tsptw", tour, "--playouts", 50, "--json").out)
    assert "front" not in record


def test_problem_without_objectives(run: Run) -> None:
    """It is refused in one line."""
    finished = run("solve", "samegame", "-", *WORDS, stdin="1122\n1122\n")
    assert finished.status == 2
    assert finished.err == "solve: samegame has no objectives, which pareto-nrpa looks for\n"
