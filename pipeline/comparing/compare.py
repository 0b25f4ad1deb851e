"""Compare algorithms and priors: every method on every instance, one row per run.

A *job* is one method on one instance with one seed. Finished jobs are appended
to a journal at once, so an interrupted or killed comparison loses none of them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from generators.given import GivenProblems
from generators.solved import family_of, family_parameters_of, problem_of
from pipeline.comparing.peers import Peer
from pipeline.comparing.run_job import run_job
from pipeline.tables.columns import wrong_value
from pipeline.tables.runs import ERROR
from solver.algorithms import ListedAlgorithm
from solver.contract.domain import Puzzle
from solver.errors import InputError
from solver.priors.priors import Prior
from solver.searching.driver import Budget
from solver.system.files import journal_lines
from solver.system.interrupt import WAKE_SECONDS, stop_on_interrupt

#: Folder for the journals of parts that ran elsewhere.
PARTS = "parts"

#: More runs are a slip of the fingers: their list alone would fill the memory.
MOST_JOBS = 1_000_000

#: Seed of repeat r on instance i is r * SEED_STEP + i; on a problem of a file, i is of its content.
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
        return {**family_parameters_of(self.generator), **{name: options[name] for name in varying}}

    def name(self, varying: Sequence[str]) -> str:
        """What the report calls the family."""
        options = asdict(self.options)
        return ", ".join([family_of(self.generator), *(str(options[name]) for name in varying)])

    @property
    def is_given(self) -> bool:
        """Whether the problems are a user's own."""
        return isinstance(self.generator, GivenProblems)

    def instance(self, number: int) -> str:
        """Name of instance `number`."""
        if isinstance(self.generator, GivenProblems):
            return self.generator.keys[number]
        return f"{self.seed}-{number}"

    def run_seed(self, number: int, repeat: int) -> int:
        """Seed of a run on instance `number`: where instances are alike, runs must not be."""
        if isinstance(self.generator, GivenProblems):
            number = int(self.instance(number)[:8], 16) % SEED_STEP  # whatever files are added
        return repeat * SEED_STEP + number


@dataclass(frozen=True)
class MethodPlan:
    """An algorithm with a prior; or a peer, which has neither."""

    name: str
    algorithm: ListedAlgorithm | None
    prior: Prior | None
    peer: Peer | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """Return the parameters that tell methods of the same name apart."""
        if self.peer is not None:
            return self.peer.settings
        settings = {} if self.algorithm is None else asdict(self.algorithm)
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
        return self.family.instance(self.number)

    def describe(self) -> str:
        """Name the problem and the method."""
        prior = self.method.prior.name if self.method.prior else ""
        name = self.instance
        with suppress(InputError):  # a problem that cannot even be made
            name = problem_of(self.family.generator, self.family.seed, self.number).name
        return f"{name}, {self.method.name}{f' with {prior}' if prior else ''}"

    def head(self, domain: Puzzle, budget: Budget) -> dict[str, Any]:
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
        identity = {**head, "options": asdict(self.family.options)}
        if not self.family.is_given:  # there the name of an instance is made of its content
            identity["generator"] = asdict(self.family.generator)
        if self.method.prior and self.method.prior.metadata:
            identity["prior_metadata"] = self.method.prior.metadata
        digest = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
        return {"run": digest[:16], **head}


def plan_jobs(
    families: Sequence[FamilyPlan], methods: Sequence[MethodPlan], seeds: int
) -> list[Job]:
    """Every job; the methods take turns on each instance, so noise falls on all alike.

    Raises
    ------
    InputError
        If there are more than `MOST_JOBS`.
    """
    many = sum(family.instances for family in families) * len(methods) * seeds
    if many > MOST_JOBS:
        raise InputError(
            f"{many:,} runs, instances times methods times seeds, expected {MOST_JOBS:,} at most"
        )
    options = [asdict(family.options) for family in families]
    usual = asdict(type(families[0].options)())
    varying = tuple(
        name for name in usual if any(option[name] != usual[name] for option in options)
    )
    largest = max(family.instances for family in families)
    return [
        Job(family, number, method, family.run_seed(number, repeat), varying)
        for repeat, number, family in itertools.product(range(seeds), range(largest), families)
        if number < family.instances
        for method in methods
    ]


class Journal:
    """Rows of finished jobs, one line of JSON each, appended as they finish."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, dict[str, Any]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        for number, line in journal_lines(path) if path.exists() else ():
            row = _read_row(line, f"{path}, line {number}")
            self.rows[row["run"]] = row

    def has(self, run: str) -> bool:
        """Whether `run` is finished; one that ended in an error is tried again."""
        return run in self.rows and self.rows[run]["status"] != ERROR

    def append(self, row: dict[str, Any]) -> None:
        """Keep `row`, in one write."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        self.rows[row["run"]] = row


def _read_row(line: bytes, source: str) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise InputError(f"{source}: no row of a run, expected an object")
    if wrong := wrong_value(row):
        raise InputError(f"{source}: {wrong}")
    return row


def absorb_parts(journal: Journal) -> int:
    """Take over the rows of the journals of parts beside `journal`, whoever left them there."""
    taken = 0
    for path in sorted((journal.path.parent / PARTS).glob("*.jsonl")):
        for run, row in Journal(path).rows.items():
            if not journal.has(run):
                journal.append(row)
                taken += 1
        path.unlink()
    return taken


def run_jobs(
    jobs: Sequence[Job],
    domain: Puzzle,
    budget: Budget,
    journal: Journal,
    *,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> bool:
    """Run the jobs that `journal` does not have yet; False if Ctrl-C ended it.

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
    return done == len(jobs)


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
                if row["status"] != "interrupted":
                    yield row
    except BaseException:  # a bug, or a second Ctrl-C: no need of the others
        stop.set()
        raise
