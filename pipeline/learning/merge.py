"""Merging count files as streams: memory depends on the number of files open, not on their rows.

Rows of a count file are in the order of their keys, so files are merged as sorted
lists are. The result has the bytes of `counts_to_table` of the sum.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.learning.counts import (
    Counts,
    add_totals,
    component_columns,
    counts_metadata,
    counts_without_rows,
)
from solver.domain import Domain, PriorCode
from solver.errors import InputError
from solver.system.files import replacing
from solver.tables import open_table, parquet_errors, row_numbers, wrong_columns

Block = npt.NDArray[np.int64]
"""int64[3, n]: row numbers in increasing order, counts, times possible."""

#: Rows read from a file at a time.
BATCH_ROWS = 1 << 14
#: Rows of a row group; what pyarrow takes if it is not told.
GROUP_ROWS = 1 << 20
#: Files merged at once; more are merged in several rounds.
FAN_IN = 256


def merge_count_files(
    paths: Sequence[Path], domain: Domain, out: Path, *, fan_in: int = FAN_IN
) -> Counts:
    """Add the counts in `paths` into the file `out`.

    Parameters
    ----------
    fan_in : int
        Files open at the same time, 2 or more; with more `paths` groups of so many are
        merged first, into files beside `out` that are removed afterwards.

    Returns
    -------
    counts : Counts
        What the metadata of `out` say; its tables are empty.

    Raises
    ------
    InputError
        If there are none, one is damaged, or they count different things.
    """
    if not paths:
        raise InputError("no counts to merge")
    made: list[Path] = []
    while len(paths) > fan_in:
        groups = [paths[k : k + fan_in] for k in range(0, len(paths), fan_in)]
        merged = [_partial_merge(out, group) for group in groups]
        for group, path in zip(groups, merged, strict=True):
            if not path.exists():  # made before a kill
                _merge_open(group, domain, path)
        made += merged
        paths = merged
    total = _merge_open(paths, domain, out)
    for path in made:
        path.unlink()
    return total


def _partial_merge(out: Path, group: Sequence[Path]) -> Path:
    """File for the merged counts of `group`, named after the files it is made of."""
    names = "\n".join(str(path) for path in group)
    return out.with_name(f"{out.stem}-{hashlib.sha256(names.encode()).hexdigest()[:12]}.merging")


def _merge_open(paths: Sequence[Path], domain: Domain, out: Path) -> Counts:
    with ExitStack() as stack:
        files = [stack.enter_context(open_table(path)) for path in paths]
        total = counts_without_rows(files[0].schema_arrow, domain, str(paths[0]), dense=False)
        for path, file in zip(paths[1:], files[1:], strict=True):
            add_totals(
                total, counts_without_rows(file.schema_arrow, domain, str(path), dense=False)
            )
        streams = [
            _blocks(file, total.prior, str(path)) for path, file in zip(paths, files, strict=True)
        ]
        schema = _schema(total)
        with (
            replacing(out) as temporary,
            pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
        ):
            for block in _regrouped(_merged(streams)):
                columns = component_columns(block[0], total.prior)
                arrays = [*columns.values(), block[1], block[2]]
                writer.write_table(pa.table(arrays, schema=schema), row_group_size=GROUP_ROWS)
    return total


def _schema(counts: Counts) -> pa.Schema:
    names = [*counts.prior.components, "count", "nb"]
    return pa.schema([(name, pa.int64()) for name in names]).with_metadata(counts_metadata(counts))


def _blocks(file: Any, code: PriorCode, source: str) -> Iterator[Block]:
    """Read the rows of a count file block by block, checked."""
    names = [*code.components, "count", "nb"]
    wrong = wrong_columns(file.schema_arrow, dict.fromkeys(names, pa.int64()))
    if wrong is not None:
        raise InputError(f"{source}: {wrong}")
    last = -1
    with parquet_errors(Path(source)):
        for batch in _batches(file, names):
            nulls = [name for name in names if batch[name].null_count]
            if nulls:
                raise InputError(f"{source}: column {nulls[0]!r} has missing values")
            columns = [batch[name].to_numpy() for name in names]
            block = np.stack([row_numbers(columns[:-2], code, source), *columns[-2:]])
            if not len(block[0]):
                continue
            if block[0, 0] <= last or (np.diff(block[0]) <= 0).any():
                raise InputError(f"{source}: its codes are not in order, each once")
            if (block[1] < 0).any() or (block[1] > block[2]).any():
                raise InputError(f"{source}: a code was played more often than it was possible")
            last = int(block[0, -1])
            yield block


def _batches(file: Any, names: list[str]) -> Iterator[pa.RecordBatch]:
    for group in range(file.num_row_groups):  # asked for all, pyarrow keeps those it has read
        yield from file.iter_batches(BATCH_ROWS, row_groups=[group], columns=names)


def _merged(streams: Sequence[Iterator[Block]]) -> Iterator[Block]:
    """Merge sorted streams; rows of the same number are added."""
    waiting = [next(stream, None) for stream in streams]
    while any(block is not None for block in waiting):
        # Up to the least of the last rows in memory no stream can bring anything new.
        horizon = min(block[0, -1] for block in waiting if block is not None)
        ready = []
        for number, block in enumerate(waiting):
            if block is None:
                continue
            cut = int(np.searchsorted(block[0], horizon, side="right"))
            ready.append(block[:, :cut])
            rest = block[:, cut:]
            waiting[number] = rest if rest.shape[1] else next(streams[number], None)
        yield _added(np.concatenate(ready, axis=1))


def _added(rows: Block) -> Block:
    numbers, inverse = np.unique(rows[0], return_inverse=True)
    total = np.zeros((3, len(numbers)), np.int64)
    total[0] = numbers
    np.add.at(total[1], inverse, rows[1])
    np.add.at(total[2], inverse, rows[2])
    return total


def _regrouped(blocks: Iterator[Block]) -> Iterator[Block]:
    """Cut the rows into row groups, as when the table is written at once."""
    held: list[Block] = [np.zeros((3, 0), np.int64)]
    size, yielded = 0, False
    for block in blocks:
        held.append(block)
        size += block.shape[1]
        if size >= GROUP_ROWS:
            whole = np.concatenate(held, axis=1)
            end = size - size % GROUP_ROWS
            for begin in range(0, end, GROUP_ROWS):
                yield whole[:, begin : begin + GROUP_ROWS]
                yielded = True
            held, size = [whole[:, end:]], size - end
    if size or not yielded:
        yield np.concatenate(held, axis=1)
