"""Checks of a sequence against the requests, by its letters alone.

The process that refolds designs imports this: nothing of the search, no compiled code.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from solver.domains.rna.plans.table import Table, tables_missing
from solver.domains.rna.text import IUPAC

#: Energies are multiples of 0.01 kcal/mol, shares of GC of 1 / n.
SAME = 1e-6
#: Missing request where there was not the time to list the second-best structure.
GAP_UNKNOWN = "the gap took too long to find out"


class Requirements(NamedTuple):
    """Requirements on a sequence; they travel between processes as JSON."""

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
    within: float = 1.0
    """Energy that each structure of a switch has above the fold, at most, in kcal/mol."""
    nick: int = 0
    """Bases of the first of two strands, 0 where there is one: motifs lie in one strand."""
    presets: Sequence[str] = ()
    """Words of the forbidden motifs that may occur where the bases force them."""
    permitted: Sequence[tuple[str, int]] = ()
    """Patterns of these, and positions, from 1, at which they begin in every design."""
    quadruplex: bool = True
    """True if the fold may be another one with quadruplexes of G."""
    bases: str = ""
    """IUPAC letters of the target, empty where none is fixed: to name those that misfold."""
    cuts: Sequence[int] = ()
    """Positions at which further strands begin, in a target of states: as `nick`."""
    tables: Sequence[Table] = ()
    """Letters that are one of a list of words."""
    window: Sequence[float] = ()
    """Least and most share of G and C, in per cent, and number of bases of each window."""
    shared: int = 0
    """Bases of the longest stretch in common with another sequence, 0 for any."""
    foreign: Sequence[str] = ()
    """Sequences, besides `others`, whose stretches must not be shared."""
    concentration: float = 0.0
    """Concentration of each of two strands, in umol/L; 0 to leave out what is bound."""


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


def in_one_strand(start: int, length: int, requirements: Requirements) -> bool:
    """Return whether a stretch from `start`, from 0, lies within one strand."""
    cuts = (requirements.nick, *requirements.cuts)
    return not any(start < cut < start + length for cut in cuts)


def occurrences(patterns: Sequence[str], sequence: str, requirements: Requirements) -> list[int]:
    """Positions, from 1, at which a forbidden motif begins, those that are permitted left out."""
    permitted = set(map(tuple, requirements.permitted))
    found: set[int] = set()
    for pattern in patterns:
        found.update(
            place
            for place in places_of([pattern], sequence)
            if (pattern, place) not in permitted
            and in_one_strand(place - 1, len(pattern), requirements)
        )
    return sorted(found)


def missing_of(sequence: str, requirements: Requirements) -> list[str]:
    """Return the `requirements` that a sequence fails, other than fold and gap."""
    missing = tables_missing(sequence, requirements.tables)
    least, most = requirements.gc
    gc = gc_percent(sequence)
    if not least - SAME <= gc <= most + SAME:
        missing.append(f"GC is {gc:.1f} %, expected {least:g}-{most:g} %")
    for start in windows_off(sequence, requirements)[:1]:
        least, most, length = requirements.window
        gc = gc_percent(sequence[start : start + int(length)])
        missing.append(
            f"GC is {gc:.1f} % at {start + 1}-{start + int(length)}, expected {least:g}-{most:g} %"
        )
    for word, patterns in requirements.forbidden:
        for place in occurrences(patterns, sequence, requirements)[:1]:
            missing.append(f"{word} occurs at position {place}, forbidden")
    for word, patterns in requirements.required:
        if not any(
            in_one_strand(place - 1, len(pattern), requirements)
            for pattern in patterns
            for place in places_of([pattern], sequence)
        ):
            missing.append(f"{word} does not occur, required")
    for start in shared_at(sequence, requirements)[:1]:
        stretch = sequence[start : start + requirements.shared + 1]
        missing.append(
            f"{stretch} at position {start + 1} is shared, expected {requirements.shared} bases "
            "at most"
        )
    near = [hamming_distance(sequence, other) for other in requirements.others]
    if near and min(near) < requirements.distance:
        number, least_distance = near.index(min(near)) + 1, requirements.distance
        missing.append(
            f"distance {min(near)} to design {number}, expected {least_distance} or more"
        )
    return missing


def windows_off(sequence: str, requirements: Requirements) -> list[int]:
    """Positions, from 0, at which a window within one strand begins whose GC is out of range."""
    if not requirements.window:
        return []
    least, most, size = requirements.window
    length = int(size)
    strong = [0]
    for base in sequence:
        strong.append(strong[-1] + (base in "GC"))
    return [
        start
        for start in range(len(sequence) - length + 1)
        if not least - SAME
        <= 100 * (strong[start + length] - strong[start]) / length
        <= most + SAME
        and in_one_strand(start, length, requirements)
    ]


def shared_at(sequence: str, requirements: Requirements) -> list[int]:
    """Positions, from 0, at which a stretch begins that is too long to be shared, and is.

    Stretches of fixed bases alone are left out, as those of primers are.
    """
    known = _stretches(requirements)
    if not known:
        return []
    length = requirements.shared + 1
    return [
        start
        for start in range(len(sequence) - length + 1)
        if sequence[start : start + length] in known
        and in_one_strand(start, length, requirements)
        and not is_fixed(requirements.bases[start : start + length])
    ]


def is_fixed(letters: str) -> bool:
    """Return whether each of some IUPAC letters, not none, stands for one base."""
    return bool(letters) and all(len(IUPAC[letter]) == 1 for letter in letters)


def _stretches(requirements: Requirements) -> frozenset[str]:
    """Stretches of `shared` + 1 bases of other sequences, and their reverse complements."""
    if not requirements.shared:
        return frozenset()
    sequences = (*requirements.others, *requirements.foreign)
    return stretches_of(sequences, requirements.shared + 1)


@functools.lru_cache(maxsize=8)
def stretches_of(sequences: tuple[str, ...], length: int) -> frozenset[str]:
    """Stretches of `length` bases of sequences, and their reverse complements."""
    turned = str.maketrans("ACGU", "UGCA")
    found = {s[i : i + length] for s in sequences for i in range(len(s) - length + 1)}
    return frozenset(found | {stretch.translate(turned)[::-1] for stretch in found})


def gap_missing(gap: float | None, requirements: Requirements) -> list[str]:
    """Return the failed request on `gap`, in kcal/mol or None (unknown, or beyond all lists)."""
    if gap is None or gap >= requirements.gap - SAME:
        return []
    return [f"gap is {gap:.2f} kcal/mol, expected {requirements.gap:g} or more"]


def within_missing(
    energies: Sequence[float], lowest: float, requirements: Requirements
) -> list[str]:
    """Say which structures of a switch lie too far above the fold; energies in kcal/mol."""
    return [
        f"structure {number} is {energy - lowest:.2f} kcal/mol above the fold, expected "
        f"{requirements.within:g} at most"
        for number, energy in enumerate(energies, start=1)
        if energy - lowest > requirements.within + SAME
    ]
