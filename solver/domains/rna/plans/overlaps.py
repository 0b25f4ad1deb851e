"""Folds that structures with open positions have in common, counted once."""

from __future__ import annotations

from functools import lru_cache

from solver.domains.rna.text import OPEN, pair_partners

#: Most structures and common ones that are counted: each takes a partition function.
MOST_TERMS = 255


@lru_cache(maxsize=64)
def inclusion_exclusion(structures: tuple[str, ...]) -> dict[str, int] | None:
    """Structures, and what several have in common, by how often their folds are to be counted.

    Then each fold that agrees with any of them counts once. None if these are more than
    `MOST_TERMS`.

    Parameters
    ----------
    structures : tuple of str
        Dot-brackets of the same strands, with N at open positions.
    """
    counts: dict[str, int] = {}
    for structure in structures:
        added = {structure: 1}
        for known, count in counts.items():
            both = in_common(known, structure)
            if both:
                added[both] = added.get(both, 0) - count
        for known, count in added.items():
            counts[known] = counts.get(known, 0) + count
        counts = {known: count for known, count in counts.items() if count}
        if len(counts) > MOST_TERMS:
            return None
    return counts


def in_common(one: str, other: str) -> str:
    """Return the structure that folds have which agree with two, "" where there is none."""
    ends = [pair_partners(marks, "", *range(len(marks))) for marks in (one, other)]
    for a, b, i, j in zip(one, other, *ends, strict=True):
        if OPEN not in (a, b) and (a, i) != (b, j):
            return ""
    marks = "".join(b if a == OPEN else a for a, b in zip(one, other, strict=True))
    wanted = [j if a == OPEN else i for a, i, j in zip(one, *ends, strict=True)]
    # Pairs that cross are read as others.
    return marks if pair_partners(marks, "", *range(len(marks))) == wanted else ""
