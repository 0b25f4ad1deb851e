"""Fronts of cost and makespan on tours: Pareto-NRPA beside NRPA of weighted sums, and sampling.

    python -m benchmarks.pareto_tours FILE
    python -m benchmarks.pareto_tours FILE --show

Eight instances of Potvin and Bengio, five seeds, 27,000 playouts without a prior. `pareto` is
Pareto-NRPA of level 3 with 30 iterations, `weighted` NRPA of level 2 with 52 for each of ten
weights from cost alone to makespan alone, the front that of the ten tours; `sampling` the front of
all playouts. FILE has a line of JSON for each front; those that it has are not made again. The
measure is the hypervolume below 1.05 times the largest cost and makespan of all fronts of the
instance in FILE, as a share of that of all these fronts together; tours that are late count 0. With
`--show` nothing is run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from benchmarks.kept import KeptLines
from benchmarks.tables import write_markdown
from pipeline.reports.result_tables import with_interval
from pipeline.results.statistics import mean_interval
from solver.algorithms import Nrpa, ParetoNrpa
from solver.commands.options import new_parser, run_command
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.domain import Problem
from solver.contract.rules import Moves
from solver.domains.tsptw.domain import TsptwDomain
from solver.domains.tsptw.instance import Tsptw
from solver.domains.tsptw.kernels import COST, HERE, LATE, TIME, TsptwState
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget, compile_search, search
from solver.searching.fronts import FrontMember, hypervolume, non_dominated

PLAYOUTS, SEEDS, EVERY = 27_000, 5, 4
WEIGHTS = tuple(number / 9 for number in range(10))
PARETO = ParetoNrpa(level=3, iterations=30)
#: Steps of adapt that change nothing leave independent playouts.
SAMPLING = ParetoNrpa(level=1, iterations=1000, alpha=1e-12, policies=1)
WEIGHTED = Nrpa(level=2, iterations=52, dead_ends=0, shaping=False)
MARGIN = 1.05
DOMAIN = TsptwDomain()
HEADER = (
    "method", "share of the hypervolume", "pareto less it", "points", "in time", "processor s",
)  # fmt: skip


class Weighted(NamedTuple):
    """Tours whose score is minus a weighted sum of cost and makespan."""

    tours: Tsptw
    weight: float
    """Of the makespan, 0 ... 1; that of the cost is the rest."""


@rules.reset.register(Weighted)
def reset(instance: Weighted, state: TsptwState) -> None:
    rules.reset(instance.tours, state)


@rules.legal_moves.register(Weighted)
def legal_moves(instance: Weighted, state: TsptwState, stream: Stream, moves: Moves) -> int:
    return int(rules.legal_moves(instance.tours, state, stream, moves))


@rules.play.register(Weighted)
def play(instance: Weighted, state: TsptwState, move: int) -> None:
    rules.play(instance.tours, state, move)


@rules.code.register(Weighted)
def code(instance: Weighted, state: TsptwState, move: int) -> int:
    return int(rules.code(instance.tours, state, move))


@rules.score.register(Weighted)
def score(instance: Weighted, state: TsptwState) -> float:
    leg = instance.tours.cost[state.scalars[HERE], 0]
    back, cost = state.clock[TIME] + leg, state.clock[COST] + leg
    late = state.scalars[LATE] + (back > instance.tours.end[0])
    spent = instance.weight * back + (1.0 - instance.weight) * cost
    return float(-spent - instance.tours.penalty * late)


class WeightedDomain(TsptwDomain):
    """Tours with the weight of a run."""

    instance_class: ClassVar[type] = Weighted

    def new_state(self, instance: Any) -> TsptwState:
        """Allocate a state of the tours."""
        return super().new_state(instance.tours)

    def limits(self, instance: Any) -> Any:
        """Return the bounds of the tours."""
        return super().limits(instance.tours)


def member_of(problem: Problem, moves: Moves) -> FrontMember:
    """Return a tour with its violations, cost and makespan, from the rules alone."""
    facts = DOMAIN.facts(problem, np.array([0, *moves, 0]))
    values = np.array([facts["violations"], facts["cost"], facts["makespan"]], float)
    return FrontMember(values, moves)


def front_of_one_search(problem: Problem, algorithm: ParetoNrpa, seed: int) -> list[Moves]:
    """Moves of the front of a search with all playouts."""
    instance = DOMAIN.instance(problem, DOMAIN.options())
    result = search(DOMAIN, instance, algorithm, Budget(PLAYOUTS), seed=seed)
    return [member.moves for member in result.front]


def front_of_weights(problem: Problem, seed: int) -> list[Moves]:
    """Moves of the best tour of each weight, each with an equal part of the playouts."""
    tours, found = DOMAIN.instance(problem, DOMAIN.options()), []
    for number, weight in enumerate(WEIGHTS):
        instance, budget = Weighted(tours, weight), Budget(PLAYOUTS // len(WEIGHTS))
        result = search(WeightedDomain(), instance, WEIGHTED, budget, seed=seed, key=(number,))
        found.append(result.moves)
    return found


METHODS: dict[str, Callable[[Problem, int], list[Moves]]] = {
    "pareto": lambda problem, seed: front_of_one_search(problem, PARETO, seed),
    "weighted": front_of_weights,
    "sampling": lambda problem, seed: front_of_one_search(problem, SAMPLING, seed),
}


def make_rows(kept: KeptLines) -> None:
    """Make the fronts that are missing, each kept when it is made."""
    made = {(row["instance"], row["method"], row["seed"]) for row in kept.values}
    problems = DOMAIN.benchmark("potvin-bengio")[::EVERY]
    instance = DOMAIN.instance(problems[0], DOMAIN.options())
    compile_search(DOMAIN, instance, PARETO, NoPrior())
    compile_search(WeightedDomain(), Weighted(instance, 0.0), WEIGHTED, NoPrior())
    for problem in problems:
        for seed in range(SEEDS):
            for method, find in METHODS.items():
                if (problem.name, method, seed) in made:
                    continue
                begin = time.process_time()
                moves = find(problem, seed)
                seconds = time.process_time() - begin
                front = non_dominated([member_of(problem, each) for each in moves])
                points = [member.values.tolist() for member in front]
                kept.append({
                    "instance": problem.name, "method": method, "seed": seed,
                    "processor_seconds": round(seconds, 3), "points": points,
                })  # fmt: skip


def shares(rows: Sequence[dict[str, Any]]) -> dict[str, list[list[float]]]:
    """Hypervolume of each front as a share of that of all fronts of its instance.

    By method, for each instance a list of its seeds.
    """
    found: dict[str, list[list[float]]] = {method: [] for method in METHODS}
    for name in dict.fromkeys(row["instance"] for row in rows):
        of_it = [row for row in rows if row["instance"] == name]
        timely = [point[1:] for row in of_it for point in row["points"] if point[0] == 0]
        if not timely:
            continue
        reference = MARGIN * np.array(timely).max(axis=0)
        whole = hypervolume(np.array(timely), reference)
        for method in METHODS:
            points = [
                np.array([point[1:] for point in row["points"] if point[0] == 0])
                for row in of_it
                if row["method"] == method
            ]
            found[method].append([hypervolume(front, reference) / whole for front in points])
    return found


def read_rows(path: Path) -> list[Any]:
    """Fronts that are kept."""
    return KeptLines(path).values


def table(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Cells: a row for each method, the difference paired by instance."""
    found, cells = shares(rows), []
    means = {method: np.array([np.mean(each) for each in found[method]]) for method in METHODS}
    for method in METHODS:
        own = [row for row in rows if row["method"] == method]
        fewer = mean_interval(means["pareto"] - means[method])
        cells.append([
            method, f"{means[method].mean():.3f}",
            "–" if method == "pareto" else with_interval(fewer, "{:+.3f}".format),
            f"{np.mean([len(row['points']) for row in own]):.1f}",
            f"{sum(any(p[0] == 0 for p in row['points']) for row in own)}/{len(own)}",
            f"{np.mean([row['processor_seconds'] for row in own]):.1f}",
        ])  # fmt: skip
    return cells


def run(argv: Sequence[str]) -> int:
    """Make fronts, and print the table."""
    parser = new_parser("python -m benchmarks.pareto_tours", __doc__ or "", "")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--show", action="store_true", help="print the table of the fronts kept")
    arguments = parser.parse_args(argv)
    if not arguments.show:
        make_rows(KeptLines(arguments.file))
    write_markdown(HEADER, table(read_rows(arguments.file)), texts=1)
    return 0


if __name__ == "__main__":
    run_command("pareto_tours", run)
