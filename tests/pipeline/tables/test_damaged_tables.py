"""Damaged tables, whatever is wrong with them, are one line that names the file: no traceback."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.learning.bias import compile_bias
from pipeline.learning.counts import Counts, counts_to_table
from pipeline.tables.checks import PROBLEMS, read_checked
from pipeline.tables.problems import PROBLEMS_SCHEMA
from solver.contract.identity import rules_digest
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import MAX_QUOTED, InputError
from solver.priors.priors import load_prior
from solver.priors.tables import BIAS, COUNTS, METADATA_KEY
from tests.commands.shell import Run, run
from tests.pipeline.small_tables import metadata_of, saved, with_column, with_metadata

__all__ = ["run"]

DOMAIN = LatinSquareDomain()
DUAL = DOMAIN.priors["dual"]
Damage = Callable[[pa.Table], pa.Table]


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    """A sound table of each kind."""
    count, nb = np.zeros(DUAL.rows, np.int64), np.zeros(DUAL.rows, np.int64)
    rows = [2 * 32 + 2, 2 * 32 + 3, 3 * 32 + 2]
    count[rows], nb[rows] = [6, 3, 1], [10, 10, 10]
    rules = rules_digest(DOMAIN, DUAL)
    counts = Counts(DOMAIN.name, DUAL, {}, {}, count, nb, instances=4, rules=rules)
    return {COUNTS: counts_to_table(counts), BIAS: compile_bias(counts, 1.0, 1.5)}


def raw_metadata(content: str | bytes) -> Damage:
    return lambda table: table.replace_schema_metadata({"nestor": content})


def without(name: str) -> Damage:
    def damage(table: pa.Table) -> pa.Table:
        metadata = metadata_of(table)
        del metadata[name]
        return table.replace_schema_metadata({"nestor": json.dumps(metadata)})

    return damage


def entry(name: str, value: Any) -> Damage:
    return lambda table: with_metadata(table, **{name: value})


def column(name: str, change: Callable[[list[Any]], Any]) -> Damage:
    return lambda table: with_column(table, name, change(table[name].to_pylist()))


def twice(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table, table])


def two_of_a_name(table: pa.Table) -> pa.Table:
    return table.append_column("in_row", table["in_row"])


#: What may be wrong with either kind, and what the line says.
EITHER: list[tuple[Damage, str]] = [
    (raw_metadata(""), "its metadata is not JSON"),
    (raw_metadata("[" * 100_000), "its metadata is not JSON"),
    (raw_metadata(b"\xff\xfe{}"), "its metadata is not JSON"),
    (raw_metadata("[1, 2]"), "its metadata is [1, 2], expected a table of entries"),
    (raw_metadata("null"), "its metadata is None, expected a table of entries"),
    (entry("kind", ["bias"]), "a table of ['bias'], expected one of"),
    (entry("schema_version", "1"), "schema version '1', expected 1"),
    (without("domain"), "'domain' is missing from its metadata"),
    (without("components"), "'components' is missing from its metadata"),
    (without("instances_digest"), "'instances_digest' is missing from its metadata"),
    (entry("domain", {}), "'domain' in its metadata is {}, expected a text"),
    (entry("domain", "x" * 10_000), ", expected latin-square"),
    (entry("prior", []), "'prior' in its metadata is [], expected a text"),
    (entry("components", [32, 32]), "is [32, 32], expected a number for each component"),
    (entry("components", {"in_row": "32", "in_column": 32}), "expected a number for each comp"),
    (entry("components", {"in_row": 32.0, "in_column": 32}), "expected a number for each comp"),
    (entry("instances", 10**400), "expected an integer of 0 or more"),
    (entry("instances", "many"), "'instances' in its metadata is 'many', expected an integer"),
    (entry("instances_digest", "0x12"), "'0x12', expected 64 hexadecimal digits"),
    (entry("options", None), "'options' in its metadata is None, expected a table of options"),
    (entry("source", "rfam"), "'source' in its metadata is 'rfam', expected a table of para"),
    (entry("rejected_names", "a"), "is 'a', expected a list of names"),
    (column("in_row", lambda v: [float(x) for x in v]), "'in_row' has type double, expected int64"),
    (column("in_row", lambda v: [str(x) for x in v]), "'in_row' has type string, expected int64"),
    (column("in_row", lambda v: [[x] for x in v]), "'in_row' has type list<"),
    (column("in_row", lambda v: [{"a" * 200: x} for x in v]), "'in_row' has type struct<"),
    (column("in_row", lambda v: [None, *v[1:]]), "'in_row' has "),
    (column("in_row", lambda v: [10**18, *v[1:]]), "in_row is 1000000000000000000, expected 0"),
    (column("in_row", lambda v: [-1, *v[1:]]), "in_row is -1, expected 0 ... 31"),
    (two_of_a_name, "column 'in_row' occurs 2 times"),
]  # fmt: skip
#: What may be wrong with a bias table besides.
BIASES: list[tuple[Damage, str]] = [
    (without("temperature"), "'temperature' is missing from its metadata"),
    (entry("temperature", float("nan")), "'temperature' in its metadata is nan, expected a number"),
    (entry("temperature", True), "'temperature' in its metadata is True, expected a number"),
    (entry("temperature", "hot"), "'temperature' in its metadata is 'hot', expected a number"),
    (entry("temperature", 10**400), "expected a number more than 0"),
    (entry("temperature", 0), "'temperature' in its metadata is 0, expected a number more than 0"),
    (entry("default_bias", None), "'default_bias' in its metadata is None, expected a number"),
    (entry("default_bias", float("inf")), "'default_bias' in its metadata is inf"),
    (entry("smoothing", -1), "'smoothing' in its metadata is -1, expected a number of 0 or more"),
    (column("bias", lambda v: [str(x) for x in v]), "'bias' has type string, expected double"),
    (column("bias", lambda v: [None, *v[1:]]), "column 'bias' has 1 missing values"),
    (column("bias", lambda v: [float("-inf"), *v[1:]]), "bias is -inf, expected a finite number"),
    (lambda table: table.slice(0, 0), "0 rows, expected 1 ... 1,024 codes"),
    (lambda table: pa.concat_tables([table] * 300), "1,200 rows, expected 1 ... 1,024 codes"),
    (twice, "the code of row 0 occurs more than once"),
]  # fmt: skip


def check_line(message: str, path: Path, expected: str) -> None:
    assert message.startswith(f"{path}: ")
    assert expected in message
    assert "\n" not in message
    assert len(message) < len(str(path)) + 3 * MAX_QUOTED


@pytest.mark.parametrize(("damage", "expected"), [*EITHER, *BIASES])
def test_a_damaged_prior_is_one_line(
    tables: dict[str, pa.Table], tmp_path: Path, damage: Damage, expected: str
) -> None:
    """Loading it raises an `InputError`, and nothing else."""
    path = saved(damage(tables[BIAS]), tmp_path / "p.parquet")
    with pytest.raises(InputError) as error:
        load_prior(path, DOMAIN)
    check_line(str(error.value), path, expected)


@pytest.mark.parametrize(("damage", "expected"), EITHER)
def test_damaged_counts_are_one_line(
    tables: dict[str, pa.Table], tmp_path: Path, damage: Damage, expected: str
) -> None:
    """Reading them raises an `InputError`, and nothing else."""
    path = saved(damage(tables[COUNTS]), tmp_path / "c.parquet")
    with pytest.raises(InputError) as error:
        read_checked(path, COUNTS, DOMAIN)
    check_line(str(error.value), path, expected)


@pytest.mark.parametrize("damage", [EITHER[0][0], EITHER[10][0], BIASES[1][0], BIASES[10][0]])
def test_the_commands_say_it(
    run: Run, tables: dict[str, pa.Table], tmp_path: Path, damage: Damage
) -> None:
    """One line on stderr and status 2."""
    path = saved(damage(tables[BIAS]), tmp_path / "p.parquet")
    for command in ("solve", "compare"):
        finished = run(command, "latin-square", "--prior", path, "--instances", 1)
        assert (finished.status, finished.out) == (2, "")
        assert finished.err.startswith(f"{command}: {path}: ")
        assert finished.err.count("\n") == 1


def test_any_byte_may_be_wrong(tables: dict[str, pa.Table], tmp_path: Path) -> None:
    """A file with some bytes changed, or cut off, is loaded or refused; nothing else is raised."""
    path = saved(tables[BIAS], tmp_path / "p.parquet")
    whole = path.read_bytes()
    draw = random.Random(1)
    messages = []
    for number in range(300):
        damaged = bytearray(whole)
        for _ in range(draw.choice([1, 4, 64])):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        path.write_bytes(damaged[: draw.randrange(len(whole))] if number % 5 == 0 else damaged)
        try:
            load_prior(path, DOMAIN)
        except InputError as error:
            messages.append(str(error))
    assert len(messages) > 100
    assert all(message.startswith(f"{path}: ") and "\n" not in message for message in messages)


def test_a_text_that_is_not_utf8(tmp_path: Path) -> None:
    """It is found when it is looked at, and the file is named."""
    row = dict.fromkeys(PROBLEMS_SCHEMA.names, "x") | {"best_known": 1.0, "feasible_above": None}
    schema = PROBLEMS_SCHEMA.with_metadata({METADATA_KEY: json.dumps({"kind": PROBLEMS})})
    table = pa.Table.from_pylist([row], schema=schema)
    wrong = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"], pa.binary()).buffers())
    path = tmp_path / "problems.parquet"
    pq.write_table(table.set_column(2, schema.field("instance"), wrong), path)
    with pytest.raises(InputError, match=f"^{path}: not a readable parquet file"):
        read_checked(path, PROBLEMS, None)


def test_a_pipe_is_no_table(tmp_path: Path) -> None:
    """A named pipe, whose opening would wait for ever, is refused."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(InputError, match="not a regular file"):
        load_prior(path, DOMAIN)
