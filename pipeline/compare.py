"""Compare algorithms and priors: every method on every instance, one row per run.

A *job* is one method on one instance with one seed. Finished jobs are appended
to a journal at once, so an interrupted or killed comparison loses none of them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from generators.solved import problem_of
from pipeline.peers import PEERS
from solver.algorithms import Algorithm
from solver.domain import Domain, Problem
from solver.errors import VerificationError
from solver.interrupt import WAKE_SECONDS, stop_on_interrupt
from solver.priors import Prior
from solver.search import Budget
from solver.solve import solve

#: Improvements kept of a run: enough for a curve, little enough for thousands of runs.
MAX_TRACE = 200

#: Folder for the journals of parts that ran elsewhere.
PARTS = "parts"

#: Seed of repeat r on instance i is r * SEED_STEP + i.
SEED_STEP = 1_000_000


@dataclass(frozen=True)
class FamilyPlan:
    """Instances of one kind, searched in one way."""

    generator: Any
    options: Any
    instances: int
    seed: int

    def parameters(self, varying: Sequence[str]) -> dict[str, Any]:
        """Parameters for the report: the generator's, and the options that vary."""
        options = asdict(self.options)
        return {**self.generator.family_parameters, **{name: options[name] for name in varying}}

    def name(self, varying: Sequence[str]) -> str:
        """What the report calls the family."""
        options = asdict(self.options)
        return ", ".join([self.generator.family, *(str(options[name]) for name in varying)])


@dataclass(frozen=True)
class MethodPlan:
    """An algorithm with a prior; `algorithm` is None for a peer, which has a name only."""

    name: str
    algorithm: Algorithm | None
    prior: Prior | None

    @property
    def settings(self) -> dict[str, Any]:
        """Return the parameters that tell methods of the same name apart."""
        settings = {} if self.algorithm is None else asdict(self.algorithm)  # type: ignore[call-overload]
        if self.prior is not None and self.prior.path is not None:
            settings["prior_temperature"] = self.prior.temperature
        return settings


@dataclass(frozen=True)
class Job:
    """One method on one instance of a family, once."""

    family: FamilyPlan
    number: int
    method: MethodPlan
    seed: int
    varying: tuple[str, ...]

    @property
    def instance(self) -> str:
        """Name of the instance within its family."""
        return f"{self.family.seed}-{self.number}"

    def head(self, domain: Domain, budget: Budget) -> dict[str, Any]:
        """Return the columns that are known before the job is run; `run` identifies it."""
        head = {
            "domain": domain.name,
            "family": self.family.name(self.varying),
            "family_parameters": json.dumps(self.family.parameters(self.varying)),
            "instance": self.instance,
            "algorithm": self.method.name,
            "prior": self.method.prior.name if self.method.prior else "",
            "settings": json.dumps(self.method.settings),
            "seed": self.seed,
            "budget_playouts": budget.playouts if self.method.algorithm else None,
            "budget_seconds": budget.seconds,
        }
        identity = {**head, "generator": asdict(self.family.generator),
                    "options": asdict(self.family.options)}  # fmt: skip
        if self.method.prior and self.method.prior.metadata:
            identity["prior_metadata"] = self.method.prior.metadata
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
        return {"run": digest[:16], **head}


def plan_jobs(
    families: Sequence[FamilyPlan], methods: Sequence[MethodPlan], seeds: int
) -> list[Job]:
    """Every job; the methods take turns on each instance, so noise falls on all alike."""
    options = [asdict(family.options) for family in families]
    usual = asdict(type(families[0].options)())
    varying = tuple(
        name for name in usual if any(option[name] != usual[name] for option in options)
    )
    largest = max(family.instances for family in families)
    # Each instance has seeds of its own: where instances are alike, runs must not be.
    return [
        Job(family, number, method, repeat * SEED_STEP + number, varying)
        for repeat, number, family in itertools.product(range(seeds), range(largest), families)
        if number < family.instances
        for method in methods
    ]


def run_job(job: Job, domain: Domain, budget: Budget, stop: threading.Event) -> dict[str, Any]:
    """Run `job` and return its row, see `pipeline.runs.RUNS_SCHEMA`."""
    problem = problem_of(job.family.generator, job.family.seed, job.number)
    domain = domain.with_options(job.family.options)
    if job.method.algorithm is None:
        result = _run_peer(job, domain, problem, budget)
    else:
        result = _run_search(job, domain, problem, budget, stop)
    return {**job.head(domain, budget), **result}


def _run_search(
    job: Job, domain: Domain, problem: Problem, budget: Budget, stop: threading.Event
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
    return {
        "solved": solution.solved,
        "score": search.score if search.playouts else None,
        "playouts": search.playouts,
        "seconds": search.seconds,
        "trace_playouts": trace.playouts[-MAX_TRACE:].tolist(),
        "trace_score": trace.score[-MAX_TRACE:].tolist(),
        "trace_seconds": trace.seconds[-MAX_TRACE:].tolist(),
        "status": "solved"
        if solution.solved
        else ("interrupted" if search.interrupted else "budget"),
        "solution": domain.format(problem, solution.answer) if solution.solved else None,
    }


def _run_peer(job: Job, domain: Domain, problem: Problem, budget: Budget) -> dict[str, Any]:
    seconds = float("inf") if budget.seconds is None else budget.seconds
    found = PEERS[domain.name][job.method.name](problem, seconds, job.seed)
    if found.answer is not None:
        try:
            domain.verify(problem, found.answer)
        except VerificationError as error:
            raise VerificationError(f"{job.method.name} on {problem.name}: {error}") from error
    solved, score = found.answer is not None, domain.target
    if solved and score is None:
        solved = domain.feasible(problem, found.answer)
        score = domain.objective(problem, found.answer)
    return {
        "solved": solved,
        "score": None if found.answer is None else score,
        "playouts": None,
        "seconds": found.seconds,
        "trace_playouts": [],
        "trace_score": [],
        "trace_seconds": [],
        "status": "solved" if solved else "infeasible" if found.proved_infeasible else "budget",
        "solution": domain.format(problem, found.answer) if solved else None,
    }


class Journal:
    """Rows of finished jobs, one line of JSON each, appended as they finish."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self._read()

    def _read(self) -> None:
        whole = 0
        for line in self.path.read_bytes().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break  # cut off when the process was killed: that job runs again
            row = json.loads(line)
            self.rows[row["run"]] = row
            whole += len(line)
        os.truncate(self.path, whole)

    def append(self, row: dict[str, Any]) -> None:
        """Keep `row`, in one write."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self.rows[row["run"]] = row


def absorb_parts(journal: Journal) -> int:
    """Take over the rows of the journals of parts beside `journal`, whoever left them there."""
    taken = 0
    for path in sorted((journal.path.parent / PARTS).glob("*.jsonl")):
        for run, row in Journal(path).rows.items():
            if run not in journal.rows:
                journal.append(row)
                taken += 1
        path.unlink()
    return taken


def run_jobs(
    jobs: Sequence[Job],
    domain: Domain,
    budget: Budget,
    journal: Journal,
    *,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> bool:
    """Run the jobs that `journal` does not have yet; False if Ctrl-C ended it.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of jobs that are in the journal.
    """
    todo = [job for job in jobs if job.head(domain, budget)["run"] not in journal.rows]
    done = len(jobs) - len(todo)
    stop = threading.Event()
    with stop_on_interrupt(stop), ThreadPoolExecutor(threads) as pool:
        for row in _finished(pool, todo, threads, domain, budget, stop):
            journal.append(row)
            done += 1
            if progress is not None:
                progress(done)
    return done == len(jobs)


def _finished(
    pool: ThreadPoolExecutor,
    jobs: Sequence[Job],
    threads: int,
    domain: Domain,
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
                if row["status"] != "interrupted":
                    yield row
    except BaseException:  # a job failed: no need of the others
        stop.set()
        raise
