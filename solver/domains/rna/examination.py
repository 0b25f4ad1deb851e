"""Examination of designs by ViennaRNA: fold, ensemble and requests that are not met.

The process that refolds designs imports this: nothing of the search, no compiled code. Each
function returns the fields of a class of `solver.domains.rna.refold`, as JSON has them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from solver.domains.rna.engines import NO_ENGINE, use_engine
from solver.domains.rna.plans.complexes import Complex, Molecules, agrees, of_json
from solver.domains.rna.requests.check import (
    GAP_UNKNOWN,
    SAME,
    Requirements,
    gap_missing,
    gc_percent,
    missing_of,
    within_missing,
)
from solver.domains.rna.requests.concentrations import bound_share
from solver.domains.rna.requests.ensemble import WIDEST_GAP, Ensemble
from solver.domains.rna.requests.fixed import misfold_missing
from solver.domains.rna.requests.quadruplex import quadruplex_missing, quadruplex_of
from solver.domains.rna.text import STRANDS

#: Depths of an examination: also the second-best structure, the ensemble, nothing folded.
LISTING, ENSEMBLE, LETTERS = 2, 1, 0


def findings_of(
    sequence: str, structure: str, requirements: Requirements, effort: int, engine: str
) -> list[Any]:
    """Fields of `Findings`."""
    bases = sequence.replace(STRANDS, "")
    missing = missing_of(bases, requirements)
    if engine != NO_ENGINE:
        missing += quadruplex_missing(quadruplex_of(sequence, use_engine(engine)), requirements)
    gap = probability = defect = None
    if engine != NO_ENGINE:
        model = use_engine(engine)
        ensemble = Ensemble(sequence, structure, model)
        if not ensemble.is_best:
            missing += misfold_missing(ensemble, requirements, model)
        if ensemble.is_known and effort >= ENSEMBLE:
            probability = round(ensemble.probability, 6)
            if not requirements.nick:
                defect = round(ensemble.defect, 6)
            if ensemble.is_best and effort >= LISTING:
                gap = ensemble.gap(max(WIDEST_GAP, requirements.gap))
    if effort >= LISTING or requirements.gap == 0:
        missing += gap_missing(gap, requirements)
    else:
        missing.append(GAP_UNKNOWN)
    bound = None
    if requirements.concentration and STRANDS in sequence and engine != NO_ENGINE and effort:
        bound = bound_share(sequence, use_engine(engine), requirements.concentration)
    return [round(gc_percent(bases), 2), gap, probability, defect, missing, bound]


def switch_of(
    sequence: str, structures: list[str], requirements: Requirements, effort: int, engine: str
) -> list[Any]:
    """Fields of `States`."""
    ensemble = Ensemble(sequence, "", use_engine(engine))
    energies = [round(ensemble.energy_of(structure), 2) for structure in structures]
    lowest = round(ensemble.lowest, 2)
    shares = None
    if ensemble.is_known and effort >= ENSEMBLE:
        shares = [round(ensemble.share_of(structure), 6) for structure in structures]
    missing = missing_of(sequence, requirements) + within_missing(energies, lowest, requirements)
    missing += quadruplex_missing(quadruplex_of(sequence, use_engine(engine)), requirements)
    return [ensemble.fold, lowest, energies, shares, round(gc_percent(sequence), 2), missing]


def composed_of(
    sequence: str, target: dict[str, Any], requirements: Requirements, effort: int, engine: str
) -> list[Any]:
    """Fields of `Composed`."""
    missing = missing_of(sequence, requirements)
    folds, lowest, energies = [], [], []
    ensemble: list[float | None] = []
    logarithms: list[float | None] = []
    defects: list[float | None] = []
    bound: list[float | None] = []
    for fields in target["complexes"] if engine != NO_ENGINE else ():
        part, model = of_json(fields), use_engine(engine)
        molecules = Molecules(part, sequence, model)
        fold, energy = molecules.fold()
        found = [round(molecules.completed(known)[1], 2) for known in part.structures]
        missing += complex_missing(found, fold, round(energy, 2), part)
        layers = quadruplex_of(part.text(sequence), model, part.ligand)
        missing += quadruplex_missing(layers, requirements)
        folds.append(part.shown(fold))
        lowest.append(round(energy, 2))
        energies += found
        ensemble.append(molecules.ensemble_energy() if effort >= ENSEMBLE else None)
        text = part.text(sequence)
        if requirements.concentration and text.count(STRANDS) == 1 and effort >= ENSEMBLE:
            unbound = part.ligand is None
            bound.append(bound_share(text, model, requirements.concentration) if unbound else None)
        logarithms.append(molecules.log_probability() if effort >= ENSEMBLE else None)
        has_defect = ensemble[-1] is not None and molecules.has_defect
        defects.append(molecules.defect() if has_defect else None)
    known_ensemble = [round(each, 2) for each in _known(ensemble)] or None
    shares, off = _known(logarithms), _known(defects)
    probability = round(math.exp(sum(shares)), 6) if shares else None
    defect = round(sum(off) / len(off), 6) if off else None
    gc = round(gc_percent(sequence), 2)
    bounds = _known(bound) or None
    return [folds, lowest, energies, known_ensemble, probability, gc, missing, bounds, defect]


def _known(values: Sequence[float | None]) -> list[float]:
    """Return all values, none where one is unknown."""
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


def fold_of(sequence: str, unique: bool, engine: str) -> list[Any]:
    """Fields of `Fold`."""
    model = use_engine(engine)
    ensemble = Ensemble(sequence, "", model)
    quadruplex = quadruplex_of(sequence, model)
    # With dangles 1 ViennaRNA lists structures by their energies with dangles 2.
    only = ensemble.gap(0.0) is None if unique and ensemble.is_known else None
    energy = None if quadruplex is None else quadruplex.energy
    return [ensemble.fold, round(ensemble.lowest, 2), only, energy]


def complex_missing(
    energies: Sequence[float], fold: str, lowest: float, complex_: Complex
) -> list[str]:
    """Say which structures of a complex are not what it folds into."""
    place = f"state {complex_.name}: " if complex_.name else ""
    missing = []
    for number, (energy, structure) in enumerate(
        zip(energies, complex_.structures, strict=True), start=1
    ):
        which = f"structure {number}" if len(complex_.structures) > 1 else "the structure"
        above = energy - lowest
        if above > complex_.within + SAME:
            missing.append(
                f"{place}{which} is {above:.2f} kcal/mol above the fold, expected "
                f"{complex_.within:g} at most"
            )
        elif len(complex_.structures) == 1 and not agrees(structure, fold):
            missing.append(f"{place}the fold is another one of the same energy")
    return missing
