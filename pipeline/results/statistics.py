"""Statistics of run files: intervals, censored medians, PAR-2, paired differences, ECDFs.

Pure functions over numpy arrays. An unsolved run is an infinite value, never a
missing one. Bootstrap intervals are percentile intervals from a generator with
a fixed seed, so that the same runs always give the same report.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

CONFIDENCE = 0.95
RESAMPLES = 2000
SEED = 2026
PENALTY = 2.0
"""An unsolved run counts as so many times what it was allowed, however early it ended: PAR-2."""

Floats = NDArray[np.float64]


class Estimate(NamedTuple):
    """A value with its confidence interval."""

    value: float
    low: float
    high: float


def wilson_interval(
    successes: ArrayLike, trials: ArrayLike, confidence: float = CONFIDENCE
) -> tuple[Floats, Floats]:
    """Wilson score interval of a proportion, elementwise.

    Equal to `scipy.stats.binomtest(k, n).proportion_ci(method="wilson")`, for arrays.

    Parameters
    ----------
    successes, trials : array_like of int, broadcast to shape (n,)
        With no trials the interval is [0, 1].

    Returns
    -------
    low, high : float64 arrays, shape (n,)
    """
    n = np.asarray(trials, dtype=np.float64)
    safe = np.maximum(n, 1.0)
    share = np.where(n > 0, np.asarray(successes, dtype=np.float64) / safe, 0.5)
    z = float(ndtri(0.5 + confidence / 2))
    centre = (share + z * z / (2 * safe)) / (1 + z * z / safe)
    half = z / (1 + z * z / safe) * np.sqrt(share * (1 - share) / safe + z * z / (4 * safe**2))
    low = np.where((n == 0) | (share == 0), 0.0, centre - half)
    high = np.where((n == 0) | (share == 1), 1.0, centre + half)
    return low, high


def proportion(successes: NDArray[np.bool_], confidence: float = CONFIDENCE) -> Estimate:
    """Share of true values with its Wilson interval; `successes` has shape (runs,)."""
    low, high = wilson_interval(int(successes.sum()), successes.size, confidence)
    value = float(successes.mean()) if successes.size else float("nan")
    return Estimate(value, float(low), float(high))


def bootstrap(
    values: Floats,
    statistic: Callable[[Floats], Floats],
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Estimate:
    """Percentile bootstrap interval of a statistic of independent values.

    Parameters
    ----------
    values : float64, shape (n,)
        May hold infinities if the statistic can take them.
    statistic : function (..., n) -> (...)
        Reduces the last axis.

    Returns
    -------
    Estimate
        The interval of a single value is not known: nan. Without values all is nan.
    """
    if values.size <= 1:
        value = float(statistic(values)) if values.size else float("nan")
        return Estimate(value, float("nan"), float("nan"))
    rng = np.random.default_rng(seed)
    chunk = max(1, 2_000_000 // values.size)  # keeps the resampled values under 16 MB
    parts = [
        statistic(values[rng.integers(values.size, size=(min(chunk, resamples - k), values.size))])
        for k in range(0, resamples, chunk)
    ]
    return Estimate(float(statistic(values)), *_percentiles(np.concatenate(parts), confidence))


def _percentiles(resampled: Floats, confidence: float) -> tuple[float, float]:
    """Ends of the percentile interval of a statistic of the resamples, shape (resamples,)."""
    tail = (1 - confidence) / 2
    # "inverted_cdf" picks one of the resampled values: no arithmetic on infinities
    low, high = np.quantile(resampled, [tail, 1 - tail], method="inverted_cdf")
    return float(low), float(high)


def median_interval(values: Floats, seed: int = SEED) -> Estimate:
    """Median of values, infinite ones included, shape (n,), with its bootstrap interval."""
    return bootstrap(values, lambda sample: np.asarray(np.median(sample, axis=-1)), seed=seed)


def mean_interval(values: Floats, seed: int = SEED) -> Estimate:
    """Mean of finite values, shape (n,), with its bootstrap interval."""
    return bootstrap(values, lambda sample: np.asarray(np.mean(sample, axis=-1)), seed=seed)


def quartiles(values: Floats) -> tuple[float, float, float]:
    """Lower quartile, median and upper quartile of values that may be infinite, shape (n,)."""
    low, high = np.quantile(values, [0.25, 0.75], method="inverted_cdf")
    return float(low), float(np.median(values)), float(high)


def par2(seconds: Floats, solved: NDArray[np.bool_], limit: float) -> float:
    """Penalised average run time: seconds if solved, else twice the time limit.

    `seconds` and `solved` have shape (runs,); the answer and `limit` are in seconds.
    """
    return float(np.where(solved, seconds, PENALTY * limit).mean())


def ecdf(values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Steps of the cumulative count of finite values.

    Parameters
    ----------
    values : float64, shape (n,)
        Infinite where the event never happened.

    Returns
    -------
    at : float64, shape (k,)
        The distinct finite values, increasing.
    count : int64, shape (k,)
        How many of the n values are at most `at`.
    """
    at, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    return at, np.cumsum(counts).astype(np.int64)


def instance_means(instances: NDArray[np.str_], values: Floats) -> dict[str, float]:
    """Mean over the seeds of each instance; both arrays have shape (runs,)."""
    names, inverse = np.unique(instances, return_inverse=True)
    means = np.bincount(inverse, weights=values) / np.bincount(inverse)
    return dict(zip(names.tolist(), means.tolist(), strict=True))


def paired_values(
    first: tuple[NDArray[np.str_], Floats], second: tuple[NDArray[np.str_], Floats]
) -> tuple[Floats, Floats]:
    """Values of two methods on their common instances, averaged over seeds, in name order.

    Parameters
    ----------
    first, second : (instances, values), both of shape (runs,)

    Returns
    -------
    a, b : float64, shape (common instances,)
    """
    a, b = instance_means(*first), instance_means(*second)
    common = sorted(a.keys() & b.keys())
    return np.array([a[name] for name in common]), np.array([b[name] for name in common])


def difference_of_means(a: Floats, b: Floats, seed: int = SEED) -> Estimate:
    """Mean of a less mean of b with its bootstrap interval, each resampled on its own.

    Parameters
    ----------
    a, b : finite float64, shapes (n,) and (m,)
        Independent runs of two methods on one instance.

    Returns
    -------
    Estimate
        Without two values of each its interval is not known: nan.
    """
    value = float(a.mean() - b.mean())
    if min(a.size, b.size) <= 1:
        return Estimate(value, float("nan"), float("nan"))
    rng = np.random.default_rng(seed)
    means = [x[rng.integers(x.size, size=(RESAMPLES, x.size))].mean(axis=1) for x in (a, b)]
    return Estimate(value, *_percentiles(means[0] - means[1], CONFIDENCE))


def best_so_far(at: Floats, score: Floats, budgets: Floats) -> Floats:
    """Value of an improvement trace at each budget; nan before its first point.

    `at` (increasing) and `score` have shape (improvements,), `budgets` and the answer (budgets,).
    """
    index = np.searchsorted(at, budgets, side="right") - 1
    if at.size == 0:
        return np.full(budgets.shape, np.nan)
    return np.where(index >= 0, score[np.maximum(index, 0)], np.nan)


def mean_curve(values: Floats, seed: int = SEED) -> tuple[Floats, Floats, Floats]:
    """Mean over runs with its bootstrap interval, at several budgets at once.

    Parameters
    ----------
    values : float64, shape (runs, budgets)
        nan where a run has no score yet; such a budget is nan in the answer.

    Returns
    -------
    mean, low, high : float64, shape (budgets,)
        The ends are nan of a single run.
    """
    if len(values) == 1:
        return _without_interval(values[0])
    rng = np.random.default_rng(seed)
    runs = values.shape[0]
    # a resample of the runs is a vector of weights: one matrix product for all budgets
    weights = rng.multinomial(runs, np.full(runs, 1 / runs), size=RESAMPLES) / runs
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(weights @ values, [tail, 1 - tail], axis=0)
    return values.mean(axis=0), low, high


def _without_interval(curve: Floats) -> tuple[Floats, Floats, Floats]:
    unknown = np.full_like(curve, np.nan)
    return curve, unknown, unknown


def median_curve(values: Floats, seed: int = SEED) -> tuple[Floats, Floats, Floats]:
    """Median over runs with its bootstrap interval, at several budgets at once.

    Parameters
    ----------
    values : float64, shape (runs, budgets)
        Infinite where a run has no answer yet.

    Returns
    -------
    median, low, high : float64, shape (budgets,)
        The ends are nan of a single run.
    """
    if len(values) == 1:
        return _without_interval(values[0])
    runs = values.shape[0]
    chosen = np.random.default_rng(seed).integers(runs, size=(RESAMPLES, runs))
    tail = (1 - CONFIDENCE) / 2
    ends = [
        np.quantile(np.median(column[chosen], axis=1), [tail, 1 - tail], method="inverted_cdf")
        for column in values.T
    ]
    low, high = np.array(ends).T
    return np.median(values, axis=0), low, high
