"""Small runs folders and a reader of Markdown tables, for the tests of the report."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.tables.columns import RUNS_SCHEMA, stored_row

BUDGET = 1024
DUAL = "latin-square-dual"
METHODS = [("sampling", "none", 1.0), ("sampling", DUAL, 6.0), ("gnrpa", DUAL, 9.0)]
FACTS: dict[str, Any] = {
    "command": "compare latin-square",
    "machine": {"cpu": "Written 1", "cores": 1, "platform": "Linux"},
    "versions": {"python": "2.7"},
    "commit": "written",
    "priors": {},
    "decision": True,
}
Rows = list[dict[str, Any]]


def a_run(family: str, instance: int, algorithm: str, prior: str, **values: Any) -> dict[str, Any]:
    """One row; `need` is the number of playouts that it would take to solve the instance."""
    need = values.pop("need", 1)
    solved = need <= BUDGET
    played = None if prior == "" else min(need, BUDGET)
    row: dict[str, Any] = {
        "run": f"{family}/{instance}/{algorithm}/{prior}/{values.get('settings')}",
        "domain": "latin-square",
        "family": family,
        "family_parameters": "{}",
        "instance": f"{instance:03d}",
        "algorithm": algorithm,
        "prior": prior,
        "settings": "{}",
        "seed": instance,
        "budget_playouts": None if prior == "" else BUDGET,
        "budget_seconds": None,
        "solved": solved,
        "score": 0.0 if solved else -2.0,
        "playouts": played,
        "seconds": 0.05 if played is None else played / 1000,
        "trace_playouts": [] if played is None else sorted({1, played}),
        "trace_score": [0.0] if played in (None, 1) else [-3.0, 0.0 if solved else -2.0],
        "trace_seconds": [0.05] if played is None else sorted({0.001, played / 1000}),
        "status": "solved" if solved else "budget",
        "solution": "0 1\n1 0" if solved else None,
        "finished": f"2026-01-02T03:04:{instance % 60:02}+00:00",
        "commit": "0123abc",
        "machine": "cpu Example 9000, cores 2, platform Linux",
        "versions": "python 3.11.7",
        "message": None,
    }
    return row | values


def decision_rows(family: str = "order 20", median: float = 400.0, **values: Any) -> Rows:
    """Twelve instances, three searches and a peer that solves everything."""
    rng = np.random.default_rng(7)
    hardness = rng.lognormal(np.log(median), 1.2, size=12)
    rows = [
        a_run(family, k, algorithm, prior, need=max(1, int(hard / gain)), **values)
        for algorithm, prior, gain in METHODS
        for k, hard in enumerate(hardness)
    ]
    return rows + [a_run(family, k, "cp-sat", "", **values) for k in range(12)]


def save(folder: Path, rows: Rows, **facts: Any) -> Path:
    """Write a runs folder."""
    folder.mkdir(parents=True, exist_ok=True)
    metadata = {b"nestor": json.dumps(FACTS | facts).encode()}
    schema = RUNS_SCHEMA.with_metadata(metadata)
    table = pa.Table.from_pylist([stored_row(row) for row in rows], schema=schema)
    pq.write_table(table, folder / "runs.parquet")
    return folder


def save_prior(folder: Path) -> dict[str, Any]:
    """A 4 x 4 table whose last row was never possible; gives the facts of the metadata."""
    column, row = (axis.ravel() for axis in np.meshgrid(np.arange(4), np.arange(4)))
    nb = np.where(row == 3, 0, 100)
    frequency = (1 + column + 4 * row) / 20
    table = {"in_column": column, "in_row": row, "count": (nb * frequency).astype(int), "nb": nb}
    (folder / "priors").mkdir(parents=True)
    both = table | {"frequency": frequency, "bias": np.log(frequency)}
    pq.write_table(pa.table(both), folder / "priors" / f"{DUAL}.parquet")
    known: dict[str, Any] = {"path": "x", "domain": "latin-square", "prior": "dual", "rows": 16}
    known |= {"components": ["in_column", "in_row"], "cardinalities": [4, 4], "temperature": 3.0}
    return known | {"instances": 500, "source": "generated", "training_seconds": None}


def table(markdown: str, caption: str, section: str = "") -> dict[str, list[str]]:
    """Rows of a Markdown table by their first cell; the header is under an empty name."""
    start = markdown.index(f"### {caption}\n", markdown.index(f"## {section}") if section else 0)
    lines = markdown[start:].split("\n\n")[1].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {"": cells[0][1:]} | {row[0]: row[1:] for row in cells[2:]}


def playouts_to_solve(rows: Rows, algorithm: str, prior: str) -> np.ndarray[Any, Any]:
    """Straight from the rows, in instance order; infinite if unsolved."""
    chosen = [row for row in rows if (row["algorithm"], row["prior"]) == (algorithm, prior)]
    return np.array([row["playouts"] if row["solved"] else np.inf for row in chosen])
