"""Figures 3 to 5 of the distributed-NRPA paper: `python -m benchmarks.parallel_tables`.

SameGame by parallel NRPA, at a reduced number of iterations. Time is that of a machine with a
processor for each worker: playouts on the critical path, whatever machine this is. Runs are kept in
`--out`, and the same command goes on where it was interrupted, or makes more of them; `--show`
makes none. Means over the seeds, with 95 % bootstrap intervals.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kept import KeptLines
from benchmarks.results.plan import kept_rows
from benchmarks.results.repeats import Repeated, kept_mean, seeds_of
from benchmarks.tables import write_markdown
from pipeline.results.statistics import mean_interval
from solver.algorithms import AS_PUBLISHED, ParallelNrpa
from solver.compiling.random import new_stream
from solver.compiling.sources import class_digest
from solver.domains import load_domain
from solver.kernels.monitor import PLAYOUTS
from solver.kernels.nested.rounds import BEGAN, CRITICAL, UNDER_WAY, call_level
from solver.priors.priors import NoPrior
from solver.system.interrupt import stop_on_interrupt

LEVEL, ITERATIONS = 3, 32
#: Between two looks at a run, in playouts.
STEP = 64
#: Playouts on the critical path at which scores are compared; the last is a whole search of 16.
TIMES = (256, 512, 1024, 2048)
PROCESSORS = 16
BOARDS = {"1": 0, "3": 2}
KEPT_SEEDS = 20

Points = list[tuple[int, float]]
"""Playouts on the critical path and the best score by then, where it changed, and at the end."""


@dataclass(frozen=True)
class Row:
    """A row of a figure: a parallel search, on one of `BOARDS`."""

    figure: str
    label: str
    algorithm: ParallelNrpa
    board: str = "1"

    def key(self, seed: int, job: int) -> str:
        """Key that distinguishes a run from others; several figures may share it."""
        return f"{replace(self.algorithm, jobs=1)} board {self.board} seed {seed} job {job}"

    @property
    def playouts(self) -> int:
        """Playouts of a job: all of a search, or those in the time of the hybrid figure."""
        whole = int(ITERATIONS**LEVEL)
        return whole if self.figure != "5" else min(whole, TIMES[-1] * self.algorithm.workers)


def new_algorithm(workers: int = 1, **options: Any) -> ParallelNrpa:
    """Return a search of the level and the iterations of all figures."""
    given = {**AS_PUBLISHED, **options}
    return ParallelNrpa(level=LEVEL, iterations=ITERATIONS, workers=workers, jobs=1, **given)


def all_rows() -> Iterator[Row]:
    """Yield the rows of all figures."""
    yield Row("3, 4", "sequential", new_algorithm())
    strategies: list[tuple[str, dict[str, Any]]] = [
        ("shared policy", {"strategy": "shared"}),
        ("thread-local policies", {"strategy": "local"}),
        ("thread-local, policy passed on", {"strategy": "local", "pass_policy": True}),
    ]
    for label, options in strategies:
        for level, workers in itertools.product((1, 2, 3), (4, 16, 32)):
            few = level < LEVEL and workers == PROCESSORS  # what is no row of the paper
            if few if "pass_policy" in options else workers <= PROCESSORS or level == 1:
                algorithm = new_algorithm(workers, parallel_level=level, **options)
                yield Row("3, 4", f"{label}, level {level}", algorithm)
    for level, workers in itertools.product((1, 2), (4, 16)):
        algorithm = new_algorithm(workers, parallel_level=level, strategy="speculative")
        yield Row("3, 4", f"speculative, level {level}", algorithm)
    hybrids = (
        ("root", 1, "shared"), ("hybrid, shared policy", 4, "shared"),
        ("hybrid, thread-local policies", 4, "local"), ("leaf, shared policy", 16, "shared"),
    )  # fmt: skip
    for board, (label, workers, strategy) in itertools.product(BOARDS, hybrids):
        algorithm = new_algorithm(workers, strategy=strategy)
        yield Row("5", label, replace(algorithm, jobs=PROCESSORS // workers), board)


class Runs:
    """The runs of a folder, a line each."""

    def __init__(self, folder: Path) -> None:
        self._kept = KeptLines(folder / "runs.jsonl")
        rows = self._kept.values
        self.points: dict[str, Points] = {row["key"]: row["points"] for row in rows}
        self.playouts: dict[str, int] = {row["key"]: row["playouts"] for row in rows}

    def make(self, row: Row, seed: int, job: int, instance: Any) -> None:
        """Make a run unless it is there."""
        key = row.key(seed, job)
        if self.playouts.get(key, 0) >= row.playouts:
            return
        points = points_of(row, new_stream(seed, job), instance)
        self.points[key], self.playouts[key] = points, row.playouts
        made_by = class_digest(type(row.algorithm))
        self._kept.append(
            {"key": key, "playouts": row.playouts, "points": points, "sources": made_by}
        )


def points_of(row: Row, stream: Any, instance: Any) -> Points:
    """Make a run. One worker plays after the other, at the same time by the clock of the others."""
    run: Any = row.algorithm.new_run(load_domain("samegame"), instance, NoPrior())
    run.begin(stream)
    counters, calls = run.rounds.counters, call_level(run.parameters.rounds)
    found: Points = []
    for playouts in range(STEP, row.playouts + 1, STEP):
        run.advance(playouts, row.playouts)
        found.append((run.parallel_time.critical_playouts, float(run.best()[0])))
        if counters[UNDER_WAY] and calls > 0:
            own = int(run.monitor.counters[PLAYOUTS] - counters[BEGAN])
            best = float(run.records.score[run.row_of[1 : calls + 1]].max())
            found.append((int(counters[CRITICAL]) + own, best))
    points: Points = []
    for time, score in sorted(found):
        if not points or score > points[-1][1]:
            points.append((time, score))
    return [*points, (found[-1][0], points[-1][1])]


def best_at(points: Points, time: float) -> float:
    """Best score within so many playouts of the critical path, of the first point at least."""
    return max(score for at, score in points if at <= max(time, points[0][0]))


def scores_of(row: Row, seeds: range, runs: Runs, time: float) -> list[float]:
    """Best score of each seed within so many playouts of the critical path; inf for a whole run."""
    return [max(best_at(points, time) for points in jobs) for jobs in made_of(row, seeds, runs)]


def made_of(row: Row, seeds: range, runs: Runs) -> list[list[Points]]:
    """Points of the jobs of each seed that has them all."""
    keys = [[row.key(seed, job) for job in range(row.algorithm.jobs)] for seed in seeds]
    return [
        [runs.points[key] for key in jobs] for jobs in keys if all(k in runs.points for k in jobs)
    ]


def cells_of(row: Row, seeds: range, runs: Runs) -> list[str]:
    """Cells of a row: runs, time of a whole search, the score at its end and at `TIMES`."""
    made = made_of(row, seeds, runs)
    head = [row.figure, row.board, row.label, str(row.algorithm.jobs), str(row.algorithm.workers)]
    if not made:
        return [*head, "0", *[""] * (2 + len(TIMES))]
    times = [np.inf if row.figure != "5" else 0, *TIMES]
    scores = [scores_of(row, seeds, runs, time) for time in times]
    ends = np.mean([jobs[0][-1][0] for jobs in made])
    shown = ["{:,.0f} ({:,.0f} to {:,.0f})".format(*mean_interval(np.array(s))) for s in scores]
    if row.figure == "5":
        return [*head, str(len(made)), "", "", *shown[1:]]
    return [*head, str(len(made)), f"{ends:,.0f}", *shown]


def make_all(rows: list[Row], seeds: range, runs: Runs, threads: int) -> bool:
    """Make what is missing; returns whether it was interrupted."""
    domain, stop = load_domain("samegame"), threading.Event()
    problems = domain.benchmark("samegame20")
    instances = {
        board: domain.instance(problems[index], domain.options()) for board, index in BOARDS.items()
    }

    def make(task: tuple[int, Row]) -> None:
        seed, row = task
        for job in range(row.algorithm.jobs):
            if not stop.is_set():
                runs.make(row, seed, job, instances[row.board])

    with stop_on_interrupt(stop), ThreadPoolExecutor(threads) as pool:
        list(pool.map(make, itertools.product(seeds, rows)))
    return stop.is_set()


def repeat(sample: int, out: Path) -> Iterator[Repeated]:
    """Make one of `sample` runs of figures 3 and 4 again; those of figure 5 are 16 searches."""
    runs, seeds = Runs(out), seeds_of(KEPT_SEEDS, sample)
    rows = [row for row in all_rows() if row.figure != "5"]
    if make_all(rows, seeds, runs, threads=1):
        raise KeyboardInterrupt
    found = {(row.label, row.algorithm.workers): row for row in rows}
    for kept in kept_rows("parallel/samegame.csv"):
        row = found.get((kept["search"], int(kept["workers"])))
        if row is not None and kept["whole_search"]:
            whole = kept["at"] == kept["whole_search"]
            scores = scores_of(row, seeds, runs, np.inf if whole else int(kept["at"]))
            label = f"{row.label}, {row.algorithm.workers} workers, at {int(kept['at']):,}"
            yield Repeated(label, kept_mean(kept), KEPT_SEEDS, np.array(scores))


def main() -> int:
    """Make what is missing, then print all tables; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/parallel-tables"), metavar="FOLDER")
    parser.add_argument("--seeds", type=int, default=20, metavar="N")
    parser.add_argument("--figure", choices=("3, 4", "5"), help="only this")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    parser.add_argument("--show", action="store_true", help="make no runs")
    arguments = parser.parse_args()
    rows = [row for row in all_rows() if arguments.figure in (None, row.figure)]
    runs, seeds = Runs(arguments.out), range(arguments.seeds)
    stopped = not arguments.show and make_all(rows, seeds, runs, arguments.threads)
    header = ("figure", "board", "search", "jobs", "workers", "runs", "time of all", "score of all")
    times = [f"at {time:,}" for time in TIMES]
    write_markdown((*header, *times), [cells_of(row, seeds, runs) for row in rows], 3)
    return 130 if stopped else 0


if __name__ == "__main__":
    sys.exit(main())
