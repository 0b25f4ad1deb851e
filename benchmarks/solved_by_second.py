"""Instances solved by seconds: `python -m benchmarks.solved_by_second FOLDER SECONDS ...`.

Reads what `compare --seconds T --out FOLDER` wrote. A row per method and family: how many instances
are solved so soon, the mean over the seeds and, in brackets, the least and the most; then the
instances that no seed solved, by seed of the set and place in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.tables import by_numbers, write_markdown
from pipeline.results.data import MethodRuns
from pipeline.results.reading import read_report_data
from solver.commands.options import new_parser, run_command
from solver.errors import InputError


def seconds_by_seed(runs: MethodRuns) -> npt.NDArray[np.float64]:
    """Seconds to solve, float64[instances, seeds], infinite where a run did not.

    Raises
    ------
    InputError
        If the instances have not all been searched with equally many seeds.
    """
    _, counts = np.unique(runs.instance, return_counts=True)
    if len(set(counts.tolist())) > 1:
        raise InputError(f"{runs.method.label}: not all instances have as many runs as others")
    return runs.seconds_to_solve.reshape(len(counts), -1)


def row_of(family: str, runs: MethodRuns, limits: Sequence[float]) -> list[str]:
    """Cells of a method."""
    seconds = seconds_by_seed(runs)
    cells = []
    for limit in limits:
        solved = (seconds <= limit).sum(axis=0)
        cells.append(f"{solved.mean():.1f} [{solved.min()}, {solved.max()}]")
    names = sorted(set(runs.instance.tolist()), key=by_numbers)
    order = {name: row for row, name in enumerate(np.unique(runs.instance).tolist())}
    never = [name for name in names if np.isinf(seconds[order[name]]).all()]
    return [f"{family}, {runs.method.label}", f"{seconds.shape[1]}", *cells, " ".join(never)]


def run(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = new_parser("python -m benchmarks.solved_by_second", __doc__ or "", "")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("seconds", nargs="+", type=float, metavar="SECONDS")
    arguments = parser.parse_args(argv)
    rows = [
        row_of(family.name, runs, arguments.seconds)
        for family in read_report_data([arguments.folder]).families
        for runs in family.methods
    ]
    limits = [f"{limit:g} s" for limit in arguments.seconds]
    write_markdown(["method", "seeds", *limits, "never"], rows, texts=1)
    return 0


if __name__ == "__main__":
    run_command("solved_by_second", run)
