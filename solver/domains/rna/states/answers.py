"""Starts, searches and descriptions of answers to targets that are not one structure alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

from solver.domains.rna.engines import (
    NO_ENGINE,
    check_modified,
    engine_called,
    use_engine,
    with_modified_bases,
)
from solver.domains.rna.loops import check_foldable, check_no_lonely
from solver.domains.rna.plans.complexes import Complex
from solver.domains.rna.plans.documents import plan_of
from solver.domains.rna.refold import Composed, States, examine_composed, examine_switch
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.contradictions import check_possible
from solver.domains.rna.requests.options import MFE, RnaRequests, requests_for
from solver.domains.rna.requests.tables import asked_preferences, asked_tables, check_tables
from solver.domains.rna.states.assignments import Assignments, pair_table
from solver.domains.rna.states.compatible import Compatible
from solver.domains.rna.states.objective import improved, objective_cost, objective_lack
from solver.domains.rna.states.prefer import cheaper
from solver.domains.rna.states.search import StatesSearch
from solver.domains.rna.text import MIN_HAIRPIN, OPEN, STRUCTURES, RnaTarget, pair_partners
from solver.errors import InputError, UnsolvableError

#: More is beyond what a search in plain Python, which folds by ViennaRNA, answers in time.
MOST_BASES = 1000


def is_compiled(target: RnaTarget, asked: RnaRequests, engine: str) -> bool:
    """Return whether the compiled search takes a target: one structure, requests of one base."""
    if engine != NO_ENGINE and not engine_called(engine).is_compiled:
        return False
    return target.is_simple and not requests_for(target, asked).has_tables


def uncompiled_kind(target: RnaTarget, engine: str) -> str:
    """Return words for a target that the compiled search does not take."""
    if engine != NO_ENGINE and not engine_called(engine).is_compiled:
        return f"the engine {engine}"
    if (target.others or target.nick) and not target.is_composed:
        return "several structures, or two strands"
    return "open positions, states, or requests on codons, windows or nearness"


def complexes_of(target: RnaTarget, within: float) -> tuple[Complex, ...]:
    """Return the complexes of a target; structures of a switch may lie `within` above the fold."""
    if target.plan:
        return tuple(
            state._replace(within=within) if len(state.structures) > 1 else state
            for state in plan_of(target.plan).states
        )
    n, nick = len(target.structure), target.nick
    spans = ((0, nick), (nick, n)) if nick else ((0, n),)
    return (Complex("", spans, target.structures, within if target.others else 0.0),)


def check_requests(target: RnaTarget, asked: RnaRequests, engine: str, name: str) -> None:
    """Raise `InputError` if the requests are not known of a target, or do not fit it.

    The checks of a design assume that these have passed.
    """
    asked = requests_for(target, asked)
    check_refinement(target, asked, engine, name)
    if asked.concentration and not any(len(part.spans) == 2 for part in complexes_of(target, 0.0)):
        raise InputError(f"{name}: --concentration is for two strands")
    asked.check_length(len(target.structure), name)
    check_tables(target, asked, name)
    check_own_energies(target, engine, name)


def check_states(target: RnaTarget, asked: RnaRequests, engine: str, name: str) -> None:
    """Raise `InputError` if a target that is not compiled cannot be searched, or has no design."""
    check_requests(target, asked, engine, name)
    asked = requests_for(target, asked)
    if len(target.structure) > MOST_BASES:
        kind = "a switch" if target.others else "two strands" if target.nick else "such a target"
        raise UnsolvableError(
            f"{name}: {len(target.structure)} bases, expected {MOST_BASES} at most of {kind}"
        )
    fixed = with_modified(target, engine, name)
    changes_of(fixed, asked, name)
    for number, structure in enumerate(target.structures, start=1):
        place = f"{name}, structure {number}" if target.others else name
        if engine != NO_ENGINE and not target.is_composed:
            check_foldable(structure, place, target.nick)
        if asked.constrains:
            # A request that no design of one structure can fulfil, no design of all of them can.
            check_possible(fixed._replace(structure=structure), asked, place)


def check_refinement(target: RnaTarget, asked: RnaRequests, engine: str, name: str) -> None:
    """Raise `InputError` if the gap or the objective is not known of a target."""
    asked.check_engine(engine)
    if asked.gap > 0 and (target.others or target.is_composed):
        kind = "states" if target.plan else "a switch" if target.others else "open positions"
        raise InputError(f"{name}: --gap is for one structure, not for {kind}")
    if asked.objective == MFE:
        return
    if asked.prefers:
        other = "--near" if asked.near else "--codon-usage"
        raise InputError(f"{name}: --objective and {other} cannot both be improved")
    for part in complexes_of(target, 0.0):
        if lack := objective_lack(part, asked.objective):
            place = f"{name}, state {part.name}" if part.name else name
            raise InputError(f"{place}: --objective {asked.objective} is not known with {lack}")


def check_own_energies(target: RnaTarget, engine: str, name: str) -> None:
    """Raise `InputError` if a target cannot be folded as what is the engine's own has it."""
    if engine == NO_ENGINE:
        return
    known = engine_called(engine)
    if target.nick and not target.is_composed and (known.dangles == 3 or known.modified):
        kind = "modified bases are" if known.modified else "dangles 3 is"
        raise InputError(f"{name}: {kind} for one strand, or for states")
    n_strands = len(plan_of(target.plan).strands) if target.plan else 1
    check_modified(engine, len(target.bases), name, n_strands)
    if not known.lonely_pairs:
        for part in complexes_of(target, 0.0):
            place = f"{name}, state {part.name}" if part.name else name
            for structure in part.structures:
                if OPEN not in structure:
                    check_no_lonely(structure, place, part.cuts)


def with_modified(target: RnaTarget, engine: str, name: str) -> RnaTarget:
    """Return a target whose letters at modified positions are the bases that are modified."""
    return target._replace(bases=with_modified_bases(target.bases, engine, name))


def changes_of(target: RnaTarget, asked: RnaRequests, name: str) -> Compatible | Assignments:
    """Sequences that can form all structures, and fulfil all tables.

    Raises
    ------
    UnsolvableError
        If there is none.
    """
    tables = asked_tables(target, asked)
    if not (tables or target.plan or asked.has_tables):
        partners = [pair_partners(structure, name, target.nick) for structure in target.structures]
        return Compatible(partners, target.bases, name)
    pairs = {
        (part.positions[i], part.positions[j])
        for part in complexes_of(target, 0.0)
        for structure in part.structures
        for i, j in enumerate(part.partners(structure))
        if i < j
    }
    return Assignments(target.bases, [*tables, *(pair_table(i, j) for i, j in sorted(pairs))], name)


def first_target(target: RnaTarget) -> RnaTarget:
    """Return a simple target, whose letters the search begins with, changed until they fit.

    Pairs that only several strands can have are left out.
    """
    structure = list(target.structure.replace(OPEN, "."))
    cuts = range(len(structure))
    partners = pair_partners(target.structure, "", *cuts)
    for opening, closing in enumerate(partners):
        if opening < closing and (closing <= opening + MIN_HAIRPIN or target.plan):
            structure[opening] = structure[closing] = "."
    return RnaTarget("".join(structure), target.bases)


def search_states(
    target: RnaTarget,
    asked: RnaRequests,
    requirements: Requirements,
    engine: str,
    begin: str,
    random: Random,
) -> Iterator[tuple[str, float]]:
    """Yield the best sequence so far and its score, see `StatesSearch.run`."""
    asked = requests_for(target, asked)
    model = None if engine == NO_ENGINE else use_engine(engine)
    changes = changes_of(with_modified(target, engine, "target"), asked, "target")
    search = StatesSearch(
        complexes_of(target, requirements.within), changes, requirements, model, random
    )
    if asked.near_bases:
        wanted = zip(asked.near_bases, begin, strict=True)
        begin = "".join(base if letter == "N" else letter for letter, base in wanted)
    best, score = begin, 0.0
    for best, score in search.run(begin):
        yield best, score
    if asked.objective != MFE and score == 1.0:
        complexes = complexes_of(target, requirements.within)
        cost = partial(objective_cost, complexes, model=model, objective=asked.objective)
        yield from improved(best, changes, search.checked, cost, random)
    if asked.prefers and score == 1.0 and isinstance(changes, Assignments):
        yield from cheaper(best, asked_preferences(asked), changes, search.checked, random)


def states_of(target: RnaTarget, sequence: str, requirements: Requirements, engine: str) -> States:
    """Return the quality of a sequence as a switch, computed in another process."""
    return examine_switch(sequence, target.structures, requirements, engine)


def composed_of(
    target: RnaTarget, sequence: str, requirements: Requirements, engine: str
) -> Composed:
    """Return the quality of a sequence in all complexes, computed in another process."""
    complexes = complexes_of(target, requirements.within)
    return examine_composed(sequence, complexes, requirements, engine)


def facts_of_switch(states: States) -> dict[str, Any]:
    """Facts of a switch that tables have."""
    shares = states.shares
    return {
        "energies": energies_text(states.energies),
        "shares": None if shares is None else " ".join(f"{share:.4g}" for share in shares),
        "probability": None if shares is None else round(min(sum(shares), 1.0), 6),
    }


def facts_of_composed(found: Composed, engine: str) -> dict[str, Any]:
    """Facts of a sequence in complexes, or with open positions, that tables have."""
    ensemble = found.ensemble
    return {
        "structure": STRUCTURES.join(found.folds),
        "energy": found.lowest[0],
        "engine": engine,
        "energies": energies_text(found.energies),
        "ensemble_energy": None if ensemble is None else energies_text(ensemble),
        "probability": found.probability,
    }


def energies_text(energies: Sequence[float]) -> str:
    """Energies in kcal/mol as tables have them."""
    return " ".join(f"{energy:.2f}" for energy in energies)
