"""What a first answer costs on a cold cache: `python -m benchmarks.compile_seconds`.

Processor seconds of `solve`, with an empty `NESTOR_CACHE` for each problem, of the first
command, of a second search on the same problem, and of the first again; the last one is what
starting takes. Imports are compiled to bytecode before.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import dataclass, field

from benchmarks.processes import run_measured


@dataclass(frozen=True)
class Case:
    """A problem as `solve` takes it, and how long it is searched."""

    problem: str
    prior: str
    second: tuple[str, ...] = ("--algorithm", "nmcs", "--level", "1")
    options: tuple[str, ...] = field(default=("--playouts", "1"))

    def command(self, *options: str) -> list[str]:
        """Words that search for next to no time."""
        start = [sys.executable, "-c", "from solver.commands.solve import main; main()"]
        words = [self.problem, "--prior", self.prior, "--instances", "1"]
        return [*start, *words, *self.options, *options]


CASES = [
    Case("latin-square", "none"),
    Case("latin-square", "latin-square"),
    Case("kakuro", "none"),
    Case("kakuro", "kakuro"),
    Case("samegame-board1", "none"),
    Case("samegame-board1", "samegame"),
    Case("morpion", "none"),
    Case("tsptw", "none"),
    Case("tsptw", "tsptw"),
    Case("rna", "none"),
    Case("rna", "ngram"),
    Case("rna", "ngram", options=("--algorithm", "gnrpa", "--playouts", "1")),
]
ALGORITHM = "--algorithm"
#: Statuses of `solve` with an answer: solved, and the best within the budget.
ANSWERED = (0, 1)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compile_seconds")
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", help="default: all")
    chosen = parser.parse_args().problems
    sys.stdout.write("| problem | algorithm | prior | first, s | second search, s | again, s |\n")
    sys.stdout.write("|---|---|---|--:|--:|--:|\n")
    for case in CASES:
        if chosen and case.problem not in chosen:
            continue
        first, second, again = _measure(case)
        asked = case.options
        algorithm = asked[asked.index(ALGORITHM) + 1] if ALGORITHM in asked else "the usual"
        sys.stdout.write(
            f"| {case.problem} | {algorithm} | {case.prior} "
            f"| {first:.1f} | {second:.1f} | {again:.1f} |\n"
        )
        sys.stdout.flush()
    return 0


def _measure(case: Case) -> tuple[float, float, float]:
    """Processor seconds of the first command, of another search, and of the first again."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NESTOR_CACHE"] = folder
        commands = [case.command(), case.command(*case.second), case.command()]
        first, second, again = (run_measured(command, ANSWERED)[1] for command in commands)
        return first, second, again


if __name__ == "__main__":
    sys.exit(main())
