"""Costs of large tours by processor seconds, beside PyVRP: kept rows.

    python -m benchmarks.tour_sizes FILE --instances 1
    python -m benchmarks.tour_sizes FILE --show

So many instances each of 500 and 1,000 nodes of three kinds: windows of up to 300, symmetric and
asymmetric, and of up to 1,500. Iterated local search as `solve` takes it, without proofs beside it,
and PyVRP have 60 s of a processor each. The seconds of the search count the preparation of the
instance, those of PyVRP do not count that of its data. FILE is CSV with the cost of the best tour
in time after so many seconds, `inf` without one; rows that it has are not made again. Costs in the
end are those of a walk along the tour, made apart from the solver. With `--show` nothing is run.
"""

from __future__ import annotations

import csv
import math
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import write_markdown
from benchmarks.tour_reference import cost_of
from generators.pyvrp_tours import DECIMALS, solve_with_pyvrp
from generators.tsptw import TsptwGenerator
from solver.algorithms import Ils, suited
from solver.commands.options import new_parser, run_command
from solver.compiling.random import new_stream
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain
from solver.priors.priors import NoPrior

KINDS: dict[str, dict[str, Any]] = {
    "300": {"width": 300.0},
    "300, asymmetric": {"width": 300.0, "asymmetry": 0.3},
    "1,500": {"width": 1500.0},
}
SIZES, SEED, SLICE = (500, 1000), 47_100, 50
AT = (3, 10, 60)
COLUMNS = ("nodes", "windows", "instance", "method", *(f"cost_{at}" for at in AT))
ILS, PYVRP = "ILS", "PyVRP"
DOMAIN = TsptwDomain()
HEADER = ("nodes", "windows up to", *(f"{method}, {at} s" for method in (ILS, PYVRP) for at in AT))
#: Columns of words.
TEXTS = 2
Improvements = list[tuple[float, float]]
Row = dict[str, Any]


class _Limit(threading.Event):
    """Event that is set after the last of the seconds, of a processor."""

    def __init__(self) -> None:
        super().__init__()
        self.begin = time.process_time()

    def is_set(self) -> bool:
        """Return whether the time is over."""
        return time.process_time() - self.begin > AT[-1]


def improved_by_ils(problem: Problem) -> Improvements:
    """Seconds and costs at which better tours were found."""
    limit, found = _Limit(), []
    instance = DOMAIN.instance(problem, DOMAIN.options())
    run = suited(Ils(), DOMAIN).new_run(DOMAIN, instance, NoPrior())
    run.begin(new_stream(0, 0))
    best, playouts = -instance.penalty, 1
    while not limit.is_set():
        run.advance(playouts, 1 << 40)
        if run.best()[0] > best:
            best = run.best()[0]
            found.append((time.process_time() - limit.begin, -best))
        playouts += SLICE
    _check(problem, [0, *run.best()[1], 0], found)
    return found


def improved_by_pyvrp(problem: Problem) -> Improvements:
    """Seconds and costs at which better tours were found."""
    limit = _Limit()
    made = solve_with_pyvrp(problem.data, 0, seconds=math.inf, stop=limit, clock=time.process_time)
    found = list(zip(made.seconds, made.cost, strict=True))
    _check(problem, made.tour, found)
    return found


def _check(problem: Problem, tour: Any, found: Improvements) -> None:
    """Raise unless the last improvement is the cost of the tour."""
    if found:
        cost = cost_of(problem.data, tour)
        if cost is None or abs(cost - found[-1][1]) > 10**-DECIMALS * len(problem.data):
            raise AssertionError(f"{problem.name}: the tour costs {cost}, not {found[-1][1]}")


RUN = {ILS: improved_by_ils, PYVRP: improved_by_pyvrp}


def instances(count: int) -> Iterator[tuple[int, str, int, Problem]]:
    """Nodes, windows, number and problem."""
    for number in range(count):
        for nodes in SIZES:
            for kind, parameters in KINDS.items():
                generator = TsptwGenerator(customers=nodes - 1, **parameters)
                yield nodes, kind, number, generator.problem(SEED, number)


def read_rows(path: Path) -> list[Row]:
    """Rows that are kept."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def make_rows(path: Path, count: int) -> None:
    """Make the rows that are missing, each written when it is made."""
    made = {tuple(row[name] for name in COLUMNS[:4]) for row in read_rows(path)}
    small = DOMAIN.instance(TsptwGenerator(customers=9).problem(SEED, 0), DOMAIN.options())
    run = suited(Ils(), DOMAIN).new_run(DOMAIN, small, NoPrior())
    run.begin(new_stream(0, 0))
    run.advance(10, 10)  # compiles, so that the clock does not see it
    is_new = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(COLUMNS)
            file.flush()
        for nodes, kind, number, problem in instances(count):
            for method, improve in RUN.items():
                if (str(nodes), kind, str(number), method) in made:
                    continue
                found = improve(problem)
                costs = [
                    min((cost for seconds, cost in found if seconds <= at), default=math.inf)
                    for at in AT
                ]
                writer.writerow([nodes, kind, number, method, *(f"{cost:.4f}" for cost in costs)])
                file.flush()


def table(rows: Sequence[Row]) -> list[list[str]]:
    """Cells: a row for each size and kind; mean gaps in per cent to the best cost of both."""
    cells = []
    for nodes in SIZES:
        for kind in KINDS:
            costs = {
                method: np.array([
                    [float(row[name]) for name in COLUMNS[4:]] for row in rows
                    if (row["nodes"], row["windows"], row["method"]) == (str(nodes), kind, method)
                ])
                for method in RUN
            }  # fmt: skip
            if len(costs[ILS]) == 0 or len(costs[ILS]) != len(costs[PYVRP]):
                continue
            best = np.minimum(costs[ILS][:, -1], costs[PYVRP][:, -1])[:, None]
            gaps = [100 * (costs[method] / best - 1).mean(axis=0) for method in RUN]
            shown = [f"{gap:z.3f}" if np.isfinite(gap) else "none" for gap in np.concatenate(gaps)]
            cells.append([f"{nodes:,}", kind, *shown])
    return cells


def run(argv: Sequence[str]) -> int:
    """Make rows, and print the table."""
    parser = new_parser("python -m benchmarks.tour_sizes", __doc__ or "", "")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--instances", type=int, default=1, metavar="N", help="(default: 1)")
    parser.add_argument("--show", action="store_true", help="print the table of the rows kept")
    arguments = parser.parse_args(argv)
    if not arguments.show:
        make_rows(arguments.file, arguments.instances)
    write_markdown(HEADER, table(read_rows(arguments.file)), texts=TEXTS)
    return 0


if __name__ == "__main__":
    run_command("tour_sizes", run)
