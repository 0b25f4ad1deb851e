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

from pipeline.checks import PROBLEMS, read_checked
from pipeline.problem_table import PROBLEMS_FILE
from pipeline.report_data import Instance, Prior, ReportData, group_runs
from solver.errors import InputError

RUNS_FILE = "runs.parquet"
COLUMNS = {
    "run": pa.types.is_string,
    "domain": pa.types.is_string,
    "family": pa.types.is_string,
    "family_parameters": pa.types.is_string,
    "instance": pa.types.is_string,
    "algorithm": pa.types.is_string,
    "prior": pa.types.is_string,
    "settings": pa.types.is_string,
    "seed": pa.types.is_integer,
    "budget_playouts": pa.types.is_integer,
    "budget_seconds": pa.types.is_floating,
    "solved": pa.types.is_boolean,
    "score": pa.types.is_floating,
    "playouts": pa.types.is_integer,
    "seconds": pa.types.is_floating,
    "trace_playouts": pa.types.is_list,
    "trace_score": pa.types.is_list,
    "trace_seconds": pa.types.is_list,
    "status": pa.types.is_string,
    "solution": pa.types.is_string,
}


def read_runs(folders: Sequence[Path]) -> ReportData:
    """Read `runs.parquet`, `problems.parquet` and `priors/*.parquet` of each folder.

    Raises
    ------
    InputError
        If something is missing or does not fit, or a run is there twice.
    """
    rows: list[dict[str, Any]] = []
    facts: list[dict[str, Any]] = []
    decision: dict[str, bool] = {}
    instances: dict[tuple[str, str], dict[str, Instance]] = {}
    priors: dict[tuple[str, str], Prior] = {}
    for folder in folders:
        path = folder / RUNS_FILE
        own, said = _read_rows(path)
        _refuse_repeated(path, rows, own)
        rows += sorted(own, key=lambda row: str(row["domain"]))
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
    rows: list[dict[str, Any]] = table.to_pylist()
    if not rows:
        raise InputError(f"{path} holds no runs")
    facts: dict[str, Any] = json.loads(table.schema.metadata[b"nestor"])
    return rows, facts


def _refuse_repeated(
    path: Path, before: Iterable[dict[str, Any]], rows: Iterable[dict[str, Any]]
) -> None:
    names = Counter(row["run"] for row in (*before, *rows))
    repeated = [name for name, n in names.items() if n > 1]
    if repeated:
        raise InputError(f"{path}: run {repeated[0]!r} is there more than once")


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
    missing = [name for name in COLUMNS if name not in schema.names]
    if missing:
        raise InputError(f"{path} lacks the columns: {', '.join(missing)}")
    for name, fits in COLUMNS.items():
        found = schema.field(name).type
        if not (fits(found) or pa.types.is_null(found) or _large(found, fits)):
            raise InputError(f"{path}: column {name} has type {found}")
    if b"nestor" not in (schema.metadata or {}):
        raise InputError(f'{path} has no "nestor" entry in its schema metadata')


def _large(found: pa.DataType, fits: Any) -> bool:
    """Whether a type is the 64-bit-offset form of an accepted string or list type."""
    return (fits is pa.types.is_string and pa.types.is_large_string(found)) or (
        fits is pa.types.is_list and pa.types.is_large_list(found)
    )


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
