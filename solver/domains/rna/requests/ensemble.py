"""Ensemble of a sequence beyond its fold of least energy, by ViennaRNA.

The process that refolds designs imports this, too: nothing of the search, no compiled code.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

from solver.domains.rna.energies.modified import (
    energy_in_ensemble,
    energy_in_fold,
    free_energy,
    has_ensemble,
    has_exact_energies,
    least_fold,
    new_compound,
)
from solver.domains.rna.text import STRANDS

#: Second-best structures are listed up to such a gap, in kcal/mol.
WIDEST_GAP = 16.0
#: Gaps that structures are listed within, one after the other, in 1/100 kcal/mol: lists grow
#: exponentially with it, and the first of two structures or more ends it.
_STEPS = (100, 200, 400, 800, 1200, 1600, 2000)
_SAME = 0.005  # kcal/mol
#: The ensembles of longer sequences take seconds, up to half a minute.
MOST_BASES = 1000
#: A structure above half of the ensemble is its fold; a little more, for the rounding of energies.
LIKELY = 0.55
#: Less probable pairs are not listed.
LEAST_PROBABLE = 1e-5


class Ensemble:
    """The structures of a sequence, and one of them, the target.

    Parameters
    ----------
    sequence, structure : str
        Bases, with `&` between two strands, and the target in dot-bracket, without; if that is
        empty, the structure that the sequence folds into.
    model : RNA.md
        ViennaRNA's model details, from `use_engine`.
    near : bool
        True if the energy of the target is near that of the fold, which is then computed only
        on demand.
    """

    def __init__(self, sequence: str, structure: str, model: Any, *, near: bool = False) -> None:
        self._model = model
        self._sequence = sequence
        self.is_known = has_ensemble(model)
        """True if gaps and probabilities are of the energies that sequences are folded with."""
        self._near = near
        self._compound = new_compound(sequence, model)
        self._strands = sequence.split(STRANDS)
        self._two = len(self._strands) > 1
        self._apart = [new_compound(strand, model) for strand in self._strands if self._two]
        self.structure = structure or self.fold
        self._n = len(self.structure)

    @cached_property
    def _folded(self) -> tuple[str, float]:
        return least_fold(self._compound, self._two)

    @property
    def fold(self) -> str:
        """Structure of minimum free energy of the sequence."""
        return self._folded[0]

    @property
    def lowest(self) -> float:
        """Energy of the fold, in kcal/mol."""
        return self._folded[1]

    @property
    def is_best(self) -> bool:
        """True if the first structure of minimum free energy is the target."""
        return self.fold == self.structure

    @property
    def is_likely_best(self) -> bool:
        """The same, told by the ensemble where the target is most of it: that is sooner."""
        return self.probability > LIKELY or self.is_best

    @cached_property
    def energy(self) -> float:
        """Energy of the target, in kcal/mol."""
        return self.energy_of(self.structure)

    def energy_of(self, structure: str) -> float:
        """Energy of a structure, in kcal/mol."""
        if not (self._two or has_exact_energies(self._model)):
            return energy_in_fold(self._sequence, structure, self._model)
        return float(self._compound.eval_structure(structure))

    def gap(self, most: float) -> float | None:
        """Energy of the best other structure above the target's, in kcal/mol.

        Negative where the target is not the fold; None if the gap is more than `most`.
        """
        return self.rival(most)[0]

    def rival(self, most: float) -> tuple[float | None, str]:
        """Return the gap, see `gap`, and the structure that it is to."""
        if not self.is_best and self.lowest < self.energy - _SAME:
            return round(self.lowest - self.energy, 2), self.fold
        for within in _STEPS:
            others = self._others(min(within, round(100 * most)))
            if others:
                energy, structure = min(others)
                return round(energy - self.energy, 2), structure
            if within >= 100 * most:
                break
        return None, ""

    def _others(self, within: int) -> list[tuple[float, str]]:
        """Structures but the target, with their energies, up to 1/100 kcal/mol above the fold.

        For two strands ViennaRNA lists complexes only: the best of the strands apart is added.
        """
        listed = self._compound.subopt(within)
        others = [(found.energy, found.structure.replace(STRANDS, "")) for found in listed]
        if self._two:
            folds, energies = zip(*(strand.mfe() for strand in self._apart), strict=True)
            if sum(energies) <= self.lowest + within / 100:
                others.append((sum(energies), "".join(folds)))
        return [other for other in others if other[1] != self.structure]

    @cached_property
    def _ensemble_energy(self) -> float:
        # Boltzmann factors are scaled by the energy that most of the ensemble has.
        self._compound.exp_params_rescale(self.energy if self._near else self.lowest)
        return free_energy(self._compound, self._strands)

    @property
    def probability(self) -> float:
        """Share of the target in the ensemble, of 0 ... 1."""
        return min(1.0, math.exp(self.log_probability))

    @cached_property
    def log_probability(self) -> float:
        """Natural logarithm of `probability`."""
        return self._logarithm(self.structure, self.energy)

    def share_of(self, structure: str) -> float:
        """Share of a structure in the ensemble, of 0 ... 1."""
        return min(1.0, math.exp(self._logarithm(structure, self.energy_of(structure))))

    def _logarithm(self, structure: str, energy: float) -> float:
        energy = energy_in_ensemble(self._sequence, structure, self._model, energy)
        above = energy - self._ensemble_energy  # which makes the Boltzmann factors, too
        return float(-1000 * above / self._compound.exp_params.kT)

    @property
    def defect(self) -> float:
        """Normalised ensemble defect (Zadeh 2011) of one strand, of 0 ... 1."""
        _ = self._ensemble_energy
        return float(self._compound.ensemble_defect(self.structure))

    def pairs(self) -> list[tuple[int, int, float]]:
        """Positions, from 0, and probabilities of the pairs that have `LEAST_PROBABLE` or more."""
        _ = self._ensemble_energy
        listed = self._compound.plist_from_probs(LEAST_PROBABLE)
        return [(pair.i - 1, pair.j - 1, round(pair.p, 5)) for pair in listed]

    def defects(self, partner: list[int]) -> list[float]:
        """Probability that each position is not as in the target, whose pairs are `partner`."""
        import numpy as np

        _ = self._ensemble_energy
        pairs = np.array(self._compound.bpp())[1:, 1:]
        pairs = pairs + pairs.T
        paired = pairs.sum(axis=0)
        places = range(self._n)
        wrong = [1 - pairs[i, partner[i]] if partner[i] >= 0 else paired[i] for i in places]
        return [float(probability) for probability in wrong]
