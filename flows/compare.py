"""`compare` as a flow: shards of the jobs as tasks, then one report.

A task takes the request of `compare` and the identities of its jobs. A worker with other
sources, or another prior under the same name, would plan other jobs: it says so and runs none.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import flow, task, unmapped
from prefect.cache_policies import NO_CACHE

from flows.artifacts import link_report
from flows.dates import dated
from flows.names import (
    COMPARE,
    flow_namer,
    rename_run,
    request_namer,
    run_name,
    seed_of,
    task_namer,
)
from flows.runners import THREADS, task_runner
from pipeline.commands.compare import read_request
from pipeline.commands.comparing import planned, request_of, say_failed, show, write_report
from pipeline.comparing.journal import SHARDS, Journal
from pipeline.requests.compare import CompareRequest
from pipeline.requests.matches import MatchRequest
from solver.errors import InputError

#: At most so many tasks; a killed worker costs the jobs of its task that were not finished.
MAX_TASKS = 256


Plain = dict[str, Any]
"""A `CompareRequest` or `MatchRequest` as it travels between processes, see `pipeline.requests`."""


@task(cache_policy=NO_CACHE, task_run_name=task_namer("search"))
def run_shard(request: Plain, runs: list[str]) -> str:
    """Run some jobs, named by their identities; returns the journal with their rows."""
    comparison = planned(request_of(request))
    identities = set(runs)
    jobs = [job for job in comparison.jobs if comparison.identity(job) in identities]
    if len(jobs) != len(identities):
        missing = len(identities) - len(jobs)
        raise InputError(f"{missing} jobs are unknown here: other sources, or another prior")
    path = _shard_path(comparison.out, runs)
    comparison.run(jobs, Journal(path, comparison.kind))
    return str(path)


def _shard_path(out: Path, runs: Sequence[str]) -> Path:
    digest = hashlib.sha256(",".join(runs).encode()).hexdigest()
    return out / SHARDS / f"{digest[:12]}.jsonl"


@task(cache_policy=NO_CACHE, task_run_name=task_namer("report"))
def collect(request: Plain, journals: list[str]) -> str:
    """Put the rows of the `journals` of workers into that of the folder, and write the report."""
    comparison = planned(request_of(request))
    journal = comparison.open_journal()
    comparison.absorb(journal)
    comparison.keep(journal)
    return str(write_report(comparison))


@flow(
    flow_run_name=flow_namer(COMPARE),
    task_runner=task_runner(THREADS, os.cpu_count() or 1),
)
def benchmark(subject: str, arguments: list[str] | None = None, runner: str | None = None) -> str:
    """Compare algorithms and priors; finished runs are kept as `compare` keeps them.

    Parameters
    ----------
    subject : str
        A problem, a benchmark set or a game.
    arguments : list of str, optional
        Further arguments of `compare`; `%Y-%m` and the like stand for the time the run was
        scheduled for.
    runner : str, optional
        As `--runner`; by default tasks run in threads.

    Returns
    -------
    report : str
        Path of the report.
    """
    _, request = read_request([subject, *dated(arguments or [])])
    if runner in (None, THREADS):
        return _compare(request.plain)
    return compare_requested.with_options(task_runner=task_runner(str(runner), request.threads))(
        request.plain
    )


@flow(flow_run_name=request_namer(COMPARE), task_runner=task_runner(THREADS, os.cpu_count() or 1))
def compare_requested(request: Plain) -> str:
    """`benchmark` of a request, as `compare --flow` makes one."""
    return _compare(request)


def _compare(asked: Plain) -> str:
    # Workers may stand in another folder.
    request = request_of(asked).anywhere
    comparison = planned(request)
    plain = request.plain
    journal = comparison.open_journal()
    comparison.absorb(journal)
    todo = [comparison.identity(job) for job in comparison.missing(journal)]
    size = max(1, -(-len(todo) // MAX_TASKS))
    chunks = [todo[k : k + size] for k in range(0, len(todo), size)]
    # One task before all others: the rest find their kernels compiled.
    first = [run_shard.submit(plain, chunk) for chunk in chunks[:1]]
    for shard in first:
        shard.wait()
    shards = [*first, *run_shard.map(unmapped(plain), chunks[1:])]
    report = collect(plain, [shard.result() for shard in shards])
    link_report(f"compare-{asked['subject']}", Path(report))
    outcome = f"{len(comparison.jobs):,} {comparison.unit}"
    rename_run(run_name(COMPARE, asked["subject"], seed_of(asked), outcome))
    return report


def run_compare(request: CompareRequest | MatchRequest, runner: str) -> int:
    """`compare --flow`: run the flow with the command's request; returns the exit status."""
    chosen = compare_requested.with_options(task_runner=task_runner(runner, request.threads))
    report = chosen(request.plain)
    comparison = planned(request)
    journal = comparison.open_journal()
    show(comparison, journal, Path(report))
    return say_failed(comparison, journal)
