"""Distance of a sequence from the requests on its letters, and positions to change."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from solver.domains.rna.requests.check import (
    Requirements,
    hamming_distance,
    in_one_strand,
    occurrences,
    shared_at,
    windows_off,
)
from solver.domains.rna.requests.options import gc_counts
from solver.domains.rna.text import IUPAC


class Lack(NamedTuple):
    """Deviation of a sequence from the requests on its letters."""

    size: int
    """0 where nothing lacks: bases of G and C too many or too few, occurrences of forbidden motifs,
    bases to change for a required one, differences that lack to each of the others, windows whose
    GC is out of range, stretches that are shared."""
    positions: list[int]
    """Positions of one kind of lack at which a change may help; none where nothing lacks."""


def lack_of(sequence: str, requirements: Requirements, random: Random) -> Lack:
    """Return the lack of `sequence`; consumes `random` where it fails several kinds of requests."""
    kinds = [_gc(sequence, requirements), *_forbidden(sequence, requirements)]
    kinds += [*_required(sequence, requirements), *_too_near(sequence, requirements)]
    kinds += [_windows(sequence, requirements), _shared(sequence, requirements)]
    lacking = [kind for kind in kinds if kind.size]
    if not lacking:
        return Lack(0, [])
    chosen = lacking[0] if len(lacking) == 1 else random.choice(lacking)
    return Lack(sum(kind.size for kind in lacking), chosen.positions)


def _gc(sequence: str, requirements: Requirements) -> Lack:
    fewest, most = gc_counts(requirements.gc, len(sequence))
    strong = sum(base in "GC" for base in sequence)
    if fewest <= strong <= most:
        return Lack(0, [])
    unwanted = "AU" if strong < fewest else "GC"
    places = [i for i, base in enumerate(sequence) if base in unwanted]
    return Lack(max(fewest - strong, strong - most), places)


def _forbidden(sequence: str, requirements: Requirements) -> list[Lack]:
    found = []
    for _, patterns in requirements.forbidden:
        for pattern in patterns:
            starts = occurrences([pattern], sequence, requirements)
            places = sorted({start - 1 + i for start in starts for i in range(len(pattern))})
            found.append(Lack(len(starts), places))
    return found


def _required(sequence: str, requirements: Requirements) -> list[Lack]:
    """Return for each motif the place that needs the fewest changes."""
    found = []
    for _, patterns in requirements.required:
        best = Lack(len(sequence), list(range(len(sequence))))
        for pattern in patterns:
            for start in range(len(sequence) - len(pattern) + 1):
                if not in_one_strand(start, len(pattern), requirements):
                    continue
                wrong = [
                    start + i
                    for i, letter in enumerate(pattern)
                    if sequence[start + i] not in IUPAC[letter]
                ]
                if len(wrong) < best.size:
                    best = Lack(len(wrong), wrong)
        found.append(best)
    return found


def _too_near(sequence: str, requirements: Requirements) -> list[Lack]:
    found = []
    for other in requirements.others:
        lacking = requirements.distance - hamming_distance(sequence, other)
        same = [i for i, (a, b) in enumerate(zip(sequence, other, strict=True)) if a == b]
        found.append(Lack(max(lacking, 0), same))
    return found


def _windows(sequence: str, requirements: Requirements) -> Lack:
    """Return the first window whose GC is out of range, and the bases to change in it."""
    starts = windows_off(sequence, requirements)
    if not starts:
        return Lack(0, [])
    least, _, length = requirements.window
    places = range(starts[0], starts[0] + int(length))
    strong = [i for i in places if sequence[i] in "GC"]
    few = 100 * len(strong) < least * length
    return Lack(len(starts), [i for i in places if (sequence[i] in "GC") != few])


def _shared(sequence: str, requirements: Requirements) -> Lack:
    starts = shared_at(sequence, requirements)
    length = requirements.shared + 1
    return Lack(len(starts), sorted({i for start in starts for i in range(start, start + length)}))
