"""How far tours are from the best of all methods: `python -m benchmarks.tours_beside FOLDER ...`.

Reads folders that `compare tsptw --out FOLDER` wrote. A row per family and method: mean and
largest gap to the best tour that any run of any method found, runs that found it, and when runs
were within 0.1 % of it, which is not known of peers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.tables import write_markdown
from pipeline.reports.result_tables import DASH
from pipeline.results.data import Family, MethodRuns
from pipeline.results.reading import read_report_data
from solver.commands.options import new_parser, run_command

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


def row_of(runs: MethodRuns, best: dict[str, float]) -> list[str]:
    """Cells of a method."""
    least = -np.array([best[name] for name in runs.instance.tolist()])
    gap = 100 * (-runs.score / least - 1)
    times = []
    for trace, cost in zip(runs.traces, least, strict=True):
        near = trace.seconds[100 * (-trace.score / cost - 1) <= NEAR]
        times.append(near[0] if near.size else np.inf)
    known = not runs.method.is_peer
    return [
        f"{(gap <= SAME_COST).sum()}/{len(gap)}",
        *(f"{value:z.3f} %" for value in (gap.mean(), gap.max())),
        *(f"{value:.3g} s" if known else DASH for value in (np.median(times), max(times))),
    ]


def run(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = new_parser("python -m benchmarks.tours_beside", __doc__ or "", "")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    arguments = parser.parse_args(argv)
    rows = []
    for family in read_report_data(arguments.folders).families:
        best = best_scores(family)
        for runs in family.methods:
            rows.append([family.name, runs.method.label, *row_of(runs, best)])
    write_markdown(HEADER, rows, texts=2)
    return 0


if __name__ == "__main__":
    run_command("tours_beside", run)
