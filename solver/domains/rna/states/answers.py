"""Starts and descriptions of answers to switches and to targets of two strands."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from solver.domains.rna.engines import NO_ENGINE, use_engine
from solver.domains.rna.loops import check_foldable
from solver.domains.rna.refold import States, examine_switch
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.contradictions import check_possible
from solver.domains.rna.requests.options import RnaRequests, requests_for
from solver.domains.rna.states.compatible import Compatible
from solver.domains.rna.states.search import StatesSearch
from solver.domains.rna.text import MIN_HAIRPIN, RnaTarget, pair_partners
from solver.errors import InputError, UnsolvableError

#: More is beyond what a search in plain Python, which folds by ViennaRNA, answers in time.
MOST_BASES = 1000


def check_states(target: RnaTarget, asked: RnaRequests, engine: str, name: str) -> None:
    """Raise `InputError` if a target that is not simple cannot be searched, or has no design."""
    kind = "a switch" if target.others else "two strands"
    if asked.refines:
        raise InputError(
            f"{name}: --{asked.refinement} is for one structure of one strand, not for {kind}"
        )
    if len(target.structure) > MOST_BASES:
        raise UnsolvableError(
            f"{name}: {len(target.structure)} bases, expected {MOST_BASES} at most of {kind}"
        )
    compatible_of(target, name)
    for number, structure in enumerate(target.structures, start=1):
        place = f"{name}, structure {number}" if target.others else name
        if engine != NO_ENGINE:
            check_foldable(structure, place, target.nick)
        if requests_for(target, asked).constrains:
            # A request that no design of one structure can fulfil, no design of all of them can.
            check_possible(target._replace(structure=structure), asked, place)


def compatible_of(target: RnaTarget, name: str) -> Compatible:
    """Sequences that can form all structures.

    Raises
    ------
    UnsolvableError
        If there is none.
    """
    partners = [pair_partners(structure, name, target.nick) for structure in target.structures]
    return Compatible(partners, target.bases, name)


def first_target(target: RnaTarget) -> RnaTarget:
    """Return a simple target, whose letters the search begins with, changed until they fit.

    Pairs that only two strands can have are left out.
    """
    structure = list(target.structure)
    for opening, closing in enumerate(pair_partners(target.structure, "", target.nick)):
        if opening < closing <= opening + MIN_HAIRPIN:
            structure[opening] = structure[closing] = "."
    return RnaTarget("".join(structure), target.bases)


def search_states(
    target: RnaTarget, requirements: Requirements, engine: str, begin: str, random: Random
) -> Iterator[tuple[str, float]]:
    """Yield the best sequence so far and its score, see `StatesSearch.run`."""
    model = None if engine == NO_ENGINE else use_engine(engine)
    compatible = compatible_of(target, "target")
    return StatesSearch(target.structures, compatible, requirements, model, random).run(begin)


def states_of(target: RnaTarget, sequence: str, requirements: Requirements, engine: str) -> States:
    """Return the quality of a sequence as a switch, computed in another process."""
    return examine_switch(sequence, target.structures, requirements, engine)


def facts_of_switch(states: States) -> dict[str, Any]:
    """Facts of a switch that tables have."""
    shares = states.shares
    return {
        "energies": " ".join(f"{energy:.2f}" for energy in states.energies),
        "shares": None if shares is None else " ".join(f"{share:.4g}" for share in shares),
        "probability": None if shares is None else round(min(sum(shares), 1.0), 6),
    }
