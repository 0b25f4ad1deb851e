"""Runs as a data frame: what is in it, and files that hold no runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pipeline.results
from pipeline.results import read_runs
from pipeline.tables.columns import COLUMNS, complete_row
from solver.errors import InputError
from tests.pipeline.reports.report_runs import a_run, decision_rows, save

ROOT = Path(__file__).parents[3]
LATER = [column.name for column in COLUMNS if column.later]
#: What `compare` has imported when its work begins; the report comes after it.
BEFORE_WORK = """
import sys
import pipeline.commands.compare, pipeline.comparing.plan, pipeline.matches.report
import pipeline.publishing.evaluate
assert "pandas" not in sys.modules
"""


def test_a_row_is_a_run(tmp_path: Path) -> None:
    """Every column in its dtype; what a run does not have is missing."""
    rows = [a_run("f", 3, "nrpa", "none", need=7), a_run("f", 4, "cp-sat", "", score=None)]
    rows[1] |= {"trace_playouts": None}
    runs = read_runs(save(tmp_path, rows))
    assert runs.columns.tolist() == [column.name for column in COLUMNS]
    for column in COLUMNS:
        assert runs[column.name].dtype == (object if column.has_arrays else column.dtype)
    first, second = runs.iloc[0], runs.iloc[1]
    assert (first["playouts"], first["seconds"], first["solved"]) == (7, 0.007, True)
    assert first["trace_playouts"].tolist() == [1, 7]
    assert first["finished"] == pd.Timestamp("2026-01-02T03:04:03", tz="UTC")
    assert second["trace_playouts"].tolist() == []
    assert runs[["playouts", "budget_playouts", "score"]].isna().values.tolist() == [
        [False, False, False],
        [True, True, True],
    ]


def test_a_name_is_a_folder_too(tmp_path: Path) -> None:
    """A notebook has the folder as text."""
    save(tmp_path, decision_rows())
    pd.testing.assert_frame_equal(read_runs(str(tmp_path)), read_runs(tmp_path))


def test_files_of_earlier_versions(tmp_path: Path) -> None:
    """The columns that they lack are there, and missing in every row."""
    path = save(tmp_path, decision_rows()) / "runs.parquet"
    pq.write_table(pq.read_table(path).drop_columns(LATER), path)
    runs = read_runs(tmp_path)
    assert runs[LATER].isna().all(axis=None)
    assert runs["finished"].dtype == "datetime64[us, UTC]"


def test_times_as_texts(tmp_path: Path) -> None:
    """Earlier versions wrote times as texts, ISO 8601."""
    path = save(tmp_path, decision_rows()) / "runs.parquet"
    before = read_runs(tmp_path)
    changed("finished", "2026-11-26T17:05:53+00:00", pa.string())(path)
    after = read_runs(tmp_path)
    assert set(after["finished"]) == {pd.Timestamp("2026-11-26T17:05:53", tz="UTC")}
    pd.testing.assert_frame_equal(after.drop(columns="finished"), before.drop(columns="finished"))


def test_columns_are_described_in_the_file(tmp_path: Path) -> None:
    """Programs that know nothing of Nestor see the meaning and the unit of a column."""
    schema = pq.read_schema(save(tmp_path, decision_rows()) / "runs.parquet")
    for column in COLUMNS:
        said = schema.field(column.name).metadata
        assert said[b"description"].decode() == column.meaning
        assert said.get(b"unit", b"").decode() == column.unit
    assert schema.field("finished").type == pa.timestamp("us", tz="UTC")


def test_other_widths_are_as_good(tmp_path: Path) -> None:
    """Tables that other programs wrote: small integers, large lists, columns of nulls."""
    path = save(tmp_path, decision_rows()) / "runs.parquet"
    table, before = pq.read_table(path), read_runs(tmp_path)
    types = {pa.int64(): pa.int32(), pa.string(): pa.large_string()}
    types |= {pa.list_(pa.int64()): pa.large_list(pa.int16())}
    fields = [field.with_type(types.get(field.type, field.type)) for field in table.schema]
    pq.write_table(table.cast(pa.schema(fields, table.schema.metadata)), path)
    changed("budget_seconds", None, pa.null())(path)
    pd.testing.assert_frame_equal(read_runs(tmp_path), before)


def changed(name: str, value: Any, kind: pa.DataType) -> Callable[[Path], None]:
    """Give a column another value in every row."""

    def change(path: Path) -> None:
        table = pq.read_table(path)
        place = table.column_names.index(name)
        column = pa.array([value] * table.num_rows, kind)
        pq.write_table(table.set_column(place, name, column), path)

    return change


def repeated_column(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.append_column("seed", table["seed"]), path)


def not_utf8(path: Path) -> None:
    table = pq.read_table(path)
    place = table.column_names.index("family")
    buffers = pa.array([b"\xff"] * table.num_rows, pa.binary()).buffers()
    column = pa.Array.from_buffers(pa.string(), table.num_rows, buffers)
    pq.write_table(table.set_column(place, "family", column), path)


BAD: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no file": (lambda path: path.unlink(), " does not exist: run `compare` first, or name its"),
    "no table": (lambda path: path.write_text("run,seed"), ": not a readable parquet file"),
    "cut off": (lambda path: path.write_bytes(path.read_bytes()[:-9]), ": not a readable parquet"),
    "no metadata": (
        lambda path: pq.write_table(pq.read_table(path).replace_schema_metadata(None), path),
        ' has no "nestor" entry in its schema metadata',
    ),
    "no JSON": (
        lambda path: pq.write_table(
            pq.read_table(path).replace_schema_metadata({"nestor": "{"}), path
        ),
        ": its metadata is not JSON, the file is damaged",
    ),
    "something else": (
        lambda path: pq.write_table(pa.table({"x": [1]}, metadata={"nestor": "{}"}), path),
        " lacks the columns: run, domain, family,",
    ),
    "no rows": (lambda path: pq.write_table(pq.read_table(path)[:0], path), " holds no runs"),
    "a column twice": (repeated_column, ": column seed occurs more than once"),
    "texts": (changed("seconds", "0.5", pa.string()), ": column seconds has type string"),
    "lists of texts": (
        changed("trace_score", ["a"], pa.list_(pa.string())),
        ": column trace_score has type list<element: string>",
    ),
    "too large": (
        changed("seed", 2**63, pa.uint64()),
        ": column seed has type uint64",
    ),
    "missing values": (
        changed("solved", None, pa.bool_()),
        ": column solved has 48 missing values",
    ),
    "no text": (not_utf8, ": not a readable parquet file ("),
    "no date": (changed("finished", "late", pa.string()), ": column finished has no dates: "),
    "no object": (
        changed("settings", "[1]", pa.string()),
        ": column settings has '[1]', expected an object in JSON",
    ),
    "half an object": (
        changed("family_parameters", "{", pa.string()),
        ": column family_parameters has '{', expected an object in JSON",
    ),
    "the same run": (
        changed("run", "again", pa.string()),
        ": run 'again' occurs more than once",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_holds_no_runs_is_named(name: str, tmp_path: Path) -> None:
    """One line that begins with the file."""
    path = save(tmp_path, decision_rows()) / "runs.parquet"
    damage, message = BAD[name]
    damage(path)
    with pytest.raises(InputError) as error:
        read_runs(tmp_path)
    assert str(error.value).startswith(f"{path}{message}")
    assert "\n" not in str(error.value)


def test_a_row_has_every_column() -> None:
    """Unknown values of a run are null; unknown or missing columns are errors."""
    row = a_run("f", 0, "cp-sat", "")
    needed = {c.name: row[c.name] for c in COLUMNS if not c.nullable}
    complete = complete_row(needed)
    assert complete.keys() == {column.name for column in COLUMNS}
    assert (complete["score"], complete["trace_score"]) == (None, [])
    with pytest.raises(KeyError, match="scores"):
        complete_row(needed | {"scores": 1})
    with pytest.raises(KeyError, match="seed, solved"):
        complete_row({name: needed[name] for name in needed if name not in ("seed", "solved")})


def test_pandas_waits_for_the_report() -> None:
    """Importing it takes a second, which neither a comparison nor an evaluation needs."""
    subprocess.run([sys.executable, "-c", BEFORE_WORK], cwd=ROOT, check=True)
    with pytest.raises(AttributeError, match="has no attribute 'read_run'"):
        pipeline.results.__getattr__("read_run")
