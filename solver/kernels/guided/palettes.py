"""Palettes of restarts, and what is learned of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np

from solver.contract.rules import Floats
from solver.kernels.guided.proposals import Tilt

#: Powers that the odds of priors are raised to, as temperatures of 1, 1/2 and 1/8 of theirs.
POWERS = (1.0, 0.5, 0.125)
#: How much more often a variant is drawn whose restarts all end best than one that ends worst.
EAGERNESS = 4.0
#: Share of the restarts from the best that have the palette by which it was found.
SHARE = 0.5
#: Share of the other restarts that have the usual odds, as most of what is solved needs no others.
USUAL = 0.5
#: Ends of restarts that others are ranked by.
ENDS = 30


class PaletteChoice:
    """Choice of a palette for each restart: a power, and a variant of each kind of factors.

    Each of them is drawn by the mean rank of the distances that its restarts have ended at, among
    those that began alike: a bandit.

    Parameters
    ----------
    palettes : sequence of float64[variants, moves]
        See `Assignable.palettes`.
    tilt : Tilt
        Written.
    """

    def __init__(self, palettes: Sequence[Floats], tilt: Tilt) -> None:
        self._palettes = palettes
        self._tilt = tilt
        self.begin()

    def begin(self) -> None:
        """Forget all, and return to the usual odds."""
        sizes = [len(POWERS), *map(len, self._palettes)]
        self._credit = [[[1.0, 2.0] for _ in range(size)] for size in sizes]
        self._ends: dict[int, list[float]] = {}
        self._best: tuple[int, ...] = (0,) * len(sizes)
        self._nearest = math.inf
        self._use(self._best)

    def note(self, distance: float, beginning: int) -> None:
        """Learn from the least distance of the restart that ends, which began in such a way."""
        ends = self._ends.setdefault(beginning, [])
        if ends:
            rank = sum(0.5 * (end >= distance) + 0.5 * (end > distance) for end in ends)
            for credit, variant in zip(self._credit, self.chosen, strict=True):
                credit[variant][0] += rank / len(ends)
                credit[variant][1] += 1.0
        self._ends[beginning] = [*ends[1 - ENDS :], distance]
        if distance < self._nearest:
            self._nearest, self._best = distance, self.chosen

    def draw(self, seed: int, from_best: bool) -> None:
        """Choose the palette of a restart; `from_best` says that it begins with the best of all."""
        random = Random(seed)
        if from_best and random.random() < SHARE:
            self._use(self._best)
            return
        if random.random() < USUAL:
            self._use((0,) * len(self._credit))
            return
        weights = [
            [math.exp(EAGERNESS * won / tried) for won, tried in credit] for credit in self._credit
        ]
        self._use(tuple(random.choices(range(len(kind)), kind)[0] for kind in weights))

    def _use(self, chosen: tuple[int, ...]) -> None:
        self.chosen = chosen
        """Number of the power and of the variants in use."""
        power, *variants = chosen
        self._tilt.power[0] = POWERS[power]
        self._tilt.factors[:] = 1.0
        for palette, variant in zip(self._palettes, variants, strict=True):
            self._tilt.factors[:] *= np.asarray(palette)[variant]
        self._tilt.is_on[0] = any(chosen)
