"""Mean best scores by seconds: `python -m benchmarks.scores_by_second FOLDER SECONDS ...`.

Reads what `compare --seconds T --out FOLDER` wrote: scores of verified solutions, and when each
run improved. A row per method, with 95 % bootstrap intervals of the mean over the runs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from pipeline.report_data import MethodRuns
from pipeline.report_files import read_runs
from pipeline.statistics import Floats, best_so_far, mean_curve


def scores_at(runs: MethodRuns, seconds: Floats) -> Floats:
    """Best score of each run after each of `seconds`, float64[runs, seconds]; nan before any."""
    return np.array([best_so_far(trace.seconds, trace.score, seconds) for trace in runs.traces])


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scores_by_second", description=__doc__
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("seconds", nargs="+", type=float, metavar="SECONDS")
    arguments = parser.parse_args()
    seconds = np.array(arguments.seconds)
    header = ["method", "runs", *(f"{at:g} s" for at in seconds), "playouts/s"]
    lines = [" | ".join(header), "|".join(["---", *["--:"] * (len(header) - 1)])]
    for family in read_runs([arguments.folder]).families:
        for runs in family.methods:
            means, lows, highs = mean_curve(scores_at(runs, seconds))
            cells = [
                f"{mean:,.2f} ({low:,.2f} to {high:,.2f})"
                for mean, low, high in zip(means, lows, highs, strict=True)
            ]
            speed = f"{runs.spent.sum() / runs.seconds.sum():,.0f}"
            lines.append(" | ".join([runs.method.label, f"{len(runs.score)}", *cells, speed]))
    sys.stdout.write("".join(f"| {line} |\n" for line in lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
