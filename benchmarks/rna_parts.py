"""Worth of each part of the search for an ensemble: `python -m benchmarks.rna_parts FILE`.

Every second target of `hardened-folds` under `vienna2`, designed for its probability by the search
as it is and without one of its parts, in turns, with several seeds. A line per design is kept in
FILE, so that the same command goes on. ViennaRNA alone computes what designs are worth. The table
pairs by target, means over the seeds, with 95 % BCa intervals over the targets.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from benchmarks.kept import KeptLines
from benchmarks.rna_published import measured
from benchmarks.tables import write_markdown
from pipeline.results.statistics import mean_interval
from solver.algorithms.cegls import Cegls
from solver.commands.options import new_parser, run_command
from solver.contract.designer import SEARCH_SHARE
from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.engines import use_engine
from solver.domains.rna.ensemble.factors import load_ensembles
from solver.domains.rna.objective.memory import DEFAULT, Tuning
from solver.domains.rna.objective.refine import EnsembleRefinement
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.contradictions import sites_of
from solver.domains.rna.requests.kernels import NoRequests
from solver.domains.rna.requests.options import PROBABILITY
from solver.domains.rna.requests.refine import Refinement
from solver.domains.rna.text import pair_partners
from solver.priors.priors import default_prior
from solver.searching.driver import Budget
from solver.searching.solution import solve

ENGINE, TARGETS, STEP = "vienna2", "hardened-folds", 2
BASE = "as it is"
HEADER = ("search", "mean p", "difference", "solved")


class Variant(NamedTuple):
    """The search with a part of it changed."""

    tuning: Tuning = DEFAULT
    begins: bool = True
    """True if a search for the fold comes first."""
    by_viennarna: bool = False
    """True for the plain search with ViennaRNA's partition function: right folds come first, and
    it never begins again."""


VARIANTS = {
    BASE: Variant(),
    "no bound by known structures": Variant(DEFAULT._replace(pool=0)),
    "changes at any site alike": Variant(DEFAULT._replace(floor=1e9)),
    "no change of a site beside": Variant(DEFAULT._replace(beside=0.0)),
    "no late acceptance": Variant(DEFAULT._replace(memory=1)),
    "no restarts": Variant(DEFAULT._replace(patience=math.inf)),
    "from a random sequence": Variant(begins=False),
    "ViennaRNA's partition function": Variant(by_viennarna=True),
}


def random_filling(problem: Problem, random: Random) -> str:
    """Return a sequence in which what has to pair can."""
    letters = list(problem.data.structure)
    for site in sites_of(problem.data):
        choice = random.choice(site.choices)
        letters[site.position] = choice[0]
        if site.partner >= 0:
            letters[site.partner] = choice[1]
    return "".join(letters)


def designed(problem: Problem, variant: Variant, seconds: float, seed: int, prior: Any) -> str:
    """Return the design after so many seconds of processor time."""
    target, random, begin = problem.data, Random(seed), time.process_time()
    sequence = random_filling(problem, random)
    if variant.begins:
        budget = Budget(seconds=SEARCH_SHARE * seconds)
        found = solve(
            RnaDomain(), problem, RnaOptions(ENGINE), Cegls(), budget, prior=prior, seed=seed
        )
        sequence = str(found.answer.sequence)
    structure, sites = target.structure, sites_of(target)
    search: Refinement | EnsembleRefinement
    if variant.by_viennarna:
        partner = pair_partners(structure, problem.name)
        model = use_engine(ENGINE)
        search = Refinement(structure, partner, sites, Requirements(), PROBABILITY, model, random)
    else:
        ensembles = load_ensembles(ENGINE)
        assert ensembles is not None
        search = EnsembleRefinement(
            structure, sites, NoRequests(), PROBABILITY, ensembles, random, tuning=variant.tuning
        )
    for best, _ in search.run(sequence):
        sequence = best
        if time.process_time() - begin >= seconds:
            break
    return sequence


def make(kept: KeptLines, seconds: float, seeds: int) -> None:
    """Make the designs that are not kept yet, variants in turns."""
    done = {(row["variant"], row["target"], row["seed"]) for row in kept.values}
    domain = RnaDomain()
    problems, prior = list(domain.benchmark(TARGETS))[::STEP], default_prior(domain, None).table
    designed(problems[0], VARIANTS[BASE], 0.1, 0, prior)  # compiled before the clock runs
    for seed, problem, name in itertools.product(range(seeds), problems, VARIANTS):
        if (name, problem.name, seed) in done:
            continue
        sequence = designed(problem, VARIANTS[name], seconds, seed, prior)
        row = {"variant": name, "target": problem.name, "seed": seed, "seconds": seconds}
        kept.append(row | {"sequence": sequence} | measured(problem.data.structure, sequence))


def means(rows: Sequence[Mapping[str, Any]], fact: str) -> dict[str, float]:
    """Mean of a fact over the seeds of each target."""
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row["target"], []).append(row[fact])
    return {target: float(np.mean(found)) for target, found in values.items()}


def complete(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Rows of the targets and seeds that all variants have."""
    made = {name: {_pair(row) for row in rows if row["variant"] == name} for name in VARIANTS}
    common = set.intersection(*made.values())
    return [row for row in rows if _pair(row) in common]


def _pair(row: Mapping[str, Any]) -> tuple[str, int]:
    return row["target"], row["seed"]


def read_rows(path: Path) -> list[Any]:
    """Rows that a file has."""
    return KeptLines(path).values


def table(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Cells of each variant: means over the targets, and the paired differences.

    A file that is not complete is told by the targets and seeds that all variants have.
    """
    whole = complete(rows)
    return list(_cells(whole)) if whole else []


def _cells(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    base = [row for row in rows if row["variant"] == BASE]
    for name in VARIANTS:
        mine = [row for row in rows if row["variant"] == name]
        values, before = means(mine, PROBABILITY), means(base, PROBABILITY)
        less = mean_interval(np.array([values[target] - before[target] for target in values]))
        ends = "" if np.isnan(less.low) else f" ({less.low:.4f} to {less.high:.4f})"
        told = "" if name == BASE else f"{less.value:+.4f}{ends}"
        solved = np.mean([row["solved"] for row in mine])
        mean = np.mean(list(values.values()))
        yield [name, f"{mean:.4f}", told, f"{100 * solved:.0f} %"]


def run(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = new_parser("python -m benchmarks.rna_parts", __doc__ or "", "")
    parser.add_argument("path", type=Path, metavar="FILE")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each design")
    parser.add_argument("--show", action="store_true", help="only print what is kept")
    arguments = parser.parse_args(argv)
    if not arguments.show:
        make(KeptLines(arguments.path), arguments.seconds, arguments.seeds)
    write_markdown(HEADER, table(read_rows(arguments.path)), texts=1)
    return 0


if __name__ == "__main__":
    run_command("python -m benchmarks.rna_parts", run)
