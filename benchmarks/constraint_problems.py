"""Searches beside each other on families of Latin squares: who solves or refutes what, and when.

Families: `qcp` (givens drawn one by one, satisfiable or not, orders 10 to 25), `threshold`
(33/381, 35/405, 40/545), `balanced` (30/375, 40/560, 50/750, 60/1080), `loose` (60 to 100).
Methods: the portfolio with all its parts and without CaDiCaL, each part alone (CaDiCaL as the
portfolio calls it, 5,000 conflicts at a time), CP-SAT on one worker, and portfolios by their
shares, as gnrpa:0.5+cadical:0.1. Shares are chosen with `--key 47`, on other instances. Each
instance is searched by all methods in turn in one process. Seconds, and their limit, are of the
processor, so that other work on the machine takes none of them. Rows are kept in FILE, and the same
command goes on from there.

    python -m benchmarks.constraint_problems docs/results/constraints/squares.csv --instances 3
    python -m benchmarks.constraint_problems docs/results/constraints/squares.csv --table
"""

from __future__ import annotations

import argparse
import csv
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.tables import write_markdown
from generators.latin_square import balanced_holes, random_holes, uniform_square
from pipeline.comparing.peers.cp_sat import complete_latin_square_cp_sat
from solver.algorithms import Complete, Gnrpa, Portfolio
from solver.compiling.random import new_stream
from solver.contract.domain import Problem
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.priors.priors import default_prior
from solver.searching.driver import Budget
from solver.searching.solution import solve

DOMAIN = LatinSquareDomain()
OPTIONS = DOMAIN.options()
#: Order, holes, and how the holes are chosen.
FAMILIES: dict[str, list[tuple[int, int, Any]]] = {
    "qcp": [(10, 50, None), (15, 105, None), (20, 180, None), (25, 280, None)],
    "threshold": [(33, 381, random_holes), (35, 405, random_holes), (40, 545, random_holes)],
    "balanced": [
        (30, 375, balanced_holes),
        (40, 560, balanced_holes),
        (50, 750, balanced_holes),
        (60, 1080, balanced_holes),
    ],
    "loose": [(60, 1512, random_holes), (80, 2688, random_holes), (100, 4200, random_holes)],
}
OURS = {
    "portfolio": Portfolio(),
    "portfolio-own": Portfolio(parts="gnrpa:1,complete:1"),
    "gnrpa": Gnrpa(),
    "complete": Complete(),
    "cadical": Portfolio(parts="cadical:1"),
}
METHODS = (*OURS, "cp-sat")
HEADER = ("method", *FAMILIES, "all")
COLUMNS = ["family", "order", "holes", "instance", "method", "status", "seconds", "playouts"]
#: Limit of the processor's seconds.
SECONDS = 3.0
Floats = npt.NDArray[np.float64]
#: A key of the streams of these instances: priors and parameters were chosen on others.
KEY = 46


def qcp_square(order: int, holes: int, random: np.random.Generator, *, searched: bool) -> Any:
    """Draw givens one by one, each a value that its row and column do not have.

    If `searched`, squares that propagation alone refutes are drawn again.
    """
    while True:
        grid = np.full((order, order), -1, np.int16)
        for cell in random.permutation(order * order)[holes:]:
            row, column = divmod(int(cell), order)
            free = np.setdiff1d(np.arange(order), [*grid[row], *grid[:, column]])
            if not len(free):
                break
            grid[row, column] = random.choice(free)
        else:
            refuted = DOMAIN.instance(Problem("square", grid), OPTIONS).contradiction
            if not (searched and refuted):
                return grid


def squares(family: str, instances: int, key: int = KEY) -> Iterator[tuple[int, int, int, Problem]]:
    """Yield order, holes, number and problem."""
    for order, holes, choose in FAMILIES[family]:
        for number in range(instances):
            if choose is None:
                random = np.random.default_rng([key, order, number])
                grid = qcp_square(order, holes, random, searched=number % 2 == 0)
            else:
                stream = new_stream(key, order, number)
                grid = uniform_square(order, stream).copy()
                grid[np.asarray(choose(order, holes, stream)).reshape(order, order)] = -1
            yield order, holes, number, Problem(f"{family}-{order}-{number}", grid)


class ProcessorLimit(threading.Event):
    """An event that is set once this process has spent so many seconds of the processor."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.end = time.process_time() + seconds

    def is_set(self) -> bool:
        """Return whether the time is over."""
        return super().is_set() or time.process_time() >= self.end

    def wait(self, timeout: float | None = None) -> bool:
        """Wait, at most for `timeout` seconds."""
        return super().wait(timeout) or self.is_set()


def searched(method: str, problem: Problem, seconds: float) -> tuple[str, float, int | None]:
    """Return status, seconds of the processor and playouts of `method`."""
    stop, begin = ProcessorLimit(seconds), time.process_time()
    if method == "cp-sat":
        result = complete_latin_square_cp_sat(problem, 100 * seconds, 0, stop)
        status = "infeasible" if result.proved_infeasible else "budget"
        status = "solved" if result.answer is not None else status
        return status, time.process_time() - begin, None
    prior, budget = default_prior(DOMAIN).table, Budget(seconds=100 * seconds)
    algorithm = OURS.get(method) or Portfolio(parts=method.replace("+", ","))
    found = solve(DOMAIN, problem, OPTIONS, algorithm, budget, prior=prior, stop=stop)
    status = "budget" if found.status == "interrupted" else found.status
    return status, time.process_time() - begin, found.search.playouts


def penalised(rows: list[dict[str, str]], limit: float) -> Floats:
    """Seconds of each row, twice the limit where nothing was decided."""
    decided = [row["status"] in ("solved", "infeasible") for row in rows]
    return np.where(decided, [float(row["seconds"]) for row in rows], 2 * limit)


def interval_of_mean(values: Floats) -> tuple[float, float]:
    """95 % bootstrap interval of the mean."""
    drawn = np.random.default_rng(0).integers(len(values), size=(2000, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def differs(rows: list[dict[str, str]], method: str, limit: float) -> bool:
    """Return whether PAR-2 of `method`, paired with that of the portfolio, has another mean."""
    times: dict[str, dict[tuple[str, ...], float]] = {"portfolio": {}, method: {}}
    for row, seconds in zip(rows, penalised(rows, limit).tolist(), strict=True):
        if row["method"] in times:
            times[row["method"]][row["family"], row["order"], row["instance"]] = seconds
    ours, theirs = times["portfolio"], times[method]
    less = np.array([theirs[key] - ours[key] for key in ours if key in theirs])
    if method == "portfolio" or not len(less):
        return False
    low, high = interval_of_mean(less)
    return low > 0 or high < 0


def read_rows(path: Path) -> list[dict[str, str]]:
    """Rows that are kept."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def table(rows: list[dict[str, str]], limit: float = SECONDS) -> list[list[str]]:
    """Cells of each method: decided of how many and PAR-2, in each family and in all.

    A star is at those whose 95 % interval of the difference to the portfolio leaves out 0.
    """
    methods = dict.fromkeys([*METHODS, *(row["method"] for row in rows)])
    cells: dict[str, list[str]] = {method: [] for method in methods}
    for family in HEADER[1:]:
        of = [row for row in rows if family in ("all", row["family"])]
        for method, line in cells.items():
            values = penalised([row for row in of if row["method"] == method], limit)
            star = "*" if differs(of, method, limit) else ""
            decided = f"{int((values < 2 * limit).sum())}/{len(values)}"
            line.append(f"{decided}, {values.mean():.3g}{star}" if len(values) else "")
    return [[method, *line] for method, line in cells.items() if any(line)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--instances", type=int, default=3, help="of each order")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--key", type=int, default=KEY, help="of the streams of the instances")
    parser.add_argument("--table", action="store_true", help="print what is there, search nothing")
    arguments = parser.parse_args()
    rows = read_rows(arguments.file)
    known = {tuple(row[name] for name in COLUMNS[:5]) for row in rows}
    if not arguments.table:
        arguments.file.parent.mkdir(parents=True, exist_ok=True)
        with arguments.file.open("a", newline="") as file:
            (*_, hard), *_ = squares("threshold", 1)
            for method in arguments.methods.split(","):  # compiles, so that no row has it
                searched(method, hard, 0.01)
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if not rows:
                writer.writeheader()
            for family in arguments.families.split(","):
                for order, holes, number, problem in squares(
                    family, arguments.instances, arguments.key
                ):
                    for method in arguments.methods.split(","):
                        key = (family, str(order), str(holes), str(number), method)
                        if key in known:
                            continue
                        status, taken, playouts = searched(method, problem, arguments.seconds)
                        made = "" if playouts is None else str(playouts)
                        values = (*key, status, f"{taken:.4f}", made)
                        row = dict(zip(COLUMNS, values, strict=True))
                        writer.writerow(row)
                        file.flush()
                        rows.append(row)
    write_markdown(HEADER, table(rows, arguments.seconds), texts=1)


if __name__ == "__main__":
    main()
