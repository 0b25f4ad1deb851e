"""Other solvers to compare with, on the same problems. They are optional packages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from generators.pyvrp_tours import solve_with_pyvrp
from solver.domain import Problem
from solver.domains.kakuro_board import BLACK, runs_of
from solver.errors import InputError


@dataclass(frozen=True)
class PeerResult:
    """What a peer made of a problem; the answer is not verified yet."""

    answer: Any
    """None if it found none."""
    seconds: float
    proved_infeasible: bool


def _new_cp_sat_model() -> Any:
    """Return an empty model of OR-Tools CP-SAT."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise InputError("cp-sat needs the package ortools (pip install ortools)") from None
    return cp_model.CpModel()


def _run_cp_sat(
    model: Any, read: Callable[[Any], Any], begin: float, seconds: float, seed: int
) -> PeerResult:
    """Solve `model` on one worker; `read` makes the answer of a solver that found one."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    # Its handler would leave SIGINT at its default: Ctrl-C would kill us without a report.
    solver.parameters.catch_sigint_signal = False
    status = solver.solve(model)
    elapsed = time.perf_counter() - begin
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return PeerResult(None, elapsed, status == cp_model.INFEASIBLE)
    return PeerResult(read(solver), elapsed, False)


def solve_latin_square_cp_sat(problem: Problem, seconds: float, seed: int) -> PeerResult:
    """Complete a Latin square with OR-Tools CP-SAT on one worker: all-different lines."""
    begin = time.perf_counter()
    model = _new_cp_sat_model()
    givens = problem.data.tolist()
    order = len(givens)
    cells = [
        [
            model.new_int_var(0, order - 1, "") if given < 0 else model.new_constant(given)
            for given in row
        ]
        for row in givens
    ]
    for line in (*cells, *zip(*cells, strict=True)):
        model.add_all_different(line)

    def read(solver: Any) -> Any:
        return np.array([[solver.value(cell) for cell in row] for row in cells], np.int16)

    return _run_cp_sat(model, read, begin, seconds, seed)


def solve_kakuro_cp_sat(problem: Problem, seconds: float, seed: int) -> PeerResult:
    """Fill a Kakuro with OR-Tools CP-SAT on one worker: all-different runs and their sums."""
    begin = time.perf_counter()
    model = _new_cp_sat_model()
    board = problem.data
    cells = np.zeros(board.cells.shape, object)
    for place in map(tuple, np.argwhere(board.cells != BLACK)):
        given = int(board.cells[place])
        cells[place] = model.new_int_var(given or board.least, given or board.most, "")
    for run in runs_of(board.cells != BLACK):
        line = cells[run.cells].tolist()
        model.add_all_different(line)
        model.add(sum(line) == int(board.clues[run.clue]))

    def read(solver: Any) -> Any:
        answer = np.zeros(board.cells.shape, np.int16)
        for place in map(tuple, np.argwhere(board.cells != BLACK)):
            answer[place] = solver.value(cells[place])
        return answer

    return _run_cp_sat(model, read, begin, seconds, seed)


def solve_tsptw_pyvrp(problem: Problem, seconds: float, seed: int) -> PeerResult:
    """Route one vehicle with PyVRP on one core; it proves nothing and takes all of its time."""
    begin = time.perf_counter()
    if seconds == float("inf"):
        raise InputError("pyvrp stops at no answer by itself: it needs --seconds")
    tour = solve_with_pyvrp(problem.data, seed, seconds=seconds)
    return PeerResult(tour, time.perf_counter() - begin, False)


PEERS: dict[str, dict[str, Callable[[Problem, float, int], PeerResult]]] = {
    "latin-square": {"cp-sat": solve_latin_square_cp_sat},
    "kakuro": {"cp-sat": solve_kakuro_cp_sat},
    "tsptw": {"pyvrp": solve_tsptw_pyvrp},
}
