"""Kernels of the requests on a sequence: the excess over them, and positions to change.

Bases are two bits of their ASCII letters, `letter >> 1 & 3`: 0, 1, 2, 3 for A, C, U, G.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.generic import generic
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.options import gc_counts
from solver.domains.rna.text import IUPAC

Text = npt.NDArray[np.uint8]

FEWEST, MOST, DISTANCE, GROUPS = range(4)  # numbers
FORBIDDEN = -1
GC, FORBIDS, REQUIRES, DIFFERS, KINDS = 0, 1, 2, 3, 4


class NoRequests(NamedTuple):
    """No requests beyond the fold: no code is compiled for them."""


class Requests(NamedTuple):
    """Requests on a sequence of n bases."""

    numbers: npt.NDArray[np.int64]
    """int64[4]: fewest and most G and C, least distance to others, required motifs."""
    masks: npt.NDArray[np.uint8]
    """uint8[patterns, longest]: bit b is set where base b fits."""
    length: npt.NDArray[np.int64]
    """int64[patterns]."""
    group: npt.NDArray[np.int64]
    """int64[patterns]: number of the required motif that a pattern is a form of, or `FORBIDDEN`."""
    fits: npt.NDArray[np.bool_]
    """bool[patterns, n + 1]: where fixed bases and pairs let a required pattern begin, and where a
    forbidden one counts."""
    others: Text
    """uint8[others, n]: letters of sequences to differ from."""


def base_bit(base: str) -> int:
    """Bit of a base in `Requests.masks`."""
    return 1 << (ord(base) >> 1 & 3)


def new_requests(
    requirements: Requirements, fits: Sequence[npt.NDArray[np.bool_]], n: int
) -> Requests:
    """Return requirements on `n` bases; `fits` has bool[n + 1] for each pattern of required motifs.

    See `solver.domains.rna.requests.contradictions.fits_of`.
    """
    patterns = [(FORBIDDEN, p) for _, forms in requirements.forbidden for p in forms]
    patterns += [
        (group, p) for group, (_, forms) in enumerate(requirements.required) for p in forms
    ]
    longest = max((len(pattern) for _, pattern in patterns), default=1)
    masks = np.zeros((len(patterns), longest), np.uint8)
    for row, (_, pattern) in enumerate(patterns):
        for index, letter in enumerate(pattern):
            masks[row, index] = sum(base_bit(base) for base in IUPAC[letter])
    fewest, most = gc_counts(requirements.gc, n)
    letters = [list(other.encode()) for other in requirements.others]
    places = np.ones((len(patterns), n + 1), np.bool_)
    for pattern, start in requirements.permitted:
        for row, known in enumerate(patterns):  # several names may have a motif
            if known == (FORBIDDEN, pattern):
                places[row, start - 1] = False
    for row, of_required in enumerate(fits, start=len(patterns) - len(fits)):
        places[row] = of_required
    return Requests(
        numbers=np.array(
            [fewest, most, requirements.distance, len(requirements.required)], np.int64
        ),
        masks=masks,
        length=np.array([len(pattern) for _, pattern in patterns], np.int64),
        group=np.array([group for group, _ in patterns], np.int64),
        fits=places,
        others=np.array(letters, np.uint8).reshape(len(letters), n),
    )


def requests_of_part(requests: Any, first: int, last: int) -> Any:
    """Return the requests on positions `first` ... `last` alone: only the forbidden motifs."""
    if isinstance(requests, NoRequests):
        return requests
    forbidden = requests.group == FORBIDDEN
    numbers = requests.numbers.copy()
    n = last - first + 1
    numbers[FEWEST], numbers[MOST], numbers[GROUPS] = 0, n, 0
    return Requests(
        numbers=numbers,
        masks=requests.masks[forbidden],
        length=requests.length[forbidden],
        group=requests.group[forbidden],
        fits=requests.fits[forbidden, first : first + n + 1].copy(),
        others=np.zeros((0, n), np.uint8),
    )


@generic
def excess(requests: Any, sequence: Text) -> int:
    """Return the distance of a sequence, uint8[n + 1], from the requests: 0 if it fulfils all.

    Bases of G and C too many or too few, occurrences of forbidden motifs, bases to change for a
    required one, differences that lack to each of the others.
    """


@generic
def position_to_change(requests: Any, sequence: Text, stream: Stream) -> int:
    """Return a random position whose change may fulfil a request, -1 if none; consumes `stream`."""


@generic
def lowered(requests: Any, sequence: Text, score: float) -> float:
    """Return `score`, lowered if the sequence does not fulfil the requests."""


@excess.register(NoRequests)
def _no_excess(requests: NoRequests, sequence: Text) -> int:
    return 0


@position_to_change.register(NoRequests)
def _no_position(requests: NoRequests, sequence: Text, stream: Stream) -> int:
    return -1


@lowered.register(NoRequests)
def _not_lowered(requests: NoRequests, sequence: Text, score: float) -> float:
    return score


@lowered.register(Requests)
def _lowered(requests: Requests, sequence: Text, score: float) -> float:
    off = 1.0 + excess(requests, sequence)
    return score / off if score >= 0.0 else score * off


@inlined
def _is_gc(letter: int) -> bool:
    return bool(letter & 2)  # 67 and 71; 65 and 85 have no such bit


@inlined
def _gc_excess(requests: Requests, sequence: Text) -> int:
    """G and C too many; negative if too few."""
    count = 0
    for position in range(len(sequence) - 1):
        count += _is_gc(sequence[position])
    return max(count - requests.numbers[MOST], 0) - max(requests.numbers[FEWEST] - count, 0)


@inlined
def _mismatches(requests: Requests, pattern: int, sequence: Text, start: int, most: int) -> int:
    """Positions at which a pattern that begins at `start` does not fit; `most` if no fewer."""
    count = 0
    for index in range(requests.length[pattern]):
        base = sequence[start + index] >> 1 & 3
        count += not requests.masks[pattern, index] >> base & 1
        if count >= most:
            break
    return count


@inlined
def _occurs(requests: Requests, pattern: int, sequence: Text, start: int) -> bool:
    return _mismatches(requests, pattern, sequence, start, 1) == 0


@inlined
def _starts(requests: Requests, pattern: int, sequence: Text) -> int:
    """Positions at which a pattern can begin."""
    return max(len(sequence) - requests.length[pattern], 0)


@inlined
def _nearest(requests: Requests, group: int, sequence: Text) -> int:
    """Fewest bases to change for the required motif `group` to occur."""
    fewest = len(sequence)
    for pattern in range(len(requests.length)):
        if requests.group[pattern] == group:
            for start in range(_starts(requests, pattern, sequence)):
                if requests.fits[pattern, start]:
                    fewest = min(fewest, _mismatches(requests, pattern, sequence, start, fewest))
    return fewest


@inlined
def _too_near(requests: Requests, other: int, sequence: Text) -> int:
    """Differences that lack to one of the others."""
    differing = 0
    for position in range(len(sequence) - 1):
        differing += sequence[position] != requests.others[other, position]
    return max(requests.numbers[DISTANCE] - differing, 0)


@excess.register(Requests)
def _excess(requests: Requests, sequence: Text) -> int:
    total = abs(_gc_excess(requests, sequence))
    for pattern in range(len(requests.length)):
        if requests.group[pattern] == FORBIDDEN:
            for start in range(_starts(requests, pattern, sequence)):
                if requests.fits[pattern, start]:
                    total += _occurs(requests, pattern, sequence, start)
    for group in range(requests.numbers[GROUPS]):
        total += _nearest(requests, group, sequence)
    for other in range(len(requests.others)):
        total += _too_near(requests, other, sequence)
    return total


@inlined
def _kept(seen: int, stream: Stream) -> bool:
    """Return whether the last of `seen` items replaces the item drawn from those before."""
    return bool(next_below(stream, seen) == 0)


@inlined
def _of_gc(requests: Requests, sequence: Text, stream: Stream) -> int:
    off, drawn, seen = _gc_excess(requests, sequence), -1, 0
    for position in range(len(sequence) - 1):
        if off != 0 and _is_gc(sequence[position]) == (off > 0):
            seen += 1
            if _kept(seen, stream):
                drawn = position
    return drawn


@inlined
def _of_forbidden(requests: Requests, sequence: Text, stream: Stream) -> int:
    drawn, seen = -1, 0
    for pattern in range(len(requests.length)):
        if requests.group[pattern] == FORBIDDEN:
            for start in range(_starts(requests, pattern, sequence)):
                if requests.fits[pattern, start] and _occurs(requests, pattern, sequence, start):
                    seen += 1
                    if _kept(seen, stream):
                        drawn = start + next_below(stream, requests.length[pattern])
    return drawn


@inlined
def _of_required(requests: Requests, sequence: Text, stream: Stream) -> int:
    """A mismatch of one of the placements of a motif that need the fewest changes."""
    drawn, seen = -1, 0
    for pattern in range(len(requests.length)):
        group = requests.group[pattern]
        fewest = _nearest(requests, group, sequence) if group != FORBIDDEN else 0
        if fewest > 0:
            for start in range(_starts(requests, pattern, sequence)):
                if not requests.fits[pattern, start]:
                    continue
                if _mismatches(requests, pattern, sequence, start, fewest + 1) > fewest:
                    continue
                for index in range(requests.length[pattern]):
                    base = sequence[start + index] >> 1 & 3
                    if not requests.masks[pattern, index] >> base & 1:
                        seen += 1
                        if _kept(seen, stream):
                            drawn = start + index
    return drawn


@inlined
def _of_others(requests: Requests, sequence: Text, stream: Stream) -> int:
    drawn, seen = -1, 0
    for other in range(len(requests.others)):
        if _too_near(requests, other, sequence) > 0:
            for position in range(len(sequence) - 1):
                if sequence[position] == requests.others[other, position]:
                    seen += 1
                    if _kept(seen, stream):
                        drawn = position
    return drawn


@position_to_change.register(Requests)
def _position_to_change(requests: Requests, sequence: Text, stream: Stream) -> int:
    first = next_below(stream, KINDS)
    drawn = -1
    for turn in range(KINDS):
        kind = (first + turn) % KINDS
        if kind == GC:
            drawn = _of_gc(requests, sequence, stream)
        elif kind == FORBIDS:
            drawn = _of_forbidden(requests, sequence, stream)
        elif kind == REQUIRES:
            drawn = _of_required(requests, sequence, stream)
        else:
            drawn = _of_others(requests, sequence, stream)
        if drawn >= 0:
            break
    return drawn
