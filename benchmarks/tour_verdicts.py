"""Verdicts on tours with time windows beside PyVRP and CP-SAT: rows that are kept and gone on with.

    python -m benchmarks.tour_verdicts FILE --instances 25 --seconds 3
    python -m benchmarks.tour_verdicts FILE --check 60
    python -m benchmarks.tour_verdicts FILE --show

So many instances of each kind and size, every other one asymmetric: loose (windows of up to 300
around a tour), at the threshold (`--horizon 3 --windows anywhere`) and mostly infeasible (the same
with `--horizon 1.8`). Each is searched as by `solve tsptw`, by PyVRP and by CP-SAT with a circuit
of the legs that windows allow, one worker, for so many seconds each; CP-SAT up to 50 nodes only, of
which it proves little. FILE is CSV with a row for each instance and method; rows that it has are
not made again. Costs of `solve` and PyVRP are those of a walk along the tour, made apart from the
solver; those of CP-SAT are its objective.

`--check` looks at the verdicts of `solve` by another dynamic program (`tour_reference`), for so
many seconds each, in rows of a method `check`. With `--show` nothing is run. A verdict is
contradicted if another method has a tour in time where it says that there is none, or a cheaper
one than its optimum.
"""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import write_markdown
from benchmarks.tour_reference import BETTER, NONE, UNIT, cost_of, looked_for, whole
from generators.pyvrp_tours import solve_with_pyvrp
from generators.tsptw import TsptwGenerator
from pipeline.reports.result_tables import DASH
from solver.algorithms import Ils
from solver.commands.options import new_parser, run_command
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import TsptwDomain
from solver.errors import InputError
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
CHECKED = (OPTIMAL, INFEASIBLE)
#: What `check` says of a verdict.
RIGHT, WRONG, NOT_ENDED = "right", "wrong", "not ended"
CHECK = "check"
#: Most nodes of CP-SAT's models.
MOST_MODELLED = 50
#: Costs of this share more are the same.
SAME = 1e-6
METHODS = ("solve", "pyvrp", "cp-sat")
HEADER = (
    "kind", "nodes", "optimal", "infeasible", "median s", "most", "checked", "in time",
    "PyVRP in time", "dearer", "CP-SAT proved", "CP-SAT median s",
)  # fmt: skip
#: Columns of words.
TEXTS = 1
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
    cost = cost_of(problem.data, found.answer)
    if cost is None:
        raise AssertionError(f"{problem.name}: a tour of solve is late")
    facts = {} if found.bound is None else domain.bound_facts(problem, found.answer, found.bound)
    verdict = OPTIMAL if facts.get("optimal") else IN_TIME
    return {"verdict": verdict, "cost": cost, "bound": facts.get("lower_bound", "")}


def routed(problem: Problem, seconds: float) -> Row:
    """Tour of PyVRP, which proves nothing."""
    tour = solve_with_pyvrp(problem.data, 0, seconds=seconds).tour
    cost = None if tour is None else cost_of(problem.data, tour)
    return {"verdict": NOTHING} if cost is None else {"verdict": IN_TIME, "cost": cost}


def modelled(problem: Problem, seconds: float) -> Row:
    """Verdict of CP-SAT on a circuit with times of service."""
    from ortools.sat.python import cp_model

    data, n = whole(problem.data), len(problem.data)
    model = cp_model.CpModel()
    latest = int(data[:, n + 1].max())
    at = [model.new_int_var(int(data[k, n]), int(data[k, n + 1]), "") for k in range(n)]
    back = model.new_int_var(0, latest, "")
    arcs, costs = [], []
    for here in range(n):
        for there in range(n):
            cost = int(data[here, there])
            if here != there and data[here, n] + cost <= data[there, n + 1]:
                leg = model.new_bool_var("")
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
    solver.parameters.catch_sigint_signal = False  # it would leave SIGINT at its default
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return {"verdict": INFEASIBLE}
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {"verdict": NOTHING}
    verdict = OPTIMAL if status == cp_model.OPTIMAL else IN_TIME
    bound = solver.best_objective_bound / UNIT
    return {"verdict": verdict, "cost": solver.objective_value / UNIT, "bound": bound}


def methods_of(nodes: int) -> tuple[str, ...]:
    """Return the methods that instances of so many nodes are given to."""
    return METHODS if nodes <= MOST_MODELLED else METHODS[:2]


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
    is_new = not path.exists() or path.stat().st_size == 0
    searched(next(instances(1))[3], seconds / 10)  # compiles, so that the clock does not see it
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
            file.flush()
        for kind, nodes, number, problem in instances(count):
            for method in methods_of(nodes):
                key = (kind, str(nodes), str(number), method)
                if key not in made:
                    begin = time.perf_counter()
                    row = RUN[method](problem, seconds)
                    taken = round(time.perf_counter() - begin, 3)
                    writer.writerow(
                        dict(zip(COLUMNS, key, strict=False)) | row | {"seconds": taken}
                    )
                    file.flush()


def check_rows(path: Path, count: int, seconds: float) -> None:
    """Judge the verdicts of `solve` that have not been yet, by the other dynamic program."""
    if not path.exists():
        raise InputError(f"{path}: no such file, expected rows to check")
    rows = {tuple(row[name] for name in COLUMNS[:4]): row for row in read_rows(path)}
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        for kind, nodes, number, problem in instances(count):
            key = (kind, str(nodes), str(number))
            row = rows.get((*key, "solve"))
            if row is None or row["verdict"] not in CHECKED or (*key, CHECK) in rows:
                continue
            begin = time.perf_counter()
            cost = float(row["cost"]) if row["cost"] else None
            said = {NONE: RIGHT, BETTER: WRONG}.get(
                looked_for(problem.data, cost, seconds), NOT_ENDED
            )
            made = dict(zip(COLUMNS, (*key, CHECK, said), strict=False))
            writer.writerow(made | {"seconds": round(time.perf_counter() - begin, 3)})
            file.flush()


def contradicted(row: Row, others: list[Row]) -> bool:
    """Return whether a tour of `others` in time contradicts the verdict of `row`."""
    costs = [float(other["cost"]) for other in others if other["cost"]]
    if row["verdict"] == INFEASIBLE:
        return bool(costs)
    least = min(costs, default=math.inf)
    return row["verdict"] == OPTIMAL and least < float(row["cost"]) * (1 - SAME)


def table(rows: Sequence[Row]) -> list[list[str]]:
    """Cells: a row for each kind and size.

    Verdicts of `solve`, the seconds to them and how many the check found right; tours in time;
    those of PyVRP, and how many of its instances lack as cheap a tour as that of `solve`; proofs
    of CP-SAT.
    """
    cells = []
    for kind in KINDS:
        for nodes in SIZES:
            here = [row for row in rows if (row["kind"], row["nodes"]) == (kind, str(nodes))]
            of = {
                method: {row["instance"]: row for row in here if row["method"] == method}
                for method in (*METHODS, CHECK)
            }
            if of["solve"]:
                cells.append([kind, str(nodes), *_cells(of)])
    return cells


def _cells(of: dict[str, dict[str, Row]]) -> list[str]:
    """Cells of a kind and size, from rows by method and instance."""
    solve, pyvrp, checks = of["solve"], of["pyvrp"], of[CHECK]
    verdicts = [row["verdict"] for row in solve.values()]
    right = sum(row["verdict"] == RIGHT for row in checks.values())
    proved = sum(verdict in CHECKED for verdict in verdicts)
    dearer = sum(
        bool(row["cost"]) and not _cost(pyvrp[number]) <= float(row["cost"]) * (1 + SAME)
        for number, row in solve.items()
    )
    proofs = [row["verdict"] in CHECKED for row in of["cp-sat"].values()]
    return [
        f"{verdicts.count(OPTIMAL)}",
        f"{verdicts.count(INFEASIBLE)}",
        *_seconds(solve.values()),
        f"{right}/{proved}",
        f"{sum(bool(row['cost']) for row in solve.values())}",
        f"{sum(bool(row['cost']) for row in pyvrp.values())}",
        f"{dearer}",
        f"{sum(proofs)}" if proofs else DASH,
        _seconds(of["cp-sat"].values())[0],
    ]


def _cost(row: Row) -> float:
    """Cost of a tour, infinite without one."""
    return float(row["cost"]) if row["cost"] else math.inf


def _seconds(rows: Iterable[Row]) -> tuple[str, str]:
    """Median seconds to a proof, and the most."""
    seconds = [float(row["seconds"]) for row in rows if row["verdict"] in CHECKED]
    return (f"{np.median(seconds):.2g}", f"{max(seconds):.2g}") if seconds else (DASH, DASH)


def run(argv: Sequence[str]) -> int:
    """Make rows, and print the table."""
    parser = new_parser("python -m benchmarks.tour_verdicts", __doc__ or "", "")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--instances", type=int, default=25, metavar="N", help="(default: 25)")
    parser.add_argument("--seconds", type=float, default=3.0, metavar="T", help="(default: 3)")
    parser.add_argument("--check", type=float, metavar="T", help="judge the verdicts of solve")
    parser.add_argument("--show", action="store_true", help="print the table of the rows kept")
    arguments = parser.parse_args(argv)
    if arguments.check is not None:
        check_rows(arguments.file, arguments.instances, arguments.check)
    elif not arguments.show:
        make_rows(arguments.file, arguments.instances, arguments.seconds)
    write_markdown(HEADER, table(read_rows(arguments.file)), texts=TEXTS)
    return 0


if __name__ == "__main__":
    run_command("tour_verdicts", run)
