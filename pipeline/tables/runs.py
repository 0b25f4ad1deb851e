"""Folder of runs: the journal, the table made of it, and their surroundings."""

from __future__ import annotations

import datetime
import functools
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.tables.checks import RUNS, write_checked
from pipeline.tables.columns import RUNS_SCHEMA, stored_row
from pipeline.tables.names import RUNS_FILE
from solver.errors import InputError, quoted
from solver.priors.layout import Components, component_names, is_several
from solver.priors.priors import Prior
from solver.priors.tables import FIT, METADATA_KEY, ROUNDS, TUNED, parquet_errors, parse_metadata
from solver.system.files import copy_file, read_text, replacing

#: Statuses of a run: solved, or within its budget not; proved to have no answer; or it could not be
#: run, or its answer is wrong, as its message says. (Interrupted runs are not kept.)
SOLVED, BUDGET, INFEASIBLE, ERROR = "solved", "budget", "infeasible", "error"

UNKNOWN = "unknown"
#: First line of the file that names what runs were made by.
SOURCES_TITLE = "digests of the modules of"
_PACKAGES = ("nestor", "numba", "numpy", "pyarrow", "ortools", "python-sat", "pyvrp")


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
        Command, decision...; machine, versions and commit of the writing are added, those of
        a run are in its row.
    """
    earlier = earlier_facts(folder / RUNS_FILE)
    known_priors = dict(earlier.get("priors", {}))
    for prior in priors:
        if prior.path is None or prior.metadata is None:
            continue
        copy_file(prior.path, folder / "priors" / f"{prior.name}.parquet")
        learned = prior.metadata
        known_priors[prior.name] = {
            "path": prior.path.name,
            "domain": learned["domain"],
            "prior": learned["prior"],
            **_described(learned["components"]),
            "instances": learned["instances"],
            "source": json.dumps(learned["source"]),
            "training_seconds": learned.get("seconds"),
            "temperature": prior.temperature,
            **{name: learned[name] for name in (FIT, TUNED, ROUNDS) if name in learned},
            "rows": pq.read_metadata(prior.path).num_rows,
        }
    commands = [*earlier.get("commands", []), facts["command"]]
    facts = {
        **facts,
        **surroundings(),
        "priors": known_priors,
        "commands": list(dict.fromkeys(commands)),
    }
    facts["command"] = "; ".join(facts["commands"])
    schema = RUNS_SCHEMA.with_metadata({METADATA_KEY: json.dumps(facts)})
    ordered = sorted(map(stored_row, rows), key=lambda row: str(row["run"]))
    table = pa.Table.from_pylist(ordered, schema=schema)
    write_checked(table, folder / RUNS_FILE, RUNS, None)


def _described(components: Components) -> dict[str, Any]:
    """Facts of a code: names and sizes of its components; of several codes theirs, by name."""
    if is_several(components):
        return {"components": component_names(components), "parts": components}
    return {"components": list(components), "cardinalities": list(components.values())}


def earlier_facts(path: Path) -> dict[str, Any]:
    """Return the facts recorded with earlier runs: several commands may fill a folder.

    Raises
    ------
    InputError
        If the table is damaged.
    """
    if not path.exists():
        return {}
    with parquet_errors(path):
        metadata = pq.read_schema(path).metadata
    facts = parse_metadata(metadata, str(path))
    if not isinstance(facts, dict):
        raise InputError(f"{path}: its metadata is {quoted(facts)}, expected a table of entries")
    return facts


def surroundings() -> dict[str, Any]:
    """Machine, versions and commit, on which a measurement depends beside the command."""
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


def made_now() -> dict[str, str]:
    """The columns of a row that say how it was made, as it is finished."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {"finished": now, **_made_here()}


@functools.cache
def _made_here() -> dict[str, str]:
    around = surroundings()
    return {
        "commit": around["commit"],
        "machine": in_words(around["machine"]),
        "versions": in_words(around["versions"]),
    }


def in_words(facts: dict[str, Any]) -> str:
    """Names and values on a line."""
    return ", ".join(f"{name} {value}" for name, value in facts.items())


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


@functools.cache  # what runs is what was imported, whatever is committed meanwhile
def _commit() -> str:
    """Commit of the sources, "unknown" outside of a checkout; "-dirty" if they differ from it."""
    root = Path(__file__).parents[2]
    if not _git("ls-files", str(Path(__file__).relative_to(root))):
        return UNKNOWN  # installed somewhere within another repository
    commit = _git("describe", "--always", "--abbrev=12")
    if not commit:
        return UNKNOWN
    # Only what is run: a table or a report that was just written changes no measurement.
    changed = _git("status", "--porcelain", "--", "solver", "generators", "pipeline")
    return f"{commit}-dirty" if changed else commit


def _git(*words: str) -> str:
    """Return the output of a git command on our sources; empty if it fails."""
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def check_sources(folder: Path, digests: Mapping[str, str]) -> None:
    """Refuse to add runs of one version of a domain or of an algorithm to those of another.

    Parameters
    ----------
    digests : dict[str, str]
        Digests of the modules that domains and algorithms are made of, by their names.

    Raises
    ------
    InputError
        If `folder` holds runs made by other sources.
    """
    stamp = folder / "sources"
    text = read_text(stamp) if stamp.exists() else SOURCES_TITLE
    first, *lines = text.splitlines() or [""]
    known = dict(line.rsplit(" ", 1) for line in lines if " " in line)
    old = "" if first == SOURCES_TITLE else "the solver"
    wrong = old or next((name for name in digests if known.get(name, digests[name])
                         != digests[name]), "")  # fmt: skip
    if wrong:
        raise InputError(
            f"{folder}: its runs were made by another version of {wrong}, choose another --out"
        )
    known.update(digests)
    lines = [SOURCES_TITLE, *(f"{name} {known[name]}" for name in sorted(known))]
    with replacing(stamp) as temporary:
        temporary.write_text("\n".join(lines) + "\n")
