"""Results of methods by seconds: `python -m benchmarks.by_second FOLDER SECONDS ...`.

Reads what `compare --seconds T --out FOLDER` wrote. Of problems with a target, a row per method and
family: how many instances are solved so soon, the mean over the seeds and, in brackets, the least
and the most; then the instances that no seed solved, by seed of the set and place in it.

Of problems with a score, a row per method: the mean over the runs with its 95 % bootstrap interval;
none where a run has no score yet. With `--each-instance` a row per instance, the mean of its seeds,
and the total of all. With `--against METHOD`, as the first column calls it, how far each other
method is above it: paired by instance, or, of a single instance, over the runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.tables import by_numbers, excess, playouts_per_second, split_off, write_markdown
from pipeline.reports.result_tables import DASH, with_interval
from pipeline.results.data import MethodRuns
from pipeline.results.reading import read_report_data
from pipeline.results.statistics import Estimate, Floats, best_so_far, mean_curve
from solver.commands.options import new_parser, run_command
from solver.errors import InputError


def seconds_by_seed(runs: MethodRuns) -> Floats:
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


def solved_row(family: str, runs: MethodRuns, limits: Floats) -> list[str]:
    """Cells of a method: how many instances it solved within each limit."""
    seconds = seconds_by_seed(runs)
    cells = []
    for limit in limits:
        solved = (seconds <= limit).sum(axis=0)
        cells.append(f"{solved.mean():.1f} [{solved.min()}, {solved.max()}]")
    names = sorted(set(runs.instance.tolist()), key=by_numbers)
    order = {name: row for row, name in enumerate(np.unique(runs.instance).tolist())}
    never = [name for name in names if np.isinf(seconds[order[name]]).all()]
    return [f"{family}, {runs.method.label}", f"{seconds.shape[1]}", *cells, " ".join(never)]


def scores_at(runs: MethodRuns, seconds: Floats) -> Floats:
    """Best score of each run after each of `seconds`, float64[runs, seconds]; nan before any."""
    return np.array([best_so_far(trace.seconds, trace.score, seconds) for trace in runs.traces])


def instance_rows(runs: MethodRuns, seconds: Floats) -> list[list[str]]:
    """Cells of each instance that a method ran on, and of their total."""
    scores = scores_at(runs, seconds)
    names = sorted(set(runs.instance.tolist()), key=by_numbers)
    means = [scores[runs.instance == name].mean(axis=0) for name in names]
    counts = [int((runs.instance == name).sum()) for name in names]
    rows = zip([*names, "total"], [*counts, sum(counts)], [*means, sum(means)], strict=True)
    return [
        [f"{runs.method.label}, {name}", f"{count}", *(mean_cell(mean) for mean in row)]
        for name, count, row in rows
    ]


def mean_cell(mean: float) -> str:
    """A mean, or a dash if a run has no score yet."""
    return DASH if np.isnan(mean) else f"{mean:,.2f}"


def difference_cell(difference: float) -> str:
    """A difference with its sign, or a dash if a run has no score yet."""
    return DASH if np.isnan(difference) else f"{difference:+z,.2f}"


def score_row(runs: MethodRuns, seconds: Floats) -> list[str]:
    """Cells of a method: its mean best score after so many seconds."""
    means, lows, highs = mean_curve(scores_at(runs, seconds))
    estimates = map(Estimate, means, lows, highs)
    cells = [with_interval(estimate, mean_cell) for estimate in estimates]
    return [runs.method.label, f"{len(runs.score)}", *cells, playouts_per_second(runs)]


def differences(methods: Sequence[MethodRuns], against: str, seconds: Floats) -> list[list[str]]:
    """Cells of each other method: how far its mean is above that of the method `against`."""
    base, others = split_off(methods, against)
    scores = scores_at(base, seconds).T
    rows = []
    for runs in others:
        columns = zip(scores, scores_at(runs, seconds).T, strict=True)
        estimates = [excess((base, before), (runs, after)) for before, after in columns]
        cells = [with_interval(estimate, difference_cell) for estimate in estimates]
        rows.append([runs.method.label, f"{len(runs.score)}", *cells])
    return rows


def run(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = new_parser("python -m benchmarks.by_second", __doc__ or "", "")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("seconds", nargs="+", type=float, metavar="SECONDS")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--against", metavar="METHOD", help="differences to this method")
    shown.add_argument(
        "--each-instance",
        action="store_true",
        help="a row per instance, seed of the set and place in it, in place of intervals",
    )
    arguments = parser.parse_args(argv)
    seconds = np.array(arguments.seconds)
    families = read_report_data([arguments.folder]).families
    methods = [runs for family in families for runs in family.methods]
    limits = [f"{at:g} s" for at in seconds]
    if all(family.decision for family in families):
        if arguments.against or arguments.each_instance:
            raise InputError("--against and --each-instance are for problems with a score")
        rows = [solved_row(one.name, runs, seconds) for one in families for runs in one.methods]
        write_markdown(["method", "seeds", *limits, "never"], rows, texts=1)
        return 0
    header = ["method", "runs", *limits]
    if arguments.against:
        rows = [
            row
            for family in families
            for row in differences(family.methods, arguments.against, seconds)
        ]
    elif arguments.each_instance:
        rows = [row for runs in methods for row in instance_rows(runs, seconds)]
    else:
        header += ["playouts/s"]
        rows = [score_row(runs, seconds) for runs in methods]
    write_markdown(header, rows, texts=1)
    return 0


if __name__ == "__main__":
    run_command("by_second", run)
