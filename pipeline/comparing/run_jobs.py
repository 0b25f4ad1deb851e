"""Run the jobs of a comparison: every method on every instance, a row for each run."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from pipeline.comparing.jobs import Job
from pipeline.comparing.journal import RunJournal
from pipeline.comparing.run_job import run_job
from solver.contract.domain import Puzzle
from solver.searching.driver import Budget
from solver.system.interrupt import INTERRUPTED_STATUS, WAKE_SECONDS, stop_on_interrupt


def run_jobs(
    jobs: Sequence[Job],
    domain: Puzzle,
    budget: Budget,
    journal: RunJournal,
    *,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> bool:
    """Run the jobs that `journal` does not have yet; False if Ctrl-C came, even in the last one.

    A job that fails is a row that says so, and costs none of the others.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of jobs that are in the journal.
    """
    todo = [job for job in jobs if not journal.has(job.head(domain, budget)["run"])]
    done = len(jobs) - len(todo)
    stop = threading.Event()
    with stop_on_interrupt(stop), ThreadPoolExecutor(threads) as pool:
        for row in _finished(pool, todo, threads, domain, budget, stop):
            journal.append(row)
            done += 1
            if progress is not None:
                progress(done)
    return not stop.is_set()


def _finished(
    pool: ThreadPoolExecutor,
    jobs: Sequence[Job],
    threads: int,
    domain: Puzzle,
    budget: Budget,
    stop: threading.Event,
) -> Iterator[dict[str, Any]]:
    """Rows as they finish; never more than `threads` jobs are under way."""
    waiting: set[Future[dict[str, Any]]] = set()
    remaining = iter(jobs)
    try:
        while True:
            if not stop.is_set():
                for job in itertools.islice(remaining, threads - len(waiting)):
                    waiting.add(pool.submit(run_job, job, domain, budget, stop))
            if not waiting:
                return
            finished, waiting = wait(waiting, WAKE_SECONDS, FIRST_COMPLETED)
            for row in (future.result() for future in finished):
                if row["status"] != INTERRUPTED_STATUS:
                    yield row
    except BaseException:  # a bug, or a second Ctrl-C: no need of the others
        stop.set()
        raise
