"""Reading folders of runs: reports need only the files of `compare`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pipeline.results.data import Instance, Prior, ReportData
from pipeline.results.grouping import group_runs
from pipeline.results.runs import read_runs_and_facts, refuse_repeated
from pipeline.tables.checks import PROBLEMS, read_checked
from pipeline.tables.names import RUNS_FILE
from pipeline.tables.problems import FEASIBLE_ABOVE, PROBLEMS_FILE
from pipeline.tables.runs import in_words
from solver.errors import InputError
from solver.priors.layout import CODE
from solver.priors.tables import read_table

#: Columns of a bias table besides those of its codes.
VALUES = ("count", "nb", "frequency", "bias")


def read_report_data(folders: Sequence[Path]) -> ReportData:
    """Read `runs.parquet`, `problems.parquet` and `priors/*.parquet` of each folder.

    Raises
    ------
    InputError
        If something is missing or does not fit, or a run is there twice.
    """
    frames: list[pd.DataFrame] = []
    facts: list[dict[str, Any]] = []
    decision: dict[str, bool] = {}
    instances: dict[tuple[str, str], dict[str, Instance]] = {}
    priors: dict[tuple[str, str], Prior] = {}
    for folder in folders:
        runs, folder_facts = read_runs_and_facts(folder)
        frames.append(_with_surroundings(runs, folder_facts).sort_values("domain", kind="stable"))
        refuse_repeated(pd.concat(frames), folder / RUNS_FILE)
        facts.append(folder_facts)
        decision |= _decision(folder_facts, runs)
        _read_problems(folder / PROBLEMS_FILE, instances)
        for prior in _priors(folder / "priors", folder_facts.get("priors") or {}):
            key = (str(prior.facts.get("domain")), prior.name)
            if not _same_prior(priors.setdefault(key, prior), prior):
                raise InputError(
                    f"{folder}: its prior {prior.name} differs from that of a folder before it"
                )
    runs = pd.concat(frames, ignore_index=True)
    families = group_runs(runs, decision, instances)
    methods = {
        (f.domain, group.method.index): group.method for f in families for group in f.methods
    }
    return ReportData(families, list(methods.values()), list(priors.values()), facts, runs)


def _with_surroundings(runs: pd.DataFrame, facts: dict[str, Any]) -> pd.DataFrame:
    """Runs with machine and versions; commit and time of a run are nobody's but its own.

    Files of earlier versions say of the table when and at which commit it was written, which may
    have been long after the runs; the machine is taken to be that of the runs.
    """
    words = {name: in_words(facts.get(name) or {}) for name in ("machine", "versions")}
    return runs.fillna({name: text for name, text in words.items() if text})


def _decision(facts: dict[str, Any], runs: pd.DataFrame) -> dict[str, bool]:
    """Return for each domain of a folder whether it has a target."""
    known = facts.get("decision", True)
    return {
        domain: bool(known.get(domain, True) if isinstance(known, dict) else known)
        for domain in runs["domain"].unique()
    }


def _read_problems(path: Path, instances: dict[tuple[str, str], dict[str, Instance]]) -> None:
    """Add the problems of a folder; without them solutions are shown as text."""
    if not path.is_file():
        return
    table, _ = read_checked(path, PROBLEMS, None)
    for row in table.to_pylist():
        family = instances.setdefault((row["domain"], row["family"]), {})
        family[row["instance"]] = Instance(
            row["name"], row["problem"], row["best_known"], row.get(FEASIBLE_ABOVE)
        )


def _same_prior(first: Prior, second: Prior) -> bool:
    if first is second or first.table is None or second.table is None:
        return first.facts == second.facts
    return first.table.keys() == second.table.keys() and all(
        np.array_equal(first.table[name], second.table[name]) for name in first.table
    )


def _priors(folder: Path, facts: dict[str, dict[str, Any]]) -> list[Prior]:
    """The priors of the metadata, each with its table if a copy is in the folder."""
    priors: list[Prior] = []
    for name, fact in facts.items():
        path = folder / f"{name}.parquet"
        columns, size = None, None
        if path.is_file():
            table = read_table(path)
            needed = [*(fact.get("components") or []), *([CODE] if fact.get("parts") else [])]
            needed += [column for column in VALUES if column != "count"]
            missing = [column for column in needed if column not in table.column_names]
            if missing:
                raise InputError(f"{path} lacks the columns: {', '.join(missing)}")
            size = path.stat().st_size
            if fact.get("parts"):
                priors += _parts(name, fact, table, size)
                continue
            columns = {c: np.array(table[c].to_numpy()) for c in table.column_names}
        priors.append(Prior(name, fact, columns, size))
    return priors


def _parts(name: str, fact: dict[str, Any], table: pa.Table, size: int) -> Iterator[Prior]:
    """The codes of a prior that has several, each as a prior of its own."""
    codes = np.array(table[CODE].to_pylist())
    for code, components in fact["parts"].items():
        mine = table.filter(pa.array(codes == code))
        columns = {c: np.array(mine[c].to_numpy()) for c in (*components, *VALUES)}
        sizes = list(components.values())
        facts = {"prior": code, "components": list(components), "cardinalities": sizes}
        facts["rows"] = mine.num_rows
        yield Prior(f"{name}: {code}", {**fact, **facts}, columns, size)
