"""Verdicts on tours with time windows beside PyVRP and CP-SAT: rows that are kept and gone on with.

    python -m benchmarks.tour_verdicts FILE --instances 25 --seconds 10
    python -m benchmarks.tour_verdicts FILE --show

So many instances of each kind and size, every other one asymmetric: loose (windows of up to 300
around a tour), at the threshold (`--horizon 3 --windows anywhere`) and mostly infeasible (the same
with `--horizon 1.8`). Each is searched as by `solve tsptw`, by PyVRP and by CP-SAT with a circuit,
one worker, for so many seconds each. FILE is CSV with a row for each instance and method; rows that
it has are not made again. With `--show` nothing is run. A verdict is contradicted if another method
has a tour in time where it says that there is none, or a cheaper one than its optimum.
"""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import write_markdown
from generators.pyvrp_tours import DECIMALS, solve_with_pyvrp
from generators.tsptw import TsptwGenerator
from solver.algorithms import Ils
from solver.commands.options import new_parser, run_command
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain
from solver.searching.driver import Budget
from solver.searching.solution import solve_several

KINDS: dict[str, dict[str, Any]] = {
    "loose": {"width": 300.0},
    "threshold": {"horizon": 3.0, "windows": "anywhere"},
    "infeasible": {"horizon": 1.8, "windows": "anywhere"},
}
SIZES = (20, 50, 100, 200)
#: Asymmetry of every other instance.
ASYMMETRY = 0.3
SEED = 47_000
COLUMNS = ("kind", "nodes", "instance", "method", "verdict", "cost", "bound", "seconds")
OPTIMAL, INFEASIBLE, IN_TIME, NOTHING = "optimal", "infeasible", "in time", "nothing"
#: Costs of this share more are the same.
SAME = 1e-6
METHODS = ("solve", "pyvrp", "cp-sat")
HEADER = (
    "kind", "nodes", "method", "proved", "in time", "median s to a proof", "contradicted",
)  # fmt: skip
Row = dict[str, Any]


def searched(problem: Problem, seconds: float) -> Row:
    """Verdict of `solve`."""
    domain = TsptwDomain()
    (found,) = solve_several(
        domain, problem, domain.options(), Ils(), Budget(seconds=seconds),
        proves=True,
    )  # fmt: skip
    if found.why:
        return {"verdict": INFEASIBLE}
    if not found.solved:
        return {"verdict": NOTHING}
    facts = {} if found.bound is None else domain.bound_facts(problem, found.answer, found.bound)
    cost = domain.facts(problem, found.answer)["cost"]
    verdict = OPTIMAL if facts.get("optimal") else IN_TIME
    return {"verdict": verdict, "cost": cost, "bound": facts.get("lower_bound", "")}


def routed(problem: Problem, seconds: float) -> Row:
    """Tour of PyVRP, which proves nothing."""
    tour = solve_with_pyvrp(problem.data, 0, seconds=seconds).tour
    if tour is None or not TsptwDomain().feasible(problem, tour):
        return {"verdict": NOTHING}
    return {"verdict": IN_TIME, "cost": TsptwDomain().facts(problem, tour)["cost"]}


def modelled(problem: Problem, seconds: float) -> Row:
    """Verdict of CP-SAT on a circuit with times of service."""
    from ortools.sat.python import cp_model

    data, n = np.rint(problem.data * 10**DECIMALS).astype(np.int64), len(problem.data)
    model = cp_model.CpModel()
    latest = int(data[:, n + 1].max())
    at = [model.new_int_var(int(data[k, n]), int(data[k, n + 1]), "") for k in range(n)]
    back = model.new_int_var(0, latest, "")
    arcs, costs = [], []
    for here in range(n):
        for there in range(n):
            if here != there:
                leg, cost = model.new_bool_var(""), int(data[here, there])
                arcs.append((here, there, leg))
                costs.append(cost * leg)
                begin = int(data[0, n]) if here == 0 else at[here]
                end = back if there == 0 else at[there]
                model.add(end >= begin + cost).only_enforce_if(leg)
    model.add(back <= int(data[0, n + 1]))
    model.add_circuit(arcs)
    model.minimize(sum(costs))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return {"verdict": INFEASIBLE}
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {"verdict": NOTHING}
    verdict = OPTIMAL if status == cp_model.OPTIMAL else IN_TIME
    bound = solver.best_objective_bound / 10**DECIMALS
    return {"verdict": verdict, "cost": solver.objective_value / 10**DECIMALS, "bound": bound}


RUN = {"solve": searched, "pyvrp": routed, "cp-sat": modelled}


def instances(count: int) -> Iterator[tuple[str, int, int, Problem]]:
    """Kind, nodes, number and problem, all kinds and sizes in turn."""
    for number in range(count):
        for nodes in SIZES:
            for kind, parameters in KINDS.items():
                asymmetry = ASYMMETRY * (number % 2)
                generator = TsptwGenerator(customers=nodes - 1, asymmetry=asymmetry, **parameters)
                yield kind, nodes, number, generator.problem(SEED, number)


def read_rows(path: Path) -> list[Row]:
    """Rows that are kept."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def make_rows(path: Path, count: int, seconds: float) -> None:
    """Make the rows that are missing, each written when it is made."""
    made = {tuple(row[name] for name in COLUMNS[:4]) for row in read_rows(path)}
    is_new = not path.exists()
    searched(next(instances(1))[3], seconds / 10)  # compiles, so that the clock does not see it
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        for kind, nodes, number, problem in instances(count):
            for method in METHODS:
                key = (kind, str(nodes), str(number), method)
                if key not in made:
                    begin = time.perf_counter()
                    row = RUN[method](problem, seconds)
                    taken = round(time.perf_counter() - begin, 3)
                    writer.writerow(
                        dict(zip(COLUMNS, key, strict=False)) | row | {"seconds": taken}
                    )
                    file.flush()


def contradicted(row: Row, others: list[Row]) -> bool:
    """Return whether a tour of `others` in time contradicts the verdict of `row`."""
    costs = [float(other["cost"]) for other in others if other["cost"]]
    if row["verdict"] == INFEASIBLE:
        return bool(costs)
    least = min(costs, default=math.inf)
    return row["verdict"] == OPTIMAL and least < float(row["cost"]) * (1 - SAME)


def table(rows: Sequence[Row]) -> list[list[str]]:
    """Cells: a row for each kind, size and method."""
    of_instance: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        of_instance.setdefault((row["kind"], row["nodes"], row["instance"]), []).append(row)
    cells = []
    for kind in KINDS:
        for nodes in map(str, SIZES):
            for method in METHODS:
                here = [
                    row for row in rows
                    if (row["kind"], row["nodes"], row["method"]) == (kind, nodes, method)
                ]  # fmt: skip
                if not here:
                    continue
                proved = [row for row in here if row["verdict"] in (OPTIMAL, INFEASIBLE)]
                in_time = sum(bool(row["cost"]) for row in here)
                wrong = sum(
                    contradicted(row, of_instance[row["kind"], row["nodes"], row["instance"]])
                    for row in here
                )
                seconds = [float(row["seconds"]) for row in proved]
                median = f"{np.median(seconds):.2g}" if seconds else "-"
                count = len(here)
                cells.append(
                    [kind, nodes, method, f"{len(proved)}/{count}", f"{in_time}/{count}", median,
                     str(wrong)]
                )  # fmt: skip
    return cells


def run(argv: Sequence[str]) -> int:
    """Make rows, and print the table."""
    parser = new_parser("python -m benchmarks.tour_verdicts", __doc__ or "", "")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--instances", type=int, default=25, metavar="N", help="(default: 25)")
    parser.add_argument("--seconds", type=float, default=10.0, metavar="T", help="(default: 10)")
    parser.add_argument("--show", action="store_true", help="print the table of the rows kept")
    arguments = parser.parse_args(argv)
    if not arguments.show:
        make_rows(arguments.file, arguments.instances, arguments.seconds)
    write_markdown(HEADER, table(read_rows(arguments.file)), texts=3)
    return 0


if __name__ == "__main__":
    run_command("tour_verdicts", run)
