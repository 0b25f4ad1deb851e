"""Kinds of tables of files of means that are kept beside the pages, as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.results.plan import KeptTable, Lines, kept_rows


def _value(text: str) -> int | float | str:
    """A cell of a file: a number if it is one, so that templates can group its thousands."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def picked_rows(table: KeptTable, read: Any) -> Lines:
    """Rows of a file, as they are.

    Keys: `rows`, the file; `where`, texts that a column must have one of; `columns`, heads with the
    template of their cells, as in `{mean:,} ({low:,} to {high:,})`.
    """
    where: dict[str, Sequence[str]] = table.options.get("where", {})
    columns: dict[str, str] = table.options["columns"]
    cells = []
    for row in kept_rows(table.options["rows"]):
        if all(row[name] in texts for name, texts in where.items()):
            values = {name: _value(text) for name, text in row.items()}
            cells.append([template.format(**values) for template in columns.values()])
    return list(columns), cells


def sums_of_columns(table: KeptTable, read: Any) -> Lines:
    """Sums of the columns of a file, and the rows in which one column is the largest of two.

    Keys: `rows`, the file; `columns`, how each is called; `ahead`, the column that `compared` ones
    are compared with; `heads`, three heads.
    """
    columns: dict[str, str] = table.options["columns"]
    rows, ahead = kept_rows(table.options["rows"]), table.options["ahead"]
    cells = []
    for name, shown in columns.items():
        total = f"{sum(int(row[name]) for row in rows):,}"
        above = sum(int(row[ahead]) > int(row[name]) for row in rows)
        is_compared = name in table.options["compared"]
        cells.append([shown, total, f"{above} of {len(rows)}" if is_compared else ""])
    return list(table.options["heads"]), cells
