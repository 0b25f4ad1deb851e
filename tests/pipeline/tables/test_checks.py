"""Defects of a table are found, named in one line and kept as data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from generators.latin_square import LatinSquareGenerator
from generators.solved import solved_table
from pipeline.learning.bias import compile_bias
from pipeline.learning.counts import count_solved, counts_to_table
from pipeline.learning.summary import add_tallies, tally
from pipeline.tables.checks import (
    RUNS,
    SOLVED,
    FailedCheckError,
    check_table,
    read_checked,
    write_checked,
    write_table,
)
from pipeline.tables.columns import RUNS_SCHEMA
from solver.domains.kakuro.domain import KakuroDomain
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.errors import InputError
from solver.priors.tables import BIAS, COUNTS
from tests.pipeline.small_tables import with_column, with_metadata

DOMAIN = LatinSquareDomain()
RUN = {
    "run": "a", "domain": "latin-square", "family": "f", "family_parameters": "{}",
    "instance": "0-0", "algorithm": "sampling", "prior": "none", "settings": "{}", "seed": 0,
    "budget_playouts": 10, "solved": True, "score": 0.0, "playouts": 3, "seconds": 0.1,
    "status": "solved",
}  # fmt: skip


def runs(*rows: dict[str, Any]) -> pa.Table:
    facts = {"command": "compare", "machine": {}, "versions": {}, "commit": "unknown"}
    schema = RUNS_SCHEMA.with_metadata({"nestor": json.dumps(facts)})
    return pa.Table.from_pylist([RUN | row for row in rows], schema=schema)


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    """A sound table of each kind."""
    solved = solved_table(DOMAIN, LatinSquareGenerator(order=5, holes=0.8), 3, range(6))
    counts = count_solved(DOMAIN, LatinSquareOptions(), DOMAIN.priors["dual"], solved)
    return {
        SOLVED: solved,
        COUNTS: counts_to_table(counts),
        BIAS: compile_bias(counts, 1.0, 1.0),
        RUNS: runs({"run": "a"}, {"run": "b", "playouts": None, "solved": False}),
    }


@pytest.mark.parametrize("kind", [SOLVED, COUNTS, BIAS, RUNS])
def test_sound_tables_pass(tables: dict[str, pa.Table], kind: str, tmp_path: Path) -> None:
    """Written and read again, every check passes; some looked at numbers."""
    written = write_checked(tables[kind], tmp_path / "t.parquet", kind, DOMAIN)
    table, checks = read_checked(tmp_path / "t.parquet", kind, DOMAIN)
    assert table.equals(tables[kind])
    assert checks == written
    assert all(check.passed and not check.message for check in checks)
    assert any(check.numbers for check in checks)


def first(table: pa.Table, name: str, value: Any) -> pa.Table:
    """`table` with another value in the first row of a column."""
    return with_column(table, name, [value, *table[name].to_pylist()[1:]])


def repeated(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table, table])


WRONG: list[tuple[str, str, Callable[[pa.Table], pa.Table], str]] = [
    (COUNTS, "metadata", lambda t: t.replace_schema_metadata(None), "its metadata is missing"),
    (COUNTS, "metadata", lambda t: t.replace_schema_metadata({"nestor": "{"}), "is not JSON"),
    (COUNTS, "metadata", lambda t: with_metadata(t, kind="bias"), "expected one of counts"),
    (BIAS, "metadata", lambda t: with_metadata(t, schema_version=0), "schema version 0, expected"),
    (SOLVED, "metadata", lambda t: t.replace_schema_metadata({"nestor": "{}"}), "'domain' is miss"),
    (BIAS, "domain", lambda t: with_metadata(t, domain="kakuro"), "for kakuro, expected latin"),
    (BIAS, "domain", lambda t: with_metadata(t, prior="sums"), "'sums', latin-square has: triple"),
    (BIAS, "domain", lambda t: with_metadata(t, components={"in_row": 3}), "components"),
    (BIAS, "columns", lambda t: t.drop_columns(["bias"]), "column 'bias' is missing"),
    (RUNS, "columns", lambda t: with_column(t, "seed", [0.5, 1.5]), "type double, expected int64"),
    (COUNTS, "missing values", lambda t: first(t, "nb", None), "'nb' has 1 missing values"),
    (COUNTS, "codes in range", lambda t: first(t, "in_row", 99), "row 0: in_row is 99, expected 0"),
    (COUNTS, "keys unique", repeated, "not in order, each once"),
    (COUNTS, "count <= nb", lambda t: first(t, "count", 10**9), "row 0: played 1000000000 times"),
    (COUNTS, "count <= nb", lambda t: first(t, "count", -1), "row 0: played -1 times"),
    (BIAS, "frequencies", lambda t: first(t, "frequency", 1.5), "row 0: frequency 1.5"),
    (BIAS, "frequencies", lambda t: first(t, "bias", float("nan")), "with bias nan"),
    (SOLVED, "texts", lambda t: first(t, "answer", ""), "1 rows have an empty answer"),
    (RUNS, "keys unique", repeated, "2 rows repeat a run"),
    (RUNS, "ranges", lambda t: first(t, "seconds", -0.1), "seconds is -0.1, expected 0 or more"),
]


@pytest.mark.parametrize(("kind", "name", "damage", "message"), WRONG)
def test_what_is_wrong_is_named(
    tables: dict[str, pa.Table],
    kind: str,
    name: str,
    damage: Callable[[pa.Table], pa.Table],
    message: str,
    tmp_path: Path,
) -> None:
    """The last check is the one that fails; it is not written, and reading it is one line."""
    table = damage(tables[kind])
    checks = check_table(table, kind, DOMAIN)
    assert [check.passed for check in checks] == [True] * (len(checks) - 1) + [False]
    assert checks[-1].name == name
    assert message in checks[-1].message
    path = tmp_path / "t.parquet"
    with pytest.raises(FailedCheckError) as error:
        write_checked(table, path, kind, DOMAIN)
    assert not path.exists()
    assert error.value.checks == checks
    write_table(table, path)
    with pytest.raises(InputError) as read:
        read_checked(path, kind, DOMAIN)
    assert str(read.value) == f"{path}: {checks[-1].message}"
    assert "\n" not in str(read.value)


def test_a_table_of_another_domain(tables: dict[str, pa.Table]) -> None:
    """A table that is valid for its own domain is refused for another."""
    (check,) = [one for one in check_table(tables[BIAS], BIAS, KakuroDomain()) if not one.passed]
    assert check.message == "a table for latin-square, expected kakuro"


@pytest.mark.parametrize("keep", [0, 3, 200, -1])
def test_cut_off_files(tables: dict[str, pa.Table], keep: int, tmp_path: Path) -> None:
    """A file that lacks its end, or is empty, is told in one line."""
    path = tmp_path / "t.parquet"
    write_table(tables[COUNTS], path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match="not a readable parquet file") as error:
        read_checked(path, COUNTS, DOMAIN)
    assert "\n" not in str(error.value)


def test_tallies_add_up(tables: dict[str, pa.Table]) -> None:
    """Tallies of parts are the tally of the whole; what failed is kept in full."""
    good = check_table(tables[COUNTS], COUNTS, DOMAIN)
    bad = check_table(repeated(tables[COUNTS]), COUNTS, DOMAIN)
    whole = tally([(True, good), (False, bad), (True, good)])
    assert add_tallies([tally([(True, good), (False, bad)]), tally([(True, good)])]) == whole
    assert (whole["files"], whole["made"]) == (3, 2)
    assert whole["passed"]["metadata"] == 3
    assert whole["passed"]["count <= nb"] == 2
    assert [one["name"] for one in whole["failed"]] == ["keys unique"]
