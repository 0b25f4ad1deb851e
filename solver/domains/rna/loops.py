"""Loops of a structure: those that no engine folds, and the NEMO prior's view of positions."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from solver.domains.rna.text import pair_partners
from solver.errors import UnsolvableError

#: Unpaired bases of an interior loop, or bulge, that engines consider: ViennaRNA's MAXLOOP.
MAX_INTERIOR = 30


class InteriorLoop(NamedTuple):
    """The loop between two pairs, one within the other; positions from 0."""

    outer: tuple[int, int]
    inner: tuple[int, int]
    unpaired: int


def interior_loops(partners: list[int]) -> Iterator[InteriorLoop]:
    """Yield the interior loops and bulges, stacked pairs left out, from the 5' end."""
    for opening, closing in enumerate(partners):
        if closing > opening:
            helices = _helices(opening, closing, partners)
            if len(helices) == 1:
                inner = (helices[0], partners[helices[0]])
                unpaired = inner[0] - opening + closing - inner[1] - 2
                if unpaired:
                    yield InteriorLoop((opening, closing), inner, unpaired)


def check_foldable(structure: str, where: str, nick: int = 0) -> None:
    """Raise `UnsolvableError` if a loop is so large that no engine forms it.

    A loop with the nick between two strands is none, but exterior.
    """
    for loop in interior_loops(pair_partners(structure, where, nick)):
        (opening, closing), (first, last) = loop.outer, loop.inner
        has_nick = opening < nick <= first or last < nick <= closing
        if loop.unpaired > MAX_INTERIOR and not has_nick:
            one, other = (f"{first + 1}-{last + 1}" for first, last in (loop.outer, loop.inner))
            raise UnsolvableError(
                f"{where}: the loop between the pairs {one} and {other} has {loop.unpaired} "
                f"unpaired bases, the folding engines form interior loops of {MAX_INTERIOR} at "
                "most: no sequence folds into this target"
            )


def check_no_lonely(structure: str, where: str, cuts: Sequence[int] = ()) -> None:
    """Raise `UnsolvableError` if a pair stacks on no other one, where none such may form."""
    partners = pair_partners(structure, where, *cuts)
    for i, j in enumerate(partners):
        inside = i + 1 < len(partners) and partners[i + 1] == j - 1
        inside &= i + 1 not in cuts and j not in cuts
        outside = i > 0 and partners[i - 1] == j + 1 and i not in cuts and j + 1 not in cuts
        if i < j and not (inside or outside):
            raise UnsolvableError(
                f"{where}: the pair {i + 1}-{j + 1} is lonely, and without lonely pairs no "
                "sequence folds into this target"
            )


def open_large_loops(structure: str) -> str:
    """Return `structure` without the pairs that close a loop too large for every engine."""
    opened = list(structure)
    while True:
        partners = pair_partners("".join(opened), "structure")
        large = [loop for loop in interior_loops(partners) if loop.unpaired > MAX_INTERIOR]
        if not large:
            return "".join(opened)
        for loop in large:
            for position in loop.outer:
                opened[position] = "."


class Situation(enum.IntEnum):
    """Place of an unpaired base, or of a pair, in a structure."""

    PLAIN = 0
    """An unpaired base of no other kind."""
    HAIRPIN_FIRST = 1
    """First base of a hairpin of more than 3."""
    HAIRPIN_LAST = 2
    INTERNAL_5 = 3
    """Unpaired base behind a helix, in an internal loop."""
    INTERNAL_3 = 4
    """Unpaired base before a helix, in an internal loop."""
    ONE_ONE = 5
    """Internal loop of one base on each side."""
    JUNCTION = 6
    """Beside a helix, in a junction or outside of all helices."""
    PAIR = 7
    """A pair of no other kind."""
    STACKED_RIGHT = 8
    """Pair of a junction whose neighbour on the right in the loop is the next helix."""
    STACKED_LEFT = 9
    TRILOOP = 10
    """Pair that closes a hairpin of 3."""


def situations(structure: str) -> list[Situation]:
    """Return the situation of every position; that of a pair stands at its '('."""
    partners = pair_partners(structure, "structure")
    found = [Situation.PLAIN if p < 0 else Situation.PAIR for p in partners]
    for opening, partner in enumerate(partners):
        if partner > opening:
            _mark_loop(opening, partner, partners, found)
    _mark_junction([-1, *_helices(-1, len(structure), partners)], -1, partners, found)
    return found


def _helices(opening: int, closing: int, partners: list[int]) -> list[int]:
    """Openings of the helices directly inside a pair, or inside of everything."""
    inside = []
    position = opening + 1
    while position < closing:
        if partners[position] > position:
            inside.append(position)
            position = partners[position]
        position += 1
    return inside


def _mark_loop(opening: int, closing: int, partners: list[int], found: list[Situation]) -> None:
    """Mark the bases and pairs in the loop that a pair closes."""
    helices = _helices(opening, closing, partners)
    unpaired = closing - opening - 1
    if not helices:
        if unpaired == 3:
            found[opening] = Situation.TRILOOP
        elif unpaired > 3:
            found[opening + 1] = Situation.HAIRPIN_FIRST
            found[closing - 1] = Situation.HAIRPIN_LAST
    elif len(helices) == 1:
        _mark_internal(opening, closing, helices[0], partners, found)
    else:
        _mark_junction([opening, *helices], opening, partners, found)


def _mark_internal(
    opening: int, closing: int, inner: int, partners: list[int], found: list[Situation]
) -> None:
    left, right = inner - opening - 1, closing - partners[inner] - 1
    if left == right == 1:
        found[opening + 1] = found[closing - 1] = Situation.ONE_ONE
    elif left > 0 and right > 0:
        for behind, before in ((opening, inner), (partners[inner], closing)):
            found[before - 1] = Situation.INTERNAL_3
            found[behind + 1] = Situation.INTERNAL_5


def _mark_junction(
    helices: list[int], outer: int, partners: list[int], found: list[Situation]
) -> None:
    """Mark a loop of several helices; `outer` closes it, -1 is the outside of everything.

    Going around the loop, behind each helix comes the next one's beginning.
    """
    for index, helix in enumerate(helices):
        if helix == -1:
            continue
        behind = helix if helix == outer else partners[helix]
        if behind + 1 < len(partners) and partners[behind + 1] < 0:
            found[behind + 1] = Situation.JUNCTION
        before = partners[helix] if helix == outer else helix
        if before > 0 and partners[before - 1] < 0:
            found[before - 1] = Situation.JUNCTION
        if outer == -1:
            continue
        following = helices[(index + 1) % len(helices)]
        start = partners[outer] if following == outer else following
        if behind + 1 == start:
            found[helix] = Situation.STACKED_RIGHT
            if found[following] == Situation.PAIR:
                found[following] = Situation.STACKED_LEFT
