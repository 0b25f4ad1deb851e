"""Penalty of a violated window: more than any tour of the instance can spend.

With it the order of scores is lexicographic, fewer violated windows first, whatever the units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Penalty of the papers, Tcost = cost + 10^6 · violations: for instances whose tours spend less.
PENALTY = 1e6
#: Rounding error of the bound, which is added up in another order than a tour's cost.
ROUNDING = 1e-9


class Scale(NamedTuple):
    """Parts of a score: minus the origin, minus the amount spent, minus penalties."""

    origin: float
    """Time at which tours begin, if a score is a time of day; else 0."""
    penalty: float
    """Penalty of a violated window, more than any tour spends."""

    def split(self, score: float) -> tuple[float, int]:
        """Return the amount spent, origin included, and the violations of a tour of this score."""
        lost = max(-score - self.origin, 0.0)
        violations = int(lost // self.penalty)
        return -score - violations * self.penalty, violations


def scale_of(data: Floats, *, makespan: bool) -> Scale:
    """Return the parts of the scores of an instance, float64[n, n + 2 + 2 g].

    The penalty is the first of 10^6, 10^7 ... that is above every cost, or every makespan: each
    node is left once, at most by its dearest leg, and nobody waits beyond the last opening.
    """
    n = len(data)
    legs = np.array(data[:, :n])
    if n > 1:
        np.fill_diagonal(legs, 0.0)
    most = float(legs.max(axis=1).sum())
    begin = float(data[0, n])
    if makespan:
        openings = np.hstack([data[:, n : n + 1], data[:, n + 3 :: 2]])
        most += max(float(openings.max()) - begin, 0.0)
    penalty = PENALTY
    while penalty <= most * (1 + ROUNDING):
        penalty *= 10.0
    return Scale(begin if makespan else 0.0, penalty)
