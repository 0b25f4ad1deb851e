"""The provenance of a report is that of the rows of its runs, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import pipeline.tables.runs
from pipeline.reports.report import write_report
from pipeline.tables.columns import COLUMNS
from tests.pipeline.reports.report_runs import decision_rows, save


def facts(folder: Path) -> dict[str, str]:
    """Lines of the last section of a report, by name."""
    text = (folder / "report.md").read_text()
    lines = text[text.index("## How this was made") :].splitlines()
    parts = (line[2:].partition(": ") for line in lines if line.startswith("- "))
    return {name: value for name, _, value in parts}


def test_time_is_that_of_the_runs(tmp_path: Path) -> None:
    """The sum of their seconds, and the clock from the first to the last."""
    rows = decision_rows()
    write_report(save(tmp_path, rows))
    told = facts(tmp_path)
    total = sum(row["seconds"] for row in rows)
    assert told["Runs"] == f"{total:.2f} s of runs, one by one"
    assert told["Finished"].startswith(
        "2026-01-02 03:04:00 to 2026-01-02 03:04:11 UTC, 11.0 s by the clock"
    )


def test_each_commit_is_named_with_its_runs(tmp_path: Path) -> None:
    """Not the commit at which the table was written."""
    rows = decision_rows()
    for row in rows[:5]:
        row["commit"] = "fedcba9"
    write_report(save(tmp_path, rows))
    assert facts(tmp_path)["Commit"] == "fedcba9 (5 runs); 0123abc (43 runs)"
    assert "written" not in facts(tmp_path).values()


def test_files_of_earlier_versions_are_read(tmp_path: Path) -> None:
    """Without the later columns the commit is unknown and the time is not recorded."""
    path = save(tmp_path, decision_rows()) / "runs.parquet"
    later = [column.name for column in COLUMNS if column.later]
    pq.write_table(pq.read_table(path).drop_columns(later), path)
    write_report(tmp_path)
    told = facts(tmp_path)
    assert (told["Commit"], told["Finished"]) == ("unknown", "not recorded")
    assert told["Machine"] == "cpu Written 1, cores 1, platform Linux"
    assert told["Runs"].endswith(" s of runs, one by one")


def test_the_budget_is_that_of_each_family(tmp_path: Path) -> None:
    """Families of several budgets are not all said to have the largest."""
    rows = decision_rows("order 20")
    timed = {"budget_playouts": None, "budget_seconds": 2.0}
    rows += [row | timed for row in decision_rows("3 x 3", domain="kakuro")]
    write_report(save(tmp_path, rows))
    text = (tmp_path / "report.md").read_text()
    assert "96 runs of at most 2.00 s, 1,024 playouts, by family.\n" in text
    assert "| order 20 (within 1,024 playouts: " in text
    assert "| 3 x 3 (within 2.00 s: " in text


def test_the_same_question_has_the_same_answer(tmp_path: Path) -> None:
    """Overview, headline and the first paired difference are about the same two methods."""
    rows = decision_rows("order 20") + decision_rows("3 x 3", domain="kakuro")
    write_report(save(tmp_path, rows))
    text = (tmp_path / "report.md").read_text()
    overview = next(line for line in text.splitlines() if line.startswith("| order 20 (within"))
    gain = overview.split(" | ")[1]
    paired = text[text.index("### Paired differences") :].splitlines()
    assert paired[4].split(" | ")[2] == gain
    assert "against Sampling, no prior" in overview
    assert "against Sampling, no prior" in paired[4]
    headline = next(line for line in text.splitlines() if line.startswith("**GNRPA"))
    value, ends = gain.removesuffix(")").split(" (")
    assert f"{value} fewer playouts ({ends})" in headline
    assert "Sampling without a prior, the best without," in headline


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a source and a report, and the name that it is looked for by."""

    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    for name in ("pipeline/tables", "docs"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "runs.py").write_text("x = 1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    monkeypatch.setattr(pipeline.tables.runs, "__file__", str(tmp_path / "pipeline/tables/runs.py"))
    pipeline.tables.runs._commit.cache_clear()
    return tmp_path


@pytest.fixture(autouse=True)
def _forget_the_commit() -> object:
    yield
    pipeline.tables.runs._commit.cache_clear()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_only_changed_sources_make_a_commit_dirty(checkout: Path) -> None:
    """A report that is just being written is no change of what is run."""
    (checkout / "docs" / "runs.py").write_text("x = 2\n")
    clean = pipeline.tables.runs._commit()
    assert 7 <= len(clean) <= 12
    pipeline.tables.runs._commit.cache_clear()
    (checkout / "pipeline/tables/runs.py").write_text("x = 2\n")
    assert pipeline.tables.runs._commit() == f"{clean}-dirty"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_another_repository_is_not_ours(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources that are not under version control, though a folder above them is."""
    (checkout / "site/pipeline/tables").mkdir(parents=True)
    path = checkout / "site/pipeline/tables/runs.py"
    path.write_text("x = 1\n")
    monkeypatch.setattr(pipeline.tables.runs, "__file__", str(path))
    assert pipeline.tables.runs._commit() == "unknown"
