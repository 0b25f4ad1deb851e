"""Processor seconds to a tour in time at the threshold of feasibility, beside PyVRP: kept rows.

    python -m benchmarks.tour_threshold FILE --instances 100
    python -m benchmarks.tour_threshold FILE --show

So many instances each of 50 and 60 nodes, windows anywhere in a horizon of 2.4 to 3 estimates of
the shortest tour, every fourth asymmetric; those that a dynamic program with room for 20,000 ways a
layer proves infeasible are left out. Iterated local search as `solve` takes it, without proofs
beside it, and PyVRP end with their first tour in time, after 1.5 s of a processor at the latest.
FILE is CSV; rows that it has are not made again. With `--show` nothing is run.
"""

from __future__ import annotations

import csv
import math
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import write_markdown
from generators.pyvrp_tours import solve_with_pyvrp
from generators.tsptw import TsptwGenerator
from solver.algorithms import Ils, suited
from solver.commands.options import new_parser, run_command
from solver.compiling.random import new_stream
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain
from solver.domains.tsptw.proofs.proving import Windows, prove
from solver.priors.priors import NoPrior

SECONDS, ROOM, SLICE = 1.5, 20_000, 20
NODES, SEED, ASYMMETRY = (50, 60), 77_001, 0.3
COLUMNS = ("instance", "infeasible", "ils", "pyvrp")
SHOWN = (0.1, 0.5, 1.5)
HEADER = ("in time after, processor s", "ILS", "PyVRP", "either")
DOMAIN = TsptwDomain()


class _Limit(threading.Event):
    """Event that is set after `SECONDS` of a processor."""

    def __init__(self) -> None:
        super().__init__()
        self.begin = time.process_time()

    def is_set(self) -> bool:
        """Return whether the time is over."""
        return time.process_time() - self.begin > SECONDS


def seconds_of_ils(problem: Problem) -> float:
    """Seconds to a tour in time; infinite without one."""
    instance = DOMAIN.instance(problem, DOMAIN.options())
    run = suited(Ils(), DOMAIN).new_run(DOMAIN, instance, NoPrior())
    run.begin(new_stream(0, 0))
    run.advance(0, 0)
    limit, playouts = _Limit(), 1
    while not limit.is_set():
        run.advance(playouts, 1 << 40)
        if run.best()[0] > -instance.penalty:
            return time.process_time() - limit.begin
        playouts += SLICE
    return math.inf


def seconds_of_pyvrp(problem: Problem) -> float:
    """Seconds to its first tour in time; infinite without one."""
    limit = _Limit()
    found = solve_with_pyvrp(problem.data, 0, seconds=60 * SECONDS, stop=limit, first=True)
    taken = time.process_time() - limit.begin
    return math.inf if found.tour is None else taken


def is_infeasible(problem: Problem) -> bool:
    """Return whether that there is no tour in time is soon proved."""
    if DOMAIN.why_infeasible(problem, DOMAIN.options()):
        return True
    verdict = prove(Windows.of(problem.data), np.inf, by_time=True, most=ROOM)
    return verdict.ended and verdict.tour is None


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows that are kept."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def make_rows(path: Path, count: int) -> None:
    """Make the rows that are missing, each written when it is made."""
    made = {row["instance"] for row in read_rows(path)}
    is_new = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
            file.flush()
        for number in range(count):
            for nodes in NODES:
                asymmetry = 0.0 if number % 4 else ASYMMETRY
                generator = TsptwGenerator(
                    customers=nodes - 1, asymmetry=asymmetry, horizon=3.0, windows="anywhere"
                )
                problem = generator.problem(SEED, number)
                if problem.name in made:
                    continue
                infeasible = is_infeasible(problem)
                methods = () if infeasible else (seconds_of_ils, seconds_of_pyvrp)
                taken = [f"{seconds(problem):.4f}" for seconds in methods] or ["", ""]
                writer.writerow([problem.name, int(infeasible), *taken])
                file.flush()


def table(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Cells: a row for each number of seconds, how many instances have a tour by then."""
    open_ones = [row for row in rows if row["infeasible"] == "0"]
    ils, pyvrp = (np.array([float(row[name]) for row in open_ones]) for name in COLUMNS[2:])
    return [
        [f"{seconds:g}", *(str(int(found.sum())) for found in (
            ils <= seconds, pyvrp <= seconds, np.minimum(ils, pyvrp) <= seconds,
        ))]
        for seconds in SHOWN
    ]  # fmt: skip


def run(argv: Sequence[str]) -> int:
    """Make rows, and print the table."""
    parser = new_parser("python -m benchmarks.tour_threshold", __doc__ or "", "")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--instances", type=int, default=100, metavar="N", help="(default: 100)")
    parser.add_argument("--show", action="store_true", help="print the table of the rows kept")
    arguments = parser.parse_args(argv)
    if not arguments.show:
        make_rows(arguments.file, arguments.instances)
    rows = read_rows(arguments.file)
    infeasible = sum(row["infeasible"] == "1" for row in rows)
    sys.stdout.write(
        f"{len(rows) - infeasible} instances, and {infeasible} that are infeasible\n\n"
    )
    write_markdown(HEADER, table(rows), texts=1)
    return 0


if __name__ == "__main__":
    run_command("tour_threshold", run)
