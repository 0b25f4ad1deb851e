"""How far tours are from the optimum: `python -m benchmarks.tsptw_gaps FOLDER ...`.

Reads the folders that `compare potvin-bengio --out FOLDER` wrote, whose tours were verified with
their scores. A row per method, budget and settings.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from solver.domains import load_domain
from solver.domains.tsptw import OPTIMA
from solver.domains.tsptw_kernels import PENALTY

SET = "potvin-bengio"
#: In percent: the optima are known to two decimals.
SAME_COST = 0.005
USUAL = {"level": 2, "iterations": 100, "temperature": 1.0}


def method_of(row: dict[str, Any]) -> str:
    """Algorithm, prior and what is not usual about the settings."""
    settings = json.loads(row["settings"])
    given = [
        f"{name.replace('_', ' ')} {value:g}" if not isinstance(value, bool) else
        name.replace("_", " ")
        for name, value in settings.items()
        if value and (name in USUAL or name in ("local_search", "playouts_per_adapt"))
        and value != USUAL.get(name, 1 if name == "playouts_per_adapt" else None)
    ]  # fmt: skip
    return ", ".join([row["algorithm"], *([row["prior"]] if row["prior"] else []), *given])


def budget_of(row: dict[str, Any]) -> str:
    """Playouts, seconds, or both."""
    limits = [f"{row['budget_playouts']:,} playouts"] if row["budget_playouts"] else []
    return " or ".join(limits + ([f"{row['budget_seconds']:g} s"] if row["budget_seconds"] else []))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tsptw_gaps", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    names = [problem.name for problem in load_domain("tsptw").benchmark(SET)]
    found = defaultdict(list)
    for folder in parser.parse_args().folders:
        for row in pq.read_table(folder / "runs.parquet").to_pylist():
            found[budget_of(row), method_of(row)].append(row)
    sys.stdout.write("| budget | method | feasible | at the optimum | mean gap of feasible |"
                     " within 1 % | instances solved to the optimum | playouts/s |\n"
                     "|---|---|--:|--:|--:|--:|--:|--:|\n")  # fmt: skip
    for (budget, method), rows in found.items():
        cost = np.array([-np.inf if row["score"] is None else row["score"] for row in rows]) * -1
        optimum = np.array([OPTIMA[names[int(row["instance"].split("-")[1])]] for row in rows])
        feasible = cost < PENALTY
        gap = 100 * (cost / optimum - 1)
        best = gap < SAME_COST
        solved = {row["instance"] for row, hit in zip(rows, best, strict=True) if hit}
        playouts = sum(row["playouts"] or 0 for row in rows)
        speed = f"{playouts / sum(row['seconds'] for row in rows):,.0f}" if playouts else "–"
        mean = f"{gap[feasible].mean():.3f} %" if feasible.any() else "–"
        sys.stdout.write(
            f"| {budget} | {method} | {feasible.sum()}/{len(rows)} | {best.sum()}/{len(rows)} | "
            f"{mean} | {(gap < 1).sum()}/{len(rows)} | {len(solved)} | {speed} |\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
