"""Designs for the ensemble beside what is published: rows that are kept and gone on with.

    python -m benchmarks.rna_published FOLDER --seconds 10 --seeds 1
    python -m benchmarks.rna_published FOLDER --targets natural --method samfeo --seconds 10

The structures of Eterna100-V1, of V2, or of 30 sequences of Rfam, under `vienna2`, so many seconds
of processor time each, as `solve rna --objective` searches. Everything is folded again and computed
by ViennaRNA alone, with default parameters. Published are the bests of SAMFEO (five runs of 5,000
steps) and of SamplingDesign (hours a puzzle on many cores), from `figures/` of the repository
weiyutang1010/ncrna_design. With `--show` nothing is run. `--method samfeo` is a peer, see
`benchmarks.rna_samfeo`.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import RNA

from benchmarks.rna_samfeo import samfeo
from generators.rna.rfam import GAPS, read_families
from solver.algorithms.cegls import Cegls
from solver.contract.designer import SEARCH_SHARE, designer_of
from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.folding import fold_structure
from solver.domains.rna.requests.options import BOTH, OBJECTIVES, RnaRequests
from solver.domains.rna.text import new_target, pair_partners
from solver.priors.priors import default_prior
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.system.datasets import corpus_path

PUBLISHED = Path(__file__).parents[1] / "docs/results/eterna100/published.csv"
ETERNA, NATURAL = "eterna100", "natural"
NATURAL_TARGETS, SHORTEST, LONGEST, LEAST_PAIRED = 30, 50, 250, 0.4
SHOWN_LEAST = 1e-300
"""Least probability that geometric means take."""


def measured(structure: str, sequence: str) -> dict[str, Any]:
    """Probability, defect and fold by ViennaRNA; `distance` counts bases paired otherwise."""
    compound = RNA.fold_compound(sequence)
    folded, lowest = compound.mfe()
    compound.exp_params_rescale(lowest)
    compound.pf()
    ours, theirs = pair_partners(structure, "target"), pair_partners(folded, "fold")
    return {
        "probability": float(compound.pr_structure(structure)),
        "defect": float(compound.ensemble_defect(structure)),
        "distance": sum(one != other for one, other in zip(ours, theirs, strict=True)),
        "solved": folded == structure,
    }


def designed(problem: Problem, objective: Any, seconds: float, seed: int, prior: Any) -> str:
    """Return the design after so many seconds of processor time."""
    domain, options = RnaDomain(), RnaOptions()
    begin = time.process_time()
    found = solve(
        domain, problem, options, Cegls(), Budget(seconds=SEARCH_SHARE * seconds),
        prior=prior, seed=seed,
    )  # fmt: skip
    designer = designer_of(domain.with_options(options), RnaRequests(objective=objective))
    best = found.answer
    for better, _ in designer.refine(problem, options, found.answer, Random(seed)):
        best = better
        if time.process_time() - begin >= seconds:
            break
    return str(best.sequence)


def natural_targets() -> Iterator[Problem]:
    """Yield folds of sequences of Rfam, the first that fits of families that lie evenly."""
    found: list[Problem] = []
    for family in read_families(corpus_path("rfam")):
        for _, row in family.rows:
            sequence = "".join(base for base in row.upper().replace("T", "U") if base not in GAPS)
            if not SHORTEST <= len(sequence) <= LONGEST or set(sequence) - set("ACGU"):
                continue
            structure = fold_structure(sequence, "vienna2")
            if len(structure) - structure.count(".") >= LEAST_PAIRED * len(structure):
                found.append(Problem(family.accession, new_target(structure, "", "rfam")))
            break
    for number in range(NATURAL_TARGETS):
        yield found[number * len(found) // NATURAL_TARGETS]


def published() -> dict[int, dict[str, float]]:
    """Read the published columns by number of the puzzle."""
    rows = csv.DictReader(PUBLISHED.read_text().splitlines())
    return {int(row["number"]): {k: float(v) for k, v in row.items()} for row in rows}


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Rows that a folder has; a last line that was being written is left out."""
    if not path.exists():
        return []
    lines = path.read_text().split("\n")[:-1]
    return [json.loads(line) for line in lines]


def summary(name: str, shares: Sequence[float], defects: Sequence[float], rest: str) -> str:
    """One line of the table of means."""
    geometric = math.exp(np.mean(np.log(np.maximum(shares, SHOWN_LEAST))))
    return f"| {name} | {np.mean(shares):.3f} | {geometric:.2g} | {np.mean(defects):.4f} | {rest} |"


def _compared(row: dict[str, Any], known: dict[str, float]) -> int:
    """Return 1, 0 or -1: more probable than what is published, alike, or less."""
    best = max(known["samfeo_probability"], known["sampling_probability"])
    ratio = row["probability"] / best
    return int(ratio > 1.005) - int(ratio < 0.995)


def shown(rows: list[dict[str, Any]], known: dict[int, dict[str, float]]) -> Iterator[str]:
    """Yield the tables: means of each seed beside those published, and every puzzle."""
    yield "| | mean p | geometric | mean defect | solved | distance |\n|---|--:|--:|--:|--:|--:|"
    for seed in sorted({row["seed"] for row in rows}):
        own = [row for row in rows if row["seed"] == seed]
        rest = f"{sum(row['solved'] for row in own)} of {len(own)} | "
        rest += f"{np.mean([row['distance'] for row in own]):.2f}"
        shares, defects = ([row[name] for row in own] for name in ("probability", "defect"))
        yield summary(f"{own[0]['objective']}, seed {seed}", shares, defects, rest)
    numbers = sorted({row["number"] for row in rows})
    for method in ("samfeo", "sampling") if known else ():
        columns = [
            [known[n][f"{method}_{what}"] for n in numbers] for what in ("probability", "defect")
        ]
        yield summary(f"{method}, the same puzzles", columns[0], columns[1], " | ")
    if known:
        ahead = [_compared(row, known[row["number"]]) for row in rows]
        yield (
            f"\nBeside the more probable published design: {ahead.count(1)} more probable, "
            f"{ahead.count(0)} as probable to 0.5 %, {ahead.count(-1)} less."
        )
    yield "\n| puzzle | bases | p | defect | solved | SAMFEO | | SamplingDesign | |"
    yield "|--:|--:|--:|--:|---|--:|--:|--:|--:|"
    for row in sorted(rows, key=lambda row: (row["number"], row["seed"])):
        cells = [
            f"{row['probability']:.3g}",
            f"{row['defect']:.4f}",
            "yes" if row["solved"] else "",
        ]
        of = known.get(row["number"])
        if of is not None:
            cells += [
                f"{of[f'{method}_{what}']:{form}}"
                for method in ("samfeo", "sampling")
                for what, form in (("probability", ".3g"), ("defect", ".4f"))
            ]
        yield f"| {row['number']} | {len(row['sequence'])} | {' | '.join(cells)} |"


def main() -> None:
    """Make the rows that are missing, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--objective", choices=OBJECTIVES[1:], default="probability")
    parser.add_argument("--targets", choices=(ETERNA, f"{ETERNA}-v2", NATURAL), default=ETERNA)
    parser.add_argument("--method", choices=("solve", "samfeo"), default="solve")
    parser.add_argument("--puzzles", type=int, nargs=2, default=(1, 100), metavar=("FIRST", "LAST"))
    parser.add_argument("--show", action="store_true", help="only print what there is")
    arguments = parser.parse_args()
    if arguments.method != "solve" and arguments.objective == BOTH:
        parser.error(f"--method {arguments.method} has one objective, expected no --objective both")
    objective, seconds, samfeos = (
        arguments.objective,
        arguments.seconds,
        arguments.method != "solve",
    )
    which = "".join(
        f"{word}-"
        for word, usual in ((arguments.targets, ETERNA), (arguments.method, "solve"))
        if word != usual
    )
    path = arguments.folder / f"{which}{objective}-{seconds:g}s.jsonl"
    rows = read_rows(path)
    if not arguments.show:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        done = {(row["number"], row["seed"]) for row in rows}
        natural = arguments.targets == NATURAL
        problems = list(natural_targets() if natural else RnaDomain().benchmark(arguments.targets))
        prior = default_prior(RnaDomain(), None).table
        if not samfeos:
            designed(problems[0], objective, 0.1, 0, prior)  # compiled before the clock runs
        with path.open("a") as out:
            for seed in range(arguments.seeds):
                for number, problem in enumerate(problems, start=1):
                    first, last = arguments.puzzles
                    if (number, seed) in done or not first <= number <= last:
                        continue
                    structure = problem.data.structure
                    if samfeos:
                        sequence = samfeo(structure, objective, seconds, seed)
                    else:
                        sequence = designed(problem, objective, seconds, seed, prior)
                    row = {"number": number, "seed": seed, "objective": objective}
                    row |= {"sequence": sequence} | measured(structure, sequence)
                    rows.append(row)
                    out.write(json.dumps(row) + "\n")
                    out.flush()
    known = published() if arguments.targets == ETERNA else {}
    for line in shown(rows, known):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
