"""`compare`: which algorithm, which prior is better."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import generators
from pipeline.flow_options import (
    add_flow_options,
    check_runner,
    load_flow,
    refuse_idle,
    table_command,
)
from pipeline.plan_cli import is_plan, run_plan
from solver.domains import BENCHMARKS, domain_names
from solver.errors import InputError
from solver.method import add_nested_options
from solver.options import (
    add_dataclass,
    comma_list,
    new_parser,
    run_command,
)
from solver.progress import progress_bar
from solver.references import class_of_generator
from solver.targets import HELP, find_target, target_word

DESCRIPTION = """\
Compare algorithms and priors on the same instances: generated ones, a benchmark
set, or the problems of files. Writes one row per run and a report. Finished runs
are kept: the same command goes on after an interruption, and other methods or
instances with the same --out are added to the report. Options that take lists
make one family of instances per value. Exit status: 0 all was run, 2 bad input,
or runs that ended in an error (all others are kept), 130 interrupted."""

EPILOG = """\
examples:
  compare latin-square --prior none,models/latin-square.parquet --order 30,35
  compare latin-square --algorithm sampling --holes 0.3,0.36,0.42,0.48 --out runs/phase
  compare latin-square --algorithm gnrpa,cp-sat,cadical --order 40 --seconds 60 --instances 10
  compare latin-square --prior none,models/latin-square.parquet mine/*.pls
  compare --plan benchmarks/report.toml --out build/report
  compare eterna100 --prior none,nemo,models/ngram.parquet --seconds 32 --threads 2"""

DEFAULT_PLAYOUTS = 4096
DEFAULT_INSTANCES = 100
#: Lines on stderr about runs that ended in an error.
FAILED_SHOWN = 10


def build_parser(target: str | None) -> argparse.ArgumentParser:
    """Return the parser for comparisons on `target`; without one, of what all share."""
    parser = new_parser("compare", DESCRIPTION, EPILOG)
    parser.add_argument(
        "target",
        metavar="PROBLEM",
        help=f"one of: {', '.join((*domain_names(), *BENCHMARKS))}; {HELP}",
    )
    parser.add_argument(
        "files",
        nargs="*",
        default=[],
        metavar="FILE",
        help="files of problems as `solve` reads them, in place of generated instances",
    )
    methods = parser.add_argument_group("methods")
    methods.add_argument(
        "--algorithm",
        type=comma_list(str),
        default=["sampling", "gnrpa"],
        metavar="NAME,...",
        help="sampling, nrpa, gnrpa and peers: cp-sat, cadical, pyvrp (default: sampling,gnrpa)",
    )
    methods.add_argument(
        "--prior",
        type=comma_list(str),
        default=["none"],
        metavar="FILE,...",
        help="bias tables, priors made by hand, or none; each with every algorithm that takes "
        "one (default: none)",
    )
    methods.add_argument(
        "--prior-temperature",
        type=comma_list(float),
        default=[None],
        metavar="T,...",
        help="factors of the bias (default: the one stored with the table)",
    )
    add_nested_options(parser.add_argument_group("nested search"))
    work = parser.add_argument_group("instances and budget of a run, whichever ends first")
    work.add_argument(
        "--instances",
        type=int,
        metavar="N",
        help=f"(default: {DEFAULT_INSTANCES}, or a whole benchmark set, or all of the files)",
    )
    work.add_argument("--instance-seed", type=int, default=0, metavar="S", help="(default: 0)")
    work.add_argument(
        "--seeds", type=int, default=1, metavar="N", help="runs per instance (default: 1)"
    )
    work.add_argument(
        "--playouts",
        type=int,
        metavar="N",
        help=f"(default: {DEFAULT_PLAYOUTS} if no seconds are given)",
    )
    work.add_argument("--seconds", type=float, metavar="T")
    work.add_argument("--threads", type=int, default=1, metavar="N", help="runs at a time")
    work.add_argument("--out", type=Path, metavar="FOLDER", help="(default: build/compare/PROBLEM)")
    several = parser.add_argument_group("several comparisons")
    several.add_argument(
        "--plan",
        type=Path,
        metavar="FILE",
        help="in place of PROBLEM: run every comparison of a TOML file, a table of options each, "
        "and write one report; other options are added to those of each",
    )
    add_flow_options(work)
    if target is not None:
        found = find_target(target)
        domain, generator, defaults = found.domain, class_of_generator(found.domain), {}
        if found.benchmark is not None:
            defaults = domain.benchmarks[found.benchmark].defaults
        elif generator is not None:
            group = parser.add_argument_group(f"{domain.name} instances")
            add_dataclass(group, generator, many=True)
        group = parser.add_argument_group(f"{domain.name} options")
        add_dataclass(group, domain.options, many=True, defaults=defaults)
    return parser


@dataclass(frozen=True)
class Comparison:
    """Everything `compare` was asked for."""

    domain: Any
    budget: Any
    jobs: list[Any]
    methods: list[Any]
    out: Path
    command: str

    def identity(self, job: Any) -> str:
        """Identity of a job."""
        run: str = job.head(self.domain, self.budget)["run"]
        return run

    def failed(self, journal: Any) -> list[str]:
        """Say of each job that ended in an error which it is and why."""
        from pipeline.runs import ERROR

        rows = [(job, journal.rows.get(self.identity(job))) for job in self.jobs]
        return [
            f"{job.describe()}: {row['message']}"
            for job, row in rows
            if row is not None and row["status"] == ERROR
        ]


def read_comparison(argv: Sequence[str]) -> tuple[argparse.Namespace, Comparison]:
    """Read the arguments of `compare` and plan its jobs.

    Raises
    ------
    InputError
        If something is missing or does not fit.
    """
    # Intermixed: files may stand behind options, as they do for `solve`.
    arguments = build_parser(target_word(argv)).parse_intermixed_args(argv)
    from pipeline.compare import plan_jobs
    from pipeline.compare_plan import check_families, plan_families, plan_methods
    from solver.search import Budget

    target = find_target(arguments.target)
    domain = target.domain
    for name in ("instances", "seeds", "threads"):
        given = getattr(arguments, name)
        if given is not None and given < 1:
            raise InputError(f"--{name} is {given}, expected 1 or more")
    playouts = arguments.playouts
    if playouts is None and arguments.seconds is None:
        playouts = DEFAULT_PLAYOUTS
    budget = Budget(playouts, arguments.seconds)
    families = plan_families(target, arguments)
    check_families(domain, families)
    methods = plan_methods(domain, arguments)
    return arguments, Comparison(
        domain=domain,
        budget=budget,
        jobs=plan_jobs(families, methods, arguments.seeds),
        methods=methods,
        out=arguments.out or Path("build/compare") / target.name.replace(":", "-"),
        command=table_command("compare", argv),
    )


def open_journal(comparison: Comparison) -> Any:
    """Return the journal of the folder, refusing one that other sources made."""
    from pipeline.compare import Journal
    from pipeline.runs import check_sources
    from solver.sources import SOURCES, rules_digest, sources_digest

    # What an instance is depends on its generator as a run does on the solver.
    generator_sources = sources_digest(Path(generators.__file__).parent)
    domain = comparison.domain
    check_sources(
        comparison.out, f"{SOURCES} {generator_sources}", domain.name, rules_digest(domain)
    )
    return Journal(comparison.out / "journal.jsonl")


def report_runs(comparison: Comparison, journal: Any) -> Path:
    """Write the runs of `journal` as a table and as a report; returns the report's path."""
    from pipeline.report import write_report

    keep_runs(comparison, journal)
    return write_report(comparison.out)


def keep_runs(comparison: Comparison, journal: Any) -> None:
    """Write the runs of `journal` as a table, with copies of what a report needs."""
    from pipeline.problems import keep_problems
    from pipeline.runs import write_runs

    facts = {
        "command": comparison.command,
        "decision": comparison.domain.target is not None,
    }
    priors = [method.prior for method in comparison.methods if method.prior]
    keep_problems(comparison.out, comparison.domain, comparison.jobs)
    write_runs(comparison.out, journal.rows.values(), priors, facts)


def run(argv: Sequence[str]) -> int:
    """Run `compare` with the arguments `argv`; returns the exit status."""
    if is_plan(argv):
        return run_plan(argv, read_comparison, run_and_keep)
    return run_and_keep(argv, report=True)


def run_and_keep(argv: Sequence[str], report: bool = False) -> int:
    """Run one comparison and keep its runs, with a report of them or without."""
    parser = build_parser(target_word(argv))
    asked = parser.parse_intermixed_args(argv)
    if asked.flow:
        check_runner(asked.runner)
    else:
        refuse_idle(argv, ["--runner"], "--flow")
    arguments, comparison = read_comparison(argv)
    if arguments.flow:
        return load_flow("compare", argv, arguments.runner)
    from pipeline.compare import run_jobs
    from pipeline.terminal import print_summary

    jobs = comparison.jobs
    journal = open_journal(comparison)
    with progress_bar(f"comparing on {arguments.target}", len(jobs)) as update:
        complete = run_jobs(
            jobs,
            comparison.domain,
            comparison.budget,
            journal,
            threads=arguments.threads,
            progress=lambda done: update(done, f"{done:,} of {len(jobs):,} runs"),
        )
    if journal.rows:
        if report:
            written = f"report: {report_runs(comparison, journal)}"
        else:
            keep_runs(comparison, journal)
            written = f"kept in {comparison.out}"
        print_summary(comparison.out)
        print(f"{len(journal.rows):,} runs, {written}")
    if not complete:
        print("compare: interrupted; the same command goes on from there", file=sys.stderr)
        return 130
    return say_failed(comparison, journal)


def say_failed(comparison: Comparison, journal: Any) -> int:
    """Say which jobs ended in an error; returns the exit status that follows."""
    failed = comparison.failed(journal)
    for line in failed[:FAILED_SHOWN]:
        print(f"compare: {line}", file=sys.stderr)
    if len(failed) > FAILED_SHOWN:
        more = len(failed) - FAILED_SHOWN
        print(f"compare: {more:,} more runs ended in an error, see the report", file=sys.stderr)
    return 2 if failed else 0


def main() -> None:
    """Entry point of `compare`."""
    run_command("compare", run)


if __name__ == "__main__":
    main()
