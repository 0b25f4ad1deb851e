"""Grades and single solutions of made puzzles, by rules in plain Python.

    python -m tests.trials.grades --count 1000

Puzzles of every kind are made in turns; the rules share nothing with the makers. Status 1 if they
disagree on one.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from typing import Any

from generators.puzzles.grids import LatinSquareMaker, SudokuMaker
from generators.puzzles.kakuro import KakuroMaker
from generators.puzzles.making import make_puzzle
from solver.domains import load_domain
from tests.generators.puzzles.plain_rules import grade_by_rules, rules_of, solutions_by_rules

KINDS: dict[str, Any] = {
    "sudoku": SudokuMaker(),
    "sudoku, minimal": SudokuMaker(minimal=True),
    "sudoku, minimal, half-turn": SudokuMaker(minimal=True, symmetry="half-turn"),
    "sudoku 6 x 6 with diagonals": SudokuMaker(order=6, minimal=True, diagonals=True),
    "jigsaw of order 8": SudokuMaker(order=8, minimal=True, shape="jigsaw"),
    "square of order 7": LatinSquareMaker(order=7, minimal=True),
    "kakuro 6 x 6": KakuroMaker(rows=6, columns=6),
    "kakuro 6 x 7, few black": KakuroMaker(rows=6, columns=7, black=0.2),
}


def fault(kind: str, seed: int, number: int, grades: Counter[str]) -> str:
    """Make a puzzle; say what the rules have against it, or nothing."""
    maker = KINDS[kind]
    domain = load_domain(maker.domain)
    made = make_puzzle(maker, domain, seed, number)
    grades[made.grade] += 1
    found = list(itertools.islice(solutions_by_rules(*rules_of(domain.name, made.problem.data)), 2))
    if len(found) != 1:
        return f"{len(found)} solutions"
    if any(made.answer[place] != min(values) for place, values in found[0].items()):
        return "another solution"
    grade = grade_by_rules(*rules_of(domain.name, made.problem.data))
    return "" if grade == made.grade else f"{made.grade}, by the rules {grade}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="of all kinds together")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    grades: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    faults, begin = 0, time.monotonic()
    for number in range(arguments.count):
        kind = list(KINDS)[number % len(KINDS)]
        said = fault(kind, arguments.seed, number // len(KINDS), grades[kind])
        if said:
            faults += 1
            print(f"{kind}, seed {arguments.seed}, number {number // len(KINDS)}: {said}")
    for kind, found in grades.items():
        print(f"{kind}: " + ", ".join(f"{count} {name}" for name, count in found.items()))
    spent = time.monotonic() - begin
    print(f"{arguments.count} puzzles, {faults} disagreements, {spent:.0f} s")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
