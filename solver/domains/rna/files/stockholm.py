"""Families in Stockholm format (Rfam, Infernal): the consensus structure of an alignment.

The structure is the line `#=GC SS_cons` in WUSS notation, without columns of inserts: those that
`#=GC RF` has gaps in, or without that line those where more than half of the sequences have gaps.
A pair that loses an end, or closes less than a hairpin, is left out. The sequences fix nothing
unless it is asked for: then a column is the IUPAC letter of the fewest bases that so many of the
sequences have which have a base there.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from solver.domains.rna.text import IUPAC, MIN_HAIRPIN, PAIRS, Found, Refused, pair_partners
from solver.errors import InputError, quoted
from solver.system.text_blocks import numbered_lines

MARK, END = "# STOCKHOLM", "//"
GAPS = set(".-_~")
#: WUSS: brackets of any kind are nested pairs, these are unpaired; letters are pseudoknots.
_OPEN, _CLOSE, _UNPAIRED = "<([{", ">)]}", set(".,_-:~")
#: IUPAC letters by the bases that they stand for, of fewer bases first.
_LETTERS = {
    frozenset(IUPAC[letter]): letter
    for letter in sorted(set(IUPAC) - {"T"}, key=lambda letter: (len(IUPAC[letter]), letter))
}


def is_stockholm(text: str) -> bool:
    """Return whether `text` is an alignment, or several."""
    return text.lstrip().startswith(MARK)


class _Alignment:
    """Lines of an alignment, those of interleaved blocks joined."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.columns: dict[str, str] = {}
        self.rows: dict[str, str] = {}
        self.number = 0
        """Line of the first piece of the structure."""

    def add(self, number: int, line: str, source: str) -> None:
        """Add a line of the file."""
        words = line.split()
        if words[0] == "#=GF" and len(words) > 2:
            self.names.setdefault(words[1], " ".join(words[2:]))
        elif words[0] == "#=GC" and len(words) == 3:
            self.columns[words[1]] = self.columns.get(words[1], "") + words[2]
            self.number = self.number or (number if words[1] == "SS_cons" else 0)
        elif not line.startswith("#"):
            if len(words) != 2:
                raise InputError(
                    f"{source}: line {number}: {len(words)} words, expected the name of a sequence "
                    "and its letters"
                )
            self.rows[words[0]] = self.rows.get(words[0], "") + words[1]

    @property
    def name(self) -> str:
        """Name of the family, else its accession."""
        return self.names.get("ID", self.names.get("AC", ""))

    def kept(self, n: int) -> list[bool]:
        """Return for each of `n` columns if it is one of the consensus."""
        reference = self.columns.get("RF", "")
        if len(reference) == n:
            return [mark not in GAPS for mark in reference]
        rows = list(self.rows.values())
        return [2 * sum(row[i] in GAPS for row in rows) <= len(rows) for i in range(n)]


def read_stockholm(text: str, source: str, conserved: float = 0.0) -> Iterator[Found | Refused]:
    """Read alignments, each of which ends with `//`.

    Parameters
    ----------
    conserved : float
        Share of the sequences, in per cent, that have the bases which are fixed; 0 fixes none.
    """
    alignment, begun = _Alignment(), 0
    for number, line in numbered_lines(text):
        if begun and line.startswith(END):
            yield _found(alignment, begun, source, conserved)
            line, begun = line.removeprefix(END), 0  # Rfam's first line of the next may follow
        if line.startswith(MARK):
            alignment, begun = _Alignment(), number
        elif line.strip():
            if not begun:
                raise InputError(f"{source}: line {number}: {quoted(line)}, expected {MARK} 1.0")
            alignment.add(number, line, source)
    if begun:
        raise InputError(f"{source}: line {begun}: the alignment is not ended, expected //")


def _found(alignment: _Alignment, begun: int, source: str, conserved: float) -> Found | Refused:
    structure, where = alignment.columns.get("SS_cons", ""), f"{source}: line {alignment.number}"
    try:
        if not structure:
            raise InputError(f"{source}: line {begun}: no structure, expected a line #=GC SS_cons")
        for name, row in alignment.rows.items():
            if len(row) != len(structure):
                raise InputError(
                    f"{where}: a structure of {len(structure)} columns, sequence {quoted(name)} "
                    f"has {len(row)}"
                )
        consensus = _consensus(structure, alignment, where)
        bases = _conserved(consensus, alignment, len(structure), conserved) if conserved else ""
        return Found(alignment.name, alignment.number, consensus, bases)
    except InputError as error:
        return Refused(alignment.name, error)


def _consensus(structure: str, alignment: _Alignment, where: str) -> str:
    """Return the structure in dot-bracket, columns of inserts left out."""
    n = len(structure)
    kept, opened, marks = alignment.kept(n), [], ["."] * n
    before = [0]
    for keeps in kept:
        before.append(before[-1] + keeps)
    for column, mark in enumerate(structure):
        if mark in _OPEN:
            opened.append(column)
        elif mark in _CLOSE:
            if not opened or _OPEN.index(structure[opened[-1]]) != _CLOSE.index(mark):
                raise InputError(f"{where}, column {column + 1}: {mark!r} closes no bracket")
            first = opened.pop()
            far = before[column] - before[first + 1] >= MIN_HAIRPIN
            if kept[first] and kept[column] and far:
                marks[first], marks[column] = "()"
        elif mark not in _UNPAIRED:
            what = "a pseudoknot, which no engine folds, " if mark.isalpha() else ""
            raise InputError(f"{where}, column {column + 1}: {mark!r}, {what}expected WUSS")
    if opened:
        column = opened[-1] + 1
        raise InputError(f"{where}, column {column}: {structure[opened[-1]]!r} is never closed")
    return "".join(mark for mark, keeps in zip(marks, kept, strict=True) if keeps)


def _conserved(structure: str, alignment: _Alignment, n: int, least: float) -> str:
    """Return the letters of the consensus, N at both ends of a pair that they exclude."""
    kept = [column for column, keeps in enumerate(alignment.kept(n)) if keeps]
    rows = [row.upper().replace("T", "U") for row in alignment.rows.values()]
    letters = [_letter(Counter(row[column] for row in rows), least) for column in kept]
    for i, j in enumerate(pair_partners(structure, "")):
        both = itertools.product(IUPAC[letters[i]], IUPAC[letters[j]])
        if i < j and not any(one + other in PAIRS for one, other in both):
            letters[i] = letters[j] = "N"
    return "".join(letters)


def _letter(column: Counter[str], least: float) -> str:
    """Return the letter of the fewest bases that `least` per cent of the sequences have."""
    counts = {letter: count for letter, count in column.items() if letter in IUPAC}
    total = sum(counts.values())
    covered = {
        letter: sum(count for each, count in counts.items() if set(IUPAC[each]) <= bases)
        for bases, letter in _LETTERS.items()
    }
    enough = [letter for letter in covered if 100 * covered[letter] >= least * total > 0]
    return min(enough, key=lambda letter: (len(IUPAC[letter]), -covered[letter]), default="N")
