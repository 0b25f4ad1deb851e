"""`report` and `compare --plan`: several comparisons in one report, from files alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pipeline.tables.problems import PROBLEMS_SCHEMA
from solver.domains import load_domain
from tests.commands.shell import Run
from tests.pipeline.reports.report_runs import decision_rows, save, save_prior

PLAN = """\
title = "Two problems"

[squares]
problem = "latin-square"
order = 5
instances = 3
algorithm = "sampling"
playouts = 20

[tsptw]
customers = 6
instances = 9
algorithm = ["sampling"]
prior = ["none", "distance"]
playouts = 30
"""


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a plan that was run, with two instances each by an option of the command."""
    from pipeline.commands.compare import run as compare

    folder = tmp_path_factory.mktemp("plan")
    (folder / "two.toml").write_text(PLAN)
    out = folder / "out"
    assert compare(["--plan", str(folder / "two.toml"), "--instances=2", "--out", str(out)]) == 0
    return out


def test_a_plan_gives_one_report(planned: Path) -> None:
    """Every comparison of the file is in it, under the title, with its solutions drawn."""
    text = (planned / "report.md").read_text()
    assert text.startswith("# Two problems\n")
    assert "2 instances" not in text
    # It has no prior, so nothing to gain by one.
    cell = "order 5, 10 random holes (within 20 playouts: Sampling, no prior)"
    assert f"| {cell} | – | 100%" in text
    for heading in ("Overview", "Latin squares: order 5", "Tours with time windows: 6 customers"):
        assert f"\n## {heading}" in text
    drawn = {path.name for path in (planned / "figures").glob("*solution*")}
    assert len(drawn) == 4
    assert not (planned / "runs" / "tsptw" / "report.html").exists()
    command = json.loads(pq.read_schema(planned / "runs/tsptw/runs.parquet").metadata[b"nestor"])
    assert "compare tsptw --customers=6 --instances=9" in command["command"]


def test_problems_are_kept_as_the_domain_reads_them(planned: Path) -> None:
    """One row an instance, which parses to the problem that the runs were made on."""
    table = pq.read_table(planned / "runs" / "squares" / "problems.parquet")
    assert table.schema.equals(PROBLEMS_SCHEMA)
    rows = table.to_pylist()
    assert [row["instance"] for row in rows] == ["0-0", "0-1"]
    domain = load_domain("latin-square")
    runs = pq.read_table(planned / "runs" / "squares" / "runs.parquet").to_pylist()
    for row in rows:
        (problem,) = domain.parse(row["problem"], row["name"])
        texts = [run["solution"] for run in runs if run["instance"] == row["instance"]]
        for text in filter(None, texts):
            domain.verify(problem, domain.parse_answer(problem, text, "a run"))
    assert any(run["solution"] for run in runs)


def test_the_report_is_made_again_from_files_alone(
    run: Run, planned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the tables alone, elsewhere and without any search, every file is the same."""
    for name in ("squares", "tsptw"):
        shutil.copytree(
            planned / "runs" / name, tmp_path / name,
            ignore=shutil.ignore_patterns("journal.jsonl", "sources"),
        )  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("solver.searching.driver.search", None)
    finished = run("report", "squares", "tsptw", "--out", "both", "--title", "Two problems")
    assert (finished.status, finished.err) == (0, "")
    assert finished.out == "report: both/report.html\n"
    written = {path.relative_to("both") for path in Path("both").rglob("*") if path.is_file()}
    assert len(written) > 10
    for path in written:
        assert (tmp_path / "both" / path).read_bytes() == (planned / path).read_bytes()


def test_a_plan_goes_on_where_it_was(run: Run, planned: Path, tmp_path: Path) -> None:
    """Run again, nothing is run again: the journals stay as they are."""
    shutil.copytree(planned, tmp_path / "out")
    journals = sorted((tmp_path / "out").rglob("journal.jsonl"))
    before = [path.read_bytes() for path in journals]
    assert len(before) == 2
    plan = planned.parent / "two.toml"
    finished = run("compare", "--plan", plan, "--instances=2", "--out", tmp_path / "out")
    assert finished.status == 0
    assert [path.read_bytes() for path in journals] == before


BAD_PLANS: dict[str, tuple[str, str]] = {
    "no TOML": ("[kakuro\n", "two.toml: "),
    "nothing in it": ("title = 'a'\n", "two.toml: no comparison found"),
    "an option outside": ("order = 5\n", "two.toml: order is 5, expected a table, as [order]"),
    "an odd title": ("title = 3\n[kakuro]\n", "two.toml: title is 3, expected a text"),
    "a folder": ("[kakuro]\nout = 'x'\n", "two.toml: [kakuro] has 'out'"),
    "a nested list": ("[kakuro]\nrows = [[1]]\n", "two.toml: [kakuro]: rows is [[1]], expected"),
    "no folder": ("['../x']\nproblem = 'kakuro'\n", "two.toml: a table '../x', expected the name"),
    "too deep": (f"a = {'[' * 20_000}", "two.toml: nested too deep"),
    "an unknown problem": ("[chess]\nplayouts = 5\n", "chess"),
    "an unknown option": ("[kakuro]\nplayouts = 5\n[tsptw]\nspeed = 5\n", "--speed=5"),
}


@pytest.mark.parametrize("name", BAD_PLANS)
def test_bad_plans_are_named(run: Run, tmp_path: Path, name: str) -> None:
    """One line that names the file or the word, status 2, and nothing is run."""
    text, expected = BAD_PLANS[name]
    (tmp_path / "two.toml").write_text(text)
    finished = run("compare", "--plan", tmp_path / "two.toml", "--out", tmp_path / "out")
    assert finished.status == 2
    assert finished.err.startswith("compare: ")
    assert finished.err.count("\n") == 1
    assert expected in finished.err
    assert not (tmp_path / "out").exists()


def _damaged(folder: Path) -> Path:
    save(folder, decision_rows())
    (folder / "runs.parquet").write_bytes(b"PAR1 and more")
    return folder


def _twice(folder: Path) -> Path:
    return save(folder, decision_rows())


def _other_prior(folder: Path) -> Path:
    facts = {"priors": {"latin-square-dual": save_prior(folder)}}
    path = folder / "priors" / "latin-square-dual.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(3, "nb", table["count"]), path)
    return save(folder, decision_rows("order 9"), **facts)


BAD_RUNS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "nothing there": (lambda folder: folder, "runs.parquet does not exist: run `compare` first"),
    "damaged": (_damaged, "runs.parquet: not a readable parquet file"),
    "the same runs": (_twice, "occurs more than once"),
    "another prior": (
        _other_prior,
        "its prior latin-square-dual differs from that of a folder before it",
    ),
}


@pytest.mark.parametrize("name", BAD_RUNS)
def test_folders_that_do_not_fit_are_named(run: Run, tmp_path: Path, name: str) -> None:
    """One line that names the folder, status 2, and no report."""
    first: Any = save(
        tmp_path / "first",
        decision_rows(),
        priors={"latin-square-dual": save_prior(tmp_path / "first")},
    )
    make, expected = BAD_RUNS[name]
    finished = run("report", first, make(tmp_path / "second"), "--out", tmp_path / "out")
    assert finished.status == 2
    assert finished.err.startswith(f"report: {tmp_path / 'second'}")
    assert finished.err.count("\n") == 1
    assert expected in finished.err
    assert not (tmp_path / "out").exists()
