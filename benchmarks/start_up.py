"""Processor seconds of first answers: `python -m benchmarks.start_up --out FOLDER PLACE=FOLDER`.

Each place is a folder with the packages in it: a checkout, or an unpacked wheel. Commands are
measured one after the other for all places: with an empty cache, again with what that left, and
again where Python finds no bytecode, as in containers that set PYTHONDONTWRITEBYTECODE. What is
measured is kept in `--out`, line by line: the same command goes on, and prints the table again;
`--show` only prints what there is. A checkout may be as old as 26 November 2026; what it does not
know has no seconds.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from compileall import compile_dir
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.kept import KeptLines
from benchmarks.tables import write_markdown
from solver.errors import InputError

ROOT = Path(__file__).parents[1]
HAIRPIN = "((((....))))"
#: Arguments of `solve`, each for an answer in next to no time.
CASES = {
    "latin-square": ["latin-square", "--playouts", "100"],
    "sudoku": ["sudoku", "--playouts", "100"],
    "kakuro": ["kakuro", "--playouts", "100"],
    "rna": ["rna", HAIRPIN, "--playouts", "100"],
    "morpion": ["morpion", "--playouts", "100"],
    "samegame": ["samegame", "--playouts", "100"],
    "tsptw": ["tsptw", "--playouts", "100"],
    "hex": ["hex", "--playouts", "100"],
    "gomoku": ["gomoku", "--playouts", "100"],
}
#: Arguments that are answered without a search.
WORDS = {"rna --help": ["rna", "--help"], "a typo": ["rna", HAIRPIN, "--secnds", "1"]}
COLD, WARM, NO_BYTECODE = "empty cache", "warm", "warm, no bytecode"
#: Places of the kept rows: a checkout of 26 November 2026, one of today, and its wheel.
PLACES = ("before", "checkout", "wheel")
SECONDS_FILE = "seconds.jsonl"
PACKAGES = ("solver", "pipeline", "generators")
#: How the command starts, and how it started on 26 November.
START = """
try:
    from solver.system.start import solve
except ImportError:
    from solver.commands.solve import main as solve
solve()
"""
#: Exit statuses of an answer, solved or not.
ANSWERED = (0, 1)


def processor_seconds(place: Path, words: list[str], variables: dict[str, str]) -> float | None:
    """Processor seconds of `solve` with the packages in `place`, its own processes included.

    None where a search of `CASES` ends without an answer, as where the problem is not known.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", START, *words],
        env={**os.environ, "PYTHONPATH": str(place), **variables},
        cwd=tempfile.gettempdir(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if "Traceback" in done.stderr:
        raise InputError(f"solve {' '.join(words)} in {place}: {done.stderr}")
    if words in CASES.values() and done.returncode not in ANSWERED:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(place: Path, words: list[str], repeats: int) -> Iterator[tuple[str, float | None]]:
    """Yield what was done and its seconds: once with an empty cache, the rest `repeats` times."""
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as nothing:
        variables = {"NESTOR_CACHE": cache, "PYTHONDONTWRITEBYTECODE": ""}
        yield COLD, processor_seconds(place, words, variables)
        for _ in range(repeats):
            yield WARM, processor_seconds(place, words, variables)
        without = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": nothing}
        for _ in range(repeats):
            yield NO_BYTECODE, processor_seconds(place, words, variables | without)


def header(places: Sequence[str]) -> list[str]:
    """Heads of the table of these places."""
    heads = [f"{place}, {what}" for what in (COLD, WARM, NO_BYTECODE) for place in places]
    return ["`solve`", *heads]


HEADER = header(PLACES)


def read_rows(path: Path) -> list[Any]:
    """Read kept lines: the case, its place, what was done, and seconds, None for no answer."""
    return list(KeptLines(path).values)


def table(rows: Sequence[Any], places: Sequence[str] = PLACES) -> list[list[str]]:
    """Median processor seconds of each case, empty where a place gave no answer."""
    lines = []
    for case in dict.fromkeys(row[0] for row in rows):
        line = [str(case)]
        for what in (COLD, WARM, NO_BYTECODE):
            for place in places:
                some = [s for *key, s in rows if key == [case, place, what] and s is not None]
                line.append(f"{median(some):.2f}" if some else "")
        lines.append(line)
    return lines


def main() -> int:
    """Measure what is not kept, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start_up", description=__doc__)
    parser.add_argument(
        "places", nargs="*", metavar="PLACE=FOLDER", help="(default: this checkout)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--cases", default=",".join([*CASES, *WORDS]), metavar="NAMES")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--show", action="store_true", help="only print what there is")
    arguments = parser.parse_args()
    kept = KeptLines(arguments.out / SECONDS_FILE)
    if not arguments.show:
        places = dict(word.split("=", 1) for word in arguments.places) or {"checkout": str(ROOT)}
        _measure(kept, places, arguments.cases.split(","), arguments.repeats)
    places_kept = list(dict.fromkeys(place for _, place, *_ in kept.values))
    write_markdown(header(places_kept), table(kept.values, places_kept), 1)
    return 0


def _measure(kept: KeptLines, places: dict[str, str], cases: Sequence[str], repeats: int) -> None:
    """Measure the cases that are not kept, one after the other for all places."""
    for folder in places.values():
        for package in PACKAGES:
            compile_dir(Path(folder) / package, quiet=2)
    known = {(case, place) for case, place, *_ in kept.values}
    for case in cases:
        for place, folder in places.items():
            if (case, place) not in known:
                words = (CASES | WORDS)[case]
                for what, seconds in list(measured(Path(folder), words, repeats)):
                    kept.append([case, place, what, seconds and round(seconds, 3)])


if __name__ == "__main__":
    sys.exit(main())
