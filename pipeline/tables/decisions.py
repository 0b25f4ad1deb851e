"""Columns of files of decisions: a row for each move that was possible at one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from solver.priors.layout import parts_of
from solver.priors.tables import open_table, parquet_errors

#: Rows that are read at once, and those that complete a decision.
BATCH = 1 << 18

#: Columns of every file, with their types and meanings; the codes follow.
DECISION, INSTANCE, GROUP, PLAYED = "decision", "instance", "group", "played"
_COLUMNS = (
    (DECISION, pa.int32(), "number of the decision in this file"),
    (INSTANCE, pa.uint64(), "first 64 bits of the SHA-256 of the solved instance"),
    (GROUP, pa.int32(), "moves of a decision with the same number are equally right"),
    (PLAYED, pa.bool_(), "true for the move that the solution plays"),
)
_CODE = "row of the move in the dense table of the code {name!r}: {components}, in mixed radix"


def decisions_schema(prior: str, components: Mapping[str, Any]) -> pa.Schema:
    """Return the schema of the decisions of a prior, each field with its description.

    Parameters
    ----------
    prior : str
        Name of the code, or of several.
    components : mapping
        See `solver.priors.layout`.
    """
    fields = [_field(name, kind, meaning) for name, kind, meaning in _COLUMNS]
    for label, part in parts_of(components).items():
        name = label or prior
        sizes = " x ".join(f"{component} ({size})" for component, size in part.items())
        meaning = _CODE.format(name=name, components=sizes)
        fields.append(_field(column_of(name), pa.int32(), meaning))
    return pa.schema(fields)


def column_of(code: str) -> str:
    """Name of the column with the rows of a code."""
    return f"code_{code}"


def _field(name: str, kind: pa.DataType, meaning: str) -> pa.Field:
    return pa.field(name, kind, nullable=False, metadata={"description": meaning})


def whole_decisions(path: Path) -> Iterator[pa.Table]:
    """Yield the rows of a file of decisions, some whole decisions after another.

    Raises
    ------
    InputError
        As `open_table`.
    """
    with open_table(path) as file, parquet_errors(path):
        rest = file.schema_arrow.empty_table()
        for batch in file.iter_batches(BATCH):
            table = pa.concat_tables([rest, pa.Table.from_batches([batch])])
            decision = table[DECISION].to_numpy()
            cut = int(np.searchsorted(decision, decision[-1])) if len(decision) else 0
            if cut:
                yield table.slice(0, cut)
            rest = table.slice(cut)
        if rest.num_rows:
            yield rest


def wrong_decisions(
    table: pa.Table, prior: str, components: Mapping[str, Any], decisions: int = 0, rows: int = 0
) -> str | None:
    """Say what is wrong with the rows of a file of decisions; None if nothing is.

    Parameters
    ----------
    decisions, rows : int
        Numbers of those before in the file.
    """
    decision = table[DECISION].to_numpy() - decisions
    if len(decision) and (decision[0] != 0 or not np.isin(np.diff(decision), (0, 1)).all()):
        return "its decisions are not numbered in order, from 0"
    played = np.bincount(
        decision[table[PLAYED].to_numpy()], minlength=int(decision.max(initial=-1) + 1)
    )
    wrong = np.flatnonzero(played != 1)
    if len(wrong):
        number, moves = wrong[0] + decisions, played[wrong[0]]
        return f"decision {number} has {moves} moves that were played, expected 1"
    for label, part in parts_of(components).items():
        column = column_of(label or prior)
        found = table[column].to_numpy()
        most = int(np.prod(list(part.values()), dtype=np.int64))
        outside = np.flatnonzero((found < 0) | (found >= most))
        if len(outside):
            row = outside[0]
            return f"row {row + rows}: {column} is {found[row]}, expected 0 ... {most - 1}"
    return None
