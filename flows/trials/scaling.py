"""What learning costs per 1,000 instances, and what merging many count files costs.

`python -m flows.trials.scaling`: prints the tables of `docs/scaling.md`.
"""

from __future__ import annotations

import multiprocessing
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

MEASURED = 1000
#: SameGame boards are searched for ten thousand playouts each: fewer will do.
FEWER = {"samegame": 100}
MERGED_FILES = 16
MERGED_ROWS = (100_000, 1_000_000, 3_000_000)


def main() -> None:
    """Measure every domain, then merges; `merges` as argument: only these."""
    if sys.argv[1:] != ["merges"]:
        measure_domains()
    print("| rows per file | rows of the sum | sum, MB | seconds | peak memory added, MB |")
    print("|---|---|---|---|---|")
    for rows in MERGED_ROWS:
        with tempfile.TemporaryDirectory() as name:
            paths = _apart(_build, rows, Path(name))
            print(_apart(_merge, rows, paths), flush=True)


def measure_domains() -> None:
    """Print the cost per 1,000 instances of every domain."""
    print("| domain | generate, s | replay, s | solved, MB | counts, KB per shard |")
    print("|---|---|---|---|---|")
    for domain in ("latin-square", "kakuro", "rna", "samegame", "tsptw"):
        print(_row(domain), flush=True)
    print()


def _apart(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call `function` in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def _row(domain_name: str) -> str:
    """Measure one shard of 500 after another, on one thread."""
    from pipeline.commands.learn import read_request
    from pipeline.learning.learn import generate_shard, replay_shard
    from pipeline.publishing.refresh import Learning

    instances = FEWER.get(domain_name, MEASURED)
    with tempfile.TemporaryDirectory() as name:
        words = [domain_name, "--instances", str(instances), "--work", name]
        _, request = read_request(words)
        learning = Learning.of(request)
        domain, plan, work = learning.domain, learning.plan, learning.work
        replay_shard(domain, plan, range(2), work)  # kernels, corpora
        shutil.rmtree(work)
        seconds = [0.0, 0.0]
        sizes = [0, 0]
        for numbers in plan.shards():
            for step, function in enumerate((generate_shard, replay_shard)):
                begin = time.process_time()
                done: Any = function(domain, plan, numbers, work)
                seconds[step] += time.process_time() - begin
                sizes[step] += done.path.stat().st_size
    per = MEASURED / instances
    return (
        f"| {domain_name} | {seconds[0] * per:.2f} | {seconds[1] * per:.2f} | "
        f"{sizes[0] * per / 1e6:.2f} | {sizes[1] / len(plan.shards()) / 1e3:.1f} |"
    )


def _wide(rows: int) -> Any:
    """Return a domain with a code of ten times as many rows as a file has."""
    from solver.domain import PriorCode
    from solver.domains.latin_square.domain import LatinSquareDomain

    domain: Any = LatinSquareDomain()
    domain.priors = {"wide": PriorCode("wide", {"a": 10 * rows}, tuple)}
    return domain


def _build(rows: int, folder: Path) -> list[Path]:
    """Write count files of that code, each with other rows."""
    from pipeline.learning.counts import Counts, counts_to_table
    from pipeline.tables.checks import write_table

    code = _wide(rows).priors["wide"]
    paths = [folder / f"{number}.parquet" for number in range(MERGED_FILES)]
    for seed, path in enumerate(paths):
        rng = np.random.default_rng(seed)
        nb = np.zeros(code.rows, np.int64)
        nb[rng.choice(code.rows, rows, replace=False)] = rng.integers(1, 1000, rows)
        write_table(counts_to_table(Counts("latin-square", code, {}, {}, nb // 2, nb)), path)
    return paths


def _merge(rows: int, paths: list[Path]) -> str:
    """Merge the files; in a process of its own, for its memory."""
    import pyarrow.parquet as pq

    from pipeline.learning.merge import merge_count_files

    domain = _wide(rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    out = paths[0].with_name("merged.parquet")
    merge_count_files(paths, domain, out)
    seconds = time.process_time() - begin
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return (
        f"| {rows:,} | {pq.read_metadata(out).num_rows:,} | {out.stat().st_size / 1e6:.1f} | "
        f"{seconds:.1f} | {grown / 1024:.0f} |"
    )


if __name__ == "__main__":
    main()
