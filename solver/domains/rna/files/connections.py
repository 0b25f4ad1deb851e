"""Structures as lists of pairs: connect tables (`.ct`), `.bpseq`, and dot-bracket from pairs.

Of both formats the letters are those of the sequence that has the structure; as above a structure
of RNAfold they fix nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from solver.domains.rna.text import Found, Refused
from solver.errors import InputError, quoted
from solver.system.text_blocks import NumberedLine, whole_number

#: A longer structure is a slip of a file.
MOST_POSITIONS = 1_000_000
_CT_HEADER = re.compile(r"\s*(\d{1,7})\b(?:\s+(.*))?$", re.ASCII)
_CT_ROW = re.compile(r"\s*1\s+[A-Za-z]\s+0\s+\d+\s+\d+\s+\d+\b", re.ASCII)
_BPSEQ_ROW = re.compile(r"\s*1\s+[A-Za-z]\s+\d+\s*$", re.ASCII)
#: Energies and counts in a title, which are no name.
_ENERGY = re.compile(r"\b(?:ENERGY|dG)\s*=\s*[-+]?[\d.]+(?:\s*kcal/mol)?|\[initially[^\]]*\]", re.I)


def dot_bracket(partners: Mapping[int, int], lines: Sequence[int], source: str) -> str:
    """Return the structure with pairs `partners`, positions from 1.

    Parameters
    ----------
    partners : mapping of int to int
        The other end of each position that is paired.
    lines : sequence of int
        The line of each position in `source`.

    Raises
    ------
    InputError
        If the pair of a position is not that of its partner, or pairs cross.
    """
    marks, opened = ["."] * len(lines), []
    for position, number in enumerate(lines, 1):
        partner, where = partners.get(position, 0), f"{source}: line {number}"
        if not partner:
            continue
        if partner == position or partners.get(partner, 0) != position:
            raise InputError(
                f"{where}: position {position} is paired with {partner}, which is paired with "
                f"{partners.get(partner, 0) or 'none'}, expected the same pair at both"
            )
        if partner > position:
            opened.append(position)
            marks[position - 1] = "("
            continue
        last = opened.pop()
        if last != partner:
            raise InputError(
                f"{source}: line {lines[partner - 1]}: the pairs {partner}-{position} and "
                f"{last}-{partners[last]} cross, a pseudoknot, which no engine folds"
            )
        marks[position - 1] = ")"
    return "".join(marks)


def is_ct(lines: list[NumberedLine]) -> bool:
    """Return whether lines begin a connect table: a count of bases, then a row of six columns."""
    return len(lines) > 1 and bool(_CT_HEADER.match(lines[0][1]) and _CT_ROW.match(lines[1][1]))


def is_bpseq(lines: list[NumberedLine]) -> bool:
    """Return whether lines are `.bpseq`, below lines of the form `Filename: x.bpseq`."""
    rows = _without_titles(lines)
    return bool(rows) and _BPSEQ_ROW.match(rows[0][1]) is not None


def _without_titles(lines: list[NumberedLine]) -> list[NumberedLine]:
    """Leave out lines such as `Organism: E. coli`, which stand above the rows."""
    first = next((i for i, (_, line) in enumerate(lines) if ":" not in line), len(lines))
    return lines[first:]


def read_ct(lines: list[NumberedLine], source: str) -> Iterator[Found | Refused]:
    """Read connect tables one below the other: a count and a title, then a row a position."""
    index = 0
    while index < len(lines):
        number, line = lines[index]
        header = _CT_HEADER.match(line)
        if header is None:
            raise InputError(
                f"{source}: line {number}: {quoted(line.strip())}, expected the number of bases "
                "and a title"
            )
        n = int(header[1])
        rows = lines[index + 1 : index + 1 + n]
        index += 1 + n
        name = " ".join(_ENERGY.sub(" ", header[2] or "").split())
        try:
            if len(rows) < n or n == 0:
                raise InputError(f"{source}: line {number}: {len(rows)} rows follow, expected {n}")
            pairs = dict(_row(row, 6, 4, place, n, source) for place, row in enumerate(rows, 1))
            structure = dot_bracket(pairs, [row for row, _ in rows], source)
            yield Found(name, number, structure, "")
        except InputError as error:
            yield Refused(name, error)


def read_bpseq(lines: list[NumberedLine], source: str) -> Iterator[Found | Refused]:
    """Read `.bpseq`: position, base and partner, 0 for none, in each row; one target."""
    rows = _without_titles(lines)
    n = len(rows)
    pairs = dict(_row(row, 3, 2, place, n, source) for place, row in enumerate(rows, 1))
    structure = dot_bracket(pairs, [number for number, _ in rows], source)
    yield Found("", rows[0][0], structure, "")


def _row(
    row: NumberedLine, least: int, column: int, place: int, n: int, source: str
) -> tuple[int, int]:
    """Return a position and its partner, 0 for none, of the row of position `place` of `n`."""
    number, line = row
    words, where = line.split(), f"{source}: line {number}"
    if len(words) < least:
        raise InputError(f"{where}: {len(words)} columns, expected {least}")
    if whole_number(words[0], 1, MOST_POSITIONS) != place:
        raise InputError(f"{where}: position {quoted(words[0])}, expected {place}")
    if len(words[1]) != 1 or not words[1].isalpha():
        raise InputError(f"{where}: {quoted(words[1])}, expected the letter of a base")
    partner = whole_number(words[column], 0, n)
    if partner is None:
        raise InputError(
            f"{where}: partner {quoted(words[column])}, expected 0 ... {n}, 0 where there is none"
        )
    return place, partner
