"""Learn a prior: generate solved instances, replay them, compile the counts.

The work is cut into shards whose files are named after everything that they
depend on, so a run that was cut short, even killed, goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from generators.solved import Generator, describe, solved_table
from pipeline.learning.bias import Weights, compile_bias
from pipeline.learning.counts import (
    Counts,
    add_counts,
    count_solved,
    counts_from_table,
    counts_to_table,
)
from pipeline.learning.decisions import counts_of_decisions, decide_solved
from pipeline.tables.checks import SOLVED, Check, read_checked, with_digest, write_checked
from solver.contract.codes import PriorCode
from solver.contract.domain import Domain
from solver.contract.identity import domain_digest
from solver.domains import load_rules
from solver.errors import FieldError, InputError, cut
from solver.priors.tables import BIAS, COUNTS, DECISIONS, METADATA_KEY, is_kind
from solver.system.cache import cache_root
from solver.system.files import remove_partial
from solver.system.interrupt import result_of, stop_on_interrupt

SHARD_INSTANCES = 500
#: Entry of the metadata of shards: folder and name, which say all that they depend on.
SHARD_KEY = b"nestor-shard"


class InterruptedLearningError(Exception):
    """Ctrl-C while learning; says how many of the shards are finished."""

    def __init__(self, finished: int, shards: int) -> None:
        super().__init__(f"{finished} of {shards} shards are finished and kept")


@dataclass(frozen=True)
class LearnPlan:
    """Sources and settings of learning.

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
    decisions: bool = False
    """True if shards keep the decisions, for a fit, in place of their counts."""

    def __post_init__(self) -> None:
        if self.instances < 1:
            raise FieldError("instances", f"is {self.instances}, expected 1 or more")

    def shards(self) -> list[range]:
        """Numbers of the instances of each shard, fewer where each takes a search."""
        most = getattr(self.generator, "shard_instances", SHARD_INSTANCES)
        size = max(1, min(most, SHARD_INSTANCES))
        return [range(s, min(s + size, self.instances)) for s in range(0, self.instances, size)]


#: Patterns of a folder of shards: a domain's solved instances, their counts or decisions, fits.
SHARDS = ("*/solved-*", "*/counts-*", "*/decisions-*", "*/fits-*")


def work_folder() -> Path:
    """Return where shards are kept unless told otherwise."""
    return cache_root() / "shards"


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
    remove_stale(domain, plan, work)
    shards = plan.shards()
    stop = threading.Event()
    done = 0

    def learn_shard(numbers: range) -> Counts | None:
        return None if stop.is_set() else replay_shard(domain, plan, numbers, work).counts

    total: Counts | None = None
    finished = 0
    with stop_on_interrupt(stop), ThreadPoolExecutor(threads) as pool:
        # Taken from the queue when added: a table that was counted is not kept.
        futures = deque(pool.submit(learn_shard, numbers) for numbers in shards)
        try:
            for numbers in shards:
                part = result_of(futures.popleft())
                if part is None:
                    continue
                if total is None:
                    total = part
                else:
                    add_counts(total, part)
                finished += 1
                done += len(numbers)
                if progress is not None:
                    progress(done)
        except BaseException:  # a shard failed: no need of the others
            stop.set()
            raise
    if total is None or stop.is_set():  # also when the last shard finished after it
        raise InterruptedLearningError(finished, len(shards))
    check_rejected(total)
    return total


def check_rejected(counts: Counts) -> None:
    """Raise `InputError` if most solutions were rejected: the rest would be a table of chance."""
    if counts.n_rejected > counts.instances:
        names = ", ".join(counts.rejected[:3])
        raise InputError(
            f"{counts.n_rejected:,} of {counts.n_rejected + counts.instances:,} solutions were "
            f"rejected, wrong or not to be replayed ({cut(names)}), expected half at most: "
            "no table is written"
        )


def compile_replay(domain: Domain, plan: LearnPlan, work: Path) -> None:
    """Compile, or load from disk, the kernels that make and replay the instances of `plan`.

    The first instance is made and replayed, and forgotten; if it is searched for, by one playout.
    Does nothing if all shards are there.
    """
    if all(_shard_paths(domain, plan, numbers, work)[1].exists() for numbers in plan.shards()):
        return
    generator = plan.generator
    if hasattr(generator, "effort"):
        generator = replace(generator, effort=1)
    with suppress(InputError):  # told when its shard is made
        table = solved_table(domain, generator, plan.seed, [0])
        replay_solved = decide_solved if plan.decisions else count_solved
        replay_solved(domain, plan.options, plan.code, table)


def remove_stale(domain: Domain, plan: LearnPlan, work: Path) -> int:
    """Remove half-written files of killed runs of `plan`; returns their number."""
    return sum(remove_partial(path.parent) for path in _shard_paths(domain, plan, range(0), work))


def _shard_paths(domain: Domain, plan: LearnPlan, numbers: range, work: Path) -> tuple[Path, Path]:
    """Files of the solved instances, and of the counts or decisions, of one shard."""
    generation = _generation_digest(domain, plan)
    replay = plan_digest(domain, plan)
    label = f"{numbers.start:08d}-{numbers.stop:08d}.parquet"
    folder = work / domain.name
    kind = DECISIONS if plan.decisions else COUNTS
    return folder / f"solved-{generation}" / label, folder / f"{kind}-{replay}" / label


def shard_files(domain: Domain, plan: LearnPlan, work: Path) -> list[Path]:
    """Files of the counts or decisions of all shards, in their order."""
    return [_shard_paths(domain, plan, numbers, work)[1] for numbers in plan.shards()]


def copy_shards(domain: Domain, plan: LearnPlan, work: Path, other: Path) -> None:
    """Copy the finished shards of `plan` to another folder, as far as they can be."""
    for folder in (path.parent for path in _shard_paths(domain, plan, range(0), work)):
        with suppress(OSError):
            shutil.copytree(folder, other / folder.relative_to(work), dirs_exist_ok=True)


def _generation_digest(domain: Domain, plan: LearnPlan) -> str:
    """Name for the instances that `plan` makes."""
    made_with = getattr(plan.generator, "made_with", ())
    made_by = domain_digest(domain, type(plan.generator), *made_with, "generators.solved")
    return _digest(made_by, describe(plan.generator), plan.seed)


def plan_digest(domain: Domain, plan: LearnPlan, *more: Any) -> str:
    """Name for the counts of `plan`, whatever its number of instances, and for `more`."""
    generation = _generation_digest(domain, plan)
    counted_by = domain_digest(domain, "pipeline.learning.learn")
    return _digest(counted_by, generation, asdict(plan.options), plan.code.name, *more)


@dataclass(frozen=True)
class Shard:
    """A finished file of a shard."""

    path: Path
    made: bool
    """False if it was there."""
    checks: list[Check]


@dataclass(frozen=True)
class ReplayedShard(Shard):
    """A finished file of counts, and its contents."""

    counts: Counts


def generate_shard(domain: Domain, plan: LearnPlan, numbers: range, work: Path) -> Shard:
    """Make sure that the solved instances `numbers` are in a file."""
    path, _ = _shard_paths(domain, plan, numbers, work)
    there = _if_sound(path, SOLVED, domain)
    if there is not None:
        return Shard(path, False, there[1])
    table = with_digest(solved_table(domain, plan.generator, plan.seed, numbers))
    return Shard(path, True, _write_shard(table, path, SOLVED, domain))


def replay_shard(domain: Domain, plan: LearnPlan, numbers: range, work: Path) -> ReplayedShard:
    """Make sure that the counts or decisions of the instances `numbers` are in a file."""
    solved_path, path = _shard_paths(domain, plan, numbers, work)
    kind = DECISIONS if plan.decisions else COUNTS
    there = _if_sound(path, kind, domain)
    if there is not None and b'"rows_digest"' in there[0].schema.metadata[METADATA_KEY]:
        counts = read_counts(there[0], domain, str(path))
        return ReplayedShard(path, False, there[1], counts)
    generate_shard(domain, plan, numbers, work)
    solved, _ = read_checked(solved_path, SOLVED, domain)
    if plan.decisions:
        table = decide_solved(domain, plan.options, plan.code, solved)
        counts = counts_of_decisions(table, domain, str(path))
    else:
        counts = count_solved(domain, plan.options, plan.code, solved)
        table = counts_to_table(counts)
    return ReplayedShard(path, True, _write_shard(table, path, kind, domain), counts)


def read_counts(table: pa.Table, domain: Domain, source: str) -> Counts:
    """Counts in a table of counts, or of decisions.

    Raises
    ------
    InputError
        If the table does not fit; the message begins with `source`.
    """
    if is_kind(table.schema.metadata, DECISIONS):
        return counts_of_decisions(table, domain, source)
    return counts_from_table(table, domain, source)


def _if_sound(path: Path, kind: str, domain: Domain) -> tuple[pa.Table, list[Check]] | None:
    """Read a shard if it passes its checks; a damaged or misplaced one is made again."""
    if not path.exists():
        return None
    try:
        table, checks = read_checked(path, kind, domain)
    except InputError:
        path.unlink(missing_ok=True)
        return None
    return (table, checks) if table.schema.metadata.get(SHARD_KEY) == _mark(path) else None


def _write_shard(table: pa.Table, path: Path, kind: str, domain: Domain) -> list[Check]:
    """Check a shard and write it, with its name in the metadata."""
    marked = table.replace_schema_metadata({**table.schema.metadata, SHARD_KEY: _mark(path)})
    return write_checked(marked, path, kind, domain)


def _mark(path: Path) -> bytes:
    return f"{path.parent.name}/{path.name}".encode()


def _digest(*parts: Any) -> str:
    """Return 12 hexadecimal digits for `parts`."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def counts_path(out: Path) -> Path:
    """Return where the counts of the bias table `out` are kept."""
    return out.with_name(f"{out.name.removesuffix('.parquet')}.counts.parquet")


def write_prior(
    counts: Counts,
    smoothing: float,
    temperature: float,
    out: Path,
    weights: Weights | None = None,
    more: Mapping[str, Any] | None = None,
) -> pa.Table:
    """Compile `counts` and write bias table and counts; returns the bias table."""
    domain = load_rules(counts.domain)
    bias = compile_bias(counts, smoothing, temperature, weights, more)
    write_checked(counts_to_table(counts), counts_path(out), COUNTS, domain)
    write_checked(bias, out, BIAS, domain)
    return bias
