"""What a sequence does besides its fold of least energy, by ViennaRNA.

The process that refolds designs imports this, too: nothing of the search, no compiled code.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

#: Second-best structures are listed up to such a gap, in kcal/mol.
WIDEST_GAP = 16.0
#: Gaps that structures are listed within, one after the other, in 1/100 kcal/mol: lists grow
#: exponentially with it, and the first of two structures or more ends it.
_STEPS = (100, 200, 400, 800, 1200, 1600, 2000)
_SAME = 0.005  # kcal/mol
#: Less probable pairs are not listed.
LEAST_PROBABLE = 1e-5


class Ensemble:
    """The structures of a sequence, and one of them, the target.

    Parameters
    ----------
    sequence, structure : str
        Bases, and the target in dot-bracket.
    model : RNA.md
        ViennaRNA's model details, from `use_engine`.
    """

    def __init__(self, sequence: str, structure: str, model: Any) -> None:
        import RNA

        self.structure = structure
        self.is_known = model.dangles == 2
        """Whether gaps and probabilities are of the energies that sequences are folded with."""
        self._n = len(sequence)
        self._compound = RNA.fold_compound(sequence, model)
        self._fold, self._lowest = self._compound.mfe()

    @property
    def is_best(self) -> bool:
        """Whether the sequence folds into the target; of several with its energy, the first."""
        return bool(self._fold == self.structure)

    @cached_property
    def energy(self) -> float:
        """Energy of the target, in kcal/mol."""
        return float(self._compound.eval_structure(self.structure))

    def gap(self, most: float) -> float | None:
        """Energy of the best other structure above the target's, in kcal/mol.

        Negative where the target is not the fold; None if the gap is more than `most`.
        """
        return self.rival(most)[0]

    def rival(self, most: float) -> tuple[float | None, str]:
        """Return the gap, see `gap`, and the structure that it is to."""
        if not self.is_best and self._lowest < self.energy - _SAME:
            return round(self._lowest - self.energy, 2), self._fold
        for within in _STEPS:
            listed = self._compound.subopt(min(within, round(100 * most)))
            others = [found for found in listed if found.structure != self.structure]
            if others:
                best = min(others, key=lambda found: (found.energy, found.structure))
                return round(best.energy - self.energy, 2), best.structure
            if within >= 100 * most:
                break
        return None, ""

    @cached_property
    def _ensemble_energy(self) -> float:
        # Boltzmann factors are scaled by the energy that most of the ensemble has.
        self._compound.exp_params_rescale(self._lowest)
        return float(self._compound.pf()[1])

    @property
    def probability(self) -> float:
        """Share of the target in the ensemble, of 0 ... 1."""
        return min(1.0, math.exp(self.log_probability))

    @property
    def log_probability(self) -> float:
        """Natural logarithm of `probability`."""
        above = self.energy - self._ensemble_energy  # it makes the Boltzmann factors, too
        return float(-1000 * above / self._compound.exp_params.kT)

    @property
    def defect(self) -> float:
        """Normalised ensemble defect (Zadeh 2011), of 0 ... 1."""
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
