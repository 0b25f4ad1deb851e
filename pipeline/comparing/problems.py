"""Problems of the runs, kept beside them for the drawings of solutions."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from pipeline.comparing.jobs import Job
from pipeline.tables.checks import PROBLEMS, read_checked, write_checked
from pipeline.tables.problems import PROBLEMS_FILE, PROBLEMS_SCHEMA
from solver.compiling.user_files import errors_told_later
from solver.contract.domain import Puzzle
from solver.contract.references import problem_of
from solver.priors.tables import METADATA_KEY


def keep_problems(folder: Path, domain: Puzzle, jobs: Iterable[Job]) -> None:
    """Add the problems of `jobs` to those in `folder`, as text that the domain reads."""
    path = folder / PROBLEMS_FILE
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    if path.exists():
        table, _ = read_checked(path, PROBLEMS, None)
        rows = {(row["domain"], row["family"], row["instance"]): row for row in table.to_pylist()}
    known = len(rows)
    for job in jobs:
        key = (domain.name, job.family.name(job.varying), job.instance)
        if key not in rows:
            with errors_told_later():
                rows[key] = _row(key, domain, job)
    if len(rows) == known:
        return
    schema = PROBLEMS_SCHEMA.with_metadata({METADATA_KEY: json.dumps({"kind": PROBLEMS})})
    ordered = [rows[key] for key in sorted(rows)]
    write_checked(pa.Table.from_pylist(ordered, schema=schema), path, PROBLEMS, None)


def _row(key: tuple[str, str, str], domain: Puzzle, job: Job) -> dict[str, Any]:
    problem = problem_of(job.family.generator, job.family.seed, job.number)
    text = domain.format_problem(problem)
    searched = domain.with_options(job.family.options)
    above = searched.feasible_above(problem)
    floor = above if math.isfinite(above) else None
    values = (*key, problem.name, text, searched.best_known(problem), floor)
    return dict(zip(PROBLEMS_SCHEMA.names, values, strict=True))
