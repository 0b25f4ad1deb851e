"""Other solvers to compare with, on the same problems. They are optional packages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.domain import Problem
from solver.errors import InputError


@dataclass(frozen=True)
class PeerResult:
    """What a peer made of a problem; the answer is not verified yet."""

    answer: Any
    """None if it found none."""
    seconds: float
    proved_infeasible: bool


def solve_latin_square_cp_sat(problem: Problem, seconds: float, seed: int) -> PeerResult:
    """Complete a Latin square with OR-Tools CP-SAT on one worker: all-different lines."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise InputError("cp-sat needs the package ortools (pip install ortools)") from None
    begin = time.perf_counter()
    givens = problem.data.tolist()
    order = len(givens)
    model = cp_model.CpModel()
    cells = [
        [
            model.new_int_var(0, order - 1, "") if given < 0 else model.new_constant(given)
            for given in row
        ]
        for row in givens
    ]
    for line in (*cells, *zip(*cells, strict=True)):
        model.add_all_different(line)
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
    answer = np.array([[solver.value(cell) for cell in row] for row in cells], np.int16)
    return PeerResult(answer, elapsed, False)


PEERS: dict[str, dict[str, Callable[[Problem, float, int], PeerResult]]] = {
    "latin-square": {"cp-sat": solve_latin_square_cp_sat},
}
