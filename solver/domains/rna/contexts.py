"""Context of each base in a structure: its loop, its place in the loop, the pair beside it.

Learned priors know of a step no more than its context. Positions count from 0; a structure is read
from left to right, so that what stands to the left of a position is known when its base is placed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.domains.rna.text import pair_partners

PLACE, BESIDE, ACROSS = range(3)
"""Columns of the result of `contexts`."""

#: Loops by their kind and size; the last of a kind has all larger ones.
LOOPS = (
    "exterior", "stack", "bulge of 1", "bulge of 2 or more", "1 x 1", "1 x 2", "1 x 3 or more",
    "2 x 2", "2 x 3", "larger interior loop", "hairpin of 3", "hairpin of 4", "hairpin of 5",
    "hairpin of 6", "hairpin of 7 or more", "junction of 3", "junction of 4 or more",
)  # fmt: skip
_INTERIOR = {(0, 0): 1, (0, 1): 2, (1, 1): 4, (1, 2): 5, (2, 2): 7, (2, 3): 8}
#: Places of an unpaired base among its neighbours in the loop.
RUNS = ("alone", "behind a helix", "before a helix", "inside")
SIDES = ("5' side", "3' side")
#: Loops as a pair at their edge sees them; its ends are taken where the next helix begins.
_ENDS = ("", ", 5' end taken", ", 3' end taken", ", both ends taken")
_OPEN = tuple(f"{kind}{ends}" for kind in ("outside", "junction") for ends in _ENDS)
_LARGER = ("stack", "bulge of 1", "larger bulge", "1 x 1", "larger interior loop")
#: Loops that a pair may have outside of it, and inside.
OUTER = (*_LARGER, *_OPEN)
INNER = (*_LARGER, *_OPEN, "hairpin of 3", "hairpin of 4", "larger hairpin")
#: Number in `INNER` of each of `LOOPS`.
_EDGE = (5, 0, 1, 2, 3, 4, 4, 4, 4, 4, 13, 14, 15, 15, 15, 9, 9)

_N_UNPAIRED = len(LOOPS) * len(RUNS) * len(SIDES)
N_PLACES = _N_UNPAIRED + len(OUTER) * len(INNER)


class _Loop(NamedTuple):
    """A loop with the helices that leave it, as pairs (opening, closing), from the 5' end."""

    kind: int
    first: int
    """Position that closes the loop; -1 outside of all pairs."""
    last: int
    helices: tuple[tuple[int, int], ...]


def _kind(first: int, last: int, helices: list[tuple[int, int]]) -> int:
    if first < 0:
        return 0
    if not helices:
        return LOOPS.index("hairpin of 3") + min(last - first - 1, 7) - 3
    if len(helices) > 1:
        return LOOPS.index("junction of 3") + (len(helices) > 2)
    less, more = sorted((helices[0][0] - first - 1, last - helices[0][1] - 1))
    if (less, more) in _INTERIOR:
        return _INTERIOR[less, more]
    return 3 if less == 0 else 6 if less == 1 else 9


def _loop(partners: list[int], first: int, last: int) -> _Loop:
    helices, position = [], first + 1
    while position < last:
        if partners[position] > position:
            helices.append((position, partners[position]))
            position = partners[position]
        position += 1
    return _Loop(_kind(first, last, helices), first, last, tuple(helices))


def _unpaired_place(loop: _Loop, position: int, partners: list[int]) -> int:
    n = len(partners)
    behind = position > 0 and partners[position - 1] >= 0
    before = position + 1 < n and partners[position + 1] >= 0
    run = 0 if behind and before else 1 if behind else 2 if before else 3
    side = int(len(loop.helices) == 1 and position > loop.helices[0][1])
    return (loop.kind * len(RUNS) + run) * len(SIDES) + side


def _edge(loop: _Loop, position: int, partners: list[int]) -> int:
    """Return the loop, one of `INNER`, as the pair of `position` in it, or closing it, sees it."""
    edge = _EDGE[loop.kind]
    if INNER[edge] not in _OPEN:
        return edge
    step = 1 if position == loop.first else -1
    ends = [position + step, partners[position] - step]
    taken = [0 <= end < len(partners) and partners[end] >= 0 for end in ends]
    return edge + taken[0] + 2 * taken[1]


def _known_neighbours(position: int, partners: list[int]) -> tuple[int, int]:
    """A base of the pair beside `position`, and the base that faces it across; -1 for none."""
    n = len(partners)
    beside = across = -1
    if position > 0 and partners[position - 1] >= 0:
        beside = position - 1
        across = partners[beside] - 1
    elif position + 1 < n and 0 <= partners[position + 1] < position:
        beside = position + 1
        across = partners[beside] + 1
    facing = 0 <= across < position and partners[across] < 0 and partners[position] < 0
    return beside, across if facing else -1


def contexts(structure: str) -> npt.NDArray[np.int32]:
    """Return the context of each position.

    Returns
    -------
    int32[n, 3]
        The place, below `N_PLACES`; a base of the pair right beside, both of whose bases are known
        when this one is placed, or -1; the unpaired base that faces this one across that pair, if
        it is known, or -1. A pair has its context at its '('; rows of ')' are 0.
    """
    partners = pair_partners(structure, "structure")
    n = len(partners)
    found = np.zeros((n, 3), np.int32)
    loops: dict[int, _Loop] = {-1: _loop(partners, -1, n)}
    inside_of = [-1] * n
    stack = [-1]
    for position, partner in enumerate(partners):
        if 0 <= partner < position:
            stack.pop()
        inside_of[position] = stack[-1]
        if partner > position:
            loops[position] = _loop(partners, position, partner)
            stack.append(position)
    for position, partner in enumerate(partners):
        if 0 <= partner < position:
            continue
        outer = loops[inside_of[position]]
        if partner < 0:
            place = _unpaired_place(outer, position, partners)
        else:
            edges = [_edge(loop, position, partners) for loop in (outer, loops[position])]
            place = _N_UNPAIRED + edges[0] * len(INNER) + edges[1]
        found[position] = place, *_known_neighbours(position, partners)
    return found


def place_name(place: int) -> str:
    """`place` in words."""
    if place < _N_UNPAIRED:
        kind, rest = divmod(place, len(RUNS) * len(SIDES))
        run, side = divmod(rest, len(SIDES))
        of_side = f", {SIDES[side]}" if 1 < kind < 10 else ""
        return f"{LOOPS[kind]}, {RUNS[run]}{of_side}"
    outer, inner = divmod(place - _N_UNPAIRED, len(INNER))
    return f"pair between {OUTER[outer]} and {INNER[inner]}"
