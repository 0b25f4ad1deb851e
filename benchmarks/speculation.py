"""Gain of speculation: `python -m benchmarks.speculation`.

A search of level 2 with a stream of random numbers for each iteration of the parallel level, by
NRPA itself and by workers that take iterations ahead: how many times fewer playouts are on the
critical path, and whether all searches found the same, bit by bit. Means over the seeds.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.tables import write_markdown
from solver.algorithms import AS_PUBLISHED, Gnrpa, ParallelNrpa
from solver.compiling.random import jump_kernel, new_stream
from solver.contract.domain import Puzzle
from solver.contract.references import generated_problems
from solver.domains import load_domain
from solver.kernels.monitor import IMPROVEMENTS, PLAYOUTS
from solver.priors.priors import NoPrior

LEVEL, ITERATIONS = 2, 100
PLAYOUTS_OF_ALL = ITERATIONS**LEVEL
WORKERS = (4, 16, 64)
SEED = 20_260


def cases() -> Iterator[tuple[str, Puzzle, Any]]:
    """Yield what is searched."""
    samegame: Any = load_domain("samegame")
    (board,) = samegame.benchmark("samegame-board1")
    yield "SameGame, board 1", samegame, samegame.instance(board, samegame.options())
    for name, options in (
        ("morpion", {}), ("tsptw", {}), ("latin-square", {"propagation": "forward"}),
    ):  # fmt: skip
        domain: Any = load_domain(name)
        (problem,) = generated_problems(domain, 1, SEED)
        yield problem.name, domain, domain.instance(problem, domain.options(**options))


def new_run(algorithm: Gnrpa, domain: Puzzle, instance: Any, seed: int) -> Any:
    """Return a run that goes on after a solution."""
    run: Any = algorithm.new_run(domain, instance, NoPrior())
    run.target = np.inf
    run.begin(new_stream(seed))
    return run


def found(run: Any) -> Any:
    """All that a run says."""
    improvements = int(run.monitor.counters[IMPROVEMENTS])
    trace = run.monitor.trace_playouts[:improvements], run.monitor.trace_score[:improvements]
    score, moves = run.best()
    return score, moves.tolist(), [column.tolist() for column in trace]


def sequential(domain: Puzzle, instance: Any, seed: int, call_playouts: int) -> Any:
    """Return the result of NRPA with a stream for every so many playouts."""
    run = new_run(Gnrpa(level=LEVEL, iterations=ITERATIONS, **AS_PUBLISHED), domain, instance, seed)
    stream = new_stream(seed)
    while run.monitor.counters[PLAYOUTS] < PLAYOUTS_OF_ALL:
        run.stream[:] = stream
        jump_kernel(stream)
        run.advance(int(run.monitor.counters[PLAYOUTS]) + call_playouts, PLAYOUTS_OF_ALL)
    return found(run)


def main() -> int:
    """Print the table; returns 1 if a search found something else."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, metavar="N")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    arguments = parser.parse_args()
    rows, all_same = [], True
    for (name, domain, instance), level in itertools.product(cases(), (1, 2)):
        saved, same = [], True
        for seed in range(arguments.seeds):
            expected = sequential(domain, instance, seed, ITERATIONS ** (level - 1))
            for workers in WORKERS:
                algorithm = ParallelNrpa(
                    level=LEVEL, iterations=ITERATIONS, workers=workers, parallel_level=level,
                    strategy="speculative", **AS_PUBLISHED,
                )  # fmt: skip
                run = new_run(algorithm, domain, instance, seed)
                run.use_threads(arguments.threads)
                run.begin(new_stream(seed))
                run.advance(PLAYOUTS_OF_ALL, PLAYOUTS_OF_ALL)
                same = same and found(run) == expected
                saved.append(PLAYOUTS_OF_ALL / run.parallel_time.critical_playouts)
        means = np.reshape(saved, (-1, len(WORKERS))).mean(axis=0)
        rows.append([name, str(level), *(f"{mean:.1f}" for mean in means), "yes" if same else "NO"])
        all_same = all_same and same
    header = ["problem", "parallel level", *(f"{workers} workers" for workers in WORKERS), "same"]
    write_markdown(header, rows, texts=1)
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
