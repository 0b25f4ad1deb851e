"""Strands of a complex, against ViennaRNA's own commands and lists of structures."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
import RNA

from solver.domains.rna.engines import use_engine
from solver.domains.rna.plans.complexes import LIGANDS, Complex, Molecules, agrees
from solver.domains.rna.plans.groups import partitions

APTAMER = "GAUACCAG", "CCCUUGGCAGC"


@pytest.fixture
def model() -> Any:
    return use_engine("vienna2")


def letters(chance: Random, n: int) -> str:
    return "".join(chance.choices("ACGU", k=n))


def spans(*lengths: int) -> list[tuple[int, int]]:
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    return list(zip([0, *ends], ends, strict=False))


def test_partitions() -> None:
    """Groups that do not cross: as many as the numbers of Catalan."""
    found = [len(list(partitions(tuple(range(n))))) for n in range(1, 6)]
    assert found == [1, 2, 5, 14, 42]
    assert [(0, 2), (1, 3)] not in [sorted(groups) for groups in partitions((0, 1, 2, 3))]


@pytest.mark.parametrize("seed", range(12))
def test_two_strands(seed: int, model: Any) -> None:
    """Two strands fold as RNAcofold has them, in groups as at once."""
    chance = Random(seed)
    n, m = chance.randint(5, 25), chance.randint(5, 25)
    sequence = letters(chance, n + m)
    molecules = Molecules(Complex("c", spans(n, m), ["." * (n + m)]), sequence, model)
    fold, energy = molecules.fold()
    theirs = RNA.fold_compound(f"{sequence[:n]}&{sequence[n:]}", model).mfe_dimer()
    assert fold == theirs[0]
    assert energy == pytest.approx(theirs[1], abs=1e-4)
    assert molecules.energy_of(fold) == pytest.approx(energy, abs=1e-2)
    assert molecules._apart(None, False)[1] == pytest.approx(energy, abs=1e-2)


@pytest.mark.parametrize("n", [2, 3])
def test_strands_of_one_base(n: int, model: Any) -> None:
    """Strands of a base each stay apart, and their fold has a mark for every base."""
    part = Complex("c", spans(*[1] * n), ["." * n])
    assert Molecules(part, "GCG"[:n], model).fold() == ("." * n, 0.0)
    assert Molecules(part, "GCG"[:n], model)._apart(None, False) == ("." * n, 0.0)


def test_three_strands(model: Any) -> None:
    """Three strands hold together where that is best, or only two of them, or none."""
    part = Complex("c", spans(8, 8, 12), ["." * 28])
    for sequence, shown, energy in (
        ("GGGGAAAAUUUUGGGGCCCCAAAACCCC", "((((....&((((((((&))))))))))))", -17.5),
        ("GGGGAAAACCCCAAAAAAAAAAAAAAAA", "((((....&))))....&............", -8.6),
        ("GGGGAAAAAAAAAAAAAAAACCCCAAAA", "((((....&........&....))))....", -8.6),
        ("A" * 28, "........&........&............", 0.0),
    ):
        molecules = Molecules(part, sequence, model)
        fold, lowest = molecules.fold()
        assert part.shown(fold) == shown
        assert lowest == pytest.approx(energy, abs=1e-4)
        assert molecules.energy_of(fold) == pytest.approx(lowest, abs=1e-2)


@pytest.mark.parametrize("seed", range(25))
def test_open_positions(seed: int, model: Any) -> None:
    """A structure with open positions is completed to the best listed one that agrees with it."""
    chance = Random(seed)
    n = chance.randint(14, 22)
    sequence = letters(chance, n)
    listed = RNA.fold_compound(sequence, model).subopt(800)
    asked = list(chance.choice(listed).structure)
    begin = chance.randint(0, n - 4)
    for i in range(begin, chance.randint(begin + 3, n)):
        if asked[i] == ".":
            asked[i] = "N"
    pattern = "".join(asked)
    molecules = Molecules(Complex("c", [(0, n)], [pattern]), sequence, model)
    found, energy = molecules.completed(pattern)
    expected = min(each.energy for each in listed if agrees(pattern, each.structure))
    assert agrees(pattern, found)
    assert energy == pytest.approx(expected, abs=1e-3)
    assert molecules.energy_of(found) == pytest.approx(energy, abs=1e-2)


@pytest.mark.parametrize("seed", range(8))
def test_open_positions_of_two_strands(seed: int, model: Any) -> None:
    """The same of two strands, those that come apart included."""
    chance = Random(seed)
    n, m = chance.randint(6, 10), chance.randint(6, 10)
    sequence = letters(chance, n + m)
    compound = RNA.fold_compound(f"{sequence[:n]}&{sequence[n:]}", model)
    listed = [(each.structure.replace("&", ""), each.energy) for each in compound.subopt(1500)]
    for one in RNA.fold_compound(sequence[:n], model).subopt(1500):
        for other in RNA.fold_compound(sequence[n:], model).subopt(1500):
            listed.append((one.structure + other.structure, one.energy + other.energy))
    pattern = "".join(chance.choice("NNNN.") for _ in range(n + m))
    part = Complex("c", spans(n, m), [pattern])
    _, energy = Molecules(part, sequence, model).completed(pattern)
    expected = min(energy for structure, energy in listed if agrees(pattern, structure))
    assert energy == pytest.approx(expected, abs=1e-2)


@pytest.mark.parametrize("strand", ["UAAAUAUUUA", "GGGAUCCC"])
def test_equal_strands(strand: str, model: Any) -> None:
    """The share of a structure is its Boltzmann factor among those of all, strands apart too."""
    n = len(strand)
    compound = RNA.fold_compound(f"{strand}&{strand}", model)
    compound.exp_params_rescale(compound.mfe_dimer()[1])
    kt = compound.exp_params.kT / 1000
    alone = sum(math.exp(-one.energy / kt) for one in RNA.fold_compound(strand, model).subopt(2000))
    dimers = sum(math.exp(-each.energy / kt) for each in compound.subopt(2000))
    whole = "(" * n + ")" * n
    share = math.exp(-compound.eval_structure(whole) / kt) / (dimers + alone**2)
    found = Molecules(Complex("c", spans(n, n), [whole]), strand + strand, model).log_probability()
    assert found is not None
    assert math.exp(found) == pytest.approx(share, rel=2e-3)


def test_agreement() -> None:
    """Brackets stand for their pairs, dots for unpaired bases, N for either."""
    assert agrees("((NNNN))", "((....))")
    assert agrees("NN(...)NN", "(((...)))")
    assert not agrees("(NNNNNNN)", "(...)(.).")
    assert not agrees(".NNNNNN.", "((....))")
    assert agrees("((....))", "((....))")


def test_theophylline(model: Any) -> None:
    """Theophylline binds its aptamer by -9.22 kcal/mol, in one strand and in two."""
    sequence = f"GGGGGG{APTAMER[0]}CUUCGAAAG{APTAMER[1]}CCCCCC"
    bound = "((((((" + "(...((((" + "." * 9 + ")...)))...)" + "))))))"
    ligand = LIGANDS["theophylline"]
    without = RNA.fold_compound(sequence, model)
    free, lowest = without.mfe()
    molecules = Molecules(
        Complex("on", [(0, len(sequence))], [bound], ligand=ligand), sequence, model
    )
    assert molecules.energy_of(bound) == pytest.approx(
        without.eval_structure(bound) - 9.22, abs=1e-2
    )
    assert molecules.fold()[1] == pytest.approx(min(lowest - 9.22, lowest), abs=0.5)
    open_loop = bound.replace(".........", "N" * 9)
    completed, energy = molecules.completed(open_loop)
    assert agrees(open_loop, completed)
    assert energy == pytest.approx(molecules.energy_of(completed), abs=1e-2)
    assert energy <= molecules.energy_of(bound) + 1e-2
    n = 6 + len(APTAMER[0])
    halves = sequence[:n] + sequence[n + 9 :]
    two = "((((((" + "(...((((" + ")...)))...)" + "))))))"
    split = Molecules(Complex("on", spans(n, len(halves) - n), [two], ligand=ligand), halves, model)
    alone = RNA.fold_compound(f"{halves[:n]}&{halves[n:]}", model)
    assert split.energy_of(two) == pytest.approx(alone.eval_structure(two) - 9.22, abs=1e-2)
    assert split.fold()[0] == two
    assert split.fold()[1] == pytest.approx(split.energy_of(two), abs=1e-2)
    assert free


@pytest.mark.parametrize(
    ("structures", "sequence"),
    [
        (["((((....))))" + "N" * 14, "N" * 14 + "((((....))))"], "CAGUAAACGCUGAAGCGUUAUAGCGC"),
        (["NN((....))NNNN", "NNNN((....))NN", "((((....))))NN"], "GGGGAAAACCCCAA"),
        (["((NNNNNNNN))", "NN((....))NN", "((((....))))"], "GGGGAAAACCCC"),
        (["(NNN)NNN", "NN(NNN)N"], "GAGACACA"),
        (["((NNN))NNN", "(NNNNN)NN."], "GGAAACCAAA"),
    ],
)
def test_structures_with_folds_in_common(structures: list[str], sequence: str, model: Any) -> None:
    """A fold that agrees with several structures counts once, as in a list of all of them."""
    n = len(sequence)
    compound = RNA.fold_compound(sequence, model)
    kt = 0.0019871588 * 310.15
    listed = [(each.structure, math.exp(-each.energy / kt)) for each in compound.subopt(4000)]
    right = [factor for fold, factor in listed if any(agrees(asked, fold) for asked in structures)]
    share = math.fsum(right) / math.fsum(factor for _, factor in listed)
    found = Molecules(Complex("c", [(0, n)], structures), sequence, model).log_probability()
    assert found is not None
    assert math.exp(found) == pytest.approx(share, rel=3e-3)
