"""`solve`: find answers, with a prior or without."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from solver.domains import DOMAINS, load_domain
from solver.errors import InputError
from solver.files import read_text, replacing
from solver.interrupt import stop_on_interrupt
from solver.method import add_nested_options, new_algorithm
from solver.options import add_dataclass, first_name, from_arguments, new_parser, run_command
from solver.progress import progress_bar

DESCRIPTION = """\
Find answers by Monte Carlo search. Every answer is checked from the rules of its
problem before it is called solved. Exit status: 0 everything solved and verified,
1 not all solved within the budget (the best found is printed), 2 bad input."""

EPILOG = """\
examples:
  solve latin-square square.txt --prior models/latin-square.parquet
  solve latin-square --instances 20 --seed 7 --playouts 100000 --json
  solve latin-square - --algorithm nrpa --level 3 --seconds 60 < square.txt"""

DEFAULT_SECONDS = 10.0


def build_parser(target: str | None) -> argparse.ArgumentParser:
    """Return the parser for problems of `target`; without one, of what all domains share."""
    parser = new_parser("solve", DESCRIPTION, EPILOG)
    parser.add_argument("target", metavar="PROBLEM", help=f"one of: {', '.join(DOMAINS)}")
    parser.add_argument(
        "source",
        nargs="?",
        metavar="FILE",
        help="file of problems, - for standard input; without it generated instances",
    )
    generated = parser.add_argument_group("generated instances")
    generated.add_argument("--instances", type=int, default=1, metavar="N", help="(default: 1)")
    search = parser.add_argument_group("search")
    search.add_argument(
        "--algorithm",
        default="gnrpa",
        metavar="NAME",
        help="sampling, nrpa or gnrpa (default: gnrpa)",
    )
    search.add_argument("--prior", type=Path, metavar="FILE", help="bias table made by `learn`")
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
    output.add_argument("--json", action="store_true", help="one JSON object per problem")
    output.add_argument("--out", type=Path, metavar="FILE", help="write answers to FILE")
    if target is not None:
        add_dataclass(parser.add_argument_group(f"{target} options"), load_domain(target).options)
    return parser


def read_problems(domain: Any, arguments: argparse.Namespace) -> list[Any]:
    """Return the problems that the command line names."""
    if arguments.instances < 1:
        raise InputError(f"--instances is {arguments.instances}, expected 1 or more")
    if arguments.source is None:
        return list(_benchmark(domain.name)(arguments.instances, arguments.seed))
    if arguments.source == "-":
        return list(domain.parse(sys.stdin.read(), "standard input"))
    path = Path(arguments.source)
    return list(domain.parse(read_text(path), str(path)))


def _benchmark(name: str) -> Any:
    """Return the generated benchmark set `name`: the generators register theirs when installed."""
    found = importlib.metadata.entry_points(group="nestor.benchmarks", name=name)
    if not found:
        raise InputError(f"no generated instances of {name} are installed, name a file")
    return next(iter(found)).load()


def describe(solution: Any) -> str:
    """Say in a few words how the search for one problem went."""
    search = solution.search
    if solution.solved:
        how = "solved and verified"
    else:
        how = "interrupted" if search.interrupted else "not solved"
        how += f", best score {search.score:g}" if search.playouts else ", nothing found"
    return f"{how}: {search.playouts:,} playouts, {search.seconds:.2f} s"


def as_json(domain: Any, solution: Any, arguments: argparse.Namespace) -> str:
    """Return one line of JSON about a solution."""
    search = solution.search
    return json.dumps(
        {
            "name": solution.problem.name,
            "solved": solution.solved,
            "score": search.score if search.playouts else None,
            "playouts": search.playouts,
            "seconds": round(search.seconds, 6),
            "algorithm": arguments.algorithm,
            "prior": str(arguments.prior) if arguments.prior else None,
            "seed": arguments.seed,
            "answer": _answer_text(domain, solution),
        }
    )


def _answer_text(domain: Any, solution: Any) -> str | None:
    return None if solution.answer is None else domain.format(solution.problem, solution.answer)


def as_text(domain: Any, solution: Any, several: bool) -> str:
    """Return the answer as the domain writes it; with its name if there are several."""
    text = _answer_text(domain, solution)
    if text is None:
        return ""
    return f"# {solution.problem.name}\n{text}\n" if several else text


def solve_all(
    domain: Any, problems: Sequence[Any], arguments: argparse.Namespace, stop: threading.Event
) -> Iterator[Any]:
    """Yield the solution of every problem, in order; once `stop` is set those that there are."""
    from solver.priors import NO_PRIOR, load_prior
    from solver.search import Budget
    from solver.solve import solve

    if arguments.algorithm == "nrpa" and arguments.prior:
        raise InputError("nrpa takes no prior, use gnrpa")
    if arguments.prior_temperature is not None and not arguments.prior:
        raise InputError("--prior-temperature needs --prior")
    if arguments.threads < 1:
        raise InputError(f"--threads is {arguments.threads}, expected 1 or more")
    prior = NO_PRIOR
    if arguments.prior:
        prior = load_prior(arguments.prior, domain, arguments.prior_temperature)
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
                solution = future.result()
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
    arguments = build_parser(first_name(argv, list(DOMAINS))).parse_args(argv)
    domain = load_domain(arguments.target)
    problems = read_problems(domain, arguments)
    finished = []
    stop = threading.Event()

    def lines() -> Iterator[str]:
        for solution in solve_all(domain, problems, arguments, stop):
            finished.append(solution)
            if arguments.json:
                yield as_json(domain, solution, arguments) + "\n"
            else:
                yield as_text(domain, solution, several=len(problems) > 1)

    with stop_on_interrupt(stop):
        write_answers(lines(), arguments.out)
    solved = sum(solution.solved for solution in finished)
    if len(problems) == 1:
        print(f"{finished[0].problem.name}: {describe(finished[0])}", file=sys.stderr)
    else:
        print(f"{solved} of {len(problems)} solved and verified", file=sys.stderr)
    if any(solution.search.interrupted for solution in finished) or len(finished) < len(problems):
        return 130
    return 0 if solved == len(problems) else 1


def main() -> None:
    """Entry point of `solve`."""
    run_command("solve", run)


if __name__ == "__main__":
    main()
