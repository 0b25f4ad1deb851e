"""Runs as a data frame, one row each, for reports and notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.tables.columns import COLUMNS, RUNS_SCHEMA, Column
from solver.errors import InputError, quoted
from solver.tables import METADATA_KEY, parse_metadata, read_table

RUNS_FILE = "runs.parquet"

#: Kinds of a column that are as good as each other, whatever their width.
_KINDS = (
    pa.types.is_integer,
    pa.types.is_floating,
    lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind),
    lambda kind: pa.types.is_list(kind) or pa.types.is_large_list(kind),
)


def read_runs(folder: str | Path) -> pd.DataFrame:
    """Read the runs that `compare` kept in a folder.

    Parameters
    ----------
    folder : str or Path
        What `compare --out` named.

    Returns
    -------
    DataFrame
        A row per run, with these columns. What is not known is missing: nan, `pd.NA`, `NaT`, or
        an empty array.

        COLUMNS

    Raises
    ------
    InputError
        One line: there is no such folder or no table in it; it is damaged, or one of something
        else; a column is missing, has another type or lacks values; a run is there twice.
    """
    return read_runs_and_facts(Path(folder))[0]


def read_runs_and_facts(folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read the runs of a folder, and the facts that the metadata of their table hold."""
    path = folder / RUNS_FILE
    if not path.is_file():
        raise InputError(f"{path} does not exist: run `compare` first, or name its folder")
    table = read_table(path)
    if METADATA_KEY not in (table.schema.metadata or {}):
        raise InputError(f'{path} has no "nestor" entry in its schema metadata')
    runs = _frame(table, path)
    refuse_repeated(runs, path)
    return runs, parse_metadata(table.schema.metadata, str(path))


def refuse_repeated(runs: pd.DataFrame, path: Path) -> None:
    """Raise an `InputError` if a run is there twice: it would narrow every interval."""
    repeated = runs.loc[runs["run"].duplicated(), "run"]
    if len(repeated):
        raise InputError(f"{path}: run {quoted(repeated.iloc[0])} is there more than once")


def _frame(table: pa.Table, path: Path) -> pd.DataFrame:
    missing = [c.name for c in COLUMNS if not c.later and c.name not in table.column_names]
    if missing:
        raise InputError(f"{path} lacks the columns: {', '.join(missing)}")
    if not table.num_rows:
        raise InputError(f"{path} holds no runs")
    arrays = [_array(table, column, path) for column in COLUMNS]
    integers = {pa.int64(): pd.Int64Dtype()}
    frame: pd.DataFrame = pa.table(arrays, RUNS_SCHEMA).to_pandas(types_mapper=integers.get)
    try:
        return frame.astype({c.name: c.dtype for c in COLUMNS if not c.has_arrays})
    except ValueError as error:  # a date that is none
        raise InputError(f"{path}: {error}") from None


def _array(table: pa.Table, column: Column, path: Path) -> pa.Array | pa.ChunkedArray:
    """The values of a column in the type of its description."""
    if column.name not in table.column_names:
        return pa.nulls(table.num_rows, column.type)
    if table.column_names.count(column.name) > 1:
        raise InputError(f"{path}: column {column.name} is there more than once")
    values = table[column.name]
    if values.null_count and not column.nullable:
        raise InputError(f"{path}: column {column.name} has {values.null_count} missing values")
    try:
        if _fits(values.type, column.type):
            values = values.cast(column.type)
            return pc.coalesce(values, pa.scalar([], column.type)) if column.has_arrays else values
    except pa.ArrowInvalid:  # lists of something else, or a number too large
        pass
    raise InputError(f"{path}: column {column.name} has type {values.type}")


def _fits(found: pa.DataType, expected: pa.DataType) -> bool:
    """Whether a column of one type holds what one of another does; one of nulls always does."""
    alike = any(is_kind(found) and is_kind(expected) for is_kind in _KINDS)
    return alike or pa.types.is_null(found) or found == expected
