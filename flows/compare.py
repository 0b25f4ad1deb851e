"""`compare` as a flow: parts of the jobs as tasks, then one report.

A task takes the arguments of `compare` and the identities of its jobs. A worker with other
sources, or another prior under the same name, would plan other jobs: it says so and runs none.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from prefect import flow, task, unmapped
from prefect.cache_policies import NO_CACHE

from flows.artifacts import link_report
from flows.dates import dated
from flows.names import COMPARE, flow_namer, rename_run, run_name, task_namer
from flows.runners import THREADS, run_flow, task_runner
from pipeline.compare import PARTS, Journal, absorb_parts, run_jobs
from pipeline.compare_cli import open_journal, read_comparison, report_runs, say_failed
from pipeline.terminal import print_summary
from solver.errors import InputError
from solver.targets import absolute

#: At most so many tasks; a killed worker costs the jobs of its task that were not finished.
MAX_TASKS = 256


@task(cache_policy=NO_CACHE, task_run_name=task_namer("search", COMPARE))
def run_part(arguments: list[str], runs: list[str]) -> str:
    """Run some jobs, named by their identities; returns the journal with their rows."""
    _, comparison = read_comparison(arguments)
    wanted = set(runs)
    jobs = [job for job in comparison.jobs if comparison.identity(job) in wanted]
    if len(jobs) != len(wanted):
        missing = len(wanted) - len(jobs)
        raise InputError(f"{missing} jobs are unknown here: other sources, or another prior")
    path = _part_path(comparison.out, runs)
    run_jobs(jobs, comparison.domain, comparison.budget, Journal(path))
    return str(path)


def _part_path(out: Path, runs: Sequence[str]) -> Path:
    digest = hashlib.sha256(",".join(runs).encode()).hexdigest()
    return out / PARTS / f"{digest[:12]}.jsonl"


@task(cache_policy=NO_CACHE, task_run_name=task_namer("report", COMPARE))
def collect(arguments: list[str], command: str, parts: list[str]) -> str:
    """Put the rows of all parts into the journal, and write the report."""
    _, comparison = read_comparison(arguments)
    journal = open_journal(comparison)
    absorb_parts(journal)
    return str(report_runs(replace(comparison, command=command), journal))


@flow(
    flow_run_name=flow_namer(COMPARE, "target"),
    task_runner=task_runner(THREADS, os.cpu_count() or 1),
)
def benchmark(target: str, arguments: list[str] | None = None, runner: str | None = None) -> str:
    """Compare algorithms and priors; finished runs are kept as `compare` keeps them.

    Parameters
    ----------
    target : str
        A domain or a benchmark set.
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
    given = [target, *dated(arguments or [])]
    asked, comparison = read_comparison(given)
    if runner not in (None, THREADS):
        within = benchmark.with_options(task_runner=task_runner(runner, asked.threads))
        return within(target, given[1:])
    argv = [absolute(target), *(_absolute_file(word, asked.files) for word in given[1:])]
    argv += ["--out", str(comparison.out.absolute()), "--prior", _absolute(asked.prior)]
    journal = open_journal(comparison)
    absorb_parts(journal)
    todo = [run for run in map(comparison.identity, comparison.jobs) if not journal.has(run)]
    size = max(1, -(-len(todo) // MAX_TASKS))
    chunks = [todo[k : k + size] for k in range(0, len(todo), size)]
    # One task before all others: the rest find their kernels compiled.
    first = [run_part.submit(argv, chunk) for chunk in chunks[:1]]
    for part in first:
        part.wait()
    parts = [*first, *run_part.map(unmapped(argv), chunks[1:])]
    report = collect(argv, comparison.command, [part.result() for part in parts])
    link_report(f"compare-{target}", Path(report))
    rename_run(run_name(COMPARE, target, given, f"{len(comparison.jobs):,} runs"))
    return report


def _absolute(priors: Sequence[str]) -> str:
    """Name tables so that a worker in another folder finds them."""
    return ",".join(str(Path(p).absolute()) if Path(p).is_file() else p for p in priors)


def _absolute_file(word: str, files: Sequence[str]) -> str:
    """Name a given file so that a worker in another folder finds it."""
    return str(Path(word).absolute()) if word in files and Path(word).is_file() else word


def run_compare(argv: list[str], runner: str) -> int:
    """`compare --flow`: run the flow with the arguments of the command; returns the status."""
    arguments, comparison = read_comparison(argv)
    report = run_flow(benchmark, argv, arguments, runner)
    print_summary(comparison.out)
    print(f"{len(comparison.jobs):,} runs, report: {report}")
    return say_failed(comparison, open_journal(comparison))
