"""A folder of runs: the journal, the table made of it, and what it was run on."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.checks import RUNS, write_checked
from solver.errors import InputError
from solver.files import replacing
from solver.priors import Prior
from solver.tables import METADATA_KEY

RUNS_SCHEMA = pa.schema(
    [
        pa.field("run", pa.string(), nullable=False),
        pa.field("domain", pa.string(), nullable=False),
        pa.field("family", pa.string(), nullable=False),
        pa.field("family_parameters", pa.string(), nullable=False),
        pa.field("instance", pa.string(), nullable=False),
        pa.field("algorithm", pa.string(), nullable=False),
        pa.field("prior", pa.string(), nullable=False),
        pa.field("settings", pa.string(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("budget_playouts", pa.int64()),
        pa.field("budget_seconds", pa.float64()),
        pa.field("solved", pa.bool_(), nullable=False),
        pa.field("score", pa.float64()),
        pa.field("playouts", pa.int64()),
        pa.field("seconds", pa.float64(), nullable=False),
        pa.field("trace_playouts", pa.list_(pa.int64())),
        pa.field("trace_score", pa.list_(pa.float64())),
        pa.field("trace_seconds", pa.list_(pa.float64())),
        pa.field("status", pa.string(), nullable=False),
        pa.field("solution", pa.string()),
    ]
)

_PACKAGES = ("nestor", "numba", "numpy", "pyarrow", "ortools")


def write_runs(
    folder: Path,
    rows: Iterable[dict[str, Any]],
    priors: Iterable[Prior],
    facts: dict[str, Any],
) -> None:
    """Write `runs.parquet` and the bias tables it speaks of.

    Parameters
    ----------
    facts : dict
        Command, start, decision...; machine, versions and commit are added.
    """
    earlier = _earlier_facts(folder / "runs.parquet")
    told = dict(earlier.get("priors", {}))
    for prior in priors:
        if prior.path is None or prior.metadata is None:
            continue
        _copy(prior.path, folder / "priors" / f"{prior.name}.parquet")
        about = prior.metadata
        told[prior.name] = {
            "path": prior.path.name,
            "domain": about["domain"],
            "prior": about["prior"],
            "components": list(about["components"]),
            "cardinalities": list(about["components"].values()),
            "instances": about["instances"],
            "source": json.dumps(about["source"]),
            "training_seconds": about.get("seconds"),
            "temperature": prior.temperature,
            "rows": pq.read_metadata(prior.path).num_rows,
        }
    commands = [*earlier.get("commands", []), facts["command"]]
    facts = {**facts, **surroundings(), "priors": told, "commands": list(dict.fromkeys(commands))}
    facts["command"] = "; ".join(facts["commands"])
    schema = RUNS_SCHEMA.with_metadata({METADATA_KEY: json.dumps(facts)})
    ordered = sorted(rows, key=lambda row: str(row["run"]))
    table = pa.Table.from_pylist(ordered, schema=schema)
    write_checked(table, folder / "runs.parquet", RUNS, None)


def _earlier_facts(path: Path) -> dict[str, Any]:
    """What the runs that are there already say: a folder may be filled by several commands."""
    if not path.exists():
        return {}
    metadata = pq.read_schema(path).metadata or {}
    facts: dict[str, Any] = json.loads(metadata.get(METADATA_KEY, b"{}"))
    return facts


def _copy(source: Path, target: Path) -> None:
    with replacing(target) as temporary:
        temporary.write_bytes(source.read_bytes())


def surroundings() -> dict[str, Any]:
    """Machine, versions and commit: what a measurement depends on beside the command."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {
        "machine": {"cpu": _cpu(), "cores": _cores(), "platform": platform.system()},
        "versions": versions,
        "commit": _commit(),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _cores() -> int:
    import os

    return os.cpu_count() or 1


def _commit() -> str:
    """Commit of the sources, "unknown" outside of a checkout."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip()


def check_sources(folder: Path, digest: str) -> None:
    """Refuse to add runs of one version of the solver to those of another.

    Raises
    ------
    InputError
        If `folder` holds runs made by other sources.
    """
    stamp = folder / "sources"
    if stamp.exists() and stamp.read_text().strip() != digest:
        raise InputError(
            f"{folder}: its runs were made by another version of the solver, choose another --out"
        )
    with replacing(stamp) as temporary:
        temporary.write_text(digest + "\n")
