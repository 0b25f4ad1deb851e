"""Gaps of tours to the best of all methods: `python -m benchmarks.tours_beside FOLDER ...`.

Reads folders that `compare tsptw --out FOLDER` wrote. A row per family and method: runs that found
the best tour that any run of any method found, mean and largest gap to it, and when runs were
within 0.1 % of it, where the method says when it improved; the mean is over runs that found a tour.
With `--against METHOD`, as the second column calls it, how many times as long as that method's the
others' runs on the same instance took to 0.1 %: the median, and the most. Runs of which neither
came so near are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.tables import split_off, write_markdown
from pipeline.reports.result_tables import DASH
from pipeline.results.data import Family, MethodRuns
from pipeline.results.reading import read_report_data
from pipeline.results.statistics import Floats
from solver.commands.options import new_parser, run_command
from solver.contract.gaps import relative_gap

HEADER = (
    "family", "method", "best tour", "mean gap", "largest gap", "median time to 0.1 %", "last",
)  # fmt: skip
#: In percent.
SAME_COST, NEAR = 1e-6, 0.1


def best_scores(family: Family) -> dict[str, float]:
    """Highest score of each instance."""
    best: dict[str, float] = {}
    for runs in family.methods:
        for name, score in zip(runs.instance.tolist(), runs.score.tolist(), strict=True):
            best[name] = max(best.get(name, -np.inf), score)
    return best


def least_costs(runs: MethodRuns, best: dict[str, float]) -> Floats:
    """Cost of the best tour of the instance of each run, float64[runs]."""
    return -np.array([best[name] for name in runs.instance.tolist()])


def seconds_to_near(runs: MethodRuns, least: Floats) -> Floats:
    """Seconds until each run was within 0.1 % of the best tour, infinite if it never was."""
    times = []
    for trace, cost in zip(runs.traces, least, strict=True):
        near = trace.seconds[100 * relative_gap(trace.score, -cost) <= NEAR]
        times.append(near[0] if near.size else np.inf)
    return np.array(times)


def row_of(runs: MethodRuns, best: dict[str, float]) -> list[str]:
    """Cells of a method."""
    least = least_costs(runs, best)
    gap = np.where(runs.solved, 100 * relative_gap(runs.score, -least), np.inf)
    found = np.isfinite(gap)
    times = seconds_to_near(runs, least)
    known = any(trace.seconds.size for trace in runs.traces)
    return [
        f"{(gap <= SAME_COST).sum()}/{len(gap)}",
        f"{gap[found].mean():z.3f} %" if found.any() else DASH,
        f"{gap.max():z.3f} %" if found.all() else "no tour",
        *(cell(value, " s") if known else DASH for value in (np.median(times), times.max())),
    ]


def ratios(runs: MethodRuns, base: MethodRuns, best: dict[str, float]) -> list[str]:
    """Cells of how many times as long as a run of `base` a run took to 0.1 %, paired."""
    if runs is base or runs.instance.tolist() != base.instance.tolist():
        return [DASH] * 2
    seconds, of_base = (seconds_to_near(each, least_costs(each, best)) for each in (runs, base))
    near = np.isfinite(seconds) | np.isfinite(of_base)
    times = seconds[near] / of_base[near]
    return [cell(value) for value in (np.median(times), times.max())]


def cell(value: float, unit: str = "") -> str:
    """A number and its unit, or "never"."""
    return f"{value:.2g}{unit}" if np.isfinite(value) else "never"


def run(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = new_parser("python -m benchmarks.tours_beside", __doc__ or "", "")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--against", metavar="METHOD", help="times as long as this method")
    arguments = parser.parse_args(argv)
    against, rows = arguments.against, []
    for family in read_report_data(arguments.folders).families:
        best = best_scores(family)
        base = split_off(family.methods, against)[0] if against else None
        for runs in family.methods:
            more = [] if base is None else ratios(runs, base, best)
            rows.append([family.name, runs.method.label, *row_of(runs, best), *more])
    header = (*HEADER, f"of {against}'s, median", "most") if against else HEADER
    write_markdown(header, rows, texts=2)
    return 0


if __name__ == "__main__":
    run_command("tours_beside", run)
