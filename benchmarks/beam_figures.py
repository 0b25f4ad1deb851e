"""Figures 3 and 4 and Table 1 of the beam-NRPA paper: `python -m benchmarks.beam_figures`.

Tours with time windows, without a prior. NRPA is repeated, with a policy made anew, within the
playouts of beam NRPA. The paper searches without expert knowledge: with `--pruning on` moves are
pruned. Every tour is verified, runs are kept in `--out`, and the same command goes on; `--show`
makes none. Figures: mean costs with 95 % bootstrap intervals; where a run violates windows, each of
which costs 10^6, the mean number of those.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.kept import KeptLines
from benchmarks.results.plan import kept_rows
from benchmarks.results.repeats import Repeated, kept_mean, seeds_of
from benchmarks.tables import write_markdown
from pipeline.results.statistics import Floats, mean_interval
from solver.algorithms import AS_PUBLISHED, BeamNrpa, ListedAlgorithm, Nrpa
from solver.commands.options import new_parser, run_command
from solver.commands.progress import progress_bar
from solver.contract.domain import Problem
from solver.domains import load_domain
from solver.domains.tsptw.domain import OPTIMA
from solver.domains.tsptw.penalty import PENALTY
from solver.priors.priors import NO_PRIOR
from solver.searching.driver import Budget
from solver.searching.solution import solve

#: Iterations of a level, and the widths of the beam that the paper has for them.
WIDTHS = {20: (2, 4, 8, 16, 32, 64), 50: (2, 4, 8, 16), 100: (2, 4, 8)}
INSTANCES = {"3": "rc_203.1", "4": "rc_202.3"}
#: Optima that NRPA and beam NRPA found in the paper's table, of 30.
PAPER = {"NRPA": 13, "beam NRPA": 19}
#: Searches that the kept rows name otherwise.
KEPT_NAMES = {
    "no equal scores": "beam NRPA, no equal scores",
    "as Algorithm 3 is printed": "beam NRPA, as Algorithm 3 is printed",
}
KEPT_SEEDS = 30
#: Costs are known to two decimals.
SAME_COST = 0.005


class Search(NamedTuple):
    """A search of an instance within so many playouts."""

    label: str
    algorithm: ListedAlgorithm
    instance: str
    playouts: int

    def key(self, pruning: str, seed: int) -> str:
        """Key that distinguishes its runs from others."""
        return f"{self.algorithm} {self.instance} {self.playouts} pruning {pruning} seed {seed}"


def searches_of(instance: str, level: int, iterations: int, width: int) -> Iterator[Search]:
    """Yield the searches that a beam of this width is compared with, and itself."""
    playouts = iterations**level * width
    beam = BeamNrpa(level=level, iterations=iterations, beam=str(width), **AS_PUBLISHED)
    algorithms: dict[str, ListedAlgorithm] = {
        "NRPA": Nrpa(level=level, iterations=iterations, **AS_PUBLISHED),
        "beam NRPA": beam,
        "no equal scores": replace(beam, diversity="scores"),
        "as Algorithm 3 is printed": replace(beam, keep_adapting=False),
    }
    for label, algorithm in algorithms.items():
        yield Search(label, algorithm, instance, playouts)


class Runs:
    """Costs of tours, by search and seed."""

    def __init__(self, folder: Path, pruning: str) -> None:
        self._domain = load_domain("tsptw")
        self._options = self._domain.options(pruning=pruning)
        self._kept = KeptLines(folder / "runs.jsonl")
        self._pruning = pruning
        self.cost: dict[str, float] = dict(self._kept.values)
        self.problems: dict[str, Problem] = {
            problem.name: problem for problem in self._domain.benchmark("potvin-bengio")
        }

    def make(self, search: Search, seed: int) -> None:
        """Make a run unless it is there."""
        key = search.key(self._pruning, seed)
        if key in self.cost:
            return
        found = solve(
            self._domain, self.problems[search.instance], self._options, search.algorithm,
            Budget(playouts=search.playouts), prior=NO_PRIOR.table, seed=seed,
        )  # fmt: skip
        self.cost[key] = -found.search.score
        self._kept.append([key, self.cost[key]])

    def costs(self, search: Search, seeds: range) -> list[float]:
        """Costs of the runs that there are."""
        keys = [search.key(self._pruning, seed) for seed in seeds]
        return [self.cost[key] for key in keys if key in self.cost]


def figure(name: str) -> Iterator[list[Search]]:
    """Yield the searches of each place of a figure."""
    for iterations, width in places():
        yield list(searches_of(INSTANCES[name], 2, iterations, width))


def places() -> Iterator[tuple[int, int]]:
    """Yield the iterations and the width of the beam of each place."""
    for iterations, widths in WIDTHS.items():
        for width in widths:
            yield iterations, width


def cost_cell(costs: Floats) -> str:
    """Mean cost with its interval, in violated windows where there are any: little else counts."""
    late = bool((costs >= PENALTY).any())
    found = mean_interval(costs / PENALTY if late else costs)
    text = f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
    return f"{text} late" if late else text


def figure_rows(name: str, runs: Runs, seeds: range) -> Iterator[list[str]]:
    """Cells of a figure: iterations, width, playouts, and the mean cost of each search."""
    for searches in figure(name):
        algorithm = searches[1].algorithm
        assert isinstance(algorithm, BeamNrpa)
        cells = [str(algorithm.iterations), algorithm.beam, f"{searches[0].playouts:,}"]
        cells += [cost_cell(np.array(runs.costs(search, seeds))) for search in searches]
        yield cells


def table_row(instance: str, searches: Sequence[Search], runs: Runs, seeds: range) -> list[str]:
    """Cells of an instance: nodes, optimum, and the least cost that each search found."""
    optimum = OPTIMA[instance]
    cells = [instance, str(len(runs.problems[instance].data)), f"{optimum:.2f}"]
    for search in searches:
        best = min(runs.costs(search, seeds), default=np.inf)
        same = best <= optimum + SAME_COST
        cells.append(f"**{best:,.2f}**" if same else f"{best:,.2f}")
    return cells


def make_all(searches: Sequence[Search], runs: Runs, seeds: range) -> None:
    """Make the runs of all searches, with progress."""
    with progress_bar("beam NRPA", len(seeds) * len(searches)) as update:
        for number, (seed, search) in enumerate(itertools.product(seeds, searches), 1):
            runs.make(search, seed)
            update(number, search.instance)


def repeat(sample: int, out: Path) -> Iterator[Repeated]:
    """Make one of `sample` runs of figures 3 and 4 again, without pruning."""
    runs, seeds = Runs(out, "off"), seeds_of(KEPT_SEEDS, sample)
    found = {
        (
            search.instance,
            iterations,
            search.playouts,
            KEPT_NAMES.get(search.label, search.label),
        ): search
        for name in INSTANCES
        for iterations, width in places()
        for search in searches_of(INSTANCES[name], 2, iterations, width)
    }
    make_all(list(found.values()), runs, seeds)
    for row in kept_rows("tours/beams.csv"):
        if row["pruning"] == "off":
            size = int(row["iterations"]), int(row["playouts"])
            search = found[row["instance"], *size, row["method"]]
            costs = np.array(runs.costs(search, seeds))
            values = costs if row["unit"] == "cost" else costs / PENALTY
            label = (
                f"{row['instance']}, N = {row['iterations']}, B = {row['beam']}: {row['method']}"
            )
            yield Repeated(label, kept_mean(row), KEPT_SEEDS, values)


def run(argv: Sequence[str]) -> int:
    """Make what is missing, then print."""
    parser = new_parser("python -m benchmarks.beam_figures", __doc__ or "", "")
    parser.add_argument("what", choices=[*INSTANCES, "table"], help="a figure, or table 1")
    parser.add_argument("--out", type=Path, default=Path("build/beam"), metavar="FOLDER")
    parser.add_argument("--pruning", choices=("on", "off"), default="off")
    parser.add_argument("--seeds", type=int, default=30, metavar="N")
    parser.add_argument("--level", type=int, default=3, help="of table 1")
    parser.add_argument("--iterations", type=int, default=100, help="of table 1")
    parser.add_argument("--beam", type=int, default=4, help="of table 1")
    parser.add_argument("--show", action="store_true", help="make no runs")
    arguments = parser.parse_args(argv)
    runs, seeds = Runs(arguments.out, arguments.pruning), range(arguments.seeds)
    size = arguments.level, arguments.iterations, arguments.beam
    groups = {name: list(searches_of(name, *size)) for name in runs.problems}
    table = arguments.what == "table"
    every = groups.values() if table else figure(arguments.what)
    searches = [search for group in every for search in group]
    if not arguments.show:
        make_all(searches, runs, seeds)
    labels = [search.label for search in searches[:4]]
    if table:
        rows = [table_row(name, group, runs, seeds) for name, group in groups.items()]
        optima = [str(sum("**" in row[column] for row in rows)) for column in range(3, 7)]
        papers = [str(PAPER.get(label, "")) for label in labels]
        rows += [["at the optimum", "", "30", *optima], ["in the paper", "", "30", *papers]]
        write_markdown(["instance", "nodes", "optimum", *labels], rows, texts=1)
    else:
        header = ["N", "B", "playouts", *labels]
        write_markdown(header, list(figure_rows(arguments.what, runs, seeds)), texts=0)
    return 0


if __name__ == "__main__":
    run_command("beam_figures", run)
