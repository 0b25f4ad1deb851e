"""Reading folders of runs: what `compare` left there is all that a report needs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.results.data import Instance, Made, Prior, ReportData
from pipeline.results.grouping import group_runs
from pipeline.tables.checks import PROBLEMS, read_checked
from pipeline.tables.problems import PROBLEMS_FILE
from pipeline.tables.runs import LATER, RUNS_SCHEMA, in_words
from solver.errors import InputError, quoted

RUNS_FILE = "runs.parquet"


def read_runs(folders: Sequence[Path]) -> ReportData:
    """Read `runs.parquet`, `problems.parquet` and `priors/*.parquet` of each folder.

    Raises
    ------
    InputError
        If something is missing or does not fit, or a run is there twice.
    """
    rows: list[dict[str, Any]] = []
    made: list[Made] = []
    facts: list[dict[str, Any]] = []
    decision: dict[str, bool] = {}
    instances: dict[tuple[str, str], dict[str, Instance]] = {}
    priors: dict[tuple[str, str], Prior] = {}
    for folder in folders:
        path = folder / RUNS_FILE
        own, said = _read_rows(path)
        _refuse_repeated(path, rows, own)
        rows += sorted(own, key=lambda row: str(row["domain"]))
        made += [_made(row, said) for row in own]
        facts.append(said)
        decision |= _decision(said, own)
        _read_problems(folder / PROBLEMS_FILE, instances)
        for prior in _priors(folder / "priors", said.get("priors") or {}):
            key = (str(prior.facts.get("domain")), prior.name)
            if not _same_prior(priors.setdefault(key, prior), prior):
                raise InputError(f"{folder}: its prior {prior.name} is another than that before it")
    families = group_runs(rows, decision, instances)
    methods = {(f.domain, runs.method.index): runs.method for f in families for runs in f.methods}
    return ReportData(
        families=families,
        methods=list(methods.values()),
        priors=list(priors.values()),
        facts=facts,
        made=made,
        status=dict(sorted(Counter(row["status"] for row in rows).items())),
        rows=len(rows),
    )


def _read_rows(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Rows of a table of runs, and the facts of its metadata."""
    if not path.is_file():
        raise InputError(f"{path} does not exist: run `compare` first, or name its folder")
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path}: no parquet file, or a damaged one") from error
    _check_schema(path, table.schema)
    unknown = dict.fromkeys(LATER)
    rows: list[dict[str, Any]] = [unknown | row for row in table.to_pylist()]
    if not rows:
        raise InputError(f"{path} holds no runs")
    facts: dict[str, Any] = json.loads(table.schema.metadata[b"nestor"])
    return rows, facts


def _made(row: dict[str, Any], facts: dict[str, Any]) -> Made:
    """How a run was made; its commit and its time are nobody's but its own.

    Files of earlier versions say of the table when and at which commit it was written, which may
    have been long after the runs; the machine is taken to be that of the runs.
    """
    machine, versions = (
        row[name] or in_words(facts.get(name) or {}) or None for name in ("machine", "versions")
    )
    return Made(row["seconds"], row["finished"], row["commit"], machine, versions)


def _refuse_repeated(
    path: Path, before: Iterable[dict[str, Any]], rows: Iterable[dict[str, Any]]
) -> None:
    names = Counter(row["run"] for row in (*before, *rows))
    repeated = [name for name, n in names.items() if n > 1]
    if repeated:
        raise InputError(f"{path}: run {quoted(repeated[0])} is there more than once")


def _decision(facts: dict[str, Any], rows: Sequence[dict[str, Any]]) -> dict[str, bool]:
    """Whether each domain of a folder has a target."""
    said = facts.get("decision", True)
    domains = {row["domain"] for row in rows}
    if isinstance(said, dict):
        return {domain: bool(said.get(domain, True)) for domain in domains}
    return dict.fromkeys(domains, bool(said))


def _read_problems(path: Path, instances: dict[tuple[str, str], dict[str, Instance]]) -> None:
    """Add the problems of a folder; without them solutions are shown as text."""
    if not path.is_file():
        return
    table, _ = read_checked(path, PROBLEMS, None)
    for row in table.to_pylist():
        family = instances.setdefault((row["domain"], row["family"]), {})
        family[row["instance"]] = Instance(row["name"], row["problem"], row["best_known"])


def _same_prior(one: Prior, other: Prior) -> bool:
    if one is other or one.table is None or other.table is None:
        return one.facts == other.facts
    return one.table.keys() == other.table.keys() and all(
        np.array_equal(one.table[name], other.table[name]) for name in one.table
    )


def _check_schema(path: Path, schema: pa.Schema) -> None:
    missing = [name for name in RUNS_SCHEMA.names if name not in (*schema.names, *LATER)]
    if missing:
        raise InputError(f"{path} lacks the columns: {', '.join(missing)}")
    for name in (name for name in RUNS_SCHEMA.names if name in schema.names):
        found = schema.field(name).type
        if not _fits(found, RUNS_SCHEMA.field(name).type):
            raise InputError(f"{path}: column {name} has type {found}")
    if b"nestor" not in (schema.metadata or {}):
        raise InputError(f'{path} has no "nestor" entry in its schema metadata')


#: Kinds of a column that are as good as each other, whatever their width.
KINDS = (
    pa.types.is_integer,
    pa.types.is_floating,
    lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind),
    lambda kind: pa.types.is_list(kind) or pa.types.is_large_list(kind),
)


def _fits(found: pa.DataType, expected: pa.DataType) -> bool:
    """Whether a column of one type holds what one of another does; one of nulls always does."""
    alike = any(is_kind(found) and is_kind(expected) for is_kind in KINDS)
    return alike or pa.types.is_null(found) or found == expected


def _priors(folder: Path, facts: dict[str, dict[str, Any]]) -> list[Prior]:
    """The priors of the metadata, each with its table if a copy is in the folder."""
    priors = []
    for name, fact in facts.items():
        path = folder / f"{name}.parquet"
        columns, size = None, None
        if path.is_file():
            table = pq.read_table(path)
            needed = [*(fact.get("components") or []), "nb", "frequency", "bias"]
            missing = [column for column in needed if column not in table.column_names]
            if missing:
                raise InputError(f"{path} lacks the columns: {', '.join(missing)}")
            size = path.stat().st_size
            columns = {c: np.array(table[c].to_numpy()) for c in table.column_names}
        priors.append(Prior(name, fact, columns, size))
    return priors
