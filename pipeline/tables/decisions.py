"""Columns of files of decisions: a row for each move that was possible at one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from solver.priors.layout import parts_of

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


def wrong_decisions(table: pa.Table, prior: str, components: Mapping[str, Any]) -> str | None:
    """Say what is wrong with the rows of a file of decisions; None if nothing is."""
    decision = table[DECISION].to_numpy()
    if len(decision) and (decision[0] != 0 or not np.isin(np.diff(decision), (0, 1)).all()):
        return "its decisions are not numbered in order, from 0"
    played = np.bincount(
        decision[table[PLAYED].to_numpy()], minlength=int(decision.max(initial=-1) + 1)
    )
    wrong = np.flatnonzero(played != 1)
    if len(wrong):
        return f"decision {wrong[0]} has {played[wrong[0]]} moves that were played, expected 1"
    for label, part in parts_of(components).items():
        column = column_of(label or prior)
        rows = table[column].to_numpy()
        most = int(np.prod(list(part.values()), dtype=np.int64))
        outside = np.flatnonzero((rows < 0) | (rows >= most))
        if len(outside):
            row = outside[0]
            return f"row {row}: {column} is {rows[row]}, expected 0 ... {most - 1}"
    return None
