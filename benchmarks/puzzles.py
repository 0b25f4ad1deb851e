"""Puzzles made, and solved again beside CP-SAT: `python -m benchmarks.puzzles --out FOLDER`.

Each puzzle is made (`make-puzzles`), CP-SAT on one worker solves it and proves that there is no
other solution, and the default search solves it with the prior that ships and without one. A line
per puzzle is kept in FOLDER, so that the same command goes on; `--count 0` only prints the table.

    python -m benchmarks.puzzles --out build/puzzles --kind sudoku --count 1000
    python -m benchmarks.puzzles --out build/puzzles --kind kakuro --count 1000
    python -m benchmarks.puzzles --out build/puzzles --kind minimal-sudoku --count 10000

Kinds `sudoku-25` and `sudoku-36` are boards of the generator with 45 % holes, not puzzles: they may
have several solutions, and are solved only.
"""

from __future__ import annotations

import argparse
import functools
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from generators.puzzles.grids import SudokuMaker
from generators.puzzles.kakuro import KakuroMaker
from generators.puzzles.making import make_puzzle
from generators.sudoku import SudokuGenerator
from solver.algorithms import Portfolio
from solver.contract.domain import Problem, Puzzle
from solver.domains import load_domain
from solver.domains.kakuro.board import BLACK, runs_of
from solver.priors.priors import default_prior
from solver.searching.driver import Budget
from solver.searching.solution import solve

MAKERS: dict[str, Any] = {
    "sudoku": SudokuMaker(),
    "minimal-sudoku": SudokuMaker(minimal=True),
    "kakuro": KakuroMaker(),
    "kakuro-6": KakuroMaker(rows=6, columns=6),
    "kakuro-8": KakuroMaker(rows=8, columns=8),
    "sudoku-16x16": SudokuMaker(order=16),
}
BOARDS = {
    "sudoku-25": SudokuGenerator(order=25, holes=0.45),
    "sudoku-36": SudokuGenerator(order=36, holes=0.45),
}
#: How a line of the table is written.
write = functools.partial(print, flush=True)
#: Seeds of other numbers than those of tests and tables of priors.
SEED = 20_261_126


def cp_model_of(problem: Problem) -> tuple[Any, dict[tuple[int, int], Any]]:
    """Return the model of a Sudoku or a Kakuro, an integer for each cell, all different in groups.

    It is written apart from the peers of `compare`.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    data = problem.data
    if hasattr(data, "clues"):
        white = data.cells != BLACK
        cells = {
            (r, c): model.new_int_var(data.least, data.most, "")
            for r, c in np.argwhere(white).tolist()
        }
        for run in runs_of(white):
            down = run.direction == 1
            line = [
                cells[run.row + k * down, run.column + k * (not down)] for k in range(run.length)
            ]
            model.add_all_different(line)
            model.add(sum(line) == int(data.clues[run.clue]))
        return model, cells
    order = len(data.grid)
    cells = {
        (r, c): model.new_int_var(0, order - 1, "") for r in range(order) for c in range(order)
    }
    groups: dict[Any, list[Any]] = {}
    for (row, column), cell in cells.items():
        for name in (("row", row), ("column", column), ("box", int(data.regions[row, column]))):
            groups.setdefault(name, []).append(cell)
        if data.grid[row, column] >= 0:
            model.add(cell == int(data.grid[row, column]))
    for group in groups.values():
        model.add_all_different(group)
    return model, cells


def asked_cp_sat(problem: Problem, seconds: float, *, unique: bool) -> dict[str, Any]:
    """Solve by CP-SAT, and look for a second solution."""
    from ortools.sat.python import cp_model

    begin = time.process_time()
    model, cells = cp_model_of(problem)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False  # it would leave SIGINT at its default
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    found: dict[str, Any] = {
        "cp_sat": status in (cp_model.OPTIMAL, cp_model.FEASIBLE),
        "cp_sat_seconds": time.process_time() - begin,
    }
    if unique and found["cp_sat"]:
        values = {place: solver.value(cell) for place, cell in cells.items()}
        others = []
        for place, cell in cells.items():
            other = model.new_bool_var("")
            model.add(cell != values[place]).only_enforce_if(other)
            others.append(other)
        model.add_bool_or(others)
        found["unique"] = {cp_model.INFEASIBLE: True, cp_model.FEASIBLE: False,
                           cp_model.OPTIMAL: False}.get(solver.solve(model))  # fmt: skip
    return found


def searched(domain: Puzzle, problem: Problem, seconds: float) -> dict[str, Any]:
    """Solve with the prior that ships and without one."""
    prior = default_prior(domain)
    found: dict[str, Any] = {}
    for name, table in (("none", None), ("prior", prior.table)):
        begin = time.process_time()
        solution = solve(
            domain, problem, domain.options(), Portfolio(), Budget(seconds=seconds), seed=1,
            prior=table,
        )  # fmt: skip
        found[name] = solution.solved
        found[f"{name}_seconds"] = time.process_time() - begin
        found[f"{name}_playouts"] = solution.search.playouts
    return found


def measured(kind: str, number: int, seconds: float) -> dict[str, Any]:
    """Make puzzle `number` and have it solved by all."""
    domain = load_domain("kakuro" if kind.startswith("kakuro") else "sudoku")
    begin = time.process_time()
    row: dict[str, Any] = {"kind": kind, "number": number}
    if kind in BOARDS:
        problem, _ = BOARDS[kind].generate(SEED, number)
    else:
        made = make_puzzle(MAKERS[kind], domain, SEED, number)
        problem = made.problem
        row |= {"grade": made.grade, "givens": made.givens}
    row["made_seconds"] = time.process_time() - begin
    row |= asked_cp_sat(problem, seconds, unique=kind in MAKERS)
    return row | searched(domain, problem, seconds)


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print a line for each kind; seconds are of the processor, means over all puzzles."""
    for kind in sorted({row["kind"] for row in rows}):
        of = [row for row in rows if row["kind"] == kind]
        write(f"{kind}: {len(of)} made, {np.mean([r['made_seconds'] for r in of]):.3f} s each")
        if kind in MAKERS:
            unique = sum(row.get("unique") is True for row in of)
            grades = ", ".join(f"{n} {g}" for g, n in Counter(r["grade"] for r in of).items())
            write(f"  one solution by CP-SAT: {unique} of {len(of)}; grades: {grades}")
        for name in ("none", "prior", "cp_sat"):
            spent = [row[f"{name}_seconds"] for row in of]
            playouts = [row[f"{name}_playouts"] for row in of if name != "cp_sat"]
            more = f", {np.mean(playouts):.1f} playouts" if playouts else ""
            write(
                f"  {name:6} solved {sum(row[name] for row in of)} of {len(of)}: mean "
                f"{1000 * np.mean(spent):.1f} ms, median {1000 * np.median(spent):.1f} ms{more}"
            )


def main() -> None:
    """Measure what is not kept yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/puzzles"), metavar="FOLDER")
    parser.add_argument("--kind", choices=[*MAKERS, *BOARDS], default="sudoku")
    parser.add_argument("--count", type=int, default=100, metavar="N", help="(default: 100)")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each search (default: 10)")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    journal = arguments.out / "puzzles.jsonl"
    lines = journal.read_text().splitlines() if journal.exists() else []
    rows = [json.loads(line) for line in lines]
    done = {(row["kind"], row["number"]) for row in rows}
    todo = [n for n in range(arguments.count) if (arguments.kind, n) not in done]
    for number in todo[:1]:  # compiles, so that no row has it
        measured(arguments.kind, number, arguments.seconds)
    with journal.open("a") as file:
        for number in todo:
            rows.append(measured(arguments.kind, number, arguments.seconds))
            file.write(json.dumps(rows[-1]) + "\n")
            file.flush()
    print_table(rows)


if __name__ == "__main__":
    main()
