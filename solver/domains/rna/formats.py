"""Files of RNA targets: lines, records, tables, and what ViennaRNA and DesiRNA read and write.

The first line that is neither blank nor a comment (`#`) tells the format.

Lines
    A structure in dot-bracket; behind it, on the same line, IUPAC letters may fix bases. A name
    stands before it, separated by a TAB. A line of letters *below* a structure is RNAinverse's
    start sequence: lower case is fixed, A C G U T and N in capitals are free, missing letters are
    N. Capitals alone could also be meant to fix bases: they are refused unless all are N. A line
    `@` may end the file.
RNAfold's output
    If the first line is letters, each structure has the sequence that it was folded from *above*
    it. That is no constraint.
Records
    `>name`, a structure, and below it a line of IUPAC letters if bases are fixed, in either
    case. Or, as RNAfold has it, a sequence above the structure, which is no constraint.
DesiRNA's input
    If any line is `>sec_struct`: sections `>name`, `>sec_struct` and `>seq_restr` of one line
    each, in any order; a section that comes again begins the next target.
Tables
    CSV or TSV with a header. `COLUMNS` lists the names of a column; its letters, of a column
    called `sequence` too, fix bases.
JSON
    An object for each target, in lines or as an array. Its keys are named as columns are.

An energy behind a structure, as in `((((....)))) (-3.40)`, is left out in all of them. Letters
above a structure must be A C G U T alone: others would be a constraint, whose place is below.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from solver.domains.rna.text import BRACKETS, IUPAC, RnaTarget, new_target
from solver.errors import InputError, quoted
from solver.system.text_blocks import NumberedLine, content_lines

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
}  # fmt: skip
#: Columns that say nothing of a target.
NOT_READ = ("number", "index", "length", "energy", "comment", "note", "notes", "source", "author")
SECTIONS = (">name", ">sec_struct", ">seq_restr")
#: Sections of DesiRNA for what is not solved here.
OTHER_SECTIONS = (">seed_seq", ">alt_sec_struct")

#: What structures begin with, those with pseudoknots too, and no title of a column.
OPENINGS = (".", "(", ")", "[", "{", "<")

_ENERGY = re.compile(r"\s*\(\s*[-+]?\d{1,6}(\.\d{0,6})?\s*\)", re.ASCII)
#: A structure with pseudoknots may begin with the same brackets, and has no quotation marks.
_JSON = re.compile(r"\s*\[?\s*\{\s*\"")
_PLAIN_BASES = set("ACGUTacgut")


class Found(NamedTuple):
    """A target as it is written."""

    name: str
    number: int
    """Line of the structure."""
    structure: str
    bases: str


def parse_targets(text: str, source: str) -> list[tuple[str, RnaTarget]]:
    """Read every named target in `text`.

    Raises
    ------
    InputError
        With the line, and the position in a structure, of what is wrong.
    """
    lines = content_lines(text)
    targets: list[tuple[str, RnaTarget]] = []
    found = _objects(text, source) if _JSON.match(text) else _read(lines, source) if lines else ()
    for name, number, structure, bases in found:
        label = name or (source if not targets else f"{source}#{len(targets) + 1}")
        targets.append((label, new_target(structure, bases, f"{source}: line {number}")))
    if not targets:
        raise InputError(f"{source}: no structure found, expected dot-bracket")
    return targets


def _read(lines: list[NumberedLine], source: str) -> Iterator[Found]:
    """Read the format that the first line tells."""
    delimiter = _delimiter(lines[0][1])
    if delimiter or _column(lines[0][1]) == "structure":
        return _table(lines, delimiter or ",", source)
    lines = [(number, line.strip()) for number, line in lines]
    if any(line.lower() == ">sec_struct" for _, line in lines):
        return _sections(lines, source)
    if lines[0][1].startswith(">"):
        return _records(lines, source)
    return _plain(_until_end(lines, source), source)


def _is_structure(word: str) -> bool:
    return bool(word) and set(word) <= BRACKETS


def _is_letters(line: str) -> bool:
    """Whether `line` is one word of letters that can only be bases."""
    return line.isascii() and line.isalpha() and set(line.upper()) <= set(IUPAC)


def _without_energy(text: str) -> str:
    """`text` without the energy that follows a structure, if one does."""
    structure = re.match(r"[().]+", text)
    if structure and _ENERGY.fullmatch(text, structure.end()):
        return structure[0]
    # The match above takes the bracket of an energy that follows without a blank.
    if structure and _ENERGY.fullmatch(text, structure.end() - 1):
        return structure[0][:-1]
    return text


def _check_sequence(sequence: str, structure: str, number: int, source: str) -> None:
    """Raise `InputError` if what stands above a structure is not what was folded into it."""
    where = f"{source}: line {number}"
    for position, letter in enumerate(sequence, start=1):
        if letter not in _PLAIN_BASES:
            raise InputError(
                f"{where}, position {position}: {letter!r} above a structure, expected the "
                "sequence that was folded into it, of A C G U; letters that fix bases stand below"
            )
    if len(sequence) != len(structure):
        raise InputError(
            f"{where}: {len(sequence)} bases above a structure of {len(structure)}, expected the "
            "sequence that was folded into it"
        )


# Tables


def _delimiter(line: str) -> str:
    """What separates the columns if `line` is a header, which holds no structure; else nothing."""
    for delimiter in ("\t", ",", ";"):
        if delimiter in line:
            fields = [field.strip(' "') for field in line.split(delimiter)]
            values = any(field.startswith(OPENINGS) for field in fields)
            return "" if values or line.startswith(">") else delimiter
    return ""


def _column(title: str) -> str | None:
    """Which of `COLUMNS` is called `title`, "" for one that is not read; None if it is unknown."""
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
        column = _column(title)
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


def _table(lines: list[NumberedLine], delimiter: str, source: str) -> Iterator[Found]:
    columns = _header(lines[0][1], delimiter, f"{source}: line {lines[0][0]}")
    for number, line in lines[1:]:
        where = f"{source}: line {number}"
        row = _fields(line, delimiter, where)
        if len(row) != len(columns):
            raise InputError(f"{where}: {len(row)} fields, expected {len(columns)}")
        fields = dict(zip(columns, row, strict=True))
        structure = _without_energy(fields["structure"])
        yield Found(fields.get("name", ""), number, structure, fields.get("bases", ""))


# JSON


def _objects(text: str, source: str) -> Iterator[Found]:
    """Read objects that follow each other, or an array of them."""
    decoder = json.JSONDecoder(object_pairs_hook=list)  # pairs: a key may stand twice
    place = 0
    try:
        if text.lstrip().startswith("["):
            json.loads(text)
            place = text.index("[") + 1
        while (begin := _first(text, place)) < len(text):
            pairs, place = decoder.raw_decode(text, begin)
            yield _object(pairs, text.count("\n", 0, begin) + 1, source)
    except (ValueError, RecursionError) as error:  # also integers of thousands of digits
        if isinstance(error, InputError):
            raise
        number = text.count("\n", 0, getattr(error, "pos", place)) + 1
        raise InputError(
            f"{source}: line {number}: no JSON, expected objects such as "
            '{"name": "a", "structure": "((...))"}'
        ) from None


def _first(text: str, place: int) -> int:
    """Where the next object begins; commas and the array's end are `json.loads`'s to check."""
    while place < len(text) and text[place] in " \t\r\n,]":
        place += 1
    return place


def _object(pairs: Any, number: int, source: str) -> Found:
    where = f"{source}: line {number}"
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise InputError(f"{where}: {quoted(pairs)}, expected an object")
    columns = _columns([key for key, _ in pairs], where)
    fields = dict(zip(columns, (value for _, value in pairs), strict=True))
    for column in ("structure", "bases", "name"):
        value = fields.setdefault(column, "") or ""
        if not isinstance(value, str):
            raise InputError(f"{where}: {column} is {quoted(value)}, expected text")
        fields[column] = value.strip()
    return Found(fields["name"], number, _without_energy(fields["structure"]), fields["bases"])


# Records and sections


def _records(lines: list[NumberedLine], source: str) -> Iterator[Found]:
    starts = [index for index, (_, line) in enumerate(lines) if line.startswith(">")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        number, title = lines[start]
        name, body = title[1:].strip(), lines[start + 1 : end]
        if not 1 <= len(body) <= 2:
            raise InputError(
                f"{source}: line {number}: {len(body)} lines follow, expected a structure "
                "and perhaps a line of fixed bases"
            )
        (first, above), (last, below) = body[0], body[-1]
        structure = _without_energy(below)
        if len(body) == 2 and _is_letters(above) and _is_structure(structure):
            _check_sequence(above, structure, first, source)
            yield Found(name, last, structure, "")
        else:
            yield Found(name, first, _without_energy(above), below if len(body) == 2 else "")


def _sections(lines: list[NumberedLine], source: str) -> Iterator[Found]:
    """Read DesiRNA's input."""
    found: dict[str, NumberedLine] = {}
    index = 0
    while index < len(lines):
        number, title = lines[index]
        where = f"{source}: line {number}"
        section = title.lower()
        if section in OTHER_SECTIONS:
            raise InputError(f"{where}: {section} is for what is not solved here, take it out")
        if section not in SECTIONS:
            raise InputError(f"{where}: {quoted(title)}, expected one of: {' '.join(SECTIONS)}")
        if index + 1 == len(lines) or lines[index + 1][1].startswith(">"):
            raise InputError(f"{where}: nothing follows {section}, expected a line")
        if section in found:
            yield _target_of(found, source)
            found = {}
        found[section] = lines[index + 1]
        index += 2
    yield _target_of(found, source)


def _target_of(found: dict[str, NumberedLine], source: str) -> Found:
    if ">sec_struct" not in found:
        number = min(number for number, _ in found.values())
        raise InputError(f"{source}: line {number}: no >sec_struct for this target")
    number, structure = found[">sec_struct"]
    name, bases = (found.get(section, (0, ""))[1] for section in (">name", ">seq_restr"))
    return Found(name, number, _without_energy(structure), bases)


# Lines


def _until_end(lines: list[NumberedLine], source: str) -> list[NumberedLine]:
    """Lines before `@`, which ends the input of RNAinverse."""
    for index, (number, line) in enumerate(lines):
        if line == "@":
            if lines[index + 1 :]:
                raise InputError(f"{source}: line {number}: `@` ends the targets, but lines follow")
            return lines[:index]
    return lines


def _plain(lines: list[NumberedLine], source: str) -> Iterator[Found]:
    folded = bool(lines) and _is_letters(lines[0][1])
    index = 0
    while index < len(lines):
        number, line = lines[index]
        index += 1
        above = (number, line)
        if folded:
            if not _is_letters(line) or index == len(lines):
                raise InputError(
                    f"{source}: line {number}: {quoted(line)}, expected a sequence and on "
                    "the line below its structure, as the file begins with letters"
                )
            number, line = lines[index]
            index += 1
        found = _structure_line(number, line, source)
        if folded:
            if found.bases:
                raise InputError(f"{source}: line {number}: bases above and behind a structure")
            _check_sequence(above[1], found.structure, above[0], source)
        elif index < len(lines) and _is_letters(lines[index][1]):
            found = found._replace(bases=_start_sequence(found, *lines[index], source))
            index += 1
        yield found


def _structure_line(number: int, line: str, source: str) -> Found:
    """Read a structure, perhaps with a name and a TAB before it, with fixed bases behind it."""
    name, tab, rest = line.partition("\t")
    if not tab or _is_structure(_without_energy(name.strip()).split(None, 1)[0]):
        name, rest = "", line
    words = _without_energy(rest.strip()).split()
    if len(words) > 2 or not words:
        raise InputError(
            f"{source}: line {number}: {len(words)} words, expected a structure and perhaps "
            "fixed bases, and a name only with a TAB behind it"
        )
    return Found(name.strip(), number, words[0], "".join(words[1:]))


def _start_sequence(found: Found, number: int, letters: str, source: str) -> str:
    """Return the bases that RNAinverse's start sequence fixes."""
    where = f"{source}: line {number}"
    if found.bases:
        raise InputError(f"{where}: bases below a structure that has some behind it")
    if len(letters) > len(found.structure):
        raise InputError(
            f"{where}: {len(letters)} bases, expected {len(found.structure)} at most, one a "
            "position"
        )
    if letters.isupper() and set(letters) != {"N"}:
        raise InputError(
            f"{where}: capitals below a structure are free for RNAinverse: write the bases to "
            "be fixed in lower case, or behind the structure on its line"
        )
    for position, letter in enumerate(letters, start=1):
        if letter.isupper() and letter not in "ACGUTN":
            raise InputError(
                f"{where}, position {position}: {letter!r}, expected A C G U or N where the base "
                "is free, and lower case where it is fixed"
            )
    bases = "".join(letter if letter.islower() else "N" for letter in letters)
    return bases.ljust(len(found.structure), "N")
