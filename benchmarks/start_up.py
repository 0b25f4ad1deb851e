"""Processor seconds of first answers: `python -m benchmarks.start_up --out FOLDER PLACE=FOLDER`.

Each place is a folder with the packages in it: a checkout, or an unpacked wheel. Commands are
measured one after the other for all places: with an empty cache, again with what that left, and
again where Python finds no bytecode, as in containers that set PYTHONDONTWRITEBYTECODE. What is
measured is kept in `--out`, line by line: the same command goes on, and prints the table again.
A checkout may be as old as 26 November 2026; what it does not know has no seconds.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from compileall import compile_dir
from pathlib import Path
from statistics import median

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


def main() -> int:
    """Measure what is not kept, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start_up", description=__doc__)
    parser.add_argument(
        "places", nargs="*", metavar="PLACE=FOLDER", help="(default: this checkout)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--cases", default=",".join([*CASES, *WORDS]), metavar="NAMES")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    arguments = parser.parse_args()
    places = dict(word.split("=", 1) for word in arguments.places) or {"checkout": str(ROOT)}
    for folder in places.values():
        for package in PACKAGES:
            compile_dir(Path(folder) / package, quiet=2)
    kept = KeptLines(arguments.out / "seconds.jsonl")
    known = {(case, place) for case, place, *_ in kept.values}
    for case in arguments.cases.split(","):
        for place, folder in places.items():
            if (case, place) not in known:
                words = (CASES | WORDS)[case]
                found = list(measured(Path(folder), words, arguments.repeats))
                for what, seconds in found:
                    kept.append([case, place, what, seconds and round(seconds, 3)])
    rows = []
    for case in dict.fromkeys(line[0] for line in kept.values):
        row = [case]
        for place in dict.fromkeys(line[1] for line in kept.values):
            for what in (COLD, WARM, NO_BYTECODE):
                lines = [line for line in kept.values if line[:3] == [case, place, what]]
                some = [seconds for *_, seconds in lines if seconds is not None]
                row.append(f"{median(some):.2f}" if some else "")
        rows.append(row)
    titles = [
        f"{place}, {what}"
        for place in dict.fromkeys(line[1] for line in kept.values)
        for what in (COLD, WARM, NO_BYTECODE)
    ]
    write_markdown(["processor s of `solve`", *titles], rows, 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
