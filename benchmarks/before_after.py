"""Playouts of another checkout beside this one's: `python -m benchmarks.before_after CHECKOUT`.

The cases of `make bench`, or with `--games` those of `benchmarks.games_speed`. Each checkout has a
process of its own, and a round has both make the same playouts of a case, one right after the
other, so that a ratio is of the same minute. Printed are medians of the ratios of processor time,
above 1 where this checkout is faster, with quartiles, and their geometric mean. Nothing else
should run on the core.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from benchmarks import games_speed
from benchmarks.bench_playouts import INSTANCES, LARGE, ORDER_20
from benchmarks.tables import write_markdown
from pipeline.results.statistics import Floats, quartiles

#: What the process of a checkout does: it answers the number of a case with seconds.
SQUARES_SERVER = """
import functools, sys
from benchmarks.bench_playouts import LARGE, ORDER_20
from benchmarks.workloads import Workload
cases = [(case, 1000) for case in ORDER_20] + [(case, 200) for case in LARGE]
@functools.cache
def workload(number):
    case, playouts = cases[number]
    found = Workload(case, {instances}, playouts)
    found.repeat()
    return found
for line in sys.stdin:
    print(workload(int(line)).processor_seconds(), flush=True)
"""


GAMES_SERVER = """
import functools, sys, time
from benchmarks.games_speed import FOREVER, SEARCHES, SEED, cases
from solver.compiling.random import new_stream
found = [(case, search) for case in cases() for search in SEARCHES]
@functools.cache
def run_of(number):
    case, search = found[number]
    run = case.new_run(SEARCHES[search])
    run.begin(new_stream(SEED))
    run.advance(1, FOREVER)
    return run
for line in sys.stdin:
    run = run_of(int(line))
    run.begin(new_stream(SEED))
    begin = time.thread_time()
    run.advance(2000, FOREVER)
    print(time.thread_time() - begin, flush=True)
"""


class Checkout:
    """A process that times the playouts of a checkout."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def seconds(self, case: int) -> float:
        """Processor seconds of the playouts of a case."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{case}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


@contextmanager
def opened(root: Path, server: str) -> Iterator[Checkout]:
    """Start the process of the checkout at `root`, which ends with the block."""
    process = subprocess.Popen(
        [sys.executable, "-c", server],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root.resolve())},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield Checkout(process)


def main() -> int:
    """Print the table; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--rounds", type=int, default=11, metavar="N")
    parser.add_argument("--case", default="", help="only cases with this pattern in their names")
    parser.add_argument("--games", action="store_true", help="cases of benchmarks.games_speed")
    arguments = parser.parse_args()
    if arguments.games:
        server = GAMES_SERVER
        names = [
            f"{case.label}, {Path(case.prior).stem}, {search}"
            for case in games_speed.cases()
            for search in games_speed.SEARCHES
        ]
    else:
        server = SQUARES_SERVER.format(instances=INSTANCES)
        names = [str(case) for case in (*ORDER_20, *LARGE)]
    cases = {number: name for number, name in enumerate(names) if re.search(arguments.case, name)}
    ratios: dict[int, list[float]] = {number: [] for number in cases}
    with ExitStack() as stack:
        roots = (arguments.checkout, Path(__file__).parents[1])
        before, after = (stack.enter_context(opened(root, server)) for root in roots)
        for turn in range(arguments.rounds + 1):
            for number in cases:
                order = (before, after) if turn % 2 else (after, before)
                seconds = {checkout: checkout.seconds(number) for checkout in order}
                if turn > 0:  # the first loads or compiles
                    ratios[number].append(seconds[before] / seconds[after])
    rows = []
    for number, case in cases.items():
        low, median, high = quartiles(np.array(ratios[number]))
        rows.append([case, f"{median:.3f}", f"{low:.3f} to {high:.3f}"])
    medians: Floats = np.array([np.median(found) for found in ratios.values()])
    rows.append(["geometric mean", f"{np.exp(np.log(medians).mean()):.3f}", ""])
    write_markdown(["case", "before / after", "quartiles"], rows, texts=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
