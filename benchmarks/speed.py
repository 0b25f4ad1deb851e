"""Speed and memory as Markdown tables: `python -m benchmarks.speed`; see protocol.md."""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

from benchmarks.processes import ROOT, megabytes, run_measured
from benchmarks.workloads import (
    SEARCHES,
    SEED,
    Case,
    Workload,
    array_bytes,
    instance,
    latin_square,
    table,
)
from solver.algorithms import AS_PUBLISHED, Gnrpa, Nrpa
from solver.compiling.random import new_stream
from solver.searching.driver import Budget, search
from solver.system.cache import CACHE_ROOT_VARIABLE

#: Floors of the project. Playouts per second of one core; seconds, megabytes and ratios.
SAMPLING_FLOOR = {"forward": 60_000, "channeling": 30_000}
NESTED_FLOOR = 0.75  # of sampling with the same prior
LEARN_SECONDS, LEARN_MEGABYTES = 60, 500
THREADS_FLOOR = 1.8
ENOUGH_CORES = 1.9  # that the machine must give for a verdict on threads


@dataclass(frozen=True)
class Effort:
    """Amount of work per measurement."""

    rounds: int
    instances: int
    playouts: int
    search_playouts: int
    learned_instances: int
    priors: tuple[str, ...]
    cold_starts: tuple[tuple[str, str], ...]
    orders: tuple[int, ...]


FULL = Effort(
    rounds=9,
    instances=8,
    playouts=3000,
    search_playouts=240_000,
    learned_instances=10_000,
    priors=("none", "dual", "triple"),
    cold_starts=(
        ("sampling", "none"),
        ("sampling", "triple"),
        ("level 2", "none"),
        ("level 2", "triple"),
    ),
    orders=(30, 40, 50),
)
QUICK = Effort(
    rounds=3,
    instances=5,
    playouts=500,
    search_playouts=20_000,
    learned_instances=500,
    priors=("none", "triple"),
    cold_starts=(("sampling", "none"),),
    orders=(50,),
)


def main(argv: Sequence[str]) -> int:
    """Print the tables asked for; returns the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.speed", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a minute or two, rough numbers")
    parser.add_argument("--only", choices=list(SECTIONS), help="one section")
    arguments = parser.parse_args(argv)
    effort = QUICK if arguments.quick else FULL
    for line in _machine():
        _say(line)
    for name, section in SECTIONS.items():
        if arguments.only in (None, name):
            for line in section(effort):
                _say(line)
    _say(f"\nLoad average at the end: {os.getloadavg()[0]:.2f}")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _machine() -> Iterator[str]:
    """Description of the machine and versions, with a warning if others use the machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = os.getloadavg()[0]
    yield (
        f"{_processor()}, {cores} cores; Python {platform.python_version()}, "
        f"NumPy {np.__version__}, Numba {numba.__version__}"
    )
    yield f"Load average at the start: {load:.2f}"
    if load > 0.5:
        yield (
            "**The machine was busy**: wall times and the speed-up of threads say little, "
            "speeds by processor time are pessimistic. Not to be cited as they are."
        )


def _processor() -> str:
    """Name of the processor where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )


def _rows(title: str, *columns: str) -> list[str]:
    """Heading and head of a Markdown table."""
    line = "|".join(["---", *["---:"] * (len(columns) - 1)])
    return ["", f"### {title}", "", f"| {' | '.join(columns)} |", f"|{line}|"]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _verdict(passed: bool, floor: str) -> str:
    return f"{'pass' if passed else '**FAIL**'} ({floor})"


# --- playouts -----------------------------------------------------------------------------


def _playouts(effort: Effort) -> Iterator[str]:
    """Yield the tables of playouts per second."""
    yield from _rows(
        "Playouts per second of processor time, one thread, order 20, 42 % holes",
        "mode, prior, search", "median", "best", "moves/playout", "ratio to sampling", "floor",
    )  # fmt: skip
    for mode in SAMPLING_FLOOR:
        for prior in effort.priors:
            yield from _searches(mode, prior, effort)
    yield "\nRatio to sampling: median over the rounds of playouts/s by those of sampling."
    yield from _rows("Sampling at larger orders, channeling, no prior, 42 % holes",
        "order, dead ends", "median", "best")  # fmt: skip
    cases = [
        Case("channeling", "sampling", order=order, dead_ends=dead_ends)
        for order in effort.orders
        for dead_ends in (0, 30)
    ]
    for case, speeds in zip(cases, _interleaved(cases, effort, effort.playouts // 10), strict=True):
        median, best = statistics.median(speeds), max(speeds)
        yield _row(f"{case.order}, {case.dead_ends}", f"{median:,.0f}", f"{best:,.0f}")


def _searches(mode: str, prior: str, effort: Effort) -> Iterator[str]:
    """Yield the rows of one mode and prior."""
    cases = [Case(mode, search, prior) for search in SEARCHES]
    measured = _interleaved(cases, effort, effort.playouts)
    for case, speeds in zip(cases, measured, strict=True):
        ratio = statistics.median(np.divide(speeds, measured[0]).tolist())
        moves = Workload(case, effort.instances, 0).moves_per_playout(min(effort.playouts, 500))
        yield _row(
            f"{mode}, {prior}, {case.search}",
            f"{statistics.median(speeds):,.0f}",
            f"{max(speeds):,.0f}",
            f"{moves:.1f}",
            f"{ratio:.2f}",
            _playout_verdict(case, max(speeds), ratio),
        )


def _playout_verdict(case: Case, best: float, ratio: float) -> str:
    if case.search != "sampling":
        return _verdict(ratio >= NESTED_FLOOR, f"{NESTED_FLOOR:.2f}")
    if case.prior != "none":
        return ""
    floor = SAMPLING_FLOOR[case.mode]
    return _verdict(best >= floor, f"{floor:,}")


def _interleaved(cases: Sequence[Case], effort: Effort, playouts: int) -> list[list[float]]:
    """Playouts per second of each case in each round; a round runs every case once."""
    workloads = [Workload(case, effort.instances, playouts) for case in cases]
    made = [workload.repeat() for workload in workloads]  # compiles, warms the caches
    speeds: list[list[float]] = [[] for _ in cases]
    for number in range(effort.rounds):
        order = range(len(cases))
        for index in order if number % 2 == 0 else reversed(order):
            speeds[index].append(made[index] / workloads[index].processor_seconds())
    return speeds


# --- start-up -----------------------------------------------------------------------------

_FIRST_PLAYOUT = """
import time
begin = time.perf_counter()
import sys
from benchmarks.workloads import SEED, Case, instance, latin_square, table
from solver.compiling.random import new_stream
case = Case("channeling", sys.argv[1], sys.argv[2])
run = case.algorithm.new_run(latin_square(), instance(case.mode, 20, 0), table(case.prior))
run.begin(new_stream(SEED))
run.advance(1, 1)
print(time.perf_counter() - begin)
"""


def _start(effort: Effort) -> Iterator[str]:
    """Yield the table of seconds from the start of Python code to the first playout."""
    yield from _rows(
        "Seconds to the first playout, from the first import",
        "search, prior", "cold cache", "warm cache",
    )  # fmt: skip
    for name, prior in effort.cold_starts:
        with tempfile.TemporaryDirectory() as cache:
            cold = _first_playout(name, prior, cache)
            warm = [_first_playout(name, prior, cache) for _ in range(3)]
        yield _row(f"{name}, {prior}", f"{cold:.1f}", f"{min(warm):.1f}")


def _first_playout(search_name: str, prior: str, cache: str) -> float:
    command = [sys.executable, "-c", _FIRST_PLAYOUT, search_name, prior]
    environment = {**os.environ, CACHE_ROOT_VARIABLE: cache}
    finished = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    return float(finished.stdout)


# --- learn --------------------------------------------------------------------------------


def _learn(effort: Effort) -> Iterator[str]:
    """Yield the table of `learn` from nothing, with the machine code in the cache."""
    yield from _rows(
        f"learn latin-square --instances {effort.learned_instances} from nothing, warm code cache",
        "threads", "seconds", "processor s", "peak RSS, MB", "floors",
    )  # fmt: skip
    _learn_once(1, 1)  # compiles
    for threads in (1, 2):
        seconds, processor, peak = _learn_once(effort.learned_instances, threads)
        floors = (
            _verdict(seconds <= LEARN_SECONDS, f"{LEARN_SECONDS} s"),
            _verdict(peak <= LEARN_MEGABYTES, f"{LEARN_MEGABYTES} MB"),
        )
        yield _row(
            str(threads),
            f"{seconds:.1f}",
            f"{processor:.1f}",
            f"{peak:.0f}",
            ", ".join(floors),
        )


def _learn_once(instances: int, threads: int) -> tuple[float, float, float]:
    """Wall and processor time in seconds and peak resident memory in MB of one `learn`."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "pipeline.commands.learn", "latin-square"),
            *("--instances", str(instances), "--threads", str(threads)),
            *("--work", f"{folder}/work", "--out", f"{folder}/prior.parquet"),
        ]
        return run_measured(command)


# --- threads ------------------------------------------------------------------------------


def _threads(effort: Effort) -> Iterator[str]:
    """Yield the speed-up of a search by a second thread."""
    yield from _rows(
        "The same search with 1 and 2 threads: level 2, forward, order 30, not solved",
        "threads", "seconds, median", "seconds, best", "processor s", "speed-up", "floor",
    )  # fmt: skip
    problem = instance("forward", 30, 0)
    budget = Budget(playouts=effort.search_playouts)
    cores: list[float] = []
    seconds: dict[int, list[float]] = {1: [], 2: []}
    processor: dict[int, list[float]] = {1: [], 2: []}
    search(latin_square(), problem, Nrpa(**AS_PUBLISHED), Budget(playouts=1))  # compiles
    for _ in range(effort.rounds // 3 + 2):
        cores.append(_cores_to_be_had())
        for threads in seconds:
            begin = time.process_time()
            found = search(latin_square(), problem, Nrpa(**AS_PUBLISHED), budget, threads=threads)
            processor[threads].append(time.process_time() - begin)
            if found.reached:
                raise RuntimeError("the search was solved: the budget was not spent")
            seconds[threads].append(found.seconds)
    ratio = statistics.median(np.divide(seconds[1], seconds[2]).tolist())
    for threads, times in seconds.items():
        cells = [f"{statistics.median(times):.2f}", f"{min(times):.2f}"]
        cells.append(f"{statistics.median(processor[threads]):.2f}")
        verdict = _threads_verdict(ratio, statistics.median(cores)) if threads == 2 else ""
        yield _row(str(threads), *cells, f"{ratio:.2f}" if threads == 2 else "1", verdict)
    yield f"\nCores that two busy processes had, median: {statistics.median(cores):.2f}"


def _threads_verdict(ratio: float, cores: float) -> str:
    """No verdict where even two independent processes had less than two cores."""
    if ratio < THREADS_FLOOR and cores < ENOUGH_CORES:
        return f"not measurable ({THREADS_FLOOR})"
    return _verdict(ratio >= THREADS_FLOOR, str(THREADS_FLOOR))


_BUSY = """
import time
wall, processor = time.perf_counter(), time.process_time()
while time.perf_counter() < wall + 0.5:
    pass
print((time.process_time() - processor) / (time.perf_counter() - wall))
"""


def _cores_to_be_had() -> float:
    """Processor seconds per second that two independent busy processes get together."""
    command = [sys.executable, "-c", _BUSY]
    busy = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    return sum(float(process.communicate()[0]) for process in busy)


# --- memory -------------------------------------------------------------------------------


def _memory(effort: Effort) -> Iterator[str]:
    """Yield the memory of a level 3 search, one thread."""
    yield from _rows(
        "Memory of a level 3 search, triple prior, channeling, one thread",
        "order", "arrays of the run, MB", "RSS added by running it, MB",
    )  # fmt: skip
    prior = table("triple")
    for order in (20, *effort.orders):
        run: Any = Gnrpa(level=3, **AS_PUBLISHED).new_run(
            latin_square(), instance("channeling", order, 0), prior
        )
        run.target = np.inf
        run.begin(new_stream(SEED))
        run.advance(1, 1)  # compiles
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        run.advance(500, 500)
        added = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        yield _row(str(order), f"{array_bytes(run) / 1e6:.2f}", f"{megabytes(added):.1f}")


SECTIONS: dict[str, Callable[[Effort], Iterator[str]]] = {
    "playouts": _playouts,
    "start": _start,
    "learn": _learn,
    "threads": _threads,
    "memory": _memory,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
