"""Decisions of replayed solutions, kept as they were made: the rows that a fit learns from.

Counts are two sums over them, and the bytes of those that were counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from pipeline.learning.counts import (
    Counts,
    counts_metadata,
    empty_counts,
    new_counts,
    replay_each,
)
from pipeline.tables.checks import rows_digest
from pipeline.tables.decisions import PLAYED, column_of, decisions_schema
from solver.contract.codes import PriorCode
from solver.contract.domain import Domain, Limits
from solver.kernels.replay import Decisions, new_decisions
from solver.priors.tables import DECISIONS, read_metadata


def decide_solved(domain: Domain, options: Any, code: PriorCode, solved: pa.Table) -> pa.Table:
    """Replay every solution in `solved` (see `generators.schema.SOLVED_SCHEMA`); keep decisions.

    Returns
    -------
    pyarrow.Table
        See `pipeline.tables.decisions`; its metadata is that of the counts.
    """
    counts = new_counts(domain, options, code, solved)
    sizes = [part.rows for part in code.singles]

    def new_record(limits: Limits) -> Decisions:
        return new_decisions(sizes, limits)

    schema = decisions_schema(code.name, code.components)
    types = [kind.to_pandas_dtype() for kind in schema.types]
    columns: list[list[Any]] = [[np.zeros(0, kind)] for kind in types]
    decisions = 0
    for digest, record in replay_each(domain, options, counts, solved, new_record):
        used = slice(int(record.used[0]))
        instance = np.full(used.stop, int.from_bytes(digest[:8]), np.uint64)
        found = [record.decision[used] + decisions, instance, record.group[used]]
        found += [record.played[used], *record.rows[used].T]
        for column, values, kind in zip(columns, found, types, strict=True):
            column.append(values.astype(kind))
        decisions += int(record.used[1])
    table = pa.table([np.concatenate(column) for column in columns], schema=schema)
    more = counts_metadata(counts, kind=DECISIONS, rows_digest=rows_digest(table))
    return table.replace_schema_metadata(more)


def counts_of_decisions(table: pa.Table, domain: Domain, source: str) -> Counts:
    """Add up a table of `decide_solved`: the counts that `count_solved` gives.

    Raises
    ------
    InputError
        If the table is for another domain or code; the message begins with `source`.
    """
    metadata = read_metadata(table.schema.metadata, source, DECISIONS)
    counts = empty_counts(metadata, domain, source)
    code = counts.prior
    played = table[PLAYED].to_numpy()
    for part, first in zip(code.singles, code.first_rows, strict=True):
        rows = table[column_of(part.name)].to_numpy()
        span = slice(first, first + part.rows)
        counts.nb[span] = np.bincount(rows, minlength=part.rows)
        counts.count[span] = np.bincount(rows[played], minlength=part.rows)
    return counts
