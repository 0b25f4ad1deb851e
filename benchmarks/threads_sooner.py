"""How much sooner two threads find a solution than one: `python -m benchmarks.threads_sooner`.

Puzzles of Eterna100 and hard folds that one thread solves with seed 0 in 0.5 to 10 s are searched
again with other seeds, by one thread and by two in turns. A search that ends without a design
counts with its whole budget. Nothing else should run.
"""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

import numpy as np

from solver.algorithms import Gnrpa, ListedAlgorithm
from solver.contract.domain import Problem, Puzzle
from solver.domains import load_domain
from solver.priors.priors import Prior, named_prior
from solver.searching.driver import Budget
from solver.searching.solution import solve

SHORTEST, LONGEST, BUDGET = 0.5, 10.0, 30.0
DRAWS = 10_000


class Search(NamedTuple):
    """What is searched, and how."""

    domain: Puzzle
    algorithm: ListedAlgorithm
    prior: Prior

    def seconds(self, problem: Problem, seed: int, threads: int, budget: float) -> float:
        """Seconds to a design, or the budget."""
        found = solve(
            self.domain,
            problem,
            self.domain.options(engine="t99d2"),
            self.algorithm,
            Budget(seconds=budget),
            prior=self.prior.table,
            seed=seed,
            threads=threads,
        )
        return found.search.seconds if found.solved else budget


def ratio(one: list[list[float]], two: list[list[float]]) -> tuple[float, float, float]:
    """Geometric mean of one thread's seconds over those of two; 95 % over puzzles drawn again."""
    means = np.array([[np.mean(row) for row in rows] for rows in (one, two)])
    logs = np.log(means[0] / means[1])
    drawn = np.random.default_rng(0).integers(len(logs), size=(DRAWS, len(logs)))
    low, high = np.exp(np.quantile(logs[drawn].mean(axis=1), (0.025, 0.975)))
    return float(np.exp(logs.mean())), float(low), float(high)


def main() -> int:
    """Print a row per puzzle and the ratio; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--puzzles", type=int, default=30, metavar="N")
    parser.add_argument("--seeds", type=int, default=2, metavar="N")
    arguments = parser.parse_args()
    domain = load_domain("rna")
    search = Search(domain, Gnrpa(), named_prior("ngram", domain))
    problems = domain.benchmark("eterna100") + domain.benchmark("hard-folds")
    for threads in (1, 2):  # compile
        search.seconds(problems[0], 0, threads, BUDGET)
    sys.stdout.write("| puzzle | seed 0, s | one thread, s | two threads, s |\n|---|--:|--:|--:|\n")
    rows: tuple[list[list[float]], list[list[float]]] = ([], [])
    for problem in problems:
        before = search.seconds(problem, 0, 1, LONGEST)
        if not SHORTEST <= before < LONGEST:
            continue
        found = [
            [search.seconds(problem, seed, threads, BUDGET) for threads in (1, 2)]
            for seed in range(1, arguments.seeds + 1)
        ]
        one, two = zip(*found, strict=True)
        rows[0].append(list(one))
        rows[1].append(list(two))
        texts = [", ".join(f"{seconds:.2f}" for seconds in row) for row in (one, two)]
        sys.stdout.write(f"| {problem.name} | {before:.2f} | {texts[0]} | {texts[1]} |\n")
        sys.stdout.flush()
        if len(rows[0]) == arguments.puzzles:
            break
    mean, low, high = ratio(*rows)
    totals = [sum(map(sum, part)) for part in rows]
    sys.stdout.write(
        f"\n{len(rows[0])} puzzles: {totals[0]:.0f} s and {totals[1]:.0f} s in all; one thread "
        f"takes {mean:.2f} times as long ({low:.2f} to {high:.2f}, geometric mean)\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
