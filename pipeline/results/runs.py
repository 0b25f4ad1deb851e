"""Runs as a data frame, one row each, for reports and notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.tables.columns import COLUMNS, RUNS_SCHEMA, Column, is_object
from pipeline.tables.names import GAMES_FILE, RUNS_FILE
from solver.errors import InputError, quoted
from solver.priors.tables import METADATA_KEY, parquet_errors, parse_metadata, read_table

#: Kinds of a column that are as good as each other, whatever their width.
_KINDS = (
    pa.types.is_integer,
    pa.types.is_floating,
    lambda kind: pa.types.is_string(kind) or pa.types.is_large_string(kind),
    lambda kind: pa.types.is_list(kind) or pa.types.is_large_list(kind),
    pa.types.is_timestamp,
)


def read_runs(folder: str | Path) -> pd.DataFrame:
    """Read the runs that `compare` kept in a folder.

    Parameters
    ----------
    folder : str or Path
        Folder named by `compare --out`.

    Returns
    -------
    DataFrame
        A row per run, in the order of the file. Unknown values of a run are missing, as pandas
        has it for the dtype; arrays, of shape (improvements,), are then empty. The columns:

        {columns}

    Raises
    ------
    InputError
        One line: there is no such folder or no table of runs in it; the file is damaged, or is
        a table of something else; a column is missing, of another type or lacks values; a run
        is there twice.

    Examples
    --------
    >>> runs = read_runs("docs/report/runs/latin-square")
    >>> runs.groupby(["algorithm", "prior"])["solved"].mean()
    algorithm  prior
    gnrpa      latin-square           1.00
               latin-square-belief    1.00
               none                   0.87
    sampling   latin-square           1.00
               latin-square-belief    1.00
               none                   0.87
    Name: solved, dtype: float64
    """
    return read_runs_and_facts(Path(folder))[0]


def _describe(column: Column) -> str:
    """An entry of a numpydoc list."""
    unit = f", in {column.unit}" if column.unit else ""
    return f"{column.name} : {column.dtype}{unit}\n            {column.meaning}"


if read_runs.__doc__:  # not under -OO
    read_runs.__doc__ = read_runs.__doc__.replace(
        "{columns}", "\n        ".join(map(_describe, COLUMNS))
    )


def read_runs_and_facts(folder: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read the runs of a folder, and the facts that the metadata of their table hold."""
    if folder.is_file():
        raise InputError(f"{folder} is a file, expected the folder of `compare --out`")
    path = folder / RUNS_FILE
    if not path.is_file() and (folder / GAMES_FILE).is_file():
        raise InputError(f"{folder} has games: `compare` writes their report beside them")
    if not path.is_file():
        raise InputError(f"{path} does not exist: run `compare` first, or name its folder")
    table = read_table(path)
    with parquet_errors(path):
        table.validate(full=True)  # a text may be no UTF-8
    if METADATA_KEY not in (table.schema.metadata or {}):
        raise InputError(f'{path} has no "nestor" entry in its schema metadata')
    runs = _frame(table, path)
    refuse_repeated(runs, path)
    return runs, parse_metadata(table.schema.metadata, str(path))


def refuse_repeated(runs: pd.DataFrame, path: Path) -> None:
    """Raise an `InputError` if a run is there twice: it would narrow every interval."""
    repeated = runs.loc[runs["run"].duplicated(), "run"]
    if len(repeated):
        raise InputError(f"{path}: run {quoted(repeated.iloc[0])} occurs more than once")


def _frame(table: pa.Table, path: Path) -> pd.DataFrame:
    missing = [c.name for c in COLUMNS if not c.later and c.name not in table.column_names]
    if missing:
        raise InputError(f"{path} lacks the columns: {', '.join(missing)}")
    if not table.num_rows:
        raise InputError(f"{path} holds no runs")
    arrays = [_array(table, column, path) for column in COLUMNS]
    integers = {pa.int64(): pd.Int64Dtype()}
    for column, values in zip(COLUMNS, arrays, strict=True):
        texts = pc.unique(values).to_pylist() if column.is_object else []
        if wrong := next((text for text in texts if not is_object(text)), None):
            found = f"column {column.name} has {quoted(wrong)}, expected an object in JSON"
            raise InputError(f"{path}: {found}")
    frame: pd.DataFrame = pa.table(arrays, RUNS_SCHEMA).to_pandas(types_mapper=integers.get)
    return frame.astype({c.name: c.dtype for c in COLUMNS if not c.has_arrays})


def _array(table: pa.Table, column: Column, path: Path) -> pa.Array | pa.ChunkedArray:
    """The values of a column in the type of its description."""
    if column.name not in table.column_names:
        return pa.nulls(table.num_rows, column.type)
    if table.column_names.count(column.name) > 1:
        raise InputError(f"{path}: column {column.name} occurs more than once")
    values = table[column.name]
    if values.null_count and not column.nullable:
        raise InputError(f"{path}: column {column.name} has {values.null_count} missing values")
    if pa.types.is_timestamp(column.type) and pa.types.is_string(values.type):
        try:
            return values.cast(column.type)  # files of earlier versions have texts, ISO 8601
        except pa.ArrowException as error:
            raise InputError(f"{path}: column {column.name} has no dates: {error}") from None
    try:
        if _fits(values.type, column.type):
            values = values.cast(column.type)
            return pc.coalesce(values, pa.scalar([], column.type)) if column.has_arrays else values
    except pa.ArrowException:  # lists of something else, or a number too large
        pass
    raise InputError(f"{path}: column {column.name} has type {values.type}")


def _fits(found: pa.DataType, expected: pa.DataType) -> bool:
    """Return whether columns of type `expected` can hold `found`; a column of nulls always fits."""
    alike = any(is_kind(found) and is_kind(expected) for is_kind in _KINDS)
    return alike or pa.types.is_null(found) or found == expected
