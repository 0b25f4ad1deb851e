"""Requests on designs, checked in plain Python that shares nothing with the project."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import RNA

from solver.domains.rna.engines import use_engine
from tests.solver.domains.rna.plain_structures import gc

__all__ = ["LETTERS", "differences", "energies", "fold", "gap", "gc", "has", "least_distance"]

LETTERS = {
    "A": "A", "C": "C", "G": "G", "U": "U", "T": "U", "R": "[AG]", "Y": "[CU]", "S": "[CG]",
    "W": "[AU]", "K": "[GU]", "M": "[AC]", "B": "[CGU]", "D": "[AGU]", "H": "[ACU]", "V": "[ACG]",
    "N": ".",
}  # fmt: skip


def has(sequence: str, motif: str) -> bool:
    """True if an IUPAC motif occurs."""
    return re.search("".join(LETTERS[letter] for letter in motif), sequence) is not None


def differences(one: str, other: str) -> int:
    """Hamming distance."""
    assert len(one) == len(other)
    return len([1 for a, b in zip(one, other, strict=True) if a != b])


def least_distance(sequences: Sequence[str]) -> int:
    """Least Hamming distance between two of several."""
    return min(differences(*two) for two in itertools.combinations(sequences, 2))


def fold(sequence: str) -> str:
    """Fold by ViennaRNA, vienna2."""
    structure: str = RNA.fold_compound(sequence, use_engine("vienna2")).mfe()[0]
    return structure


def energies(sequence: str, most: float) -> dict[str, float]:
    """Structures up to `most` kcal/mol above the best, with their energies, vienna2."""
    compound = RNA.fold_compound(sequence, use_engine("vienna2"))
    listed = compound.subopt(round(100 * most))
    return {found.structure: compound.eval_structure(found.structure) for found in listed}


def gap(sequence: str, target: str, most: float = 10.0) -> float:
    """Energy of the second-best structure above the target's, in kcal/mol."""
    known = energies(sequence, most)
    return min(energy - known[target] for found, energy in known.items() if found != target)
