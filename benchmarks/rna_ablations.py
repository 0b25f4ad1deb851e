"""Worth of each part of the guided search: `python -m benchmarks.rna_ablations --out FOLDER`.

Puzzles of Eterna100 V1, t99d2, that GNRPA with the n-gram prior leaves unsolved for a second, each
by the search as it is and by the search without one of its parts, in turns, with several seeds. A
line per search is kept in FOLDER, so that the same command goes on. Designs are verified by
ViennaRNA. The last table pairs by puzzle, with 95 % BCa intervals over the puzzles.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.kept import KeptLines
from benchmarks.tables import write_markdown
from pipeline.results.statistics import Floats, mean_interval
from solver.algorithms import Cegls, Gnrpa, ListedAlgorithm
from solver.commands.options import new_parser, run_command
from solver.contract.domain import Problem, Puzzle
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.gaps.learn import Gaps, new_gaps
from solver.domains.rna.kernels import Rna
from solver.priors.priors import named_prior
from solver.searching.driver import Budget
from solver.searching.solution import solve

OPTIONS = RnaOptions("t99d2")
#: Seed of the search that chooses the puzzles: none of those that are compared.
CHOICE_SEED, CHOICE_SECONDS = 1000, 1.0
KEPT, CHOSEN = "searches.jsonl", "puzzles.json"
BASE, BASE_GNRPA = "as it is", "GNRPA"


class FoldedByViennaRna(RnaDomain):
    """Every fold is ViennaRNA's."""

    def instance(self, problem: Problem, options: RnaOptions) -> Rna:
        """Return the instance without the address of the project's own fold."""
        return super().instance(problem, options)._replace(fold=0)


class OneRival(RnaDomain):
    """Only the last counterexample is known."""

    def new_constraints(self, instance: Rna) -> Gaps:
        """Room for a single rival."""
        return new_gaps(instance, 1)


@dataclass(frozen=True)
class Variant:
    """The search with a part of it changed, and what it is compared with."""

    domain: Puzzle = field(default_factory=RnaDomain)
    algorithm: ListedAlgorithm = field(default_factory=Cegls)
    prior: str = "ngram"
    base: str = BASE

    def seconds(self, problem: Problem, seed: int, seconds: float) -> float:
        """Seconds to a design that ViennaRNA accepts, infinite without one."""
        prior = named_prior(self.prior, self.domain).table
        found = solve(
            self.domain, problem, OPTIONS, self.algorithm, Budget(seconds=seconds),
            prior=prior, seed=seed,
        )  # fmt: skip
        return found.search.seconds if found.solved else math.inf


VARIANTS = {
    BASE: Variant(),
    "no prior: all proposals uniform": Variant(algorithm=Cegls(proposals="uniform"), prior="none"),
    "nemo in the place of ngram": Variant(algorithm=Cegls(proposals="nemo:0.9,uniform:0.1")),
    "loops in the place of ngram": Variant(prior="loops"),
    "ngram alone": Variant(algorithm=Cegls(proposals="prior")),
    "ngram half, nemo and uniform a quarter": Variant(
        algorithm=Cegls(proposals="prior:0.5,nemo:0.25,uniform:0.25")
    ),
    "folds by ViennaRNA": Variant(FoldedByViennaRna()),
    "the last counterexample only": Variant(OneRival()),
    "plain local search: that, and a fold for each move": Variant(OneRival(), Cegls(moves=1)),
    "no weights": Variant(algorithm=Cegls(reweight=0.0)),
    "no late acceptance": Variant(algorithm=Cegls(memory=1)),
    "no restarts": Variant(algorithm=Cegls(patience=2**40)),
    "restarts with new sequences only": Variant(algorithm=Cegls(beginnings="drawn")),
    "restarts with new sequences and parts": Variant(algorithm=Cegls(beginnings="drawn,parts")),
    "restarts with new sequences and the best": Variant(algorithm=Cegls(beginnings="drawn,best")),
    BASE_GNRPA: Variant(algorithm=Gnrpa(), base=BASE_GNRPA),
    "GNRPA, folds by ViennaRNA": Variant(FoldedByViennaRna(), Gnrpa(), base=BASE_GNRPA),
}


class Search(NamedTuple):
    """Kept result of a search."""

    variant: str
    puzzle: str
    seed: int
    seconds: float
    """To a design, infinite without one."""
    limit: float


def chosen_puzzles(path: Path) -> list[Problem]:
    """Puzzles that GNRPA leaves unsolved; `path` keeps their names."""
    problems = RnaDomain().benchmark("eterna100")
    if not path.exists():
        gnrpa = VARIANTS[BASE_GNRPA]
        gnrpa.seconds(problems[0], CHOICE_SEED, CHOICE_SECONDS)  # compiled before it counts
        left = [
            problem.name
            for problem in problems
            if math.isinf(gnrpa.seconds(problem, CHOICE_SEED, CHOICE_SECONDS))
        ]
        path.write_text(json.dumps(left), encoding="utf-8")
    names = set(json.loads(path.read_text(encoding="utf-8")))
    return [problem for problem in problems if problem.name in names]


def search_all(problems: Sequence[Problem], path: Path, seeds: int, limit: float) -> list[Search]:
    """Make the searches that are not kept yet, variants in turns."""
    kept = KeptLines(path)
    searches = [Search(*line) for line in kept.values]
    done = {
        search[:3] for search in searches if limit <= search.limit or math.isfinite(search.seconds)
    }
    compiled: set[str] = set()
    for seed, problem, name in itertools.product(range(seeds), problems, VARIANTS):
        if (name, problem.name, seed) in done:
            continue
        variant = VARIANTS[name]
        if name not in compiled:
            variant.seconds(problems[0], CHOICE_SEED, 0.1)
            compiled.add(name)
        kept.append(Search(name, problem.name, seed, variant.seconds(problem, seed, limit), limit))
    latest = {Search(*line)[:3]: Search(*line) for line in kept.values}
    wanted = itertools.product(VARIANTS, [problem.name for problem in problems], range(seeds))
    return [latest[key] for key in wanted]


def solved_shares(searches: Sequence[Search], puzzles: Sequence[str], limit: float) -> Floats:
    """Share of the seeds that solve each puzzle within `limit` seconds, float64[puzzles]."""
    solved: Mapping[str, list[bool]] = {puzzle: [] for puzzle in puzzles}
    for search in searches:
        solved[search.puzzle].append(search.seconds <= limit)
    return np.array([np.mean(solved[puzzle]) for puzzle in puzzles])


def rows(searches: Sequence[Search], limits: Sequence[float]) -> Iterator[list[str]]:
    """Cells of each variant: puzzles solved by a seed on average, and the difference."""
    puzzles = sorted({search.puzzle for search in searches})
    for name, variant in VARIANTS.items():
        cells = [name]
        for limit in limits:
            shares, base = (
                solved_shares([one for one in searches if one.variant == which], puzzles, limit)
                for which in (name, variant.base)
            )
            found = mean_interval(shares - base)
            less, low, high = (len(puzzles) * part for part in (found.value, found.low, found.high))
            cells += [f"{shares.sum():.1f}", f"{less:+.1f} ({low:.1f} to {high:.1f})"]
            if name == variant.base:
                cells[-1] = ""
        yield cells


def run(argv: Sequence[str]) -> int:
    """Print the table."""
    parser = new_parser("python -m benchmarks.rna_ablations", __doc__ or "", "")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each search")
    parser.add_argument("--at", type=float, nargs="+", default=[0.2, 1.0, 2.0], metavar="SECONDS")
    arguments = parser.parse_args(argv)
    arguments.out.mkdir(parents=True, exist_ok=True)
    problems = chosen_puzzles(arguments.out / CHOSEN)
    path = arguments.out / KEPT
    searches = search_all(problems, path, arguments.seeds, arguments.seconds)
    header = [f"{len(problems)} puzzles, {arguments.seeds} seeds"]
    for limit in arguments.at:
        header += [f"{limit:g} s", "difference"]
    write_markdown(header, list(rows(searches, arguments.at)), texts=1)
    return 0


if __name__ == "__main__":
    run_command("rna_ablations", run)
