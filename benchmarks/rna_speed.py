"""Folding speed: `python -m benchmarks.rna_speed` prints Markdown tables (see protocol.md)."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import RNA

from solver.algorithms import AS_PUBLISHED, Algorithm, Gnrpa, Sampling
from solver.compiling.jit import kernel
from solver.compiling.random import new_stream
from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.engines import NO_ENGINE
from solver.domains.rna.folding import as_text, fold, fold_structure, model_address
from solver.domains.rna.text import RnaTarget
from solver.priors.priors import NoPrior, named_prior
from solver.searching.driver import Budget, search

Texts = npt.NDArray[np.uint8]
"""uint8[count, n + 1]: sequences of one length, each with a final 0."""

ENGINE = "vienna2"  # with ViennaRNA's defaults, so that RNA.fold does the same work
LENGTHS = (50, 100, 200, 400)
ROUNDS = 9
GROUPS = 100  # about so many calls of the kernel fold a round's sequences, or one call each
SEED = 20_260

#: Puzzles of Eterna100 of 73 to 110 bases, and one of 258, that are not solved at once.
PUZZLES = (
    "Loop next to a Multiloop",
    "Water Strider",
    "Quasispecies 2-2 Loop Challenge",
    "Mat - Elements & Sections",
    "Crop circle 2",
    "Cat's Toy 2",
    "Short String 4",
    "The Sun",
)
PUZZLE_PLAYOUTS = 1000


class WithoutRivals(RnaDomain):
    """RNA design where every new sequence is folded."""

    n_rivals = 0


def random_sequences(length: int, count: int) -> list[str]:
    """Draw sequences of one length."""
    random = np.random.default_rng([SEED, length])
    return ["".join(row) for row in random.choice(list("ACGU"), (count, length))]


def batch_size(length: int) -> int:
    """Sequences of a round, an even number: about a second and a half of folding."""
    return max(int(2e7 / length**2.6), 4) * 2


def seconds_of(work: Any) -> float:
    """Wall time of calling `work`."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


@kernel
def fold_all(sequences: Texts, structures: Texts, model: int) -> None:
    """Fold every row as a search does, without a way through Python in between."""
    for row in range(len(sequences)):
        fold(sequences[row], structures[row], model)


def fold_in_kernel(group: list[str]) -> None:
    """Fold sequences of one length in one call of a kernel."""
    sequences = np.array([as_text(sequence) for sequence in group])
    fold_all(sequences, np.zeros_like(sequences), model_address(ENGINE))


def fold_in_python(group: list[str]) -> None:
    """Fold sequences one by one through ViennaRNA's Python API."""
    for sequence in group:
        RNA.fold(sequence)


def one_thread_times(groups: list[list[str]]) -> tuple[float, float]:
    """Seconds to fold `groups` in a kernel and through RNA.fold.

    Group by group, each first in turn: a machine that is slow for a moment is
    slow for both.
    """
    ways = [fold_in_kernel, fold_in_python]
    seconds = dict.fromkeys(ways, 0.0)
    for group in groups:
        for fold_group in ways:
            seconds[fold_group] += seconds_of(partial(fold_group, group))
        ways.reverse()
    return seconds[fold_in_kernel], seconds[fold_in_python]


def fold_times(groups: list[list[str]]) -> dict[str, list[float]]:
    """Seconds to fold `groups` in a kernel, through RNA.fold and in a kernel on two threads."""
    times: dict[str, list[float]] = {"kernel": [], "python": [], "threads": []}
    with ThreadPoolExecutor(2) as pool:
        for _ in range(ROUNDS):
            for name, seconds in zip(("kernel", "python"), one_thread_times(groups), strict=True):
                times[name].append(seconds)
            times["threads"].append(seconds_of(lambda: list(pool.map(fold_in_kernel, groups))))
    return times


def folds() -> Iterator[str]:
    """Yield folds per second of the kernel, of RNA.fold in a loop, and of two threads."""
    yield "### Folds per second, random sequences\n"
    yield "| bases | kernel | RNA.fold | kernel / RNA.fold | 2 threads / 1 | floors |"
    yield "|---|---:|---:|---:|---:|---|"
    for length in LENGTHS:
        sequences = random_sequences(length, batch_size(length))
        fold_in_kernel(sequences[:1])  # compiles
        size = max(len(sequences) // GROUPS, 1)
        groups = [sequences[at : at + size] for at in range(0, len(sequences), size)]
        times = fold_times(groups)
        against = statistics.median(np.divide(times["python"], times["kernel"]).tolist())
        threads = statistics.median(np.divide(times["kernel"], times["threads"]).tolist())
        verdicts = ["pass" if against >= 0.98 else "**FAIL**", " (0.98)"]
        if length >= 200:
            verdicts += [", pass" if threads >= 1.8 else ", **FAIL**", " (1.8)"]
        speeds = [len(sequences) / statistics.median(times[name]) for name in ("kernel", "python")]
        yield (
            f"| {length} | {speeds[0]:,.0f} | {speeds[1]:,.0f} | {against:.2f} | {threads:.2f} "
            f"| {''.join(verdicts)} |"
        )


def share() -> Iterator[str]:
    """Yield the part of a search's time that is spent folding."""
    yield "\n### Share of a level 1 GNRPA's time spent folding, all folded, no prior\n"
    yield "| bases | playouts/s | without folding | share | floor |"
    yield "|---|---:|---:|---:|---|"
    domain = WithoutRivals()
    for length in LENGTHS:
        structure = fold_structure(random_sequences(length, 1)[0], ENGINE)
        problem = Problem("random", RnaTarget(structure, "N" * length))
        playouts = batch_size(length)
        seconds = {}
        for engine in (ENGINE, NO_ENGINE):
            instance = domain.instance(problem, RnaOptions(engine))
            run: Any = Gnrpa(level=1, iterations=10**6, **AS_PUBLISHED).new_run(
                domain, instance, NoPrior()
            )
            run.target = np.inf
            times = []
            for repeat in range(ROUNDS + 1):
                run.state.seen[:] = 0  # each time the same folds
                run.begin(new_stream(SEED, 0))
                begin = time.thread_time()
                run.advance(playouts, 10**9)
                if repeat:  # the first compiles
                    times.append(time.thread_time() - begin)
            seconds[engine] = statistics.median(times)
        part = 1 - seconds[NO_ENGINE] / seconds[ENGINE]
        verdict = ""
        if length >= 100:
            verdict = ("pass" if part >= 0.95 else "**FAIL**") + " (95 %)"
        yield (
            f"| {length} | {playouts / seconds[ENGINE]:,.0f} "
            f"| {playouts / seconds[NO_ENGINE]:,.0f} | {part:.1%} | {verdict} |"
        )


def rivals() -> Iterator[str]:
    """Yield how much sooner the same searches end where rivals save folding."""
    yield f"\n### The same search with rivals and without, {PUZZLE_PLAYOUTS:,} playouts, nemo\n"
    yield "| puzzle | bases | sampling, s | speed-up | GNRPA, s | speed-up |"
    yield "|---|---:|---:|---:|---:|---:|"
    domains = (RnaDomain(), WithoutRivals())
    for problem in domains[0].benchmark("eterna100"):
        if problem.name not in PUZZLES:
            continue
        instance = domains[0].instance(problem, RnaOptions(ENGINE))
        cells = []
        for algorithm in (Sampling(), Gnrpa(level=2)):
            seconds = [seconds_of_search(domain, instance, algorithm) for domain in domains]
            cells += [f"{seconds[0]:.2f}", f"{seconds[1] / seconds[0]:.1f}x"]
        yield f"| {problem.name} | {len(instance.partner)} | {' | '.join(cells)} |"


def seconds_of_search(domain: RnaDomain, instance: Any, algorithm: Algorithm) -> float:
    """Wall time of a search with `nemo`, compilation not included."""
    prior = named_prior("nemo", domain).table
    budget = Budget(playouts=PUZZLE_PLAYOUTS)
    return search(domain, instance, algorithm, budget, prior=prior, seed=SEED).seconds


def main() -> None:
    """Print the tables."""
    sys.stdout.write(f"ViennaRNA {RNA.__version__}, {ENGINE}\n\n")
    for section in (folds, share, rivals):
        for line in section():
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
