"""`compare`: complete rows, once each, however it is interrupted."""

from __future__ import annotations

import datetime
import json
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from pipeline.comparing.journal import RUN_ROWS, Journal
from pipeline.tables.columns import RUNS_SCHEMA
from solver.commands.announce import USUAL
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.system.files import only_writer
from tests.commands.launch import KERNELS_VARIABLE
from tests.commands.shell import (
    Finished,
    Rows,
    Run,
    ended,
    launched,
    lines_of,
    rows_of,
    wait_until,
)

DOMAIN = LatinSquareDomain()
TIMES = ("seconds", "trace_seconds", "finished")
SMALL = ["latin-square", "--algorithm", "gnrpa", "--order", 7, "--holes", 0.6, "--playouts", 40]
MADE = {"machine": "a machine", "versions": "python 3"}
Compare = Callable[..., Finished]


def without_times(rows: Rows) -> Rows:
    return [{name: row[name] for name in row if name not in TIMES} for row in rows]


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def compare(run: Run) -> Compare:
    """Run `compare` with small instances; it must succeed."""

    def call(out: Path, *more: Any, base: Sequence[Any] = SMALL) -> Finished:
        finished = run("compare", *base, "--out", out, *more)
        assert (finished.status, finished.err) == (0, "")
        return finished

    return call


@dataclass
class Uninterrupted:
    """A comparison of two methods on eight instances."""

    arguments: list[Any]
    folder: Path
    rows: Rows


@pytest.fixture(scope="module")
def uninterrupted(prior: Path, tmp_path_factory: pytest.TempPathFactory) -> Uninterrupted:
    folder = tmp_path_factory.mktemp("uninterrupted")
    arguments = [*SMALL, "--prior", f"none,{prior}", "--instances", 8]
    with launched("compare", *arguments, "--out", folder) as process:
        finished = ended(process)
    assert (finished.status, finished.err) == (0, "")
    return Uninterrupted(arguments, folder, rows_of(folder))


def test_rows_are_complete(uninterrupted: Uninterrupted, prior: Path) -> None:
    """One row per method and instance, in the schema, each with what it was asked to do."""
    table = pq.read_table(uninterrupted.folder / "runs.parquet")
    assert table.schema.equals(RUNS_SCHEMA)
    rows = uninterrupted.rows
    assert len({row["run"] for row in rows}) == len(rows) == 16
    assert sorted((row["instance"], row["prior"]) for row in rows) == [
        (f"0-{number}", name) for number in range(8) for name in ("dual", "none")
    ]
    assert {(row["domain"], row["family"]) for row in rows} == {
        ("latin-square", "order 7, 29 random holes")
    }
    assert {row["algorithm"] for row in rows} == {"gnrpa"}
    assert {row["budget_playouts"] for row in rows} == {40}
    assert {row["budget_seconds"] for row in rows} == {None}
    for row in rows:
        settings = json.loads(row["settings"])
        assert (settings["level"], settings["iterations"]) == (2, 100)
        assert ("prior_temperature" in settings) == (row["prior"] == "dual")
        assert json.loads(row["family_parameters"]) == {
            "order": 7,
            "holes": 29,
            "fraction": round(29 / 49, 4),
            "pattern": "random",
        }


def test_rows_agree_with_themselves(uninterrupted: Uninterrupted) -> None:
    """Solved means target reached, budget kept, status said and a correct solution given."""
    generator = __import__("generators").generator_named("latin-square")(order=7, holes=0.6)
    assert any(row["solved"] for row in uninterrupted.rows)
    for row in uninterrupted.rows:
        assert row["status"] == ("solved" if row["solved"] else "budget")
        assert row["solved"] == (row["score"] == 0.0) == (row["solution"] is not None)
        assert 1 <= row["playouts"] <= 40
        assert row["seconds"] >= 0
        scores, playouts = row["trace_score"], row["trace_playouts"]
        assert scores == sorted(set(scores))
        assert playouts == sorted(set(playouts))
        assert scores[-1] == row["score"]
        assert 1 <= playouts[-1] <= row["playouts"]
        assert len(row["trace_seconds"]) == len(scores)
        if row["solved"]:
            problem, _ = generator.generate(0, int(row["instance"].partition("-")[2]))
            answer = DOMAIN.parse_answer(problem, row["solution"], "row")
            DOMAIN.verify(problem, answer)


def test_everything_the_report_needs_is_in_the_folder(
    uninterrupted: Uninterrupted, prior: Path
) -> None:
    """Runs, journal, reports and a copy of the prior, with what it was all made on."""
    folder = uninterrupted.folder
    assert {
        "journal.jsonl",
        "runs.parquet",
        "report.html",
        "report.md",
        "sources",
        "priors/dual.parquet",
    } <= files(folder)
    assert (folder / "priors" / "dual.parquet").read_bytes() == prior.read_bytes()
    facts = json.loads(pq.read_schema(folder / "runs.parquet").metadata[b"nestor"])
    assert facts["command"].startswith("compare latin-square --algorithm gnrpa --order 7")
    assert facts["decision"] is True
    assert set(facts["machine"]) == {"cpu", "cores", "platform"}
    assert {"python", "numba", "numpy", "pyarrow"} <= set(facts["versions"])
    assert facts["priors"]["dual"]["components"] == ["in_column", "in_row"]
    assert facts["priors"]["dual"]["instances"] == 40
    assert facts["priors"]["dual"]["path"] == "dual.parquet"


@pytest.mark.usefixtures("no_report")
def test_finished_runs_are_not_run_again(
    uninterrupted: Uninterrupted, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same command runs nothing, leaves the journal alone and gives the same rows."""
    journal = uninterrupted.folder / "journal.jsonl"
    before = journal.read_bytes(), journal.stat().st_mtime_ns

    def run_job(*_: Any) -> None:
        raise AssertionError("a finished run was run again")

    monkeypatch.setattr("pipeline.comparing.run_jobs.run_job", run_job)
    compare(uninterrupted.folder, base=uninterrupted.arguments)
    assert journal.read_bytes() == before[0]
    assert rows_of(uninterrupted.folder) == uninterrupted.rows


@pytest.mark.usefixtures("no_report")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_truncated_line_is_dropped(
    uninterrupted: Uninterrupted, compare: Compare, tmp_path: Path, threads: int
) -> None:
    """A journal cut in the middle of a line goes on from the line before it."""
    lines = (uninterrupted.folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(b"".join(lines[:5]) + lines[5][:-1])
    assert len(Journal(journal, RUN_ROWS).rows) == 5
    assert journal.read_bytes() == b"".join(lines[:5])
    journal.write_bytes(b"".join(lines[:5]) + lines[5][: len(lines[5]) // 2])
    compare(tmp_path, "--threads", threads, base=uninterrupted.arguments)
    assert journal.read_bytes().startswith(b"".join(lines[:5]))
    assert lines_of(journal) == len(lines)
    assert without_times(rows_of(tmp_path)) == without_times(uninterrupted.rows)


def test_a_damaged_line_is_named(uninterrupted: Uninterrupted, run: Run, tmp_path: Path) -> None:
    """Nothing is run, and the journal stays as it is; nor while another command is writing it."""
    lines = (uninterrupted.folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    journal = tmp_path / "journal.jsonl"
    command = ["compare", *uninterrupted.arguments, "--out", tmp_path]
    row = json.loads(lines[1])
    for line, wrong in (
        ([1], "no row of a run, expected an object"),
        ({"run": "5", "status": "solved"}, "domain is missing"),
        (row | {"score": "abc"}, "score is 'abc', expected float64"),
        (row | {"seed": 10**30}, f"seed is {10**30}, expected int64"),
        (row | {"trace_playouts": 3}, "trace_playouts is 3, expected int64 arrays"),
    ):
        damaged = lines[0] + json.dumps(line).encode() + b"\n" + lines[1]
        journal.write_bytes(damaged)
        finished = run(*command)
        message = f"compare: {journal}, line 2: {wrong}\n"
        assert (finished.status, finished.err) == (2, message)
        assert journal.read_bytes() == damaged
    journal.unlink()
    with only_writer(journal):
        finished = run(*command)
        refused = f"compare: another command is writing {journal}\n"
        assert (finished.status, finished.err) == (2, refused)


def test_a_table_without_its_journal_stays(
    uninterrupted: Uninterrupted, run: Run, tmp_path: Path
) -> None:
    """Runs that the journal does not have would be lost; a damaged table could say nothing."""
    table = tmp_path / "runs.parquet"
    whole = (uninterrupted.folder / "runs.parquet").read_bytes()
    for content, wrong in (
        (whole, "has runs and journal.jsonl none, choose another --out"),
        (whole[:500], "not a readable parquet file"),
    ):
        table.write_bytes(content)
        finished = run("compare", *uninterrupted.arguments, "--out", tmp_path)
        assert finished.status == 2
        assert finished.err.startswith(f"compare: {table}")
        assert wrong in finished.err
        assert len(finished.err.splitlines()) == 1
        assert table.read_bytes() == content


@pytest.mark.usefixtures("no_report")
def test_killed_and_run_again(
    uninterrupted: Uninterrupted, compare: Compare, tmp_path: Path
) -> None:
    """After SIGKILL the same command gives the rows of an uninterrupted run, but for times."""
    journal = tmp_path / "journal.jsonl"
    with launched("compare", *uninterrupted.arguments, "--out", tmp_path) as process:
        wait_until(lambda: lines_of(journal) > 0, process)
        process.kill()
        assert ended(process).status == -signal.SIGKILL
    finished = journal.read_bytes()
    assert not (tmp_path / "runs.parquet").exists()
    compare(tmp_path, base=uninterrupted.arguments)
    whole = finished[: finished.rindex(b"\n") + 1]
    assert journal.read_bytes().startswith(whole)
    assert lines_of(journal) == 16
    assert without_times(rows_of(tmp_path)) == without_times(uninterrupted.rows)


def test_ctrl_c(tmp_path: Path) -> None:
    """Ctrl-C ends with status 130; table and report hold the runs that were finished."""
    arguments = [*SMALL[:-2], "--seconds", 60, "--playouts", 10**9, "--instances", 1000]
    journal = tmp_path / "journal.jsonl"
    with launched("compare", *arguments, "--out", tmp_path) as process:
        wait_until(lambda: lines_of(journal) > 1, process)
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    assert finished.status == 130
    assert finished.err == "compare: interrupted; the same command goes on from there\n"
    rows = rows_of(tmp_path)
    assert 2 <= len(rows) == lines_of(journal) < 1000
    assert {row["status"] for row in rows} <= {"solved", "budget"}
    assert {"report.html", "report.md"} <= files(tmp_path)
    assert f"{len(rows)} runs, report: {tmp_path / 'report.html'}\n" in finished.out


@pytest.mark.usefixtures("no_report")
def test_other_methods_are_added(compare: Compare, tmp_path: Path) -> None:
    """With the same folder, other methods and instances join those that are there."""
    compare(tmp_path, "--instances", 2)
    first = rows_of(tmp_path)
    compare(tmp_path, "--instances", 3, "--iterations", 7)
    both = rows_of(tmp_path)
    assert len(first) == 2
    assert len(both) == 5
    assert [row for row in both if row in first] == first


@pytest.mark.usefixtures("no_report")
def test_searches_of_other_instances_stand_beside(
    compare: Compare, tmp_path: Path, prior: Path
) -> None:
    """Local search has instances of its own of the same squares, with a prior and without."""
    base = [*SMALL[:1], "--algorithm", "sampling,cegls", *SMALL[3:], "--prior", f"none,{prior}"]
    compare(tmp_path, "--instances", 2, "--playouts", 2000, base=base)
    rows = rows_of(tmp_path)
    assert sorted((row["algorithm"], row["prior"]) for row in rows) == sorted(
        2 * [(name, used) for name in ("cegls", "sampling") for used in ("dual", "none")]
    )
    assert all(row["solved"] for row in rows)
    settings = [json.loads(row["settings"]) for row in rows if row["algorithm"] == "cegls"]
    assert {each["noise"] for each in settings} == {DOMAIN.guided_parameters["noise"]}


def test_runs_of_other_sources_are_refused(compare: Compare, run: Run, tmp_path: Path) -> None:
    """Runs of another version of the programs are not mixed with those of this one."""
    compare(tmp_path, "--instances", 1)
    (tmp_path / "sources").write_text("another\n")
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    finished = run("compare", *SMALL, "--out", tmp_path)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err == (
        f"compare: {tmp_path}: its runs were made by another version of the solver, "
        "choose another --out\n"
    )
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


@pytest.mark.usefixtures("no_report")
def test_another_table_of_the_same_name_is_refused(
    compare: Compare, run: Run, tmp_path: Path, prior: Path
) -> None:
    """Runs with two priors are not those of one method, whatever their files are called."""
    other, out = tmp_path / "other" / prior.name, tmp_path / "out"
    compare(out, "--instances", 1, "--prior", prior)
    before = {name: (out / name).read_bytes() for name in files(out)}
    other.parent.mkdir()
    table = pq.read_table(prior)
    place = table.column_names.index("bias")
    pq.write_table(table.set_column(place, "bias", pc.multiply(table["bias"], 0.5)), other)
    finished = run("compare", *SMALL, "--out", out, "--instances", 1, "--prior", other)
    assert (finished.status, finished.out) == (2, "")
    assert finished.err == (
        f"compare: {out}: its runs were made by another version of the prior dual, "
        "choose another --out\n"
    )
    assert {name: (out / name).read_bytes() for name in files(out)} == before


@pytest.mark.usefixtures("no_report")
def test_rows_say_how_they_were_made(
    compare: Compare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that are there keep the commit they were made at, whatever is added to them."""
    monkeypatch.setattr("pipeline.tables.runs._made_here", lambda: MADE | {"commit": "first"})
    compare(tmp_path, "--instances", 1)
    monkeypatch.setattr("pipeline.tables.runs._made_here", lambda: MADE | {"commit": "second"})
    compare(tmp_path, "--instances", 2)
    rows = rows_of(tmp_path)
    assert {(row["instance"], row["commit"]) for row in rows} == {
        ("0-0", "first"),
        ("0-1", "second"),
    }
    for row in rows:
        assert row["finished"].utcoffset() == datetime.timedelta(0)
        assert (row["machine"], row["versions"]) == ("a machine", "python 3")


def test_ctrl_c_while_kernels_compile(tmp_path: Path, square: Path) -> None:
    """It is said for which method kernels are compiled; Ctrl-C ends that at once."""
    environment = {KERNELS_VARIABLE: str(tmp_path / "kernels")}
    command = ["latin-square", square, "--algorithm", "sampling", "--out", tmp_path / "out"]
    with launched("compare", *command, environment=environment) as process:
        assert process.stderr is not None
        announced = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    assert announced == f"compiling for latin-square, sampling: {USUAL}\n"
    assert (finished.status, finished.out, finished.err) == (130, "", "compare: interrupted\n")
