"""Learn a prior: generate solved instances, replay them, compile the counts.

The work is cut into shards whose files are named after everything that they
depend on, so a run that was cut short, even killed, goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from generators.solved import Generator, describe, solved_table
from pipeline.bias import compile_bias
from pipeline.counts import (
    Counts,
    count_solved,
    counts_from_table,
    counts_to_table,
    merge_counts,
)
from solver.domain import Domain, PriorCode
from solver.errors import InputError
from solver.files import replacing
from solver.interrupt import result_of, stop_on_interrupt
from solver.jit import cache_root, sources_digest

SHARD_INSTANCES = 500


class InterruptedLearningError(Exception):
    """Ctrl-C while learning; says how many of the shards are finished."""

    def __init__(self, finished: int, shards: int) -> None:
        super().__init__(f"{finished} of {shards} shards are finished and kept")


@dataclass(frozen=True)
class LearnPlan:
    """What to learn from, and how.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    generator: Generator
    instances: int
    seed: int
    options: Any
    """Options of the domain while solutions are replayed."""
    code: PriorCode

    def __post_init__(self) -> None:
        if self.instances < 1:
            raise InputError(f"instances is {self.instances}, expected 1 or more")

    def shards(self) -> list[range]:
        """Numbers of the instances of each shard."""
        starts = range(0, self.instances, SHARD_INSTANCES)
        return [range(s, min(s + SHARD_INSTANCES, self.instances)) for s in starts]


def work_folder() -> Path:
    """Return where shards are kept unless told otherwise."""
    return cache_root() / "shards"


def write_table(table: pa.Table, path: Path) -> None:
    """Write `table` as parquet under a temporary name, then rename."""
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def learn_counts(
    domain: Domain,
    plan: LearnPlan,
    *,
    work: Path,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Counts:
    """Generate and replay the instances of `plan`, reusing the shards found in `work`.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of instances finished so far.

    Raises
    ------
    InterruptedLearningError
        After Ctrl-C; finished shards are kept.
    """
    shards = plan.shards()
    stop = threading.Event()
    done = 0

    def learn_shard(numbers: range) -> Counts | None:
        return None if stop.is_set() else _learn_shard(domain, plan, numbers, work)

    parts: list[Counts] = []
    with stop_on_interrupt(stop), ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(learn_shard, numbers) for numbers in shards]
        try:
            for numbers, future in zip(shards, futures, strict=True):
                part = result_of(future)
                if part is None:
                    continue
                parts.append(part)
                done += len(numbers)
                if progress is not None:
                    progress(done)
        except BaseException:  # a shard failed: no need of the others
            stop.set()
            raise
    if len(parts) < len(shards):
        raise InterruptedLearningError(len(parts), len(shards))
    return merge_counts(parts)


def _learn_shard(domain: Domain, plan: LearnPlan, numbers: range, work: Path) -> Counts:
    """Return the counts of one shard, from its file if there is one."""
    generation = _digest("solver", "generators", describe(plan.generator), plan.seed)
    replay = _digest("pipeline", generation, asdict(plan.options), plan.code.name)
    label = f"{numbers.start:08d}-{numbers.stop:08d}.parquet"
    folder = work / domain.name
    counts_path = folder / f"counts-{replay}" / label
    if counts_path.exists():
        return counts_from_table(pq.read_table(counts_path), domain, str(counts_path))
    solved_path = folder / f"solved-{generation}" / label
    if solved_path.exists():
        solved = pq.read_table(solved_path)
    else:
        solved = solved_table(domain, plan.generator, plan.seed, numbers)
        write_table(solved, solved_path)
    counts = count_solved(domain, plan.options, plan.code, solved)
    write_table(counts_to_table(counts), counts_path)
    return counts


def _digest(*parts: Any) -> str:
    """Return 12 hexadecimal digits for `parts`; a package's name stands for its sources."""
    root = Path(__file__).parent.parent
    named = [sources_digest(root / part) if part in _PACKAGES else part for part in parts]
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:12]


_PACKAGES = ("solver", "generators", "pipeline")


def counts_path(out: Path) -> Path:
    """Return where the counts of the bias table `out` are kept."""
    return out.with_suffix(".counts.parquet")


def write_prior(counts: Counts, smoothing: float, temperature: float, out: Path) -> pa.Table:
    """Compile `counts` and write bias table and counts; returns the bias table."""
    bias = compile_bias(counts, smoothing, temperature)
    write_table(counts_to_table(counts), counts_path(out))
    write_table(bias, out)
    return bias


def merge_count_files(paths: Sequence[Path], domain: Domain) -> Counts:
    """Add the counts in several files."""
    return merge_counts([counts_from_table(pq.read_table(p), domain, str(p)) for p in paths])
