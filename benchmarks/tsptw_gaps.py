"""Gaps of tours to the optimum: `python -m benchmarks.tsptw_gaps FOLDER ...`.

Reads the folders that `compare potvin-bengio --out FOLDER` wrote, whose tours were verified with
their scores. A row per method and folder. With `--against METHOD`, as the table calls it, how far
the shares and the gap of each other method are above its own, paired by instance, with 95 %
bootstrap intervals. With `--missed` a row per instance whose optimum some run missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.tables import excess, playouts_per_second, split_off, write_markdown
from pipeline.reports.result_tables import DASH, with_interval
from pipeline.results.data import Family, MethodRuns
from pipeline.results.reading import read_report_data
from pipeline.results.statistics import Floats
from solver.commands.options import new_parser, run_command
from solver.contract.gaps import relative_gap
from solver.domains.tsptw.domain import OPTIMA
from solver.errors import InputError

SET = "potvin-bengio"
HEADER = (
    "folder",
    "budget",
    "method",
    "feasible",
    "at the optimum",
    "within 1 %",
    "mean gap of feasible",
    "instances solved to the optimum",
    "last of them after",
    "playouts/s",
)
DIFFERENCES = (
    *HEADER[:3],
    "feasible, points",
    "at the optimum, points",
    "within 1 %, points",
    "gap where both are feasible, points",
)
MISSED = (*HEADER[:3], "instance", "at the optimum", "optimum", "dearest tour")
#: In percent: the optima are known to two decimals.
SAME_COST = 0.005
PROVED = set(OPTIMA.values())


def optima_of(family: Family, folder: Path) -> dict[str, float]:
    """Proved optimum of each instance of the set."""
    optima = {name: one.best_known for name, one in family.instances.items()}
    known = {name: -best for name, best in optima.items() if best is not None}
    ran = {name for runs in family.methods for name in runs.instance.tolist()}
    if family.domain != "tsptw" or not ran <= set(known) or not set(known.values()) <= PROVED:
        raise InputError(f"{folder}: expected runs of `compare {SET}`, found {family.name}")
    return known


def gaps(scores: Floats, optimum: float | Floats) -> Floats:
    """Gap of the costs of these scores to the optimum, in percent."""
    return 100 * relative_gap(scores, -np.asarray(optimum))


def seconds_to_optimum(runs: MethodRuns, optimum: Floats) -> Floats:
    """Seconds to the optimum of the runs that found it and know when."""
    near = [gaps(x.score, best) < SAME_COST for x, best in zip(runs.traces, optimum, strict=True)]
    times = zip(runs.traces, near, strict=True)
    return np.array([trace.seconds[hits][0] for trace, hits in times if hits.any()])


def optimum_of(runs: MethodRuns, optima: dict[str, float]) -> Floats:
    """Optimum of the instance of each run."""
    return np.array([optima[name] for name in runs.instance.tolist()])


def quality(runs: MethodRuns, optimum: Floats) -> tuple[list[Floats], Floats]:
    """Return for each tour if it is feasible, optimal, within 1 %; and its gap, or infinity."""
    gap = np.where(runs.solved, gaps(runs.score, optimum), np.inf)
    return [np.asarray(gap < most, np.float64) for most in (np.inf, SAME_COST, 1)], gap


def row_of(runs: MethodRuns, optima: dict[str, float]) -> list[str]:
    """Cells of a method."""
    optimum = optimum_of(runs, optima)
    seconds = seconds_to_optimum(runs, optimum)
    shares, gap = quality(runs, optimum)
    feasible, best = (share > 0 for share in shares[:2])
    return [
        budget_of(runs),
        runs.method.label,
        *(f"{share.sum():.0f}/{len(gap)}" for share in shares),
        f"{gap[feasible].mean():z.3f} %" if feasible.any() else DASH,
        f"{len(set(runs.instance[best].tolist()))}",
        DASH if not seconds.size else f"{seconds.max():.3g} s",
        playouts_per_second(runs),
    ]


def budget_of(runs: MethodRuns) -> str:
    """The budget as a cell."""
    limited = np.isfinite(runs.budget_seconds)
    return f"{runs.budget_seconds:g} s" if limited else f"{runs.budget:,.0f} playouts"


def points_cell(share: float) -> str:
    """A difference of shares, in points."""
    return f"{100 * share:+z.0f}"


def gap_cell(gap: float) -> str:
    """A difference of gaps in percent, in points."""
    return f"{gap:+z.3f}"


def differences(family: Family, optima: dict[str, float], against: str) -> list[list[str]]:
    """Cells of each other method: its shares and its gap less those of the method `against`."""
    base, others = split_off(family.methods, against)
    base_shares, base_gap = quality(base, optimum_of(base, optima))
    rows = []
    for runs in others:
        shares, gap = quality(runs, optimum_of(runs, optima))
        points = [
            excess((base, before), (runs, after))
            for before, after in zip(base_shares, shares, strict=True)
        ]
        above = excess((base, base_gap), (runs, gap))
        cells = [with_interval(estimate, points_cell) for estimate in points]
        cells.append(DASH if np.isnan(above.value) else with_interval(above, gap_cell))
        rows.append([budget_of(runs), runs.method.label, *cells])
    return rows


def missed(family: Family, optima: dict[str, float]) -> list[list[str]]:
    """Cells of each method and instance that has a run without the optimum."""
    rows = []
    for runs in family.methods:
        shares, _ = quality(runs, optimum_of(runs, optima))
        for key in sorted(optima, key=lambda key: family.instances[key].name):
            at_optimum = shares[1][runs.instance == key]
            if not at_optimum.all():
                count = f"{at_optimum.sum():.0f}/{len(at_optimum)}"
                costs = f"{optima[key]:.2f}", f"{-runs.score[runs.instance == key].min():.2f}"
                name = family.instances[key].name
                rows.append([budget_of(runs), runs.method.label, name, count, *costs])
    return rows


def run(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = new_parser("python -m benchmarks.tsptw_gaps", __doc__ or "", "")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument("--against", metavar="METHOD", help="differences to this method")
    tables.add_argument("--missed", action="store_true", help="instances that runs missed")
    arguments = parser.parse_args(argv)
    rows = []
    for folder in arguments.folders:
        for family in read_report_data([folder]).families:
            optima = optima_of(family, folder)
            if arguments.against:
                of_folder = differences(family, optima, arguments.against)
            elif arguments.missed:
                of_folder = missed(family, optima)
            else:
                of_folder = [row_of(runs, optima) for runs in family.methods]
            rows += [[folder.name, *row] for row in of_folder]
    header = DIFFERENCES if arguments.against else MISSED if arguments.missed else HEADER
    write_markdown(header, rows, texts=4 if arguments.missed else 3)
    return 0


if __name__ == "__main__":
    run_command("tsptw_gaps", run)
