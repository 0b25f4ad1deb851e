"""Worth of objectives: `python -m benchmarks.rna_objectives` prints a Markdown table.

Targets are the folds of random sequences. Each objective has so many seconds for each of them, and
so has RNAinverse -Fp, by ViennaRNA's Python API: started again from random sequences, the highest
probability counts. Probability and defect are computed here by ViennaRNA.
"""

from __future__ import annotations

import argparse
import sys
import time
from random import Random
from typing import Any

import numpy as np
import RNA

from generators.rna.generator import benchmark
from pipeline.results.statistics import mean_interval
from solver.algorithms.cegls import Cegls
from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.engines import use_engine
from solver.domains.rna.requests.ensemble import Ensemble
from solver.domains.rna.requests.options import OBJECTIVES, RnaRequests
from solver.priors.priors import default_prior
from solver.searching.driver import Budget
from solver.searching.solution import solve

ENGINE, SEED = "vienna2", 21


def by_objective(problem: Problem, objective: Any, seconds: float) -> str:
    """Return the design of `solve rna --objective`."""
    domain = RnaDomain()
    prior = default_prior(domain, None).table
    options = RnaOptions(ENGINE)
    found = solve(
        domain, problem, options, Cegls(), Budget(seconds=seconds),
        requests=RnaRequests(objective=objective), prior=prior,
    )  # fmt: skip
    return str(found.answer.sequence)


def by_rnainverse(problem: Problem, seconds: float) -> str:
    """Return the best of the designs of RNAinverse -Fp from random starts, one at least."""
    target, random = problem.data.structure, Random(problem.name)
    best, highest, begin = "", -1.0, time.perf_counter()
    while not best or time.perf_counter() - begin < seconds:
        start = "".join(random.choices("ACGU", k=len(target)))
        found, _ = RNA.inverse_fold(start, target)
        found, _ = RNA.inverse_pf_fold(found.upper(), target)
        share = Ensemble(found.upper(), target, use_engine(ENGINE)).probability
        if share > highest:
            best, highest = found.upper(), share
    return best


def shown(values: list[float]) -> str:
    """Mean with its 95 % BCa interval."""
    found = mean_interval(np.array(values))
    return f"{found.value:.3f} ({found.low:.3f}-{found.high:.3f})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=10.0)
    arguments = parser.parse_args()
    problems = list(benchmark(arguments.targets, SEED))
    for objective in OBJECTIVES:  # compiled before the clock runs
        by_objective(problems[0], objective, 1.0)
    methods = (*OBJECTIVES, "RNAinverse -Fp")
    found: dict[str, list[Ensemble]] = {method: [] for method in methods}
    for problem in problems:  # in turns: the machine may be busier at one time than at another
        for method in methods:
            if method in OBJECTIVES:
                sequence = by_objective(problem, method, arguments.seconds)
            else:
                sequence = by_rnainverse(problem, arguments.seconds)
            structure = problem.data.structure
            found[method].append(Ensemble(sequence, structure, use_engine(ENGINE)))
    sys.stdout.write("| method | fold right | probability | defect |\n|---|---|---|---|\n")
    for method, ensembles in found.items():
        count = f"{sum(one.is_best for one in ensembles)} of {len(problems)}"
        shares, defects = (
            shown([getattr(one, fact) for one in ensembles]) for fact in ("probability", "defect")
        )
        sys.stdout.write(f"| {method} | {count} | {shares} | {defects} |\n")


if __name__ == "__main__":
    main()
