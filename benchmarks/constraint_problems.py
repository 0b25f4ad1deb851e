"""Searches beside each other on families of Latin squares: who solves or refutes what, and when.

Families: `qcp` (givens drawn one by one, satisfiable or not, orders 10 to 25), `threshold`
(33/381, 35/405, 40/545), `balanced` (30/375, 40/560, 50/750), `loose` (60 to 100). Methods: the
portfolio and its parts, CaDiCaL alone, CP-SAT. Each instance is searched by all methods in turn in
one process; rows are kept in FILE, and the same command goes on from there.

    python -m benchmarks.constraint_problems build/constraints.csv --instances 3 --seconds 5
    python -m benchmarks.constraint_problems build/constraints.csv --table
"""

from __future__ import annotations

import argparse
import csv
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from generators.latin_square import balanced_holes, random_holes, uniform_square
from pipeline.comparing.peers.cadical import complete_latin_square_cadical
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
    "balanced": [(30, 375, balanced_holes), (40, 560, balanced_holes), (50, 750, balanced_holes)],
    "loose": [(60, 1512, random_holes), (80, 2688, random_holes), (100, 4200, random_holes)],
}
OURS = {
    "portfolio": Portfolio(),
    "portfolio-own": Portfolio(parts="gnrpa:1,complete:1"),
    "gnrpa": Gnrpa(),
    "complete": Complete(),
}
PEERS = {"cadical": complete_latin_square_cadical, "cp-sat": complete_latin_square_cp_sat}
COLUMNS = ["family", "order", "holes", "instance", "method", "status", "seconds", "playouts"]
#: A key of the streams of these instances: priors and parameters were chosen on others.
KEY = 46


def qcp_square(order: int, holes: int, random: np.random.Generator) -> Any:
    """Draw givens one by one, each a value that its row and column do not have.

    Squares that propagation alone refutes are drawn again: nothing would be searched there.
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
            if not DOMAIN.instance(Problem("square", grid), OPTIONS).contradiction:
                return grid


def squares(family: str, instances: int) -> Iterator[tuple[int, int, int, Problem]]:
    """Yield order, holes, number and problem."""
    for order, holes, choose in FAMILIES[family]:
        for number in range(instances):
            if choose is None:
                grid = qcp_square(order, holes, np.random.default_rng([KEY, order, number]))
            else:
                stream = new_stream(KEY, order, number)
                grid = uniform_square(order, stream).copy()
                grid[np.asarray(choose(order, holes, stream)).reshape(order, order)] = -1
            yield order, holes, number, Problem(f"{family}-{order}-{number}", grid)


def searched(method: str, problem: Problem, seconds: float) -> tuple[str, float, int | None]:
    """Return status, seconds and playouts of `method`."""
    if method in OURS:
        prior = default_prior(DOMAIN).table
        solution = solve(
            DOMAIN, problem, OPTIONS, OURS[method], Budget(seconds=seconds), prior=prior
        )
        return solution.status, solution.search.seconds, solution.search.playouts
    peer = PEERS[method]
    result = peer(problem, seconds, 0, threading.Event())
    status = "infeasible" if result.proved_infeasible else "budget"
    return "solved" if result.answer is not None else status, result.seconds, None


def print_table(rows: list[dict[str, str]], limit: float) -> None:
    """Print decided instances, PAR-2 and its standard error by family and method."""
    write = sys.stdout.write
    write("| family | method | decided | PAR-2, s | ± s.e. |\n|---|---|---|---|---|\n")
    for family, method in dict.fromkeys((row["family"], row["method"]) for row in rows):
        own = [row for row in rows if (row["family"], row["method"]) == (family, method)]
        decided = [row["status"] in ("solved", "infeasible") for row in own]
        taken = [float(row["seconds"]) for row in own]
        times = np.where(decided, taken, 2 * limit)
        error = times.std(ddof=1) / len(times) ** 0.5 if len(times) > 1 else float("nan")
        write(
            f"| {family} | {method} | {sum(decided)} of {len(own)} "
            f"| {times.mean():.2f} | {error:.2f} |\n"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--methods", default=",".join([*OURS, *PEERS]))
    parser.add_argument("--instances", type=int, default=20, help="of each order")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--table", action="store_true", help="print what is there, search nothing")
    arguments = parser.parse_args()
    rows: list[dict[str, str]] = []
    if arguments.file.exists():
        with arguments.file.open(newline="") as kept:
            rows = list(csv.DictReader(kept))
    known = {tuple(row[name] for name in COLUMNS[:5]) for row in rows}
    if not arguments.table:
        arguments.file.parent.mkdir(parents=True, exist_ok=True)
        with arguments.file.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if not rows:
                writer.writeheader()
            for family in arguments.families.split(","):
                for order, holes, number, problem in squares(family, arguments.instances):
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
    print_table(rows, arguments.seconds)


if __name__ == "__main__":
    main()
