"""Gap of a score to the best score known: the one definition, for facts, reports and benchmarks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def relative_gap(score: Floats | float, best: Floats | float) -> Floats:
    """Share of the best known score that is missing, (best - score) / |best|.

    For a tour, whose score is minus its cost: excess of the cost over the least one. An answer
    that is not feasible has no gap: leave its score out, or take the gap as infinite.

    Parameters
    ----------
    score, best : float or float64[n]
        On the same scale, higher is better.

    Returns
    -------
    float64 or float64[n]
        Negative where `score` is above `best`. If `best` is 0: 0 for the same score, else
        infinite, with the sign of what is missing.
    """
    missing = np.asarray(best, np.float64) - score
    size = np.abs(np.asarray(best, np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(missing == 0, 0.0, missing / size)
