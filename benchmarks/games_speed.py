"""Playouts per second on SameGame and tours with time windows: `python -m benchmarks.games_speed`.

Processor time of one thread, the best of some rounds. The floor is for SameGame, sampling
with the prior `tabu` on the first standard board. rc_204.1 is measured where the data home has it.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from solver.algorithms import Algorithm, Gnrpa, Sampling
from solver.domain import Domain, Problem
from solver.domains import load_domain
from solver.errors import InputError
from solver.kernels.monitor import PLAYOUTS
from solver.random import new_stream

SEED = 20_260
FOREVER = 10**15  # playouts
FLOOR = 30_000
SEARCHES: dict[str, Algorithm] = {
    "sampling": Sampling(),
    "level 1": Gnrpa(level=1),
    "level 2": Gnrpa(level=2),
    "level 3": Gnrpa(level=3),
}


def playouts_per_second(
    domain: Domain, problem: Problem, algorithm: Algorithm, prior: str, playouts: int, rounds: int
) -> float:
    """Return the best of `rounds` rounds of `playouts` playouts, all from the same seed."""
    instance = domain.instance(problem, domain.options())
    run: Any = algorithm.new_run(domain, instance, domain.handmade[prior])
    run.begin(new_stream(SEED))
    run.advance(1, FOREVER)  # compiles
    best = 0.0
    for _ in range(rounds):
        run.begin(new_stream(SEED))
        begin = time.thread_time()
        run.advance(playouts, FOREVER)
        seconds = time.thread_time() - begin
        best = max(best, int(run.monitor.counters[PLAYOUTS]) / seconds)
    return best


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.games_speed", description=__doc__)
    parser.add_argument("--playouts", type=int, default=2_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=20, metavar="N")
    arguments = parser.parse_args()
    cases = [("samegame", load_domain("samegame").benchmark("samegame-board1")[0], "tabu")]
    try:
        tours = load_domain("tsptw").benchmark("potvin-bengio")
        cases += [("tsptw", problem, "distance") for problem in tours if problem.name == "rc_204.1"]
    except InputError as error:
        sys.stderr.write(f"tsptw left out: {error}\n")
    sys.stdout.write("| problem | prior | search | playouts/s |\n|---|---|---|---|\n")
    for name, problem, prior in cases:
        domain = load_domain(name)
        for search, algorithm in SEARCHES.items():
            speed = playouts_per_second(
                domain, problem, algorithm, prior, arguments.playouts, arguments.rounds
            )
            floor = ""
            if (name, search) == ("samegame", "sampling"):
                floor = f" (floor {FLOOR:,}: {'met' if speed >= FLOOR else 'missed'})"
            sys.stdout.write(f"| {problem.name} | {prior} | {search} | {speed:,.0f}{floor} |\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
