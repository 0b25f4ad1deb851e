"""Ratings: the strength of methods by the games that they have played against each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtri

from pipeline.results.statistics import CONFIDENCE

Floats = npt.NDArray[np.float64]

#: Elo points of a factor e in the odds.
SCALE = 400.0 / np.log(10.0)
#: Games that are drawn beforehand between two methods that meet: else who wins all is infinite.
DRAWN = 1.0
#: Newton's method doubles the digits at each step.
STEPS = 50


class Rating(NamedTuple):
    """Strength of a method in Elo points, above the mean of all."""

    points: float
    half: float
    """Half the width of the confidence interval."""


def bradley_terry(wins: Floats) -> list[Rating]:
    """Return the ratings that make the results most likely [1]_.

    Parameters
    ----------
    wins : float64[methods, methods]
        Score of the row's method against the column's, a draw being half a win to both.

    References
    ----------
    .. [1] R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs, Biometrika 39,
       1952. Intervals are those of the Fisher information.
    """
    n = len(wins)
    met = (wins + wins.T) > 0
    won = wins + np.where(met, DRAWN / 2, 0.0)
    games = won + won.T
    strength = np.zeros(n)
    for _ in range(STEPS):
        chance = expit(strength[:, None] - strength)
        gradient = (won - games * chance).sum(axis=1)
        strength += np.linalg.pinv(_information(games, chance)) @ gradient
        strength -= strength.mean()
    chance = expit(strength[:, None] - strength)
    variance = np.diag(np.linalg.pinv(_information(games, chance)))
    half = float(ndtri(0.5 + CONFIDENCE / 2)) * np.sqrt(variance)
    return [
        Rating(float(points), float(width))
        for points, width in zip(SCALE * strength, SCALE * half, strict=True)
    ]


def _information(games: Floats, chance: Floats) -> Floats:
    """Fisher information of the strengths, float64[methods, methods]."""
    weight = games * chance * (1.0 - chance)
    return np.asarray(np.diag(weight.sum(axis=1)) - weight)
