"""Tables of the documentation are those of their rows, and rows those of their commands."""

from __future__ import annotations

import functools
import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks import notebook, page
from benchmarks.results.again import compared, keep, keep_problems, make
from benchmarks.results.kinds import markdown
from benchmarks.results.plan import DATA, KeptTable, read_plan, write, written
from pipeline.commands.compare import read_run_request
from pipeline.results.runs import read_runs
from pipeline.tables.names import RUNS_FILE
from solver.errors import InputError

PLAN = read_plan()
RUNS = {runs.name: runs for table in PLAN.values() for runs in table.runs}
SMALL = PLAN["latin-square-channeling"]


@functools.cache
def shown(name: str) -> str:
    """Return a table of the plan, from its rows."""
    return markdown(PLAN[name])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a part of the runs of the small table, made again."""
    folder = tmp_path_factory.mktemp("made") / "again"
    make(SMALL.runs[0], folder, sample=50)
    return folder


@pytest.mark.parametrize("name", PLAN)
def test_a_page_has_the_table_of_its_rows(name: str) -> None:
    """`python -m benchmarks.page NAME` would change nothing."""
    assert written(PLAN[name]) == shown(name)


@pytest.mark.parametrize("name", RUNS)
def test_kept_rows_are_those_of_their_commands(name: str) -> None:
    """Algorithms, priors, budget, seeds and instances are those that the commands ask for."""
    runs = read_runs(RUNS[name].folder)
    requests = [read_run_request(words[0], words)[1] for words in RUNS[name].words]
    names = {algorithm for request in requests for algorithm, _ in request.algorithms}
    assert set(runs["algorithm"]) == names
    priors = {Path(prior).stem for request in requests for prior in request.priors}
    assert set(runs["prior"]) - {""} == priors
    assert set(runs["budget_seconds"].dropna()) == {r.seconds for r in requests} - {None}
    assert set(runs["budget_playouts"].dropna()) == {r.playouts for r in requests} - {None}
    group = ["family", "algorithm", "prior", "settings"]
    seeds = {request.seeds for request in requests}
    assert set(runs.groupby([*group, "instance"]).size()) == seeds
    instances = {r.instances for r in requests} - {None}
    if instances:
        assert set(runs.groupby(group)["instance"].nunique()) == instances


def test_no_data_without_a_table() -> None:
    """Every kept folder is of the plan, and a small one."""
    assert {path.name for path in DATA.iterdir()} == set(RUNS)
    for path in DATA.rglob("*"):
        assert not path.is_file() or path.stat().st_size < 1_000_000, path


def test_a_sample_is_made_again(made: Path, tmp_path: Path) -> None:
    """A part of the runs, made again, has the kept results; a change of one is an error."""
    (runs,) = SMALL.runs
    shutil.copytree(made, tmp_path / "again")
    words, same = compared(runs, tmp_path / "again")
    assert same
    assert words == f"{runs.name}: 8 of 8 runs the same in solved, score, playouts"
    path = tmp_path / "again" / RUNS_FILE
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0]["playouts"] += 1
    pq.write_table(table.from_pylist(rows, schema=table.schema), path)
    words, same = compared(runs, tmp_path / "again")
    assert not same
    assert "7 of 8" in words


def test_what_is_kept_makes_the_same_table(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows without answers and traces make the table that the whole rows make."""
    (runs,) = SMALL.runs
    whole = markdown(SMALL, lambda runs: runs.read(made))
    monkeypatch.setattr("benchmarks.results.plan.DATA", tmp_path / "data")
    keep(runs, made)
    assert markdown(SMALL) == whole
    table = pq.read_table(runs.folder / RUNS_FILE)
    assert table["solution"].null_count == table.num_rows == 8
    assert json.loads(table.schema.metadata[b"nestor"])["commands"] == runs.commands


def test_a_table_is_written_between_its_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the lines between the marks change; without marks there is an error of one line."""
    monkeypatch.setattr("benchmarks.results.plan.ROOT", tmp_path)
    table = KeptTable("small", "page.md", "list", [])
    begin, end = table.marks
    path = tmp_path / "page.md"
    path.write_text(f"before\n{begin}\nold\n{end}\nafter\n")
    assert write(table, "| new |\n")
    assert path.read_text() == f"before\n{begin}\n| new |\n{end}\nafter\n"
    assert not write(table, "| new |\n")
    path.write_text("before\n")
    with pytest.raises(InputError, match=r"^page\.md: expected one line "):
        write(table, "| new |\n")


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without arguments all tables are listed; an unknown one is named with those known."""
    monkeypatch.setattr(page, "markdown", lambda table: shown(table.name))
    assert page.run([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(PLAN) + 2
    with pytest.raises(InputError, match=r"^no table nothing; there are: latin-square-table-1"):
        page.run(["nothing"])


def test_the_notebook_prints_what_it_shows() -> None:
    """Executed again every cell has the output that the notebook ships with."""
    assert notebook.run(["--check"]) == 0


def test_a_table_without_runs_is_not_made_again(tmp_path: Path) -> None:
    """Its page has the commands that make its rows."""
    with pytest.raises(InputError, match="no runs to make again"):
        page.run(["tour-sizes", "--run", "--out", str(tmp_path)])


def test_rows_are_picked_and_their_numbers_grouped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts stay as they are, whole numbers get commas, rows that do not fit are left out."""
    monkeypatch.setattr("benchmarks.results.plan.FOLDER", tmp_path)
    (tmp_path / "rows.csv").write_text("name,at,mean\na,1,12345\nb,2,7\n")
    columns = {"who": "{name}", "score": "{mean:,}"}
    options = {"rows": "rows.csv", "where": {"at": ["1"]}, "columns": columns}
    table = KeptTable("small", "page.md", "picked", [], options)
    assert markdown(table) == "| who | score |\n| --- | --: |\n| a | 12,345 |\n"


def test_columns_are_summed_and_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in which a column is above another one, a draw is none of them."""
    monkeypatch.setattr("benchmarks.results.plan.FOLDER", tmp_path)
    (tmp_path / "rows.csv").write_text("board,a,b\n1,5,4\n2,5,5\n3,990,1000\n")
    columns, heads = {"a": "A", "b": "B"}, ["search", "total", "A is ahead"]
    options = {
        "rows": "rows.csv", "ahead": "a", "compared": ["b"], "columns": columns, "heads": heads,
    }  # fmt: skip
    table = KeptTable("small", "page.md", "sums", [], options)
    assert markdown(table).splitlines()[2:] == ["| A | 1,000 |  |", "| B | 1,009 | 1 of 3 |"]


def test_texts_of_sets_without_a_licence_are_not_kept(tmp_path: Path) -> None:
    """Names and best known scores of the tours are; boards made here are kept whole."""
    for folder in sorted(DATA.glob("*/problems.parquet")):
        keep_problems(folder, tmp_path / "problems.parquet")
        rows = pq.read_table(folder).to_pylist()
        assert pq.read_table(tmp_path / "problems.parquet").to_pylist() == rows
        assert {row["problem"] == "" for row in rows} == {rows[0]["family"] == "potvin-bengio"}
