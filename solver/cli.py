"""`solve`: find answers, with a prior or without."""

from __future__ import annotations

import argparse
import csv
import importlib.metadata
import io
import json
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from solver.domains import BENCHMARKS, DOMAINS, load_domain
from solver.errors import InputError
from solver.files import replacing
from solver.interrupt import result_of, stop_on_interrupt
from solver.method import add_nested_options, new_algorithm
from solver.options import add_dataclass, first_name, from_arguments, new_parser, run_command
from solver.problem_files import read_problem_file
from solver.progress import progress_bar

DESCRIPTION = """\
Find answers by Monte Carlo search. Every answer is checked from the rules of its
problem before it is called solved. Exit status: 0 everything solved and verified,
1 not all solved within the budget (the best found is printed), 2 bad input.
Where a score is to be raised, every feasible answer counts as solved."""

EPILOG = """\
examples:
  solve latin-square square.txt --prior models/latin-square.parquet
  solve latin-square --instances 20 --seed 7 --playouts 100000 --json
  solve latin-square - --algorithm nrpa --level 3 --seconds 60 < square.txt
  solve --prior models/ngram.parquet eterna100 --seconds 5 --threads 2
  solve rna "((((....))))" --prior nemo
  solve samegame-board1 --prior models/samegame.parquet --seconds 60"""

DEFAULT_SECONDS = 10.0


def build_parser(target: str | None) -> argparse.ArgumentParser:
    """Return the parser for problems of `target`; without one, of what all domains share."""
    parser = new_parser("solve", DESCRIPTION, EPILOG)
    parser.add_argument(
        "target",
        metavar="PROBLEM",
        help=f"one of: {', '.join(DOMAINS)}; or a benchmark set: {', '.join(BENCHMARKS)}",
    )
    parser.add_argument(
        "source",
        nargs="?",
        metavar="FILE",
        help="file of problems, - for standard input, or for some domains the problem itself; "
        "without it generated instances",
    )
    generated = parser.add_argument_group("generated instances, or the first of a benchmark set")
    generated.add_argument(
        "--instances", type=int, metavar="N", help="(default: 1, or the whole set)"
    )
    search = parser.add_argument_group("search")
    search.add_argument(
        "--algorithm",
        default="gnrpa",
        metavar="NAME",
        help="sampling, nrpa or gnrpa (default: gnrpa)",
    )
    search.add_argument(
        "--prior",
        default="none",
        metavar="FILE",
        help="bias table made by `learn`, or the name of a prior made by hand (default: none)",
    )
    search.add_argument(
        "--prior-temperature",
        type=float,
        metavar="T",
        help="factor of the bias (default: the one stored with the table)",
    )
    search.add_argument("--seed", type=int, default=0, metavar="S", help="(default: 0)")
    add_nested_options(parser.add_argument_group("nested search"))
    budget = parser.add_argument_group("budget of each problem, whichever ends first")
    budget.add_argument("--playouts", type=int, metavar="N")
    budget.add_argument(
        "--seconds",
        type=float,
        metavar="T",
        help=f"(default: {DEFAULT_SECONDS:g} if no playouts are given)",
    )
    budget.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="problems, or parts of one problem's search, at the same time (default: 1)",
    )
    output = parser.add_argument_group("output")
    form = output.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object per problem")
    form.add_argument("--csv", action="store_true", help="a table with one row per problem")
    output.add_argument("--out", type=Path, metavar="FILE", help="write answers to FILE")
    if target is not None:
        domain = load_domain(BENCHMARKS.get(target, target))
        defaults = domain.benchmarks[target].defaults if target in BENCHMARKS else {}
        group = parser.add_argument_group(f"{domain.name} options")
        add_dataclass(group, domain.options, defaults=defaults)
    return parser


def read_problems(domain: Any, arguments: argparse.Namespace) -> list[Any]:
    """Return the problems that the command line names."""
    wanted, source = arguments.instances, arguments.source
    if wanted is not None and wanted < 1:
        raise InputError(f"--instances is {wanted}, expected 1 or more")
    if arguments.target in BENCHMARKS:
        if source is not None:
            raise InputError(f"{arguments.target} is a set of problems and takes no file")
        problems = list(domain.benchmark(arguments.target))
        if wanted is not None and wanted > len(problems):
            raise InputError(f"--instances is {wanted}, {arguments.target} has {len(problems)}")
        return problems[:wanted]
    if source is None:
        return list(_generated(domain.name)(wanted or 1, arguments.seed))
    if source == "-":
        return list(domain.parse(sys.stdin.read(), "standard input"))
    return read_problem_file(domain, source)


def _generated(name: str) -> Any:
    """Return the generated benchmark set `name`: the generators register theirs when installed."""
    found = importlib.metadata.entry_points(group="nestor.benchmarks", name=name)
    if not found:
        raise InputError(f"no generated instances of {name} are installed, name a file")
    return next(iter(found)).load()


def describe(solution: Any) -> str:
    """Say in a few words how the search for one problem went."""
    search = solution.search
    if solution.optimised:
        how = "verified" if solution.solved else "verified, but not feasible"
        how += f", score {search.score:.10g}"
    elif solution.solved:
        how = "solved and verified"
    else:
        how = "interrupted" if search.interrupted else "not solved"
        how += f", best score {search.score:g}" if search.playouts else ", nothing found"
    return f"{how}: {search.playouts:,} playouts, {search.seconds:.2f} s"


def facts_of(domain: Any, solution: Any, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what there is to say about a solution, but for the answer as a whole."""
    search = solution.search
    facts = {} if solution.answer is None else domain.facts(solution.problem, solution.answer)
    return {
        "solved": solution.solved,
        "score": search.score if search.playouts else None,
        **facts,
        "playouts": search.playouts,
        "seconds": round(search.seconds, 6),
        "algorithm": arguments.algorithm,
        "prior": None if arguments.prior == "none" else arguments.prior,
        "seed": arguments.seed,
    }


def answers_as_lines(
    domain: Any, solutions: Iterable[Any], arguments: argparse.Namespace, several: bool
) -> Iterator[str]:
    """Write each solution as the options ask for."""
    header = None
    for solution in solutions:
        problem, answer = solution.problem, solution.answer
        facts = {"name": problem.name, **facts_of(domain, solution, arguments)}
        if arguments.json:
            text = None if answer is None else domain.format(problem, answer)
            yield json.dumps({**facts, "answer": text}) + "\n"
        elif arguments.csv:
            if header is None:
                header = list(facts)
                yield _csv_row(header)
            yield _csv_row(["" if facts.get(name) is None else facts[name] for name in header])
        elif answer is not None:
            del facts["name"]
            yield domain.record(problem, answer, facts, several=several)


def _csv_row(fields: Iterable[Any]) -> str:
    row = io.StringIO()
    csv.writer(row, lineterminator="\n").writerow(fields)
    return row.getvalue()


def solve_all(
    domain: Any, problems: Sequence[Any], arguments: argparse.Namespace, stop: threading.Event
) -> Iterator[Any]:
    """Yield the solution of every problem, in order; once `stop` is set those that there are."""
    from solver.priors import named_prior
    from solver.search import Budget
    from solver.solve import solve

    if arguments.algorithm == "nrpa" and arguments.prior != "none":
        raise InputError("nrpa takes no prior, use gnrpa")
    prior = named_prior(arguments.prior, domain, arguments.prior_temperature)
    if arguments.prior_temperature is not None and prior.path is None:
        raise InputError("--prior-temperature needs a --prior from a file")
    if arguments.threads < 1:
        raise InputError(f"--threads is {arguments.threads}, expected 1 or more")
    seconds = arguments.seconds
    if seconds is None and arguments.playouts is None:
        seconds = DEFAULT_SECONDS
    algorithm = new_algorithm(arguments.algorithm, arguments, domain)
    options = from_arguments(domain.options, arguments)
    budget = Budget(arguments.playouts, seconds)

    def solve_one(problem: Any, threads: int, progress: Any = None) -> Any:
        return solve(
            domain, problem, options, algorithm, budget, prior=prior.table, seed=arguments.seed,
            threads=threads, progress=progress, stop=stop,
        )  # fmt: skip

    if len(problems) == 1:
        with progress_bar(problems[0].name, budget.playouts) as update:
            yield solve_one(
                problems[0],
                arguments.threads,
                lambda playouts, best: update(playouts, f"{playouts:,} playouts, best {best:g}"),
            )
        return
    yield from _solve_many(problems, solve_one, arguments.threads, stop)


def _solve_many(
    problems: Sequence[Any], solve_one: Any, threads: int, stop: threading.Event
) -> Iterator[Any]:
    """Solve `threads` problems at a time, and say on stderr how each went."""
    with ThreadPoolExecutor(threads) as pool, progress_bar("solving", len(problems)) as update:
        futures = [
            pool.submit(lambda problem: None if stop.is_set() else solve_one(problem, 1), problem)
            for problem in problems
        ]
        solved = 0
        try:
            for number, future in enumerate(futures, start=1):
                solution = result_of(future)
                if solution is None:
                    continue
                solved += solution.solved
                update(number, f"{number} of {len(problems)}, {solved} solved")
                print(f"{solution.problem.name}: {describe(solution)}", file=sys.stderr)
                yield solution
        except BaseException:  # bad input, or the reader of our output left: no need of the rest
            stop.set()
            for future in futures:
                future.cancel()
            raise


def write_answers(lines: Iterable[str], out: Path | None) -> None:
    """Write `lines` to `out`, or to standard output as they come."""
    if out is None:
        for line in lines:
            print(line, end="", flush=True)
        return
    with replacing(out) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.writelines(lines)


def run(argv: Sequence[str]) -> int:
    """Run `solve` with the arguments `argv`; returns the exit status."""
    names = [*DOMAINS, *BENCHMARKS]
    arguments = build_parser(first_name(argv, names)).parse_args(argv)
    domain = load_domain(BENCHMARKS.get(arguments.target, arguments.target))
    problems = read_problems(domain, arguments)
    finished = []
    stop = threading.Event()

    def solutions() -> Iterator[Any]:
        for solution in solve_all(domain, problems, arguments, stop):
            finished.append(solution)
            yield solution

    lines = answers_as_lines(domain, solutions(), arguments, several=len(problems) > 1)
    with stop_on_interrupt(stop):
        write_answers(lines, arguments.out)
    solved = sum(solution.solved for solution in finished)
    if len(problems) == 1:
        print(f"{finished[0].problem.name}: {describe(finished[0])}", file=sys.stderr)
    else:
        print(f"{solved} of {len(problems)} {_total(domain, finished)}", file=sys.stderr)
    if any(solution.search.interrupted for solution in finished) or len(finished) < len(problems):
        return 130
    return 0 if solved == len(problems) else 1


def _total(domain: Any, finished: Sequence[Any]) -> str:
    """Say what was counted, with the sum of the scores where they matter."""
    if domain.target is not None:
        return "solved and verified"
    total = sum(solution.search.score for solution in finished if solution.verified)
    return f"solved, every answer verified, total score {total:.10g}"


def main() -> None:
    """Entry point of `solve`."""
    run_command("solve", run)


if __name__ == "__main__":
    main()
