"""Improving a design that folds right: by the gap to the next structure, or by the ensemble.

A local search like the defect-weighted mutation of NUPACK [1]_, on whole sequences, with late
acceptance [2]_. ViennaRNA's partition function, or its list of sub-optimal structures, is what a
step costs; so this is plain Python.

References
----------
.. [1] J. Zadeh, B. Wolfe, N. Pierce, Nucleic Acid Sequence Design via Efficient Ensemble Defect
   Optimization, 2011.
.. [2] E. Burke, Y. Bykov, The Late Acceptance Hill-Climbing Heuristic, 2017.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np

from solver.domains.rna.requests.check import Requirements, missing_of
from solver.domains.rna.requests.contradictions import Site
from solver.domains.rna.requests.ensemble import Ensemble
from solver.domains.rna.requests.options import BOTH, DEFECT, MFE, PROBABILITY

#: Sequences gone back to by late acceptance.
MEMORY = 10
#: Changes drawn in vain, all of them against a request, after which a step is given up.
DRAWS = 200
#: Least weight of a position that is as it should be, beside the probability that it is not.
FLOOR = 0.02


class Worth(NamedTuple):
    """Quality of a sequence: compared from the first field to the last."""

    folds: bool
    gap: float
    """Gap in kcal/mol, capped at the requested one."""
    objective: float
    """Logarithm of the probability, or the defect with its sign changed, or their sum without
    the logarithm."""


class Refinement:
    """The local search from one design.

    Parameters
    ----------
    structure, partner : str, list of int
        The target, and the other end of the pair of each position, -1 where there is none.
    sites : list of Site
        Permitted bases of each position or pair.
    model : RNA.md
        ViennaRNA's model details.
    random : random.Random
        Consumed.
    """

    def __init__(
        self,
        structure: str,
        partner: list[int],
        sites: list[Site],
        requirements: Requirements,
        objective: str,
        model: Any,
        random: Random,
    ) -> None:
        self._structure = structure
        self._partner = partner
        self._sites = [site for site in sites if len(site.choices) > 1]
        self._requirements = requirements
        self._objective = objective
        self._model = model
        self._random = random

    def run(self, sequence: str) -> Iterator[tuple[str, float]]:
        """Yield the best sequence so far, and its score, after each one evaluated.

        The score is 1 where it has the gap, and less where some of it lacks.
        """
        current = best = sequence
        worth, weights = self._evaluated(sequence)
        highest, history = worth, [worth] * MEMORY
        number = 0
        while True:
            lacking = self._requirements.gap - highest.gap
            yield best, 1.0 if self._met(highest) else 1.0 / (1.01 + lacking)
            if not self._sites or (self._objective == MFE and self._met(highest)):
                return
            tried = self._changed(current, weights)
            found, weights_there = self._evaluated(tried)
            if found >= worth or found >= history[number % MEMORY]:
                current, worth, weights = tried, found, weights_there
            if found > highest:
                best, highest = tried, found
            history[number % MEMORY] = worth
            number += 1

    def _met(self, worth: Worth) -> bool:
        return worth.folds and worth.gap >= self._requirements.gap

    def _evaluated(self, sequence: str) -> tuple[Worth, list[float]]:
        """Worth of a sequence, and how much each site is to be changed."""
        ensemble = Ensemble(sequence, self._structure, self._model, near=True)
        gap, rival = self._requirements.gap, ""
        if self._requirements.gap > 0:
            found, rival = ensemble.rival(self._requirements.gap)
            gap = self._requirements.gap if found is None else min(found, self._requirements.gap)
        objective = 0.0
        if self._objective == PROBABILITY:
            objective = ensemble.log_probability
        elif self._objective == DEFECT:
            objective = -ensemble.defect
        elif self._objective == BOTH:
            objective = ensemble.probability - ensemble.defect
        lacks_gap = gap < self._requirements.gap and rival
        by_position = (
            self._differing(rival)
            if lacks_gap or self._objective == MFE
            else ensemble.defects(self._partner)
        )
        folds = ensemble.is_best if self._objective == MFE else ensemble.is_likely_best
        return Worth(folds, gap, objective), self._of_sites(by_position)

    def _differing(self, rival: str) -> list[float]:
        """1 where a structure is not the target, and beside it."""
        n = len(self._structure)
        wrong = [a != b for a, b in zip(self._structure, rival.ljust(n, "."), strict=True)]
        return [float(any(wrong[max(i - 1, 0) : i + 2])) for i in range(n)]

    def _of_sites(self, by_position: list[float]) -> list[float]:
        return [
            FLOOR
            + by_position[site.position]
            + (by_position[site.partner] if site.partner >= 0 else 0.0)
            for site in self._sites
        ]

    def _changed(self, sequence: str, weights: list[float]) -> str:
        """Return `sequence` with one site changed, as far as possible against no request."""
        ends = np.cumsum(weights)
        tried = sequence
        for _ in range(DRAWS):
            drawn = self._random.random() * ends[-1]
            site = self._sites[min(int(np.searchsorted(ends, drawn, "right")), len(ends) - 1)]
            tried = self._exchanged(sequence, site)
            if not missing_of(tried, self._requirements):
                return tried
        return sequence

    def _exchanged(self, sequence: str, site: Site) -> str:
        """Return `sequence` with another choice at a site."""
        letters = list(sequence)
        now = letters[site.position] + (letters[site.partner] if site.partner >= 0 else "")
        others = [choice for choice in site.choices if choice != now]
        choice = others[int(self._random.random() * len(others))]
        letters[site.position] = choice[0]
        if site.partner >= 0:
            letters[site.partner] = choice[1]
        return "".join(letters)
