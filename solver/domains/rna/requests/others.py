"""Files that requests name: sequences not to share stretches with, and the usage of codons."""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path

from solver.errors import FieldError, quoted
from solver.system.files import read_text

#: More stretches take the search too long.
MOST_STRETCHES = 50_000
_CODONS = ["".join(bases) for bases in itertools.product("UCAG", repeat=3)]
#: A number that ends where it seems to: neither with a decimal comma nor with more letters.
_NUMBER = r"(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+(?!,\d))(?![\w.])"
#: A codon, the residue that it codes for where that is said, and its number.
_USAGE = re.compile(rf"([ACGTUacgtu]{{3}})[\s,;=]+(?:[A-Z*]\s+)?{_NUMBER}")


@functools.cache
def read_foreign(path: str) -> tuple[str, ...]:
    """Read sequences from FASTA, or from lines.

    Raises
    ------
    FieldError
        With the line of what is wrong.
    """
    sequences: list[str] = []
    text = read_text(Path(path))
    in_records, begun = text.lstrip().startswith(">"), False
    for number, line in enumerate(text.splitlines(), start=1):
        letters = line.strip().upper().replace("T", "U")
        if line.startswith(">"):
            begun = False
        elif letters:
            if wrong := next((c for c in letters if c not in "ACGU"), ""):
                found = f"{quoted(wrong)}, expected A, C, G and U"
                raise FieldError("apart_from", f"is {path}: line {number}: {found}")
            if begun:
                sequences[-1] += letters
            else:
                sequences.append(letters)
            begun = in_records
    if not sequences:
        raise FieldError("apart_from", f"is {path}, which has no sequence")
    total = sum(map(len, sequences))
    if total > MOST_STRETCHES:
        raise FieldError(
            "apart_from", f"is {path} of {total:,} bases, expected {MOST_STRETCHES:,} at most"
        )
    return tuple(sequences)


@functools.cache
def read_usage(path: str) -> dict[str, float]:
    """Read how often each codon is used: `UUU 22.3` as often as there are codons, in any layout.

    Raises
    ------
    FieldError
        If a codon is not in it, or twice.
    """
    found: dict[str, float] = {}
    for match in _USAGE.finditer(read_text(Path(path))):
        codon = match[1].upper().replace("T", "U")
        if codon in found:
            raise FieldError("codon_usage", f"is {path}, which has two numbers for {codon}")
        found[codon] = float(match[2])
    missing = [codon for codon in _CODONS if codon not in found]
    if missing:
        raise FieldError(
            "codon_usage",
            f"is {path}, which has no number for {', '.join(missing[:3])}"
            + (" and others" if len(missing) > 3 else "")
            + ", expected lines such as UUU 22.3",
        )
    return found
