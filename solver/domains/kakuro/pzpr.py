"""Kakuro boards as puzz.link and pzv.jp write them: `pzprv3`.

Lines, or parts between slashes, `pzprv3`, `kakuro`, rows, columns, then a row for the clues above
the board and one for each row, whose first entry is the clue left of it. A black cell is
`across,down`, 0 for none; a white one `.`. What follows are values that somebody has filled in,
which are no givens.
"""

from __future__ import annotations

import re

from solver.errors import InputError, quoted, quoted_entry
from solver.system.text_blocks import NumberedLine, whole_number

HEADER = "pzprv3"
#: Sides beyond are not read.
MOST = 10_000


def is_pzpr(text: str) -> bool:
    """Return whether `text` is in this format."""
    return text.lstrip().startswith(HEADER)


def pzpr_rows(text: str, source: str) -> list[NumberedLine]:
    """Return the rows of the board in the format of `solver.domains.kakuro.text`.

    Raises
    ------
    InputError
        If it is another puzzle, or rows or columns are missing.
    """
    lines = [
        (number, part.strip())
        for number, line in enumerate(text.splitlines(), start=1)
        for part in line.split("/")
        if part.strip()
    ]
    for place, expected in enumerate((HEADER, "kakuro")):
        number, found = lines[place] if place < len(lines) else (lines[-1][0], "nothing")
        if found != expected:
            raise InputError(f"{source}: line {number}: found {quoted(found)}, expected {expected}")
    rows, columns = (_side(lines, place, source) for place in (2, 3))
    body = lines[4 : 5 + rows]
    if len(body) <= rows:
        raise InputError(f"{source}: {len(body)} rows, expected {rows + 1} with that of the clues")
    found_rows = []
    for row, (number, line) in enumerate(body):
        entries = line.split()
        where = f"{source}: line {number}"
        if len(entries) != columns + 1:
            raise InputError(f"{where}: {len(entries)} entries, expected {columns + 1}")
        cells = [
            _cell(entry, row == 0, column == 0, f"{where}, entry {column + 1}")
            for column, entry in enumerate(entries)
        ]
        found_rows.append((number, " ".join(cells)))
    return found_rows


def _side(lines: list[NumberedLine], place: int, source: str) -> int:
    number, word = lines[place] if place < len(lines) else (lines[-1][0], "nothing")
    side = whole_number(word, 1, MOST)
    if side is None:
        what = ("rows", "columns")[place - 2]
        raise InputError(f"{source}: line {number}: {quoted(word)}, expected the number of {what}")
    return side


def _cell(entry: str, is_above: bool, is_left: bool, where: str) -> str:
    """Return an entry as `solver.domains.kakuro.text` has it."""
    clues = re.fullmatch(r"(\d{1,6})(?:,(\d{1,6}))?", entry, re.ASCII)
    if entry == "." and not (is_above or is_left):
        return entry
    if clues is None or (clues[2] is None) != (is_above or is_left):
        expected = "a clue" if is_above or is_left else "`.` or clues `across,down`"
        raise InputError(f"{where}: {quoted_entry(entry)}, expected {expected}")
    across, down = int(clues[1]), int(clues[2] or 0)
    if is_above:
        across, down = 0, across
    return f"{down or ''}\\{across or ''}" if across or down else "X"
