"""Columns of a run: their one description, from which all other code derives."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from solver.errors import quoted

PLAYOUTS, SECONDS = "playouts", "seconds"

#: Dtype of a column of the data frame -> its type in the file.
_TYPES = {
    "str": pa.string(),
    "bool": pa.bool_(),
    "int64": pa.int64(),
    "Int64": pa.int64(),
    "float64": pa.float64(),
    "int64 arrays": pa.list_(pa.int64()),
    "float64 arrays": pa.list_(pa.float64()),
    "datetime64[us, UTC]": pa.timestamp("us", tz="UTC"),
}


@dataclass(frozen=True)
class Column:
    """A column of the table of runs.

    Parameters
    ----------
    name : str
    dtype : str
        Type in the data frame; a column of arrays is one of objects.
    meaning : str
        Meaning of the column, for the documentation.
    unit : str
        Unit of a quantity, which is never negative.
    nullable : bool
        True if the value may be unknown.
    later : bool
        True if files of earlier versions lack it: there it is unknown.
    is_object : bool
        True if its text is an object in JSON, or empty.
    """

    name: str
    dtype: str
    meaning: str
    unit: str = ""
    nullable: bool = False
    later: bool = False
    is_object: bool = False

    @property
    def type(self) -> pa.DataType:
        """The type in the file."""
        return _TYPES[self.dtype]

    @property
    def has_arrays(self) -> bool:
        """True if a run has any number of values."""
        return bool(pa.types.is_list(self.type))


def _unknown_before(name: str, meaning: str, dtype: str = "str") -> Column:
    return Column(name, dtype, meaning, nullable=True, later=True)


COLUMNS = (
    Column("run", "str", "identity: of the instance, the method, the seed and the budget"),
    Column("domain", "str", "the problem, such as `latin-square`"),
    Column("family", "str", "the kind of instances"),
    Column("family_parameters", "str", "parameters of the family, JSON", is_object=True),
    Column("instance", "str", "name of the instance within the family"),
    Column("algorithm", "str", "the search, or the peer"),
    Column("prior", "str", "the prior, or `none`; empty for a peer"),
    Column("settings", "str", "parameters of the algorithm, JSON", is_object=True),
    Column("seed", "int64", "seed of the run"),
    Column("budget_playouts", "Int64", "most it might play, if limited", PLAYOUTS, nullable=True),
    Column("budget_seconds", "float64", "most it might take, if limited", SECONDS, nullable=True),
    Column("solved", "bool", "whether it found an answer, one that reaches the target if any"),
    Column("score", "float64", "best score found; higher is better", nullable=True),
    Column("playouts", "Int64", "how many it played, not of a peer", PLAYOUTS, nullable=True),
    Column("seconds", "float64", "how long it took", SECONDS),
    Column("trace_playouts", "int64 arrays", "when the score improved", PLAYOUTS, nullable=True),
    Column("trace_score", "float64 arrays", "score after each improvement", nullable=True),
    Column("trace_seconds", "float64 arrays", "when the score improved", SECONDS, nullable=True),
    Column("status", "str", "`solved`, `budget`, `infeasible` (proved) or `error`"),
    Column("solution", "str", "the answer, as text", nullable=True),
    _unknown_before("finished", "when it ended", "datetime64[us, UTC]"),
    _unknown_before("commit", "commit of the sources"),
    _unknown_before("machine", "what it ran on"),
    _unknown_before("versions", "versions of Python and of packages"),
    _unknown_before("message", "why it ended as an error"),
)
"""A run, one row each: the only description there is of it."""


def _field(column: Column) -> pa.Field:
    """A field of the file, with its description and unit in its metadata."""
    described = {"description": column.meaning, **({"unit": column.unit} if column.unit else {})}
    return pa.field(column.name, column.type, column.nullable, described)


RUNS_SCHEMA = pa.schema(map(_field, COLUMNS))


def wrong_value(row: Mapping[str, Any]) -> str | None:
    """Say which value of the row of a run its column cannot hold, None if all are right."""
    for column in COLUMNS:
        value = row.get(column.name)
        if value is None and not column.nullable:
            return f"{column.name} is missing"
        try:
            pa.scalar(stored(value, column), column.type)
        except (pa.ArrowException, OverflowError, ValueError):
            return f"{column.name} is {quoted(value)}, expected {column.dtype}"
        if column.is_object and not is_object(str(value)):
            return f"{column.name} is {quoted(value)}, expected an object in JSON"
    return None


def is_object(text: str) -> bool:
    """Return whether `text` is an object in JSON, or empty."""
    try:
        return isinstance(json.loads(text or "{}"), dict)
    except (ValueError, RecursionError):
        return False


def stored(value: Any, column: Column) -> Any:
    """Return a value of a journal as the file has it: times are texts there, ISO 8601.

    Raises
    ------
    ValueError
        If a text is no time.
    """
    is_time = pa.types.is_timestamp(column.type) and isinstance(value, str)
    return datetime.datetime.fromisoformat(value) if is_time else value


def stored_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a journal as the file has it."""
    return {column.name: stored(row.get(column.name), column) for column in COLUMNS}


def complete_row(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a run: `values` by column, nothing in the nullable ones without a value.

    Raises
    ------
    KeyError
        If a value has no column, or a column that is not nullable no value.
    """
    row: dict[str, Any] = {
        column.name: [] if column.has_arrays else None for column in COLUMNS if column.nullable
    }
    row |= values
    wrong = row.keys() ^ set(RUNS_SCHEMA.names)
    if wrong:
        raise KeyError(", ".join(sorted(wrong)))
    return row
