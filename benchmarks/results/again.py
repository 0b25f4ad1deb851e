"""Kept runs made again, wholly or in part, and compared with those that are kept."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.results.plan import ROOT, KeptRuns
from pipeline.results.runs import read_runs, read_runs_and_facts
from pipeline.results.statistics import two_proportions
from pipeline.tables.columns import RUNS_SCHEMA, stored_row
from pipeline.tables.names import RUNS_FILE
from pipeline.tables.problems import PROBLEMS_FILE
from solver.errors import InputError
from solver.priors.tables import METADATA_KEY
from solver.system.datasets import registry

#: Columns that a run is known by, `settings` apart: these may have new parameters.
KEY = ["family", "instance", "algorithm", "prior", "seed"]
#: Columns that a run with a budget in playouts has again, on any machine.
RESULTS = ["solved", "score", "playouts"]
#: Facts of a table of runs that are of the whole of it.
FACTS = ("decision", "machine", "versions", "commit")
#: Licence, in the registry of data sets, of those that are not to be copied.
UNKNOWN = "unknown"
#: Below this p-value of a two-sample test results in seconds count as different.
DIFFERENT = 0.01


def make(runs: KeptRuns, out: Path, sample: int | None) -> None:
    """Run the commands of `runs` into `out`; with `sample` on one instance of so many.

    Raises
    ------
    subprocess.CalledProcessError
        If a command fails.
    """
    fewer = [] if sample is None else ["--instances", str(sampled(runs, sample))]
    for words in runs.words:
        command = [*words, *fewer, "--quiet", "--out", str(out)]
        program = [sys.executable, "-m", "pipeline.commands.compare"]
        subprocess.run([*program, *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def sampled(runs: KeptRuns, sample: int) -> int:
    """Number of instances of a sample, of the family that has the fewest; one at least."""
    kept = read_runs(runs.folder)
    fewest = int(kept.groupby("family")["instance"].nunique().min())
    return max(1, -(-fewest // sample))


def compared(runs: KeptRuns, again: Path) -> tuple[str, bool]:
    """Compare runs made again with those kept.

    Returns
    -------
    words : str
        A line for a reader.
    same : bool
        False if a run limited by playouts alone has another result, if one limited by seconds
        is solved by other playouts, or if more or fewer of these are solved than chance explains.
    """
    kept, facts = read_runs_and_facts(runs.folder)
    both: pd.DataFrame = _paired(kept, read_runs(again))
    if both.empty:
        return f"{runs.name}: no run of {again} is kept", False
    timed = both["budget_seconds_kept"].notna()
    lines, same = [], True
    counted = both[~timed]
    if len(counted):
        alike = np.ones(len(counted), dtype=np.bool_)
        for column in RESULTS:
            first, second = counted[f"{column}_kept"], counted[f"{column}_new"]
            equal = (first == second).fillna(False) | (first.isna() & second.isna())
            alike &= equal.to_numpy(np.bool_)
        lines.append(f"{alike.sum():,} of {len(counted):,} runs the same in {', '.join(RESULTS)}")
        same = bool(alike.all())
    if timed.any():
        within = both[timed]
        old, new = (int(within[f"solved_{end}"].to_numpy().sum()) for end in ("kept", "new"))
        p = two_proportions(new, len(within), old, len(within))
        ratio = float(np.median(within["seconds_new"] / within["seconds_kept"]))
        lines.append(
            f"solved {new:,} of {len(within):,}, kept {old:,} (p = {p:.2g}); "
            f"median of seconds to those kept {ratio:.2f}"
        )
        same &= p >= DIFFERENT
        solved = within[within["solved_kept"] & within["solved_new"]].dropna(subset="playouts_new")
        if facts.get("decision", True) is True and len(solved):
            match = (solved["playouts_kept"] == solved["playouts_new"]).to_numpy(np.bool_)
            lines.append(f"{match.sum():,} of {len(solved):,} solved by both after equal playouts")
            same = same and bool(match.all())
    return f"{runs.name}: {'; '.join(lines)}", same


def _paired(kept: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Runs in both, with the settings that both know."""
    known = _parameters(kept) & _parameters(new)
    frames = [
        frame.assign(method=[_method(text, known) for text in frame["settings"]])
        for frame in (kept, new)
    ]
    return frames[0].merge(frames[1], on=[*KEY, "method"], suffixes=("_kept", "_new"))


def _parameters(runs: pd.DataFrame) -> set[str]:
    return {name for text in runs["settings"].unique() for name in json.loads(text or "{}")}


def _method(settings: str, known: set[str]) -> str:
    values: dict[str, Any] = json.loads(settings or "{}")
    return json.dumps({name: values[name] for name in sorted(values) if name in known})


def keep(runs: KeptRuns, source: Path) -> None:
    """Copy the runs of a folder of `compare` into the kept data, without what no table needs.

    Answers are left out: they were verified when they were found, and come again with the
    command. So are the traces of problems with a target.

    Raises
    ------
    InputError
        If the folder has no runs, or runs that ended in an error.
    """
    frame, facts = read_runs_and_facts(source)
    if (frame["status"] == "error").any():
        raise InputError(f"{source} has runs that ended in an error")
    table = pq.read_table(source / RUNS_FILE)
    dropped = ["solution"]
    if facts.get("decision", True) is True:
        dropped += ["trace_playouts", "trace_score", "trace_seconds"]
    rows = [stored_row(row | _without(dropped)) for row in table.to_pylist()]
    described = {name: facts[name] for name in FACTS if name in facts}
    described |= {"command": "; ".join(runs.commands), "commands": runs.commands}
    schema = RUNS_SCHEMA.with_metadata({METADATA_KEY: json.dumps(described)})
    runs.folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.Table.from_pylist(rows, schema=schema),
        runs.folder / RUNS_FILE,
        compression="zstd",
        compression_level=19,
    )
    problems = source / PROBLEMS_FILE
    if facts.get("decision", True) is not True and problems.exists():
        keep_problems(problems, runs.folder / PROBLEMS_FILE)


def keep_problems(source: Path, target: Path) -> None:
    """Copy a table of problems, without the texts of sets whose licence does not allow it."""
    table = pq.read_table(source)
    entries = registry()
    rows = [
        row | {"problem": ""} if entries.get(row["family"], {}).get("licence") == UNKNOWN else row
        for row in table.to_pylist()
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), target, compression="zstd")


def _without(columns: Sequence[str]) -> dict[str, Any]:
    return {name: [] if name.startswith("trace") else None for name in columns}
