"""Equilibrium of two strands, against a plain relaxation of the law of mass action."""

from __future__ import annotations

import math
from typing import Any

import pytest
import RNA

from solver.domains.rna.energies.modified import free_energy, new_compound
from solver.domains.rna.engines import use_engine
from solver.domains.rna.requests.concentrations import bound_share, dimer_concentration


@pytest.fixture(scope="module")
def model() -> Any:
    return use_engine("vienna2")


def free_energies(text: str) -> tuple[float, float, float]:
    """Free energies of both strands and of their dimer, kcal/mol, by ViennaRNA alone."""
    compound = RNA.fold_compound(text)
    compound.mfe_dimer()
    _, one, other, dimer, _ = compound.pf_dimer()
    return one, other, dimer


def relaxed(both: float, first: float, second: float, total: float) -> tuple[float, float]:
    """Concentrations of both free strands, by fixed-point steps, halved, until they stay."""
    a = b = total
    for _ in range(200_000):
        new_a = total / (1 + both * b + 2 * first * a)
        new_b = total / (1 + both * a + 2 * second * b)
        if abs(new_a - a) <= 1e-13 * a and abs(new_b - b) <= 1e-13 * b:
            break
        a, b = math.sqrt(a * new_a), math.sqrt(b * new_b)
    return a, b


@pytest.mark.parametrize("total", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("constants", [(1e7, 1e2, 1e5), (1e11, 1e9, 1e3), (0.0, 1e6, 0.0)])
def test_mass_action(constants: tuple[float, float, float], total: float) -> None:
    """The dimer has the concentration that a relaxation of the law comes to."""
    a, b = relaxed(*constants, total)
    found = dimer_concentration(list(constants), total)
    assert found == pytest.approx(constants[0] * a * b, rel=1e-6, abs=1e-30)


@pytest.mark.parametrize(
    ("one", "other"), [("GGGGCAUAC", "GUAUGCCCC"), ("GGAUCC", "GGAUCUU"), ("AAAAAAA", "CCCCCCC")]
)
def test_what_is_bound(model: Any, one: str, other: str) -> None:
    """The share of bound strands is that of energies by ViennaRNA alone, and grows with them."""
    kt = 0.0019871588 * 310.15
    constants = []
    for text in (f"{one}&{other}", f"{one}&{one}", f"{other}&{other}"):
        first, second, dimer = free_energies(text)
        constants.append(math.exp((first + second - dimer) / kt))
    shares = []
    for micromolar in (0.01, 1.0, 100.0):
        total = micromolar / 1e6
        a, b = relaxed(constants[0], constants[1], constants[2], total)
        found = bound_share(f"{one}&{other}", model, micromolar)
        assert found is not None
        assert found == pytest.approx(constants[0] * a * b / total, rel=1e-3, abs=1e-12)
        shares.append(found)
    assert shares == sorted(shares)


def test_two_strands_that_are_the_same(model: Any) -> None:
    """Their dimer is that of a strand with itself, of twice the concentration."""
    one, micromolar = "GGGCGCGCCC", 10.0
    first, second, dimer = free_energies(f"{one}&{one}")
    constant = math.exp((first + second - dimer) / (0.0019871588 * 310.15))
    total = 2 * micromolar * 1e-6
    free, _ = relaxed(0.0, constant, 0.0, total)
    found = bound_share(f"{one}&{one}", model, micromolar)
    assert found is not None
    assert found == pytest.approx(1 - free / total, rel=1e-4)
    assert found > 0.99


@pytest.mark.parametrize(
    "text",
    [
        "CGCGCG&CGCGCG",
        "CCGGCC&GGCCGG",
        "CUGCUGC&UGCUG",
        "CAGC&AGCAGCAGCAG",
        "GGCC&GGCC",
        "GGCCA&GGCC",
    ],
)
def test_strands_that_repeat(model: Any, text: str) -> None:
    """Each structure counts once, however often a turn of both strands is the same.

    ViennaRNA lists of two strands the structures that hold them together; it divides their sum by
    the turns of both strands, one behind the other, and a dimer of equal strands is half of it.
    """
    one, other = text.split("&")
    compound = RNA.fold_compound(text)
    compound.exp_params_rescale(compound.mfe_dimer()[1])
    first, second = compound.pf_dimer()[1:3]
    kt = compound.exp_params.kT / 1000
    factors = [math.exp(-each.energy / kt) for each in RNA.fold_compound(text).subopt(3000)]
    apart = math.exp(-(first + second) / kt)
    energy = free_energy(new_compound(text, model), [one, other])
    assert energy == pytest.approx(-kt * math.log(math.fsum(factors) + apart), abs=5e-3)
    constants = []
    for pair in (text, f"{one}&{one}", f"{other}&{other}"):
        a, b = free_energies(pair)[:2]
        listed = math.fsum(math.exp(-e.energy / kt) for e in RNA.fold_compound(pair).subopt(3000))
        strands = pair.split("&")
        alike = 2 if strands[0] == strands[1] else 1
        constants.append(listed / alike * math.exp((a + b) / kt))
    total = 1e-6
    if one == other:
        free = relaxed(0.0, constants[0], 0.0, 2 * total)[0]
        expected = 1 - free / (2 * total)
    else:
        a, b = relaxed(constants[0], constants[1], constants[2], total)
        expected = constants[0] * a * b / total
    assert bound_share(text, model, 1.0) == pytest.approx(expected, rel=5e-3)
