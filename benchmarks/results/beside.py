"""Kinds of tables of files of means that are kept beside the pages, as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Any

from benchmarks.corrected import LEVEL, corrected
from benchmarks.results.plan import FOLDER, KeptTable, Lines


def _value(text: str) -> int | float | str:
    """A cell of a file: a number if it is one, so that templates can group its thousands."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _rows(table: KeptTable) -> list[dict[str, str]]:
    path = FOLDER / table.options["rows"]
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def picked_rows(table: KeptTable, read: Any) -> Lines:
    """Rows of a file, as they are.

    Keys: `rows`, the file; `where`, texts that a column must have one of; `columns`, heads with the
    template of their cells, as in `{mean:,} ({low:,} to {high:,})`.
    """
    where: dict[str, Sequence[str]] = table.options.get("where", {})
    columns: dict[str, str] = table.options["columns"]
    cells = []
    for row in _rows(table):
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
    rows, ahead = _rows(table), table.options["ahead"]
    cells = []
    for name, shown in columns.items():
        total = f"{sum(int(row[name]) for row in rows):,}"
        above = sum(int(row[ahead]) > int(row[name]) for row in rows)
        is_compared = name in table.options["compared"]
        cells.append([shown, total, f"{above} of {len(rows)}" if is_compared else ""])
    return list(table.options["heads"]), cells


def counts_of_comparisons(table: KeptTable, read: Any) -> Lines:
    """Numbers of comparisons of `benchmarks.corrected` that are ahead and behind.

    In brackets those that differ after the correction. Keys: `family`, its name; `heads` of the
    columns with texts. A label of these comparisons is that of a row, then of a column, then of a
    comparison, with commas; below 0 is ahead.
    """
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for one, p in corrected(table.options["family"]):
        *row, column, _ = one.label.split(", ")
        of_row = found.setdefault(", ".join(row), {})
        of_row.setdefault(column, []).append((one.difference, p))
    columns = list(next(iter(found.values())))
    cells = [
        [*row.split(", "), *(_counts(of_row[column]) for column in columns)]
        for row, of_row in found.items()
    ]
    return [*table.options["heads"], *columns], cells


def _counts(differences: Sequence[tuple[float, float]]) -> str:
    """Cell of differences and their p-values."""
    said = []
    for word, sign in (("ahead", -1), ("behind", 1)):
        of_sign = [p for difference, p in differences if difference * sign > 0]
        if of_sign:
            said.append(f"{len(of_sign)} {word} ({sum(p < LEVEL for p in of_sign)})")
    return ", ".join(said)
