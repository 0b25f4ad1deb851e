"""Playouts per second on Kakuro, SameGame, Morpion and tours: `python -m benchmarks.games_speed`.

Processor time of one thread, the best of some rounds. The floor is for SameGame, sampling
with the prior `tabu` on the first standard board. The last column is the memory of the search's
arrays, and a level 4 search of SameGame, which meets ever new codes, has a row of its own.
rc_204.1 is measured where the data home has it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.workloads import MODELS, array_bytes
from generators.kakuro import KakuroGenerator
from solver.algorithms import AS_PUBLISHED, Algorithm, Gnrpa, Sampling
from solver.compiling.random import new_stream
from solver.contract.domain import Problem
from solver.contract.references import generated_problems
from solver.domains import load_domain
from solver.domains.morpion.text import VARIANTS
from solver.errors import InputError
from solver.kernels.monitor import PLAYOUTS
from solver.priors.priors import named_prior

SEED = 20_260
FOREVER = 10**15  # playouts
FLOOR = 30_000
LEVEL_4_PLAYOUTS = 300_000
SEARCHES: dict[str, Algorithm] = {
    "sampling": Sampling(dead_ends=0),
    "level 1": Gnrpa(level=1, **AS_PUBLISHED),
    "level 2": Gnrpa(level=2, **AS_PUBLISHED),
    "level 3": Gnrpa(level=3, **AS_PUBLISHED),
}


@dataclass(frozen=True)
class Case:
    """A problem with a prior, and the options of its domain that are not the defaults."""

    domain: str
    label: str
    problem: Problem
    prior: str
    options: dict[str, str]

    def new_run(self, algorithm: Algorithm) -> Any:
        """Return a run that goes on after a solution."""
        domain = load_domain(self.domain)
        instance = domain.instance(self.problem, domain.options(**self.options))
        run: Any = algorithm.new_run(domain, instance, named_prior(self.prior, domain).table)
        run.target = np.inf
        return run


def cases() -> Iterator[Case]:
    """Yield what is measured."""
    paper, _ = KakuroGenerator().generate(SEED, 0)
    harder, _ = KakuroGenerator(values=12).generate(SEED, 0)
    hints, chance = (str(MODELS / f"{name}.parquet") for name in ("kakuro-hints", "kakuro"))
    forward = {"propagation": "forward", "ties": "first"}
    yield Case("kakuro", "Kakuro 10 x 10 / 11, forward", paper, "none", forward)
    yield Case("kakuro", "Kakuro 10 x 10 / 11, forward", paper, hints, forward)
    yield Case("kakuro", "Kakuro 10 x 10 / 12", harder, "none", {})
    yield Case("kakuro", "Kakuro 10 x 10 / 12", harder, chance, {})
    (board,) = load_domain("samegame").benchmark("samegame-board1")
    for prior in ("tabu", str(MODELS / "samegame.parquet")):
        yield Case("samegame", "SameGame board 1", board, prior, {})
    (cross,) = generated_problems(load_domain("morpion"), 1, SEED)
    for variant in VARIANTS:
        yield Case("morpion", f"Morpion {variant}", cross, "none", {"variant": variant})
    try:
        (tour,) = load_domain("tsptw").benchmark("rc204.1")
    except InputError as error:
        sys.stderr.write(f"tsptw left out: {error}\n")
        return
    for prior in ("distance", str(MODELS / "tsptw.parquet")):
        yield Case("tsptw", "TSPTW rc_204.1", tour, prior, {})


def measure(run: Any, playouts: int, rounds: int) -> tuple[float, float]:
    """Return playouts per second, the best of `rounds` from the same seed, and megabytes."""
    run.begin(new_stream(SEED))
    run.advance(1, FOREVER)  # compiles
    best = 0.0
    for _ in range(rounds):
        run.begin(new_stream(SEED))
        begin = time.thread_time()
        run.advance(playouts, FOREVER)
        seconds = time.thread_time() - begin
        best = max(best, int(run.monitor.counters[PLAYOUTS]) / seconds)
    return best, array_bytes(run) / 1e6


def _print_row(case: Case, search: str, speed: float, megabytes: float) -> None:
    floor = ""
    if (case.domain, case.prior, search) == ("samegame", "tabu", "sampling"):
        floor = f" (floor {FLOOR:,}: {'met' if speed >= FLOOR else 'missed'})"
    prior = case.prior.rpartition("/")[2].removesuffix(".parquet")
    sys.stdout.write(
        f"| {case.label} | {prior} | {search} | {speed:,.0f}{floor} | {megabytes:.2f} |\n"
    )
    sys.stdout.flush()


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.games_speed", description=__doc__)
    parser.add_argument("--playouts", type=int, default=2_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=60, metavar="N")
    arguments = parser.parse_args()
    sys.stdout.write("| problem | prior | search | playouts/s | MB |\n|---|---|---|--:|--:|\n")
    for case in cases():
        for search, algorithm in SEARCHES.items():
            speed, megabytes = measure(
                case.new_run(algorithm), arguments.playouts, arguments.rounds
            )
            _print_row(case, search, speed, megabytes)
        if case.domain == "samegame":
            speed, megabytes = measure(
                case.new_run(Gnrpa(level=4, **AS_PUBLISHED)), LEVEL_4_PLAYOUTS, 1
            )
            _print_row(case, f"level 4, {LEVEL_4_PLAYOUTS:,} playouts", speed, megabytes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
