"""Partition functions from Python, for sequences of one length."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from solver.compiling.random import Stream
from solver.domains.rna.ensemble.factors import Ensembles
from solver.domains.rna.ensemble.inside import fill
from solver.domains.rna.ensemble.outside import (
    fill_outside,
    pair_probabilities,
    position_defects,
)
from solver.domains.rna.ensemble.samples import sample
from solver.domains.rna.ensemble.vectors import Floats
from solver.domains.rna.ensemble.workspace import new_ensemble_workspace, new_outside_workspace
from solver.domains.rna.fold.check import pairs_of, structure_energy
from solver.domains.rna.fold.parameters import INFINITE
from solver.domains.rna.folding import as_text


class PartitionFunction:
    """Partition function of one sequence after the other, of `n` bases each.

    Parameters
    ----------
    n : int
    ensembles : Ensembles
        From `load_ensembles`.
    """

    def __init__(self, n: int, ensembles: Ensembles) -> None:
        self._n = n
        self._ensembles = ensembles
        self._workspace = new_ensemble_workspace(n, ensembles)
        self._outside = new_outside_workspace(n)
        self._sequence = ""
        self._logarithm = 0.0
        self._surrounded = False

    def read(self, sequence: str) -> float:
        """Take over a sequence; returns the free energy of its ensemble in kcal/mol."""
        if len(sequence) != self._n:
            raise ValueError(f"{len(sequence)} bases, expected {self._n}")
        energies, factors, thermal = self._ensembles[:3]
        self._logarithm = float(fill(self._workspace, energies, factors, as_text(sequence)))
        self._sequence, self._surrounded = sequence, False
        return -self._logarithm * thermal / 100.0

    def probability(self, structure: str) -> float:
        """Probability of a structure in the ensemble."""
        ensembles = self._ensembles
        if structure_energy(ensembles.energies, self._sequence, structure) >= INFINITE:
            return 0.0
        energy = structure_energy(ensembles.weighed, self._sequence, structure) / ensembles.parts
        return float(np.exp(-energy / ensembles.thermal - self._logarithm))

    def _surround(self) -> None:
        if not self._surrounded:
            fill_outside(self._workspace, self._outside, self._ensembles.energies)
            self._surrounded = True

    def pairs(self) -> Floats:
        """Probabilities of pairs, float64[n, n], of i < j, counted from 0."""
        self._surround()
        found = np.zeros(self._n**2)
        pair_probabilities(self._workspace, self._outside, found)
        return found.reshape(self._n, self._n)

    def defects(self, structure: str) -> Floats:
        """Probability that each base is not as in a structure, float64[n]."""
        self._surround()
        found = np.zeros(self._n + 1)
        position_defects(self._workspace, self._outside, pairs_of(structure), found)
        return found[1:]

    def defect(self, structure: str) -> float:
        """Normalised ensemble defect of a structure, of 0 ... 1."""
        return float(self.defects(structure).mean())

    def samples(self, count: int, stream: Stream) -> Iterator[str]:
        """Yield structures drawn from the ensemble; consumes `stream`."""
        pairs = np.zeros(self._n + 1, np.int32)
        stack = np.zeros(3 * self._n + 6, np.int32)
        for _ in range(count):
            sample(self._workspace, self._ensembles.energies, stream, pairs, stack)
            ends = enumerate(pairs.tolist())
            yield "".join("." if q == 0 else "(" if q > p else ")" for p, q in ends if p > 0)
