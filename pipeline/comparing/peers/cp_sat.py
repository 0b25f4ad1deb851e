"""OR-Tools CP-SAT on one worker."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pipeline.comparing.peers.exactly_one import exactly_one
from pipeline.comparing.peers.peer import PeerResult
from solver.contract.domain import Problem
from solver.domains.kakuro.board import BLACK, runs_of
from solver.system.interrupt import WAKE_SECONDS


def complete_latin_square_cp_sat(
    problem: Problem, seconds: float, seed: int, stop: threading.Event
) -> PeerResult:
    """Complete a Latin square: one Boolean for each value a hole may have."""
    from ortools.sat.python import cp_model

    begin = time.perf_counter()
    encoded = exactly_one(problem.data)
    model = cp_model.CpModel()
    variables = [model.new_bool_var("") for _ in encoded.places]
    for group in encoded.groups:
        model.add_exactly_one([variables[number] for number in group])

    def read(solver: Any) -> Any:
        true = [number for number, one in enumerate(variables) if solver.boolean_value(one)]
        return encoded.square(np.array(true, np.int64))

    return _run(model, read, begin, seconds, seed, stop)


def complete_latin_square_integers(
    problem: Problem, seconds: float, seed: int, stop: threading.Event
) -> PeerResult:
    """Complete a Latin square: one integer for each cell, all different in every line."""
    from ortools.sat.python import cp_model

    begin = time.perf_counter()
    model = cp_model.CpModel()
    givens = problem.data.tolist()
    cells = [
        [
            model.new_int_var(0, len(givens) - 1, "") if given < 0 else model.new_constant(given)
            for given in row
        ]
        for row in givens
    ]
    for line in (*cells, *zip(*cells, strict=True)):
        model.add_all_different(line)

    def read(solver: Any) -> Any:
        return np.array([[solver.value(cell) for cell in row] for row in cells], np.int16)

    return _run(model, read, begin, seconds, seed, stop)


def fill_kakuro_cp_sat(
    problem: Problem, seconds: float, seed: int, stop: threading.Event
) -> PeerResult:
    """Fill a Kakuro: all-different runs and their sums."""
    from ortools.sat.python import cp_model

    begin = time.perf_counter()
    model = cp_model.CpModel()
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

    return _run(model, read, begin, seconds, seed, stop)


def complete_sudoku_cp_sat(
    problem: Problem, seconds: float, seed: int, stop: threading.Event
) -> PeerResult:
    """Complete a Sudoku: one Boolean for each value a hole may have."""
    from ortools.sat.python import cp_model

    begin = time.perf_counter()
    model = cp_model.CpModel()
    grid, regions, diagonals = problem.data
    order = len(grid)
    variables = np.array([[[model.new_bool_var("") for _ in range(order)] for _ in row]
                          for row in grid], object)  # fmt: skip
    for row, column in np.argwhere(grid >= 0).tolist():
        model.add(variables[row, column, grid[row, column]] == 1)
    cells = np.arange(order)
    groups = [*variables, *variables.transpose(1, 0, 2)]
    groups += [variables[regions == number] for number in range(order)]
    if diagonals:
        groups += [variables[cells, cells], variables[cells, cells[::-1]]]
    for exactly_one_of in (*variables.reshape(-1, order), *(v for of in groups for v in of.T)):
        model.add_exactly_one(exactly_one_of.tolist())

    def read(solver: Any) -> Any:
        true = np.vectorize(solver.boolean_value, otypes=[bool])(variables)
        return true.argmax(axis=2).astype(np.int16)

    return _run(model, read, begin, seconds, seed, stop)


def _run(
    model: Any,
    read: Callable[[Any], Any],
    begin: float,
    seconds: float,
    seed: int,
    stop: threading.Event,
) -> PeerResult:
    """Solve `model` in the rest of `seconds`; `read` makes the answer if there is one."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = max(seconds - (time.perf_counter() - begin), 0.0)
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    # Its handler would leave SIGINT at its default: Ctrl-C would kill us without a report.
    solver.parameters.catch_sigint_signal = False
    with _stopped_by(stop, solver):
        status = solver.solve(model)
    elapsed = time.perf_counter() - begin
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return PeerResult(read(solver), elapsed)
    if status == cp_model.INFEASIBLE:
        return PeerResult(None, elapsed, proved_infeasible=True)
    return PeerResult(None, elapsed, interrupted=stop.is_set())


@contextmanager
def _stopped_by(stop: threading.Event, solver: Any) -> Iterator[None]:
    """End the search of `solver` when `stop` is set."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(WAKE_SECONDS):
            if stop.is_set():
                solver.stop_search()  # again and again: before its search begins it does nothing

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
