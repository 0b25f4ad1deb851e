"""Targets as tables and as JSON: columns and keys are named alike."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from solver.domains.rna.files.eterna import eterna_target
from solver.domains.rna.text import STRUCTURES, Found, Refused, without_energy
from solver.errors import InputError, quoted
from solver.system.text_blocks import NumberedLine

#: Columns of a table with all their names, in lower case, with `_` for blanks and hyphens.
COLUMNS = {
    "structure": (
        "structure", "target", "target_structure", "dot_bracket", "dotbracket", "dbn",
        "secondary_structure", "sec_struct",
    ),
    "bases": (
        "bases", "fixed_bases", "constraint", "constraints", "sequence", "seq", "iupac",
        "seq_restr", "sequence_constraint", "sequence_constraints", "seq_constraint",
    ),
    "name": ("name", "id", "title", "puzzle", "puzzle_name"),
    "gc": ("gc", "gc_percent"),
    "forbid": ("forbid", "forbidden", "avoid"),
    "require": ("require", "required"),
    "protein": ("protein",),
    "gc_window": ("gc_window",),
    "designs": ("designs",),
}  # fmt: skip
#: Columns of requests that hold for the target of a row, in place of those of the command.
ASKED = ("gc", "forbid", "require", "protein", "gc_window", "designs")
#: Columns that say nothing of a target.
NOT_READ = ("number", "index", "length", "energy", "comment", "note", "notes", "source", "author")
#: First characters of structures, those with pseudoknots too, and of no title of a column.
OPENINGS = (".", "(", ")", "[", "{", "<")


#: A structure with pseudoknots may begin with the same brackets, and has no quotation marks.
_JSON = re.compile(r"\s*\[?\s*\{\s*\"")


def is_json(text: str) -> bool:
    """Return whether `text` begins with a JSON object, or an array of objects."""
    return _JSON.match(text) is not None


def delimiter_of(line: str) -> str:
    """Return the delimiter if `line` is a header, which holds no structure; else ""."""
    for delimiter in ("\t", ",", ";"):
        if delimiter in line:
            fields = [field.strip(' "') for field in line.split(delimiter)]
            values = any(field.startswith(OPENINGS) for field in fields)
            return "" if values or line.startswith(">") else delimiter
    return ""


def column_of(title: str) -> str | None:
    """Return the name in `COLUMNS` of a title, "" for a column not read; None if it is unknown."""
    name = re.sub(r"[\s-]+", "_", title.strip(' "').lower())
    if name in NOT_READ:
        return ""
    return next((column for column, names in COLUMNS.items() if name in names), None)


def _fields(line: str, delimiter: str, where: str) -> list[str]:
    try:
        (row,) = csv.reader([line], delimiter=delimiter)
    except (csv.Error, ValueError) as error:
        raise InputError(f"{where}: {error}, expected fields of a table") from None
    return [field.strip() for field in row]


def _header(line: str, delimiter: str, where: str) -> list[str]:
    """Column of each field, "" for those that are not read."""
    return _columns(_fields(line, delimiter, where), where)


def _columns(titles: list[str], where: str) -> list[str]:
    """Column of each title, "" for those that are not read."""
    columns: list[str] = []
    for title in titles:
        column = column_of(title)
        if column is None:
            known = "; ".join(", ".join(names) for names in [*COLUMNS.values(), NOT_READ])
            raise InputError(f"{where}: column {quoted(title)} is unknown, there are: {known}")
        if column and column in columns:
            first = titles[columns.index(column)]
            raise InputError(
                f"{where}: columns {quoted(first)} and {quoted(title)} have the same meaning, "
                "expected one of them"
            )
        columns.append(column)
    if "structure" not in columns:
        known = ", ".join(COLUMNS["structure"])
        raise InputError(f"{where}: no column of structures, expected one called: {known}")
    return columns


def read_table(lines: list[NumberedLine], delimiter: str, source: str) -> Iterator[Found | Refused]:
    """Read the rows below a header."""
    columns = _header(lines[0][1], delimiter, f"{source}: line {lines[0][0]}")
    for number, line in lines[1:]:
        try:
            yield _row(number, line, delimiter, columns, source)
        except InputError as error:
            yield Refused("", error)


def _row(number: int, line: str, delimiter: str, columns: list[str], source: str) -> Found:
    where = f"{source}: line {number}"
    row = _fields(line, delimiter, where)
    if len(row) != len(columns):
        raise InputError(f"{where}: {len(row)} fields, expected {len(columns)}")
    fields = dict(zip(columns, row, strict=True))
    structure = without_energy(fields["structure"])
    name, bases = fields.get("name", ""), fields.get("bases", "")
    return Found(name, number, structure, bases, _asked(fields))


def _asked(fields: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Requests in a row, those that are empty left out."""
    return tuple((name, fields[name]) for name in ASKED if fields.get(name))


# JSON


def read_objects(text: str, source: str) -> Iterator[Found | Refused]:
    """Read objects that follow each other, or an array of them."""
    decoder = json.JSONDecoder(object_pairs_hook=list)  # pairs: a key may stand twice
    place = 0
    is_array = text.lstrip().startswith("[")
    if is_array:
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _no_json(text, error, 0, source) from None
        place = text.index("[") + 1
    while (begin := _first(text, place)) < len(text):
        one: Found | Refused
        try:
            pairs, place = decoder.raw_decode(text, begin)
            one = _object(pairs, text.count("\n", 0, begin) + 1, source)
        except InputError as error:
            one = Refused("", error)
        except (ValueError, RecursionError) as error:  # also integers of thousands of digits
            line = text[begin:].partition("\n")[0]
            if is_array or not line.rstrip().endswith("}"):
                raise _no_json(text, error, begin, source) from None
            one, place = Refused("", _no_json(text, error, begin, source)), begin + len(line)
        yield one


def _no_json(text: str, error: Exception, place: int, source: str) -> InputError:
    """Return the error of text from `place` on that is no JSON."""
    number = text.count("\n", 0, getattr(error, "pos", place)) + 1
    return InputError(
        f"{source}: line {number}: no JSON, expected objects such as "
        '{"name": "a", "structure": "((...))"}'
    )


def _first(text: str, place: int) -> int:
    """Return the start of the next object; `json.loads` checks commas and the array's end."""
    while place < len(text) and text[place] in " \t\r\n,]":
        place += 1
    return place


def _eterna_puzzle(pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
    """Return the puzzle of an object of Eterna, `{"data": {"puzzle": {...}}}` or a part of it."""
    fields = dict(pairs)
    for key in ("data", "puzzle"):
        if isinstance(fields.get(key), list) and all(isinstance(p, tuple) for p in fields[key]):
            fields = dict(fields[key])
    return fields if "secstruct" in fields else None


def _object(pairs: Any, number: int, source: str) -> Found:
    where = f"{source}: line {number}"
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise InputError(f"{where}: {quoted(pairs)}, expected an object")
    if (puzzle := _eterna_puzzle(pairs)) is not None:
        return eterna_target(puzzle, number, where)
    columns = _columns([key for key, _ in pairs], where)
    fields = dict(zip(columns, (value for _, value in pairs), strict=True))
    several = fields["structure"]
    if isinstance(several, list) and all(isinstance(structure, str) for structure in several):
        fields["structure"] = STRUCTURES.join(several)
    for column in ("structure", "bases", "name", *ASKED):
        value = fields.setdefault(column, "")
        if column == "designs" and type(value) is int:
            value = str(value)
        value = "" if value is None else value
        if not isinstance(value, str):
            expected = "a whole number" if column == "designs" else "text"
            raise InputError(f"{where}: {column} is {quoted(value)}, expected {expected}")
        fields[column] = value.strip()
    structure = without_energy(fields["structure"])
    return Found(fields["name"], number, structure, fields["bases"], _asked(fields))
