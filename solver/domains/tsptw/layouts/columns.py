"""Travelling salesman problems with time windows as comma-separated values with named columns.

The first line names the columns, in any order: `x`, `y`, `ready` and `due`, and perhaps `service`
(0 without it), `ready2` and `due2` and so on for further windows, empty where a place has none, and
`name`, which is for the reader of the file. A row per node follows, the depot first.
Semicolons or tabs may stand in place of the commas; values may be quoted.
"""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

import numpy as np

from solver.domains.tsptw.coordinates import (
    COLUMNS,
    DUE,
    NUMBER,
    READY,
    ROUTING,
    SERVICE,
    Table,
    X,
    Y,
    parse_number,
)
from solver.domains.tsptw.windows import pack_windows
from solver.errors import InputError, quoted
from solver.system.text_blocks import content_lines, is_comment, numbered_lines

NEEDED = {"x": X, "y": Y, "ready": READY, "due": DUE}
NAMES = (*NEEDED, "service", "name")
#: Names of columns of further windows.
NEXT_WINDOW = re.compile(r"(ready|due)[ _]?0*([2-9]|[1-9]\d)")
#: Names of columns that tell vehicles apart.
OF_VEHICLES = ("vehicle", "vehicles", "capacity")


class Header(NamedTuple):
    """The line that names the columns."""

    number: int
    """Its number."""
    separator: str
    names: list[str]
    """Names of the columns, in small letters."""


def header_of(text: str) -> Header | None:
    """Return the header of the file; None unless its first line names two needed columns."""
    first = next(iter(content_lines(text.removeprefix("\ufeff"))), None)
    separator = next((mark for mark in ";\t," if first and mark in first[1]), None)
    if first is None or separator is None:
        return None
    try:
        names = [_plain(name.lower()) for name in _cells(first[1], separator)]
    except csv.Error:
        return None
    return Header(first[0], separator, names) if len(NEEDED.keys() & set(names)) > 1 else None


def _plain(name: str) -> str:
    """Name of a column; of one of a further window without blank and underscore."""
    further = NEXT_WINDOW.fullmatch(name)
    return "".join(further.groups()) if further else name


def _cells(line: str, separator: str) -> list[str]:
    cells = next(csv.reader([line], delimiter=separator, strict=True, skipinitialspace=True))
    return [cell.strip() for cell in cells]


def read_columns(text: str, header: Header, source: str) -> Table:
    """Read the rows below `header`.

    Raises
    ------
    InputError
        For unknown, missing or repeated columns, rows of another length, what is no finite
        number, negative service times, and comments that might be rows.
    """
    _check_names(header, source)
    _check_comments(text, header, source)
    lines = content_lines(text.removeprefix("\ufeff"))[1:]
    rows = np.zeros((len(lines), len(COLUMNS)))
    rows[:, NUMBER] = np.arange(len(lines))
    windows, wheres = [], []
    for row, (number, line) in zip(rows, lines, strict=True):
        where = f"{source}: line {number}"
        try:
            cells = _cells(line, header.separator)
        except csv.Error as error:
            raise InputError(
                f"{where}: {error}, expected values and {header.separator!r}"
            ) from None
        if len(cells) != len(header.names):
            raise InputError(
                f"{where}: {len(cells)} entries, expected {len(header.names)}: "
                f"{', '.join(header.names)}"
            )
        found = dict(zip(header.names, cells, strict=True))
        for name, cell in found.items():
            if name in NEEDED or name == "service":
                row[NEEDED.get(name, SERVICE)] = parse_number(cell, f"{where}, {name}")
        windows.append([(row[READY], row[DUE]), *_further_windows(found, where)])
        wheres.append(where)
        if row[SERVICE] < 0:
            raise InputError(f"{where}: service time {row[SERVICE]:g}, expected 0 or more")
    numbers = [number for number, _ in lines]
    return Table(rows, numbers, is_closed=False, windows=pack_windows(windows, wheres))


def _further_windows(found: dict[str, str], where: str) -> list[tuple[float, float]]:
    """Windows of a row beyond the first, from its cells by column."""
    windows = []
    for ready, cell in found.items():
        if ready.startswith("ready") and ready != "ready":
            due = ready.replace("ready", "due")
            if cell or found[due]:
                start, end = (
                    parse_number(found[name], f"{where}, {name}") for name in (ready, due)
                )
                windows.append((start, end))
    return windows


def _check_comments(text: str, header: Header, source: str) -> None:
    """Raise `InputError` for a row whose name begins with `#`: it would be left out unnoticed."""
    if header.names[0] != "name":
        return
    for number, line in numbered_lines(text):
        if number < header.number or not is_comment(line) or line.lstrip()[1:2].isspace():
            continue
        try:
            found = dict(zip(header.names, _cells(line, header.separator), strict=True))
            for name in NEEDED:
                parse_number(found[name], source)
        except (csv.Error, ValueError, InputError):
            continue
        raise InputError(
            f"{source}: line {number}: {quoted(found['name'])} begins a row or a comment, expected "
            "the name in quotes or a blank after the #"
        )


def _check_names(header: Header, source: str) -> None:
    where = f"{source}: line {header.number}"
    for place, name in enumerate(header.names):
        is_second = name in header.names[:place]
        if name in OF_VEHICLES:
            raise InputError(f"{where}: column {quoted(name)}: {ROUTING}")
        if NEXT_WINDOW.fullmatch(name):
            other = {"r": name.replace("ready", "due"), "d": name.replace("due", "ready")}[name[0]]
            if other not in header.names:
                raise InputError(f"{where}: column {quoted(name)} without {other}")
        elif name not in NAMES:
            raise InputError(f"{where}: column {quoted(name, NAMES)}, expected {', '.join(NAMES)}")
        if is_second:
            raise InputError(f"{where}: column {quoted(name)} a second time")
    for name in NEEDED:
        if name not in header.names:
            raise InputError(f"{where}: no column {quoted(name)}, expected {', '.join(NEEDED)}")
