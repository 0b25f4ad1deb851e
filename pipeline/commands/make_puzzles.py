"""`make-puzzles`: puzzles with one solution, graded, as text and as sheets to print."""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solver.commands.options import (
    add_dataclass,
    file_name,
    from_arguments,
    new_parser,
    run_command,
)
from solver.commands.progress import progress_bar, say
from solver.commands.subjects import find_domain, is_game, subject_word
from solver.contract.references import resolve
from solver.domains import BENCHMARKS, DOMAINS, load_domain
from solver.errors import InputError
from solver.system.files import refuse_foreign, replacing
from solver.system.interrupt import stop_on_interrupt
from solver.system.letters import plural

if TYPE_CHECKING:
    from generators.puzzles.making import Made
    from solver.contract.domain import Puzzle

DESCRIPTION = """\
Make puzzles. Each has one solution: propagation or a complete search has proved
it. The grade says what a puzzle needs: `propagation` alone (single values and
places, sums), `look-ahead` (a value is tried and leads to a contradiction at once),
or `search` (trials within trials). The same seed gives the same puzzles."""

EPILOG = """\
examples:
  make-puzzles sudoku --minimal --count 10
  make-puzzles sudoku --grade look-ahead --minimal --symmetry half-turn --out sheets
  make-puzzles kakuro --rows 8 --columns 8 --count 100 --out sheets --seed 7
  make-puzzles latin-square --order 6 --holes 0.7 --json"""

MOST_PUZZLES, MOST_SEED = 100_000, 2**62
#: After so many that are not found, and none that is, no others are tried.
MOST_FAILED = 3
#: Files of `--out`; the first tells that a folder is one of this command.
PUZZLES, SOLUTIONS, PAGE = "puzzles.txt", "solutions.txt", "puzzles.html"


def makers() -> list[str]:
    """Names of the problems that puzzles are made of."""
    return [name for name in DOMAINS if load_domain(name).maker is not None]


def build_parser(name: str | None) -> argparse.ArgumentParser:
    """Return the parser for puzzles of a problem; without one, of the common options."""
    parser = new_parser("make-puzzles", DESCRIPTION, EPILOG)
    parser.of_problems = lambda: {n: build_parser(n) for n in makers()}
    parser.add_argument("problem", metavar="PROBLEM", help=f"one of: {', '.join(makers())}")
    parser.add_argument("--count", type=int, default=1, metavar="N", help="(default: 1)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="(default: 1)")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--out",
        "-o",
        type=file_name,
        metavar="FOLDER",
        help=f"write {PUZZLES}, {SOLUTIONS}, {PAGE}, which is ready to print, and SVGs to FOLDER "
        "(default: puzzles to standard output)",
    )
    output.add_argument(
        "--json",
        action="store_true",
        help="a line for each puzzle: name, grade, givens, seconds, problem, answer",
    )
    if name is not None:
        add_dataclass(parser.add_argument_group("puzzles"), _maker(find_domain(name)))
    return parser


def _maker(domain: Puzzle) -> Any:
    if domain.maker is None:
        raise InputError(f"no puzzles are made of {domain.name}, only of: {', '.join(makers())}")
    return resolve(domain.maker)


def run(argv: Sequence[str]) -> int:
    """Run the command with the arguments `argv`; returns the exit status."""
    common = build_parser(None)
    name = subject_word(argv, [common], lambda: [build_parser(one) for one in makers()])
    if name is not None and (name in BENCHMARKS or is_game(name)):
        raise InputError(f"no puzzles are made of {name}, only of: {', '.join(makers())}")
    arguments = build_parser(name).parse_args(argv)
    for option, least, most in (("count", 1, MOST_PUZZLES), ("seed", 0, MOST_SEED)):
        given = getattr(arguments, option)
        if not least <= given <= most:
            raise InputError(f"--{option} is {given}, expected {least} ... {most:,}")
    domain = find_domain(arguments.problem)
    maker = from_arguments(_maker(domain), arguments)
    folder: Path | None = arguments.out
    if folder is not None:
        refuse_foreign(folder, "--out", PUZZLES)
        if (folder / PUZZLES).exists():
            raise InputError(f"--out is {folder}, which has puzzles: expected a new folder")
    begin = time.perf_counter()
    puzzles: list[Made] = []
    errors = list[InputError]()
    try:
        _make(maker, domain, arguments, puzzles, errors)
    except KeyboardInterrupt:
        kept = "" if folder is None or not puzzles else f" are in {folder}"
        if folder is not None and puzzles:
            _write(folder, domain, puzzles)
        raise KeyboardInterrupt(f"{len(puzzles):,} of {arguments.count:,} puzzles{kept}") from None
    if folder is not None:
        _write(folder, domain, puzzles)
    grades = ", ".join(f"{n} {grade}" for grade, n in Counter(m.grade for m in puzzles).items())
    seconds = (time.perf_counter() - begin) / len(puzzles)
    failed = f"; {len(errors):,} not found" if errors else ""
    say(
        f"{plural(len(puzzles), 'puzzle')} with one solution each: {grades}; "
        f"{seconds:.2g} s a puzzle{failed}"
    )
    return 2 if errors else 0


def _make(
    maker: Any,
    domain: Puzzle,
    arguments: argparse.Namespace,
    puzzles: list[Made],
    errors: list[InputError],
) -> None:
    """Add puzzles and errors to the lists, one for each number; `KeyboardInterrupt` at Ctrl-C."""
    from generators.puzzles.making import make_puzzle

    stop = threading.Event()
    with stop_on_interrupt(stop), progress_bar("puzzles", arguments.count) as update:
        for number in range(arguments.count):
            before = time.perf_counter()
            update(number, f"{number:,}/{arguments.count:,}")
            try:
                made = make_puzzle(maker, domain, arguments.seed, number, stop)
            except InputError as error:
                errors.append(error)
                if not puzzles and len(errors) == min(MOST_FAILED, arguments.count):
                    raise
                say(f"make-puzzles: {error}", is_error=True)
                continue
            puzzles.append(made)
            if arguments.json:
                print(_line(domain, made, time.perf_counter() - before), flush=True)
            elif arguments.out is None:
                print(_text(domain, made), flush=True)


def _text(domain: Puzzle, made: Made) -> str:
    """Return the puzzle below its grade and, last, the name that its solution has, too."""
    given = "" if made.givens is None else f", {made.givens} givens"
    return f"# {made.grade}{given}\n# {made.problem.name}\n{domain.format_problem(made.problem)}"


def _line(domain: Puzzle, made: Made, seconds: float) -> str:
    record = {
        "name": made.problem.name,
        "grade": made.grade,
        "givens": made.givens,
        "seconds": round(seconds, 4),
        "problem": domain.format_problem(made.problem),
        "answer": domain.format(made.problem, made.answer),
    }
    return json.dumps(record)


def _write(folder: Path, domain: Puzzle, puzzles: Sequence[Made]) -> None:
    """Write the files of `--out`, the one last by which the folder is known to be whole.

    What is made is not lost by one more Ctrl-C.
    """
    with stop_on_interrupt(threading.Event()):
        _write_files(folder, domain, puzzles)


def _write_files(folder: Path, domain: Puzzle, puzzles: Sequence[Made]) -> None:
    from pipeline.reports.puzzle_sheet import sheet, write_pictures

    write_pictures(folder, domain.name, puzzles)
    answers = [
        f"# {made.problem.name}\n{domain.format(made.problem, made.answer)}" for made in puzzles
    ]
    texts = {
        PAGE: sheet(domain.name, puzzles),
        SOLUTIONS: "\n".join(answers),
        PUZZLES: "\n".join(_text(domain, made) for made in puzzles),
    }
    for name, text in texts.items():
        with replacing(folder / name) as path:
            path.write_text(text, encoding="utf-8")


def main() -> None:
    """Entry point of the console script."""
    run_command("make-puzzles", run)
