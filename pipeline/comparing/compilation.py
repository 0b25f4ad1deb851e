"""Compilation of the kernels of a comparison before its jobs begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pipeline.comparing.jobs import Job
from solver.compiling.user_files import errors_told_later
from solver.contract.designer import designer_of
from solver.contract.domain import Puzzle
from solver.contract.references import problem_of
from solver.priors.priors import NO_PRIOR
from solver.searching.driver import compile_search
from solver.searching.solution import prepared


def first_searches(jobs: Sequence[Job]) -> Iterator[Job]:
    """Yield the first job of every family and method, peers apart: they have no kernels."""
    found: set[tuple[int, int]] = set()
    for job in jobs:
        key = id(job.family), id(job.method)
        if job.method.algorithm is not None and key not in found:
            found.add(key)
            yield job


def compile_job(domain: Puzzle, job: Job) -> None:
    """Compile, or load from disk, the kernels of `job`; the job itself reports errors."""
    assert job.method.algorithm is not None
    options = job.family.options
    designer = designer_of(domain.with_options(options))
    prior: Any = NO_PRIOR.table if job.method.prior is None else job.method.prior.table
    with errors_told_later():
        problem = problem_of(job.family.generator, job.family.seed, job.number)
        domain, instance, algorithm = prepared(designer, problem, options, job.method.algorithm)
        compile_search(domain, instance, algorithm, prior, whole=True)
