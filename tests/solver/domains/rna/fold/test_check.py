"""Energies are taken from ViennaRNA's memory only where they prove to be its energies."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import RNA

from solver.domains.rna.engines import use_engine
from solver.domains.rna.fold import check, parameters
from solver.domains.rna.fold.check import (
    agrees,
    load_fold_parameters,
    special_hairpins,
    structure_energy,
)
from solver.domains.rna.fold.parameters import FoldParameters, packed, parameters_of

#: Not read from a table of ViennaRNA's, or used by the fold alone, whose tests see them.
NOT_ENERGIES = {"code", "pair_type", "special", "unequal_edge", "scalars"}


def loaded() -> FoldParameters:
    found = load_fold_parameters("vienna2")
    assert found is not None
    return found


@pytest.mark.parametrize("table", sorted(set(FoldParameters._fields) - NOT_ENERGIES))
def test_every_table_is_checked(table: str) -> None:
    """A table that is 0.1 kcal/mol off anywhere where energies are finite is noticed."""
    model = use_engine("vienna2")
    energies = getattr(loaded(), table)
    wrong = energies + np.where(energies < 10**6, 10, 0).astype(np.int32)
    assert agrees(loaded(), model)
    assert not agrees(loaded()._replace(**{table: wrong}), model)


@pytest.mark.parametrize("scalar", range(1, 5))
def test_every_scalar_is_checked(scalar: int) -> None:
    """So are the closing of a multiloop, its bases, a bulge of one, a loop of two and three."""
    scalars = loaded().scalars.copy()
    scalars[scalar] += 10
    assert not agrees(loaded()._replace(scalars=scalars), use_engine("vienna2"))


def test_another_layout_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one number more before the hairpins the energies are none, and ViennaRNA folds."""

    class Shifted(ctypes.Structure):
        _fields_ = (
            *parameters._ViennaParameters._fields_[:2],
            ("more", ctypes.c_int),
            *parameters._ViennaParameters._fields_[2:],
        )

    monkeypatch.setattr(parameters, "_ViennaParameters", Shifted)
    monkeypatch.setattr(check, "_checked", {})
    assert load_fold_parameters("vienna2") is None


def test_a_library_without_its_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """If ViennaRNA does not export its parameters, ViennaRNA folds."""
    monkeypatch.setattr(ctypes, "CDLL", lambda path: object())
    monkeypatch.setattr(check, "_checked", {})
    assert load_fold_parameters("vienna2") is None


def test_packed_tables_come_back() -> None:
    """All tables in one array are the same tables."""
    again = parameters_of(packed(loaded()))
    for one, other in zip(loaded(), again, strict=True):
        assert np.array_equal(one, other)


def test_special_hairpins() -> None:
    """Those that ViennaRNA lists by sequence, of 3, 4 and 6 bases, each with its own energy."""
    found = special_hairpins(loaded())
    assert {len(hairpin) - 2 for hairpin in found} == {3, 4, 6}
    assert "CUUCGG" in found
    for hairpin in found:
        structure = f"({'.' * (len(hairpin) - 2)})"
        compound = RNA.fold_compound(hairpin, use_engine("vienna2"))
        theirs = round(compound.eval_structure(structure) * 100)
        assert structure_energy(loaded(), hairpin, structure) == theirs
