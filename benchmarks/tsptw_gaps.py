"""How far tours are from the optimum: `python -m benchmarks.tsptw_gaps FOLDER ...`.

Reads the folders that `compare potvin-bengio --out FOLDER` wrote, whose tours were verified with
their scores. A row per method and folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.tables import playouts_per_second, write_markdown
from pipeline.report_data import Family, MethodRuns
from pipeline.report_files import read_runs
from pipeline.report_tables import DASH
from pipeline.statistics import Floats
from solver.domains.tsptw import OPTIMA
from solver.domains.tsptw_kernels import PENALTY
from solver.errors import InputError
from solver.options import new_parser, run_command

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
    """How far costs, of these scores, are above the optimum, in percent."""
    return np.asarray(100 * (-scores / optimum - 1))


def seconds_to_optimum(runs: MethodRuns, optimum: Floats) -> Floats:
    """Seconds to the optimum of the runs that found it and know when: peers do not."""
    near = [gaps(x.score, best) < SAME_COST for x, best in zip(runs.traces, optimum, strict=True)]
    times = zip(runs.traces, near, strict=True)
    return np.array([trace.seconds[hits][0] for trace, hits in times if hits.any()])


def row_of(runs: MethodRuns, optima: dict[str, float]) -> list[str]:
    """Cells of a method."""
    cost = np.where(np.isnan(runs.score), np.inf, -runs.score)
    optimum = np.array([optima[name] for name in runs.instance.tolist()])
    gap = gaps(-cost, optimum)
    seconds = seconds_to_optimum(runs, optimum)
    feasible = cost < PENALTY
    best = gap < SAME_COST
    limited = np.isfinite(runs.budget_seconds)
    return [
        f"{runs.budget_seconds:g} s" if limited else f"{runs.budget:,.0f} playouts",
        runs.method.label,
        *(f"{hits.sum()}/{len(cost)}" for hits in (feasible, best, gap < 1)),
        f"{gap[feasible].mean():z.3f} %" if feasible.any() else DASH,
        f"{len(set(runs.instance[best].tolist()))}",
        DASH if runs.method.is_peer or not seconds.size else f"{seconds.max():.3g} s",
        playouts_per_second(runs),
    ]


def run(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = new_parser("python -m benchmarks.tsptw_gaps", __doc__ or "", "")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    rows = []
    for folder in parser.parse_args(argv).folders:
        for family in read_runs([folder]).families:
            optima = optima_of(family, folder)
            rows += [[folder.name, *row_of(runs, optima)] for runs in family.methods]
    write_markdown(HEADER, rows, texts=3)
    return 0


if __name__ == "__main__":
    run_command("tsptw_gaps", run)
