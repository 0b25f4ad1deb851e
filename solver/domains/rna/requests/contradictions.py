"""Requests that no design of a target can fulfil, detected before the search.

Each contradiction follows from a motif, the range of GC or the number of designs alone, with the
fixed bases and pairs of the target. Finding none proves nothing: requests together may exclude
each other, too.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.domains.rna.plans.documents import plan_of
from solver.domains.rna.plans.table import Table
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.options import RnaRequests, gc_counts, requests_for
from solver.domains.rna.requests.tables import asked_tables
from solver.domains.rna.text import IUPAC, PAIRS, RnaTarget, pair_partners
from solver.errors import UnsolvableError

#: IUPAC letters by the bases that they stand for.
_LETTER_OF = {frozenset(bases): letter for letter, bases in IUPAC.items() if letter != "T"}


class Site(NamedTuple):
    """A position, or a pair, and its permitted bases."""

    position: int
    partner: int
    """-1 where there is none."""
    choices: list[str]
    """Bases, or pairs with the base at `position` first."""


def sites_of(target: RnaTarget) -> list[Site]:
    """Return the unpaired positions and the pairs of `target`, from the 5' end."""
    found = []
    cuts = range(len(target.structure)) if target.plan else (target.nick,)
    partners = pair_partners(target.structure, "structure", *cuts)
    for position, partner in enumerate(partners):
        bases = IUPAC[target.bases[position]]
        if partner < 0:
            found.append(Site(position, -1, list(bases)))
        elif partner > position:
            others = IUPAC[target.bases[partner]]
            pairs = [pair for pair in PAIRS if pair[0] in bases and pair[1] in others]
            found.append(Site(position, partner, pairs))
    return found


def _site_of(sites: list[Site]) -> dict[int, Site]:
    by_position = {site.position: site for site in sites}
    return by_position | {site.partner: site for site in sites if site.partner >= 0}


def _letters(site: Site, position: int) -> str:
    """Bases that `position` of `site` can have."""
    place = 0 if position == site.position else -1
    return "".join(sorted({choice[place] for choice in site.choices}))


def _narrowed(target: RnaTarget, tables: Sequence[Table]) -> RnaTarget:
    """Return `target` with those bases only that some word of each of `tables` has there."""
    letters = [set(IUPAC[letter]) for letter in target.bases]
    before: list[set[str]] = []
    while letters != before:
        before = [set(left) for left in letters]
        for table in tables:
            inside = [(k, at) for k, at in enumerate(table.positions) if at < len(letters)]
            fitting = [
                word for word in table.words if all(word[k] in letters[at] for k, at in inside)
            ]
            for place, position in inside:
                letters[position] &= {word[place] for word in fitting}
    bases = (
        _LETTER_OF.get(frozenset(left), letter)
        for left, letter in zip(letters, target.bases, strict=True)
    )
    return target._replace(bases="".join(bases))


def _starts(pattern: str, n: int, cuts: Sequence[int]) -> list[int]:
    """Return the positions at which `pattern` fits into one strand."""
    starts = range(n - len(pattern) + 1)
    return [
        start for start in starts if not any(start < cut < start + len(pattern) for cut in cuts)
    ]


def fits_of(
    pattern: str, sites: list[Site], n: int, cuts: Sequence[int] = ()
) -> npt.NDArray[np.bool_]:
    """Return the starts of `pattern` that fixed bases and pairs allow, bool[n + 1].

    Further strands begin at `cuts`.
    """
    at = _site_of(sites)
    fits = np.zeros(n + 1, np.bool_)
    for start in _starts(pattern, n, cuts):
        window = {start + index: IUPAC[letter] for index, letter in enumerate(pattern)}
        fits[start] = all(
            any(
                choice[0] in window.get(at[position].position, choice[0])
                and choice[-1] in window.get(at[position].partner, choice[-1])
                for choice in at[position].choices
            )
            for position in window
        )
    return fits


def _forced_at(pattern: str, sites: list[Site], n: int, cuts: Sequence[int]) -> list[int]:
    """Positions, from 1, where every sequence has `pattern`."""
    at = _site_of(sites)
    letters = [set(_letters(at[position], position)) for position in range(n)]
    return [
        start + 1
        for start in _starts(pattern, n, cuts)
        if all(set() < letters[start + i] <= set(IUPAC[c]) for i, c in enumerate(pattern))
    ]


def requirements_for(target: RnaTarget, requirements: Requirements) -> Requirements:
    """Return requests on one sequence for `target`: its strands, and what its bases force.

    The words of `requirements.tables`, as of a protein, force bases, too.
    """
    forced: set[tuple[str, int]] = set()
    narrowed = _narrowed(target, requirements.tables)
    cuts = [first for _, first, _ in plan_of(target.plan).strands][1:] if target.plan else []
    for structure in target.structures if requirements.presets else ():
        sites = sites_of(narrowed._replace(structure=structure))
        for word, patterns in requirements.forbidden:
            for pattern in patterns if word in requirements.presets else ():
                places = _forced_at(pattern, sites, len(structure), cuts or [target.nick])
                forced.update((pattern, place) for place in places)
    fixes = any(len(IUPAC[letter]) == 1 for letter in target.bases)
    return requirements._replace(
        nick=target.nick, permitted=sorted(forced), bases=target.bases if fixes else "", cuts=cuts
    )


def _contains(pattern: str, other: str) -> bool:
    """Return whether each sequence that fits `pattern` contains `other`."""
    return any(
        all(set(IUPAC[a]) <= set(IUPAC[b]) for a, b in zip(pattern[start:], other))
        for start in range(len(pattern) - len(other) + 1)
    )


def check_possible(target: RnaTarget, requests: RnaRequests, name: str) -> None:
    """Raise `UnsolvableError` if no design of `target` can fulfil the requests on it."""
    requests = requests_for(target, requests)
    tables = asked_tables(target, requests)
    sites = sites_of(_narrowed(target, tables))
    _check_pairs(sites, name)
    _check_gc(sites, requests.requirements, len(target.structure), name)
    requirements = requirements_for(target, requests.requirements._replace(tables=tables))
    _check_motifs(sites, requirements, len(target.structure), name)
    _check_designs(sites, requests, name)


def _check_pairs(sites: list[Site], name: str) -> None:
    for site in sites:
        if not site.choices:
            raise UnsolvableError(
                f"{name}: positions {site.position + 1} and {site.partner + 1} pair, "
                "the bases that are asked for there do not"
            )


def _check_gc(sites: list[Site], requirements: Requirements, n: int, name: str) -> None:
    fewest, most = gc_counts(requirements.gc, n)
    range_text = f"{requirements.gc[0]:g}-{requirements.gc[1]:g} %"
    if fewest > most:
        raise UnsolvableError(f"{name}: no number of G and C among {n} bases is {range_text}")
    counts = 1  # bit k is set where k of the bases can be G or C
    for site in sites:
        of_choices = {sum(base in "GC" for base in choice) for choice in site.choices}
        counts = functools.reduce(operator.or_, (counts << more for more in of_choices))
    if not counts >> fewest & (1 << most - fewest + 1) - 1:
        lowest = (counts & -counts).bit_length() - 1
        least, greatest = 100 * lowest / n, 100 * (counts.bit_length() - 1) / n
        raise UnsolvableError(
            f"{name}: GC of {range_text} is wanted, the pairs and fixed bases allow "
            f"{least:.1f}-{greatest:.1f} %"
        )


def _check_motifs(sites: list[Site], requirements: Requirements, n: int, name: str) -> None:
    cuts = requirements.cuts or [requirements.nick]
    for word, patterns in requirements.forbidden:
        if word in requirements.presets:
            continue
        forced = (_forced_at(pattern, sites, n, cuts) for pattern in patterns)
        for place in itertools.chain.from_iterable(forced):
            raise UnsolvableError(
                f"{name}: {word} is forbidden, all that is allowed has it at position {place}"
            )
    for word, patterns in requirements.required:
        if not any(fits_of(pattern, sites, n, cuts).any() for pattern in patterns):
            raise UnsolvableError(
                f"{name}: {word} is required, the pairs and fixed bases have no place for it"
            )
        for other, forms in requirements.forbidden:
            if all(any(_contains(p, form) for form in forms) for p in patterns):
                raise UnsolvableError(f"{name}: {word} is required and has {other}, forbidden")


def _check_designs(sites: list[Site], requests: RnaRequests, name: str) -> None:
    """Hold designs and distance against the Singleton bound."""
    n, distance = requests.designs, requests.min_distance
    if n == 1:
        return
    free = sum(len(letters) > 1 for site in sites for letters in _letters_of(site))
    if distance > free:
        raise UnsolvableError(
            f"{name}: designs at distance {distance} are wanted, there are {free} positions at "
            "which they can differ"
        )
    possible = _most_designs(sites, distance, n)
    if possible < n:
        raise UnsolvableError(
            f"{name}: {n} designs at distance {distance} are wanted, there are {possible} at most"
        )


def _letters_of(site: Site) -> list[set[str]]:
    """Bases at the position of a site, and at its partner's."""
    ends = (0,) if site.partner < 0 else (0, 1)
    return [{choice[end] for choice in site.choices} for end in ends]


def _most_designs(sites: list[Site], distance: int, enough: int) -> int:
    """An upper bound of how many sequences differ at `distance` positions, each two of them.

    They still differ where all but one of those positions are left out; so there are no more
    than what is left can be, whichever are left out. Numbers from `enough` on are alike.
    """
    # fewest[k]: of what the sites so far can be where k of their positions are left out
    fewest = [1] + [enough] * (distance - 1)
    for site in sites:
        letters = _letters_of(site)
        left = [len(site.choices)]
        if len(letters) == 2:
            left.append(min(map(len, letters)))
        left.append(1)
        fewest = [
            min(min(fewest[k - out] * ways, enough) for out, ways in enumerate(left) if out <= k)
            for k in range(distance)
        ]
    return min(fewest)
