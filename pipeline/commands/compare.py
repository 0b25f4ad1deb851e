"""`compare`: which algorithm, which prior is better."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.commands.comparing import combinations, compare, planned, write_reports
from pipeline.commands.flow_options import (
    add_flow_options,
    check_runner,
    load_flow,
    table_command,
)
from pipeline.commands.plan import errors_at, is_plan, read_plan, refuse_shared
from pipeline.tables.names import MARKS
from solver.algorithms import known_algorithms
from solver.algorithms.words import name_in, words_in
from solver.commands.method import add_algorithm_options, algorithm_words, new_algorithm
from solver.commands.options import (
    INTERRUPTED,
    add_budget,
    add_dataclass,
    budget_bounds,
    check_counts,
    comma_list,
    file_name,
    new_parser,
    refuse_idle,
    run_command,
)
from solver.commands.subjects import HELP, Subject, find_game, find_subject, is_game, subject_word
from solver.contract.references import class_of_generator, load_generator, peers_of
from solver.domains import BENCHMARKS, domain_names
from solver.errors import InputError, option_word
from solver.games import game_names
from solver.system.files import refuse_file_in_way, refuse_foreign

if TYPE_CHECKING:
    from pipeline.requests.compare import CompareRequest
    from pipeline.requests.matches import MatchRequest
    from solver.contract.domain import Puzzle

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
  compare samegame-board1 --algorithm gnrpa:level=2,3:iterations=50,100,nmcs
  compare --plan benchmarks/report.toml --out build/report
  compare eterna100 --prior none,nemo,models/ngram.parquet --seconds 32 --threads 2
  compare hex --algorithm mcps,grave,uct --playouts 1000 --games 800

options of a problem or a game: compare rna --help, compare hex --help"""

DEFAULT_PLAYOUTS = 4096


def build_parser(subject: str | None) -> argparse.ArgumentParser:
    """Return the parser for comparisons on `subject`; without one, of the common options."""
    parser = new_parser("compare", DESCRIPTION, EPILOG)
    parser.of_problems = _parsers
    parser.add_argument(
        "subject",
        metavar="PROBLEM",
        help=f"one of: {', '.join((*domain_names(), *BENCHMARKS))}; {HELP}; or a game: "
        f"{', '.join(game_names())}",
    )
    parser.add_argument(
        "files",
        nargs="*",
        default=[],
        metavar="FILE",
        help="files of problems as `solve` reads them, in place of generated instances",
    )
    _add_methods(parser)
    add_algorithm_options(parser)
    _add_work(parser)
    if subject is not None:
        _add_instances(parser, subject)
    return parser


def _add_methods(parser: argparse.ArgumentParser) -> None:
    """Add the options for what is compared."""
    methods = parser.add_argument_group("methods")
    methods.add_argument(
        "--algorithm",
        type=words_in,
        default=["sampling", "gnrpa"],
        metavar="NAME,...",
        help=f"{', '.join(known_algorithms())} and peers: cp-sat, cadical, pyvrp, "
        "rnainverse; or a file with an algorithm of your own, my_search.py; parameters of one "
        "of them behind colons, several values for all combinations, "
        "gnrpa:level=2,3:iterations=50,100 (default: sampling,gnrpa)",
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


def _add_work(parser: argparse.ArgumentParser) -> None:
    """Add the options for how many runs of which budget, and for several comparisons."""
    work = parser.add_argument_group("instances and budget of a run, whichever ends first")
    work.add_argument(
        "--instances",
        type=int,
        metavar="N",
        help="(default: 100, or a whole benchmark set, or all of the files)",
    )
    work.add_argument("--instance-seed", type=int, default=0, metavar="S", help="(default: 0)")
    work.add_argument(
        "--seeds", type=int, default=1, metavar="N", help="runs per instance (default: 1)"
    )
    add_budget(work, playouts=DEFAULT_PLAYOUTS)
    work.add_argument("--threads", "-t", type=int, default=1, metavar="N", help="runs at a time")
    work.add_argument(
        "--out", "-o", type=file_name, metavar="FOLDER", help="(default: build/compare/PROBLEM)"
    )
    add_flow_options(work)
    several = parser.add_argument_group("several comparisons")
    several.add_argument(
        "--plan",
        type=Path,
        metavar="FILE",
        help="in place of PROBLEM: run every comparison of a TOML file, a table of options each, "
        "and write one report; other options are added to those of each",
    )


def _add_instances(parser: argparse.ArgumentParser, subject: str) -> None:
    """Add the options of the generator and of the domain."""
    found = find_subject(subject)
    domain, generator, defaults = found.domain, class_of_generator(found.domain), {}
    if found.benchmark is not None:
        defaults = domain.benchmarks[found.benchmark].defaults
    elif generator is not None:
        group = parser.add_argument_group(f"{domain.name} instances")
        add_dataclass(group, generator, many=True)
    group = parser.add_argument_group(f"{domain.name} options")
    add_dataclass(group, domain.options, many=True, defaults=defaults)


def _parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of every problem, set of problems and game that is listed."""
    from pipeline.commands import matches

    puzzles = {name: build_parser(name) for name in (*domain_names(), *BENCHMARKS)}
    return puzzles | {name: matches.build_parser(find_game(name)) for name in game_names()}


def read_request(argv: Sequence[str]) -> tuple[argparse.Namespace, CompareRequest | MatchRequest]:
    """Read the arguments of `compare`, for a problem or a game.

    Raises
    ------
    InputError
        If something is missing or does not fit.
    """
    algorithm_words(argv)
    word = _subject_word(argv)
    if word is not None and is_game(word):
        from pipeline.commands.matches import read_match_request

        return read_match_request(word, argv)
    return read_run_request(word, argv)


def read_run_request(
    word: str | None, argv: Sequence[str]
) -> tuple[argparse.Namespace, CompareRequest]:
    """Read the arguments of `compare` for the problem that `word` names.

    Raises
    ------
    InputError
        If something is missing or does not fit.
    """
    # Intermixed: files may stand behind options, as they do for `solve`.
    arguments = build_parser(word).parse_intermixed_args(argv)
    from pipeline.requests.compare import CompareRequest

    subject = find_subject(arguments.subject)
    check_counts(arguments, "instances", "seeds", "threads")
    playouts, seconds = budget_bounds(arguments, playouts=DEFAULT_PLAYOUTS)
    made = []
    if arguments.files:
        _refuse_generation(subject, arguments)
    elif subject.benchmark is None:
        made = combinations(load_generator(subject.domain), arguments)
    return arguments, CompareRequest(
        subject=arguments.subject,
        files=arguments.files,
        generators=made,
        options=combinations(subject.domain.options, arguments),
        instances=arguments.instances,
        instance_seed=arguments.instance_seed,
        seeds=arguments.seeds,
        algorithms=_algorithms(subject.domain, arguments),
        priors=arguments.prior,
        prior_temperatures=arguments.prior_temperature,
        playouts=playouts,
        seconds=seconds,
        threads=arguments.threads,
        out=str(arguments.out or Path("build/compare") / subject.name.replace(":", "-")),
        command=table_command("compare", argv),
    )


def _subject_word(argv: Sequence[str]) -> str | None:
    """Name of the problem or game that is compared on, None where none is given."""
    from pipeline.commands import matches

    def parsers() -> Iterator[argparse.ArgumentParser]:
        yield from map(build_parser, domain_names())
        yield from (matches.build_parser(find_game(name)) for name in game_names())

    return subject_word(argv, (build_parser(None), matches.build_parser(None)), parsers)


def _refuse_generation(subject: Subject, arguments: argparse.Namespace) -> None:
    """Refuse files together with options that generate instances."""
    if subject.benchmark is not None:
        raise InputError(f"{arguments.subject} is a set of problems and takes no file")
    if arguments.instance_seed:
        raise InputError("--instance-seed has no effect on the problems of files")
    generator = class_of_generator(subject.domain)
    for field in dataclasses.fields(generator) if generator is not None else ():
        if getattr(arguments, field.name) != [field.default]:
            raise InputError(f"{option_word(field.name)} has no effect on the problems of files")


def _algorithms(
    domain: Puzzle, arguments: argparse.Namespace
) -> list[tuple[str, dict[str, object] | None]]:
    """Every algorithm that is asked for with its parameters; peers have none."""
    strict = len(arguments.algorithm) == 1
    peers = peers_of(domain)
    found: list[tuple[str, dict[str, object] | None]] = []
    for word in arguments.algorithm:
        if word in peers:
            found.append((word, None))
        else:
            algorithm = new_algorithm(word, arguments, domain, strict=strict)
            found.append((name_in(word), dataclasses.asdict(algorithm)))
    return found


def run(argv: Sequence[str]) -> int:
    """Run `compare` with the arguments `argv`; returns the exit status."""
    if is_plan(argv):
        return run_plan(argv)
    arguments, request = read_request(argv)
    _refuse_idle_temperature(arguments)
    refuse_file_in_way(Path(request.out), is_folder=True)
    refuse_foreign(Path(request.out), "--out", *MARKS)
    if arguments.flow:
        check_runner(arguments.runner)
        return load_flow("compare", request, arguments.runner)
    refuse_idle(argv, ["--runner"], "without --flow")
    return compare(request, report=True)


def _refuse_idle_temperature(arguments: argparse.Namespace) -> None:
    """Refuse a temperature where no prior has one; those of a plan are for all of its tables."""
    if getattr(arguments, "prior_temperature", [None]) == [None] or is_game(arguments.subject):
        return
    handmade = find_subject(arguments.subject).domain.handmade
    if {"none", *handmade}.issuperset(arguments.prior):
        raise InputError("--prior-temperature has no effect without a table, as --prior FILE")


def run_plan(argv: Sequence[str]) -> int:
    """Run every comparison of a plan, then write one report of all; returns the exit status."""
    plan = read_plan(argv)
    refuse_file_in_way(plan.out, is_folder=True)
    refuse_foreign(plan.out, "--out", *MARKS)
    asked, comparisons = {}, {}
    for place, words in plan.commands.items():  # all are checked before any is run
        with errors_at(place):
            asked[place] = read_request(words)
            refuse_foreign(Path(asked[place][1].out), "--out", *MARKS)
    for place, (_, request) in asked.items():
        with errors_at(place):
            comparisons[place] = planned(request)
    refuse_shared(comparisons)
    worst = 0
    for arguments, request in asked.values():
        flow, runner = arguments.flow, arguments.runner
        status = load_flow("compare", request, runner) if flow else compare(request)
        if status == INTERRUPTED:
            return status
        worst = max(worst, status)  # runs that failed in one comparison cost none of the others
    for report in write_reports([*comparisons.values()], plan.out, plan.title):
        print(f"report on all: {report}")
    return worst


def main() -> None:
    """Entry point of `compare`."""
    run_command("compare", run)


if __name__ == "__main__":
    main()
