"""Gaps, probabilities and defects against all structures of short sequences."""

from __future__ import annotations

import functools
import math
from random import Random
from typing import Any

import numpy as np
import pytest
import RNA

from solver.domains.rna.engines import use_engine
from solver.domains.rna.refold import examine
from solver.domains.rna.requests.check import Requirements
from solver.domains.rna.requests.contradictions import sites_of
from solver.domains.rna.requests.ensemble import Ensemble
from solver.domains.rna.requests.options import RnaRequests
from solver.domains.rna.requests.refine import Refinement
from solver.domains.rna.text import PAIRS, new_target, pair_partners
from tests.helpers import needs_jit
from tests.solver.domains.rna.comparisons import said_by_script
from tests.solver.domains.rna.plain_designs import energies, fold, gap, gc

HAIRPIN = "((((....))))"
SEQUENCES = ["GCGCUUCGGCGC", "GGGGUUUUCCCC", "GGUCAAAAGAUC", "GCCAAAAAUGGC"]
THERMAL = 0.61632  # kcal/mol at 37 C
#: Above the energies of all structures of twelve bases.
ALL = 60.0


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_against_all_structures(sequence: str) -> None:
    """Boltzmann weights of all structures, added up, give probability and defect."""
    known = energies(sequence, ALL)
    weights = {found: math.exp(-energy / THERMAL) for found, energy in known.items()}
    total = sum(weights.values())
    partner = pair_partners(HAIRPIN, "p")
    wrong = np.zeros(len(sequence))
    for found, weight in weights.items():
        pairs = pair_partners(found, "p")
        wrong += [weight / total * (a != b) for a, b in zip(pairs, partner, strict=True)]
    ensemble = Ensemble(sequence, HAIRPIN, use_engine("vienna2"))
    assert ensemble.probability == pytest.approx(weights[HAIRPIN] / total, abs=2e-3)
    assert ensemble.defect == pytest.approx(wrong.mean(), abs=2e-3)
    assert ensemble.defects(partner) == pytest.approx(wrong.tolist(), abs=2e-3)
    assert ensemble.gap(16.0) == pytest.approx(gap(sequence, HAIRPIN))
    findings = examine(sequence, HAIRPIN, Requirements(), "vienna2")
    assert (findings.gap, findings.missing) == (ensemble.gap(16.0), [])
    assert findings.gc == pytest.approx(gc(sequence), abs=0.01)
    assert findings.probability == pytest.approx(ensemble.probability, abs=1e-6)
    assert findings.defect == pytest.approx(ensemble.defect, abs=1e-6)


#: Shares of all structures of a sequence added up, and that of a target of seventy bases: by the
#: ensemble, of a state, of one whose last base is open, and by the search for an objective.
SHARES = """
import json, sys, RNA
from random import Random
from solver.domains.rna.engines import use_engine
from solver.domains.rna.ensemble.factors import load_ensembles
from solver.domains.rna.objective.memory import LOGARITHM
from solver.domains.rna.objective.refine import EnsembleRefinement
from solver.domains.rna.plans.complexes import Complex, Molecules
from solver.domains.rna.requests.contradictions import sites_of
from solver.domains.rna.requests.ensemble import Ensemble
from solver.domains.rna.requests.kernels import NoRequests
from solver.domains.rna.text import OPEN, new_target
from tests.solver.domains.rna.requests.test_ensemble import ALL, SEQUENCES, TARGET, DESIGN
model = use_engine(sys.argv[1])
sums = []
for sequence in SEQUENCES:
    found = RNA.fold_compound(sequence, model).subopt(int(100 * ALL))
    ensemble = Ensemble(sequence, "", model)
    sums.append(sum(ensemble.share_of(one.structure) for one in found))
logarithms = [Ensemble(DESIGN, TARGET, model).log_probability]
for structure in (TARGET, TARGET[:-1] + OPEN):
    state = Complex("state", [(0, len(DESIGN))], [structure])
    logarithms.append(Molecules(state, DESIGN, model).log_probability())
sites = sites_of(new_target(TARGET, DESIGN, "target"))
ensembles = load_ensembles(sys.argv[1])
search = EnsembleRefinement(TARGET, sites, NoRequests(), "probability", ensembles, Random(1))
next(search.run(DESIGN))
logarithms.append(float(search._memory.best.numbers[LOGARITHM]))
print(json.dumps([sums, logarithms]))
"""
TARGET = "(((((((..((((....)))).(((((.......))))).....(((((.......))))))))))))...."
DESIGN = "GGGCCGCAGGGCCGAACGGCCGGCGCCGAAUAGAGGCGCAAAAAGCCGCAAAACACGCGGCGCGGCCCAAAU"


@needs_jit
@pytest.mark.parametrize(
    ("engine", "probability"),
    [("vienna2@61.5C", 0.88864), ("vienna2@20C", 0.98999), ("dna@20C", None)],
)
def test_shares_at_other_temperatures(engine: str, probability: float | None) -> None:
    """Shares of all structures add up to 1, though energies of structures are rounded there.

    The probabilities are those of ViennaRNA with the target as a constraint; of 20,000 structures
    drawn at 61.5 degrees 88.99 % are the target.
    """
    sums, logarithms = said_by_script(SHARES, engine)
    assert sums == pytest.approx([1.0] * len(SEQUENCES), abs=1e-5)
    own, state, open_, searched = map(math.exp, logarithms)
    assert state == pytest.approx(own, abs=1e-6)
    assert own <= open_ < own + 1e-3
    assert searched == pytest.approx(own, abs=1e-4)
    if probability is not None:
        assert own == pytest.approx(probability, abs=1e-4)


def test_the_likeliest_is_the_fold() -> None:
    """Asked of the ensemble or of the fold, the answer is the same, and so are probabilities."""
    model, chance = use_engine("vienna2"), Random(5)
    likely = 0
    for _ in range(200):
        sequence = "".join(chance.choices("ACGU", [1, 2, 2, 1], k=30))
        target = fold(sequence)
        for one in (target, fold(sequence[::-1])):
            ensemble, near = (Ensemble(sequence, one, model, near=near) for near in (False, True))
            assert near.is_likely_best == ensemble.is_best == (one == target)
            assert near.probability == pytest.approx(ensemble.probability, rel=1e-6)
            assert near.defect == pytest.approx(ensemble.defect, abs=1e-6)
            likely += ensemble.probability > 0.55
    assert 20 < likely < 180


def test_what_folds_otherwise() -> None:
    """The gap is below 0, and the one beyond what is listed is unknown."""
    model = use_engine("vienna2")
    other = Ensemble("GCGCUUCGGCGC", "." * 12, model)
    assert other.gap(16.0) == -5.5
    assert Ensemble("A" * 12, "." * 12, model).gap(16.0) is None
    assert examine("GCGCUUCGGCGC", "." * 12, Requirements(gap=2.0), "vienna2").gap is None


def test_dangles_1_has_no_ensemble() -> None:
    """Facts on ensembles are left out with dangles 1: ViennaRNA's are of other energies."""
    findings = examine("GCGCUUCGGCGC", HAIRPIN, Requirements(gc=(0.0, 50.0)), "vienna1")
    assert (findings.gap, findings.probability, findings.defect) == (None, None, None)
    assert findings.missing == ["GC is 83.3 %, expected 0-50 %"]


def test_a_design_is_asked_for_its_own_fold_again() -> None:
    """Examining a sequence for a target says nothing of what it folds into."""
    from solver.domains.rna.refold import refold

    for structure in (HAIRPIN, "." * 12):
        examine("GCGCUUCGGCGC", structure, Requirements(), "vienna2")
        assert refold("GCGCUUCGGCGC", "vienna2").structure == HAIRPIN
        examine("GCGCUUCGGCGC", structure, Requirements(), "vienna2")
        assert refold("GCGCUUCGGCGC", "vienna2", unique=True).structure == HAIRPIN


@pytest.mark.parametrize("objective", ["mfe", "probability", "defect", "both"])
def test_refining(objective: Any) -> None:
    """Refined designs fold into the target, keep the requests, and never get worse."""
    options = RnaRequests(gc="40-60", forbid="GGG", gap=2.0, objective=objective)
    target = new_target(HAIRPIN, "NNNNNNNANNNN", "p")
    partner = pair_partners(HAIRPIN, "p")
    model = use_engine("vienna2")
    refinement = Refinement(
        HAIRPIN, partner, sites_of(target), options.requirements, objective, model, Random(1)
    )
    start = "GUACUUCAGUAC"
    assert fold(start) == HAIRPIN
    worth = []
    for number, (sequence, score) in enumerate(refinement.run(start)):
        assert fold(sequence) == HAIRPIN
        assert 40 <= gc(sequence) <= 60
        assert sequence[7] == "A"
        wide = min(gap(sequence, HAIRPIN, 60.0), 2.0)
        assert (score == 1.0) == (wide >= 2.0 - 1e-6)
        ensemble = Ensemble(sequence, HAIRPIN, model)
        value = {"mfe": 0.0, "probability": ensemble.probability, "defect": -ensemble.defect}
        value["both"] = value["probability"] + value["defect"]
        worth.append((wide, value[objective]))
        if number == 60:
            break
    assert worth == sorted(worth)
    assert worth[-1] > worth[0]
    assert (number < 60) == (objective == "mfe")


def test_nothing_to_refine() -> None:
    """The design is the answer if all bases are fixed, or nothing more is asked for."""
    model, partner = use_engine("vienna2"), pair_partners(HAIRPIN, "p")
    fixed, free = new_target(HAIRPIN, "GCGCUUCGGCGC", "p"), new_target(HAIRPIN, "", "p")
    for target, gap_wanted, met in ((fixed, 9.0, False), (free, 0.0, True)):
        requirements = RnaRequests(gap=gap_wanted).requirements
        refinement = Refinement(
            HAIRPIN, partner, sites_of(target), requirements, "mfe", model, Random(1)
        )
        ((sequence, score),) = refinement.run("GCGCUUCGGCGC")
        assert (sequence, score == 1.0) == ("GCGCUUCGGCGC", met)


def structures_of(sequence: str, nick: int) -> list[str]:
    """All structures of two strands, together and apart."""

    @functools.cache
    def inside(first: int, last: int) -> list[str]:
        if first > last:
            return [""]
        found = ["." + rest for rest in inside(first + 1, last)]
        for other in range(first + 1, last + 1):
            if sequence[first] + sequence[other] in PAIRS and (
                other - first > 3 or first < nick <= other
            ):
                rests = inside(other + 1, last)
                found += [f"({a}){b}" for a in inside(first + 1, other - 1) for b in rests]
        return found

    return inside(0, len(sequence) - 1)


@pytest.mark.parametrize(
    "strands", ["GGACG&CGAGUCC", "GCCUGGCGU&CCGACCCA", "GGGG&CCCC", "AGGCCUA&AGGCCUA"]
)
def test_two_strands_against_all_structures(strands: str) -> None:
    """Gap and probability are among all structures of both strands, apart ones included."""
    nick, model = strands.index("&"), use_engine("vienna2")
    every = structures_of(strands.replace("&", ""), nick)
    compound = RNA.fold_compound(strands, model)
    energies = {found: compound.eval_structure(found) for found in every}
    (lowest, best), (second, _) = sorted((energy, found) for found, energy in energies.items())[:2]
    total = sum(math.exp(-energy / THERMAL) for energy in energies.values())
    ensemble = Ensemble(strands, "", model)
    assert ensemble.fold == best
    assert ensemble.lowest == pytest.approx(lowest)
    assert ensemble.gap(16.0) == pytest.approx(second - lowest, abs=0.01)
    for found, energy in sorted(energies.items(), key=lambda item: item[1])[:5]:
        share = math.exp(-energy / THERMAL) / total
        assert ensemble.share_of(found) == pytest.approx(share, abs=2e-3)
    findings = examine(strands, best, Requirements(nick=nick), "vienna2")
    assert findings.gap == ensemble.gap(16.0)
    assert findings.probability == pytest.approx(ensemble.probability, abs=1e-6)
    assert findings.defect is None
