"""Rows of count and bias tables: columns that say which row of a dense table each one is.

A table of one code has an int64 column for each of its components. A table of several has a
column `code` with the name of the part, and those of all components: null in rows of other parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.contract.codes import PriorCode
from solver.errors import InputError, quoted

#: Column with the names of the codes, in tables of several.
CODE = "code"
#: In place of the components that a part has not.
NO_COMPONENT = -1

Int64s = npt.NDArray[np.int64]

Components = Mapping[str, Any]
"""Cardinalities by component; of several codes these, by name of the code."""


def parts_of(components: Components) -> dict[str, dict[str, int]]:
    """Cardinalities by component, by name of the code; the name of a single code is empty."""
    several = any(isinstance(value, Mapping) for value in components.values())
    return dict(components) if several else {"": dict(components)}


def is_several(components: Components) -> bool:
    """Return whether these are the components of several codes."""
    return "" not in parts_of(components)


def component_names(components: Components) -> list[str]:
    """Names of all components, each once."""
    return list(dict.fromkeys(name for part in parts_of(components).values() for name in part))


def key_types(components: Components) -> dict[str, Any]:
    """Types of the columns, by name."""
    import pyarrow as pa

    types = dict.fromkeys(component_names(components), pa.int64())
    return {CODE: pa.string(), **types} if is_several(components) else types


def same_components(found: Components, code: PriorCode) -> bool:
    """Return whether a table has the components of `code`, in their order."""
    parts, expected = parts_of(found), parts_of(code.components)
    return [(name, list(part.items())) for name, part in parts.items()] == [
        (name, list(part.items())) for name, part in expected.items()
    ]


def key_columns(rows: Int64s, code: PriorCode) -> dict[str, Any]:
    """Return the columns of dense row numbers, in ascending order, as `pyarrow` arrays."""
    import pyarrow as pa

    names = component_names(code.components)
    values = {name: np.full(len(rows), NO_COMPONENT, np.int64) for name in names}
    number = np.searchsorted(code.first_rows, rows, side="right") - 1
    for place, (part, first) in enumerate(zip(code.singles, code.first_rows, strict=True)):
        mine = np.flatnonzero(number == place)
        shape = tuple(part.components.values())
        found = np.unravel_index(rows[mine] - first, shape)
        for name, column in zip(part.components, found, strict=True):
            values[name][mine] = column
    if not code.parts:
        return {name: pa.array(column) for name, column in values.items()}
    columns = {name: pa.array(v, mask=v == NO_COMPONENT) for name, v in values.items()}
    labels = np.array([part.name for part in code.parts], object)[number]
    return {CODE: pa.array(labels, pa.string()), **columns}


def dense_rows(table: Any, components: Components, source: str = "") -> Int64s:
    """Row of a dense table, int64[rows], of each row of a `pyarrow.Table` with `key_types`.

    Raises
    ------
    InputError
        If a code is unknown, or a component is missing or out of range.
    """
    parts = parts_of(components)
    everywhere = np.arange(table.num_rows)
    if not is_several(components):
        columns = [column_values(table[name]) for name in components]
        return _row_numbers(columns, parts[""], everywhere, source)
    labels = np.array(table[CODE].to_pylist(), object)
    unknown = np.flatnonzero(~np.isin(labels, list(parts)))
    if len(unknown):
        name = quoted(str(labels[unknown[0]]))
        raise InputError(f"{source}: row {unknown[0]}: code {name}, expected: {', '.join(parts)}")
    rows, first = everywhere.copy(), 0
    for label, part in parts.items():
        mine = np.flatnonzero(labels == label)
        columns = [_with_missing(table[name])[mine] for name in part]
        rows[mine] = first + _row_numbers(columns, part, mine, source)
        first += int(np.prod(list(part.values()), dtype=np.int64))
    return rows


def _row_numbers(
    columns: Sequence[Int64s], components: Mapping[str, int], places: Int64s, source: str
) -> Int64s:
    """Row of each code in the dense table of one code; `places` are its rows in the file."""
    rows = np.zeros(len(places), np.int64)
    for values, (name, cardinality) in zip(columns, components.items(), strict=True):
        outside = np.flatnonzero((values < 0) | (values >= cardinality))
        if len(outside):
            raise InputError(
                f"{source}: row {places[outside[0]]}: {name} is {values[outside[0]]}, "
                f"expected 0 ... {cardinality - 1}"
            )
        rows = rows * cardinality + values
    return rows


def column_values(column: Any) -> npt.NDArray[Any]:
    """Values of a column; `to_numpy` would import pandas, which takes longer than the rest."""
    return np.from_dlpack(column.combine_chunks())


def _with_missing(column: Any) -> npt.NDArray[Any]:
    """Values of a column of whole numbers, `NO_COMPONENT` where there is none.

    `fill_null` would import pandas, too.
    """
    array = column.combine_chunks()
    if not array.null_count:
        return np.from_dlpack(array)
    valid, data = array.buffers()
    here = slice(array.offset, array.offset + len(array))
    values = np.frombuffer(data, f"i{array.type.bit_width // 8}")[here]
    is_there = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")[here]
    return np.where(is_there == 1, values, NO_COMPONENT)
