"""Run of a comparison: a method on an instance, as a row of the table."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from pipeline.comparing.peers import Peer
from pipeline.tables.columns import complete_row
from pipeline.tables.runs import BUDGET, ERROR, INFEASIBLE, SOLVED, made_now
from solver.compiling.user_files import in_a_line, is_of_users
from solver.contract.domain import Problem, Puzzle
from solver.contract.references import problem_of
from solver.errors import InputError, VerificationError, message_of
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.system.interrupt import INTERRUPTED_STATUS

if TYPE_CHECKING:  # runs depend on this module, not on how jobs are planned
    from numpy.typing import ArrayLike

    from pipeline.comparing.jobs import Job

#: Improvements kept of a run, from its first to its last: enough for a curve, little enough for
#: thousands of runs.
MAX_TRACE = 200


def run_job(job: Job, domain: Puzzle, budget: Budget, stop: threading.Event) -> dict[str, Any]:
    """Run `job` and return its row, see `pipeline.tables.columns`.

    A problem that cannot be built, an answer that is wrong, and an error of a user's code are rows
    too: with the status `error` and a message.
    """
    begin = time.perf_counter()
    domain = domain.with_options(job.family.options)
    try:
        problem = problem_of(job.family.generator, job.family.seed, job.number)
        if job.method.peer is not None:
            result = _run_peer(job, job.method.peer, domain, problem, budget, stop)
        else:
            result = _run_search(job, domain, problem, budget, stop)
    except (InputError, VerificationError) as error:
        result = _failed(message_of(error), begin)
    except Exception as error:
        if not is_of_users(error):
            raise
        result = _failed(in_a_line(error), begin)
    return complete_row({**job.head(domain, budget), **result, **made_now()})


def _failed(message: str, begin: float) -> dict[str, Any]:
    seconds = time.perf_counter() - begin
    message = " ".join(message.split())
    return {"solved": False, "seconds": seconds, "status": ERROR, "message": message}


def _run_search(
    job: Job, domain: Puzzle, problem: Problem, budget: Budget, stop: threading.Event
) -> dict[str, Any]:
    assert job.method.algorithm is not None
    solution = solve(
        domain,
        problem,
        job.family.options,
        job.method.algorithm,
        budget,
        prior=job.method.prior.table if job.method.prior else None,
        seed=job.seed,
        stop=stop,
    )
    search = solution.search
    trace = search.trace
    status = SOLVED if solution.solved else solution.status
    if search.interrupted:  # it may have an answer, but not what its budget would have given
        status = INTERRUPTED_STATUS
    return {
        "solved": solution.solved,
        "score": search.score if search.playouts else None,
        "playouts": search.playouts,
        "seconds": search.seconds,
        "trace_playouts": _thinned(trace.playouts),
        "trace_score": _thinned(trace.score),
        "trace_seconds": _thinned(trace.seconds),
        "status": status,
        "solution": domain.format(problem, solution.answer) if solution.solved else None,
    }


def _thinned(trace: ArrayLike) -> list[Any]:
    """Return a trace, or of a long one `MAX_TRACE` values, the first and the last among them."""
    values = np.asarray(trace)
    if len(values) > MAX_TRACE:
        values = values[np.linspace(0, len(values) - 1, MAX_TRACE).round().astype(np.int64)]
    kept: list[Any] = values.tolist()
    return kept


def _run_peer(
    job: Job, peer: Peer, domain: Puzzle, problem: Problem, budget: Budget, stop: threading.Event
) -> dict[str, Any]:
    seconds = float("inf") if budget.seconds is None else budget.seconds
    options = {name: getattr(job.family.options, name) for name in peer.options}
    found = peer.solve(problem, seconds, job.seed, stop, **options)
    if found.interrupted and (found.answer is None or domain.target is None):
        return {"solved": False, "seconds": found.seconds, "status": INTERRUPTED_STATUS}
    if found.answer is None:
        status = INFEASIBLE if found.proved_infeasible else BUDGET
        return {"solved": False, "seconds": found.seconds, "status": status}
    try:
        domain.verify(problem, found.answer)
    except VerificationError as error:
        raise VerificationError(f"{job.method.name} on {problem.name}: {error}") from error
    solved, score = True, domain.target
    if score is None:
        solved = domain.feasible(problem, found.answer)
        score = domain.objective(problem, found.answer)
    return {
        "solved": solved,
        "score": score,
        "seconds": found.seconds,
        "trace_score": _thinned(found.trace_score),
        "trace_seconds": _thinned(found.trace_seconds),
        "status": SOLVED if solved else BUDGET,
        "solution": domain.format(problem, found.answer) if solved else None,
    }
