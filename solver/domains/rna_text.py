"""RNA targets as text: dot-bracket lines, FASTA-like records and tables.

- One structure a line; behind it, on the same line, IUPAC letters may fix bases.
- Records: `>name`, a line of dot-bracket, a line of letters if bases are fixed.
- CSV or TSV with a header that names a column `structure` and perhaps `name` and
  `bases`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import NamedTuple

from solver.errors import InputError

BRACKETS = set("().")
#: Which bases each IUPAC letter stands for.
IUPAC = {
    "A": "A", "C": "C", "G": "G", "U": "U", "T": "U", "R": "AG", "Y": "CU", "S": "CG", "W": "AU",
    "K": "GU", "M": "AC", "B": "CGU", "D": "AGU", "H": "ACU", "V": "ACG", "N": "ACGU",
}  # fmt: skip
PAIRS = ("GC", "CG", "AU", "UA", "GU", "UG")
MIN_HAIRPIN = 3


class RnaTarget(NamedTuple):
    """A structure to fold into."""

    structure: str
    """Dot-bracket."""
    bases: str
    """An IUPAC letter for each position, N where any base will do."""


def new_target(structure: str, bases: str, where: str) -> RnaTarget:
    """Check a structure and its fixed bases; an empty `bases` fixes none.

    Raises
    ------
    InputError
        If a bracket has no partner, a hairpin is too tight, or a pair is impossible.
    """
    partners = pair_partners(structure, where)
    bases = bases.upper().replace("T", "U") or "N" * len(structure)
    if len(bases) != len(structure):
        raise InputError(f"{where}: {len(bases)} bases, expected {len(structure)}, one a position")
    for position, letter in enumerate(bases, start=1):
        if letter not in IUPAC:
            raise InputError(
                f"{where}, position {position}: {letter!r}, expected one of {' '.join(IUPAC)}"
            )
    for position, partner in enumerate(partners):
        if partner > position:
            one, other = IUPAC[bases[position]], IUPAC[bases[partner]]
            if not any(pair[0] in one and pair[1] in other for pair in PAIRS):
                raise InputError(
                    f"{where}: positions {position + 1} and {partner + 1} are a pair, "
                    f"{bases[position]} and {bases[partner]} cannot be"
                )
    return RnaTarget(structure, bases)


def pair_partners(structure: str, where: str) -> list[int]:
    """Position that each position is paired with, -1 where it is not."""
    partners = [-1] * len(structure)
    opened: list[int] = []
    if not structure:
        raise InputError(f"{where}: an empty structure")
    for position, character in enumerate(structure):
        if character not in BRACKETS:
            raise InputError(f"{where}, position {position + 1}: {character!r}, expected ( ) or .")
        if character == "(":
            opened.append(position)
        elif character == ")":
            if not opened:
                raise InputError(f"{where}, position {position + 1}: ')' closes no '('")
            partner = opened.pop()
            if position - partner <= MIN_HAIRPIN:
                raise InputError(
                    f"{where}, position {partner + 1}: the pair encloses "
                    f"{position - partner - 1} bases, expected {MIN_HAIRPIN} or more"
                )
            partners[position], partners[partner] = partner, position
    if opened:
        raise InputError(f"{where}, position {opened[-1] + 1}: '(' is never closed")
    return partners


def parse_targets(text: str, source: str) -> list[tuple[str, RnaTarget]]:
    """Read every named target in `text`.

    Raises
    ------
    InputError
        With the line, and the position in a structure, of what is wrong.
    """
    rows = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [(n, line.strip()) for n, line in rows]
    if not lines:
        raise InputError(f"{source}: no structure found, expected dot-bracket")
    first = lines[0][1]
    delimiter = "\t" if "\t" in first else ","
    if "structure" in first.lower() and "structure" in _header(rows, delimiter):
        found = _table(rows, delimiter, source)
    elif first.startswith(">"):
        found = _records(lines, source)
    else:
        found = _plain(lines, source)
    targets: list[tuple[str, RnaTarget]] = []
    for name, number, structure, bases in found:
        label = name or (source if not targets else f"{source}#{len(targets) + 1}")
        targets.append((label, new_target(structure, bases, f"{source}: line {number}")))
    return targets


Found = Iterator[tuple[str, int, str, str]]
"""Name, line, structure and bases."""


def _header(rows: list[tuple[int, str]], delimiter: str) -> list[str]:
    (row,) = csv.reader([rows[0][1]], delimiter=delimiter)
    return [column.strip().lower() for column in row]


def _table(rows: list[tuple[int, str]], delimiter: str, source: str) -> Found:
    header = _header(rows, delimiter)
    for number, line in rows[1:]:
        (row,) = csv.reader([line], delimiter=delimiter)
        if len(row) != len(header):
            raise InputError(f"{source}: line {number}: {len(row)} fields, expected {len(header)}")
        fields = {column: field.strip() for column, field in zip(header, row, strict=True)}
        yield fields.get("name", ""), number, fields["structure"], fields.get("bases", "")


def _records(lines: list[tuple[int, str]], source: str) -> Found:
    starts = [index for index, (_, line) in enumerate(lines) if line.startswith(">")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        number, name = lines[start]
        body = lines[start + 1 : end]
        if not 1 <= len(body) <= 2:
            raise InputError(
                f"{source}: line {number}: {len(body)} lines follow, expected a structure "
                "and perhaps a line of fixed bases"
            )
        yield name[1:].strip(), body[0][0], body[0][1], body[1][1] if len(body) == 2 else ""


def _plain(lines: list[tuple[int, str]], source: str) -> Found:
    for number, line in lines:
        structure, *rest = line.split()
        if len(rest) > 1:
            raise InputError(
                f"{source}: line {number}: {1 + len(rest)} words, expected a structure "
                "and perhaps fixed bases"
            )
        yield "", number, structure, "".join(rest)


def format_target(name: str, target: RnaTarget) -> str:
    """Write `target` as a record that `parse_targets` reads."""
    fixed = "" if set(target.bases) <= {"N"} else f"{target.bases}\n"
    return f">{name}\n{target.structure}\n{fixed}"
