"""Plan of a comparison from its request: families of instances, methods, and their jobs."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generators.benchmark_set import BenchmarkSet
from generators.given import GivenProblems, read_given
from generators.solved import family_of
from pipeline.comparing.comparison import Comparison
from pipeline.comparing.compilation import compile_job, first_searches
from pipeline.comparing.jobs import FamilyPlan, Job, MethodPlan, plan_jobs
from pipeline.comparing.journal import RUN_ROWS, Journal, RunJournal
from pipeline.comparing.problems import keep_problems
from pipeline.comparing.run_jobs import run_jobs
from pipeline.requests.compare import CompareRequest
from pipeline.tables.names import JOURNAL_FILE, RUNS_FILE
from pipeline.tables.runs import ERROR, check_sources, earlier_facts, write_runs
from solver.algorithms import algorithm_named, suited
from solver.commands.subjects import Subject, find_subject
from solver.compiling.sources import class_digest
from solver.compiling.user_files import recurs_in_runs
from solver.contract.domain import Puzzle
from solver.contract.identity import domain_digest
from solver.contract.references import load_generator, peers_of, problem_of, refuse_reading
from solver.errors import FieldError, InputError
from solver.priors.priors import NO_PRIOR, Prior, named_prior
from solver.searching.driver import Budget
from solver.system.datasets import sha256

#: Modules that make instances and run jobs.
MADE_BY = ("pipeline.comparing.run_job", "generators.benchmark_set", "generators.given")

#: Generated instances of a family unless a request says how many.
DEFAULT_INSTANCES = 100
#: Of those that are generated, so many are built before the first run, until one can be.
MOST_TRIED = 10


@dataclass(frozen=True)
class RunComparison(Comparison[Job, str, dict[str, Any]]):
    """Runs of methods on problems, as a request asks for them."""

    request: CompareRequest
    domain: Puzzle
    budget: Budget
    methods: list[MethodPlan]
    jobs: list[Job]

    unit = "runs"
    kind = RUN_ROWS

    @classmethod
    def of(cls, request: CompareRequest) -> RunComparison:
        """Plan every job of `request`.

        Raises
        ------
        InputError
            If something that it names does not exist or does not fit.
        """
        subject = find_subject(request.subject)
        families = plan_families(subject, request)
        _check_families(subject.domain, families)
        methods = plan_methods(subject.domain, request)
        jobs = plan_jobs(families, methods, request.seeds)
        _check_names(jobs)
        return cls(
            request, subject.domain, Budget(request.playouts, request.seconds), methods, jobs
        )

    @property
    def journal_path(self) -> Path:
        """See `Comparison.journal_path`."""
        return self.out / JOURNAL_FILE

    def open_journal(self) -> RunJournal:
        """See `Comparison.open_journal`.

        Raises
        ------
        InputError
            Also if the folder has runs that the journal lacks, or a damaged table.
        """
        digests = {self.domain.name: domain_digest(self.domain, *MADE_BY)}
        for method in self.methods:
            if method.algorithm is not None:
                digests[method.name] = class_digest(type(method.algorithm))
            if method.prior is not None and method.prior.path is not None:
                digests[f"the prior {method.prior.name}"] = sha256(method.prior.path)
        check_sources(self.out, digests)
        journal, table = Journal(self.journal_path, RUN_ROWS), self.out / RUNS_FILE
        if earlier_facts(table) and not journal.rows:
            raise InputError(f"{table} has runs and {journal.path.name} none, choose another --out")
        return journal

    def identity(self, job: Job) -> str:
        """See `Comparison.identity`."""
        run: str = job.head(self.domain, self.budget)["run"]
        return run

    key = identity

    def is_finished(self, job: Job, journal: RunJournal) -> bool:
        """See `Comparison.is_finished`."""
        return journal.has(self.key(job))

    def compilations(self, jobs: Sequence[Job]) -> Iterator[tuple[str, Callable[[], None]]]:
        """See `Comparison.compilations`."""
        for job in first_searches(jobs):
            title = f"{self.domain.name}, {job.method.name}"
            yield title, functools.partial(compile_job, self.domain, job)

    def run(
        self,
        jobs: Sequence[Job],
        journal: RunJournal,
        *,
        threads: int = 1,
        progress: Callable[[int], None] | None = None,
    ) -> bool:
        """See `Comparison.run`."""
        return run_jobs(jobs, self.domain, self.budget, journal, threads=threads, progress=progress)

    def keep(self, journal: RunJournal) -> None:
        """Write the runs of `journal` as a table, with copies of what a report needs."""
        facts = {"command": self.request.command, "decision": self.domain.target is not None}
        priors = [method.prior for method in self.methods if method.prior]
        keep_problems(self.out, self.domain, self.jobs)
        write_runs(self.out, self._kept(journal), priors, facts)

    def _kept(self, journal: RunJournal) -> list[dict[str, Any]]:
        """All rows but errors of problems that the files of this command no longer have."""
        given = [job for job in self.jobs if job.family.is_given]
        there = {(job.family.name(job.varying), job.instance) for job in given}
        files = {family for family, _ in there}
        return [
            row
            for row in journal.rows.values()
            if row["status"] != ERROR
            or row["family"] not in files
            or (row["family"], row["instance"]) in there
        ]

    def failed(self, journal: RunJournal) -> list[str]:
        """See `Comparison.failed`."""
        rows = [(job, journal.rows.get(self.key(job))) for job in self.jobs]
        return [
            f"{job.describe()}: {row['message']}"
            for job, row in rows
            if row is not None and row["status"] == ERROR
        ]


def plan_families(subject: Subject, request: CompareRequest) -> list[FamilyPlan]:
    """Every kind of instances with every way to search them."""
    if request.instance_seed < 0:
        raise FieldError("instance_seed", f"is {request.instance_seed}, expected 0 or more")
    families = []
    for generator, options in _sets_of_instances(subject, request):
        instances = request.instances
        if instances is None:
            whole = isinstance(generator, BenchmarkSet | GivenProblems)
            instances = generator.n_available if whole else DEFAULT_INSTANCES
        elif instances > getattr(generator, "n_available", instances):
            raise InputError(
                f"--instances is {instances}, {family_of(generator)} has {generator.n_available}"
            )
        families.append(FamilyPlan(generator, options, instances, request.instance_seed))
    return families


def _sets_of_instances(subject: Subject, request: CompareRequest) -> list[tuple[Any, Any]]:
    """Every set of instances with every choice of options; these may say how files are read."""
    domain = subject.domain
    chosen = [domain.options(**options) for options in request.options]
    if request.files:
        return [(read_given(domain.with_options(o), request.files), o) for o in chosen]
    if subject.benchmark is not None:
        return [(BenchmarkSet(subject.name), options) for options in chosen]
    generator = load_generator(domain)
    for options in request.options:
        refuse_reading(domain.options, options)
    made = [generator(**parameters) for parameters in request.generators]
    return list(itertools.product(made, chosen))


def _check_names(jobs: Sequence[Job]) -> None:
    """Raise `InputError` if a report could not tell two families apart."""
    families = {id(job.family): job for job in jobs}.values()
    names = Counter(job.family.name(job.varying) for job in families)
    for name, count in names.items():
        if count > 1:
            raise InputError(f"{count} kinds of instances are called {name}, expected one of each")


def _check_families(domain: Puzzle, families: Sequence[FamilyPlan]) -> None:
    """Raise errors in building instances before any run, if all of a family, or many, fail.

    Raises
    ------
    Exception
        If no problem of a family, or none of the first `MOST_TRIED` that are generated, can be
        read or built: the error of the first.
    """
    for family in families:
        wrong = None
        some = family.instances if family.is_given else min(family.instances, MOST_TRIED)
        for number in range(some):
            try:
                domain.instance(problem_of(family.generator, family.seed, number), family.options)
                break
            except Exception as error:
                if not isinstance(error, InputError) and not recurs_in_runs(error):
                    raise
                wrong = wrong or error
        else:
            assert wrong is not None
            raise wrong


def plan_methods(domain: Puzzle, request: CompareRequest) -> list[MethodPlan]:
    """Every algorithm with every prior that it takes."""
    priors = _priors(domain, request)
    methods = []
    for name, parameters in request.algorithms:
        if parameters is None:
            peer = peers_of(domain)[name]
            peer.check(name, request.seconds)
            methods.append(MethodPlan(name, None, None, peer))
            continue
        algorithm = suited(algorithm_named(name)(**parameters), domain)
        fitting = priors if algorithm.takes_prior else [NO_PRIOR]
        methods += [MethodPlan(algorithm.name, algorithm, prior) for prior in fitting]
    planned = [(method.name, method.settings) for method in methods]
    return [
        method
        for method in methods
        if method.algorithm is None
        or method.prior is not NO_PRIOR
        or (method.algorithm.without_prior, method.settings) not in planned
    ]


def _priors(domain: Puzzle, request: CompareRequest) -> list[Prior]:
    """The priors of a request, those without a temperature once."""
    priors: list[Prior] = []
    for text, temperature in itertools.product(request.priors, request.prior_temperatures):
        prior = named_prior(text, domain, temperature)
        made = [known.name for known in priors if known.path is None]
        if prior.path is not None or prior.name not in made:
            priors.append(prior)
    for first, second in itertools.combinations(priors, 2):
        if first.name == second.name and first.path != second.path:
            paths = " and ".join(str(prior.path or prior.name) for prior in (first, second))
            raise InputError(f"{paths}: a report needs different file names")
    return priors
