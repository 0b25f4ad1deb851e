"""Whether a sequence is what was asked for, from its letters alone.

The process that refolds designs imports this: nothing of the search, no compiled code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from solver.domains.rna.text import IUPAC

#: Energies are multiples of 0.01 kcal/mol, shares of GC of 1 / n.
SAME = 1e-6


class Wanted(NamedTuple):
    """What is asked of a sequence; it travels between processes as JSON."""

    gc: tuple[float, float] = (0.0, 100.0)
    """Least and most share of G and C, in per cent."""
    forbidden: Sequence[tuple[str, Sequence[str]]] = ()
    """Motifs as they were written, and their patterns in IUPAC letters."""
    required: Sequence[tuple[str, Sequence[str]]] = ()
    others: Sequence[str] = ()
    """Sequences that it must differ from."""
    distance: int = 1
    """Positions at which it must do so."""
    gap: float = 0.0
    """Energy of every other structure above that of its fold, in kcal/mol."""


def gc_percent(sequence: str) -> float:
    """Share of G and C in per cent."""
    return 100.0 * sum(base in "GC" for base in sequence) / len(sequence)


def hamming_distance(one: str, other: str) -> int:
    """Positions at which two sequences of one length differ."""
    return sum(a != b for a, b in zip(one, other, strict=True))


def places_of(patterns: Sequence[str], sequence: str) -> list[int]:
    """Positions, from 1, at which an occurrence of one of `patterns` begins."""
    found: set[int] = set()
    for pattern in patterns:
        letters = "".join(f"[{IUPAC[letter]}]" for letter in pattern)
        found.update(match.start() + 1 for match in re.finditer(f"(?={letters})", sequence))
    return sorted(found)


def missing_of(sequence: str, wanted: Wanted) -> list[str]:
    """Say what of `wanted` a sequence is not, its fold and gap apart."""
    missing = []
    least, most = wanted.gc
    gc = gc_percent(sequence)
    if not least - SAME <= gc <= most + SAME:
        missing.append(f"GC is {gc:.1f} %, wanted {least:g}-{most:g} %")
    for word, patterns in wanted.forbidden:
        for place in places_of(patterns, sequence)[:1]:
            missing.append(f"{word} occurs at position {place}, forbidden")
    for word, patterns in wanted.required:
        if not places_of(patterns, sequence):
            missing.append(f"{word} does not occur, required")
    near = [hamming_distance(sequence, other) for other in wanted.others]
    if near and min(near) < wanted.distance:
        missing.append(
            f"distance {min(near)} to design {near.index(min(near)) + 1}, wanted {wanted.distance}"
        )
    return missing


def gap_missing(gap: float | None, wanted: Wanted) -> list[str]:
    """Say what a gap, in kcal/mol, falls short of; None where it is unknown or beyond all lists."""
    if gap is None or gap >= wanted.gap - SAME:
        return []
    return [f"gap is {gap:.2f} kcal/mol, wanted {wanted.gap:g}"]
