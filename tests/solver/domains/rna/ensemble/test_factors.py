"""Boltzmann factors are taken from ViennaRNA's memory only where they prove to be its factors."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import RNA

from solver.domains.rna.engines import use_engine
from solver.domains.rna.ensemble import factors
from solver.domains.rna.ensemble.factors import BoltzmannFactors, Ensembles, agree, load_ensembles
from solver.domains.rna.ensemble.partition import PartitionFunction


def loaded() -> Ensembles:
    found = load_ensembles("vienna2")
    assert found is not None
    return found


@pytest.mark.parametrize("table", BoltzmannFactors._fields)
def test_every_table_is_checked(table: str) -> None:
    """A table that is 0.5 kcal/mol off, or has factors of loops that cannot be, is noticed."""
    energies, known, thermal, *_ = loaded()
    assert agree(known, energies, thermal)
    values = getattr(known, table)
    for wrong in (values * np.exp(50 / thermal), np.where(values == 0, 1.0, values * 0)):
        assert not agree(known._replace(**{table: wrong}), energies, thermal)


def test_another_layout_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one number more before the hairpins the factors are those of the fold's energies."""

    class Shifted(ctypes.Structure):
        _fields_ = (
            *factors._ViennaFactors._fields_[:2],
            ("more", ctypes.c_double),
            *factors._ViennaFactors._fields_[2:],
        )

    monkeypatch.setattr(factors, "_ViennaFactors", Shifted)
    monkeypatch.setattr(factors, "_loaded", {})
    check_nearly()


def test_a_library_without_its_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    """So they are where ViennaRNA does not export the function that gives them."""
    _ = loaded()
    monkeypatch.setattr(ctypes, "CDLL", lambda path: object())
    monkeypatch.setattr(factors, "_loaded", {})
    check_nearly()


def check_nearly() -> None:
    """Free energies are ViennaRNA's but for the smoothing of dangles."""
    sequence = "GGGAGGCAAAGCCGGCAAAAGCCGGCAAAGCCACCC"
    found = load_ensembles("vienna2")
    assert found is not None
    theirs = RNA.fold_compound(sequence, use_engine("vienna2")).pf()[1]
    assert PartitionFunction(len(sequence), found).read(sequence) == pytest.approx(theirs, abs=0.1)


def test_without_energies_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without energies of the fold there are no factors either."""
    monkeypatch.setattr(factors, "load_fold_parameters", lambda engine: None)
    monkeypatch.setattr(factors, "_loaded", {})
    assert load_ensembles("vienna2") is None
