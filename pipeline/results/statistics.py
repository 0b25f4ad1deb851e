"""Statistics of run files: intervals, censored medians, PAR-2, paired differences, ECDFs.

Pure functions over numpy arrays. An unsolved run is an infinite value, never a
missing one. Bootstrap intervals are BCa for finite means, percentile intervals for
medians and curves, from a generator with a fixed seed, so that the same runs always give
the same report.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

CONFIDENCE = 0.95
RESAMPLES = 2000
SEED = 2026
PENALTY = 2.0
"""Factor of PAR-2: an unsolved run counts as a multiple of its budget, however early it ended."""

#: Decimals of a number up to 1 that are no rounding.
DECIMALS = 12

Floats = NDArray[np.float64]

_TAIL = (1 - CONFIDENCE) / 2
_ENDS = (_TAIL, 1 - _TAIL)


class Estimate(NamedTuple):
    """A value with its confidence interval."""

    value: float
    low: float
    high: float


def wilson_interval(successes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
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
    z = float(ndtri(0.5 + CONFIDENCE / 2))
    centre = (share + z * z / (2 * safe)) / (1 + z * z / safe)
    half = z / (1 + z * z / safe) * np.sqrt(share * (1 - share) / safe + z * z / (4 * safe**2))
    low = np.where((n == 0) | (share == 0), 0.0, centre - half)
    high = np.where((n == 0) | (share == 1), 1.0, centre + half)
    return low, high


def proportion(successes: NDArray[np.bool_]) -> Estimate:
    """Share of true values with its Wilson interval; `successes` has shape (runs,)."""
    low, high = wilson_interval(int(successes.sum()), successes.size)
    value = float(successes.mean()) if successes.size else float("nan")
    return Estimate(value, float(low), float(high))


def two_proportions(score: float, n: int, other_score: float, other_n: int) -> float:
    """p-value that two samples have one mean of scores 0 ... 1: the pooled z-test, two-sided.

    Parameters
    ----------
    score, n
        Sum of the scores of the first sample, and its size.
    other_score, other_n
        Those of the second.
    """
    pooled = (score + other_score) / (n + other_n)
    deviation = math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / other_n))
    if deviation == 0:
        return 1.0
    return math.erfc(abs(score / n - other_score / other_n) / deviation / math.sqrt(2))


def holm(p_values: Floats) -> Floats:
    """p-values corrected for their number by Holm's method, float64[n]."""
    order = np.argsort(p_values)
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.minimum(1, np.maximum.accumulate(p_values[order] * factors))
    result = np.empty(len(p_values))
    result[order] = corrected
    return result


def median_interval(values: Floats) -> Estimate:
    """Median of values with its percentile bootstrap interval.

    Parameters
    ----------
    values : float64, shape (n,)
        May be infinite, where BCa would do arithmetic on them.

    Returns
    -------
    Estimate
        The interval of a single value is not known: nan. Without values all is nan.
    """
    if values.size <= 1:
        return _single(float(np.median(values)) if values.size else float("nan"))
    rng = np.random.default_rng(SEED)
    chunk = _chunk(values.size)
    sizes = [(min(chunk, left), values.size) for left in range(RESAMPLES, 0, -chunk)]
    medians = [np.median(values[rng.integers(values.size, size=size)], axis=1) for size in sizes]
    # "inverted_cdf" picks one of the resampled values: no arithmetic on infinities
    low, high = np.quantile(np.concatenate(medians), _ENDS, method="inverted_cdf")
    return Estimate(float(np.median(values)), float(low), float(high))


def mean_interval(values: Floats, seed: int = SEED) -> Estimate:
    """Mean of values with its BCa bootstrap interval.

    B. Efron, Better bootstrap confidence intervals, Journal of the American Statistical
    Association 82, 1987.

    Parameters
    ----------
    values : float64, shape (n,)
        Finite; of others the interval is not known.

    Returns
    -------
    Estimate
        The interval of a single value is not known: nan; of equal values it is the value. Without
        values all is nan.
    """
    return _bca((values,), _mean, seed) if values.size else _single(float("nan"))


def mean_share(shares: Floats) -> Estimate:
    """Mean of shares, float64[n]: with its Wilson interval where each is 0 or 1, else BCa.

    A bootstrap of shares that are all 1, or all 0, has no width, however few they are.
    """
    whole = np.asarray(shares == 1, dtype=np.bool_)
    are_whole = shares.size and np.all(whole | (shares == 0))
    return proportion(whole) if are_whole else mean_interval(shares)


def difference_of_means(a: Floats, b: Floats) -> Estimate:
    """Mean of a less mean of b with its BCa bootstrap interval, each resampled on its own.

    Parameters
    ----------
    a, b : finite float64, shapes (n,) and (m,)
        Independent runs of two methods on one instance.

    Returns
    -------
    Estimate
        Without two values of each its interval is not known: nan.
    """
    return _bca((a, b), _difference, SEED)


def _mean(values: Floats, axis: int = -1) -> Floats:
    return np.asarray(values.mean(axis=axis))


def _difference(a: Floats, b: Floats, axis: int = -1) -> Floats:
    return _mean(a, axis) - _mean(b, axis)


def _bca(samples: tuple[Floats, ...], statistic: Callable[..., Floats], seed: int) -> Estimate:
    """Statistic, linear in the samples, with its interval; as wide as nothing if they are equal."""
    value = float(statistic(*samples))
    scale = float(max(np.abs(sample).max() for sample in samples)) or 1.0
    if min(sample.size for sample in samples) <= 1 or not np.isfinite(scale):
        return _single(value)
    scaled = [sample / scale for sample in samples]
    if all(np.ptp(sample).round(DECIMALS) == 0 for sample in scaled):
        return Estimate(value, value, value)  # BCa would divide by zero
    from scipy.stats import bootstrap  # takes a second, which matches of games do without

    # BCa counts the resamples below the value: ties must not depend on the order of a sum.
    result = bootstrap(
        scaled,
        lambda *resamples, axis: statistic(*resamples, axis=axis).round(DECIMALS),
        n_resamples=RESAMPLES,
        batch=_chunk(max(sample.size for sample in samples)),
        confidence_level=CONFIDENCE,
        method="BCa",
        rng=np.random.default_rng(seed),
    )
    low, high = result.confidence_interval
    return Estimate(value, scale * float(low), scale * float(high))


def _single(value: float) -> Estimate:
    return Estimate(value, float("nan"), float("nan"))


def _chunk(size: int) -> int:
    """Return the number of resamples of `size` values to make at once: 16 MB of them."""
    return max(1, 2_000_000 // size)


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
        Number of the n values that are at most `at`.
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


def best_so_far(at: Floats, score: Floats, budgets: Floats) -> Floats:
    """Value of an improvement trace at each budget; nan before its first point.

    `at` (increasing) and `score` have shape (improvements,), `budgets` and the answer (budgets,).
    """
    index = np.searchsorted(at, budgets, side="right") - 1
    if at.size == 0:
        return np.full(budgets.shape, np.nan)
    return np.where(index >= 0, score[np.maximum(index, 0)], np.nan)


def mean_curve(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean over runs with its percentile bootstrap interval, at several budgets at once.

    For the bands of curves: BCa would take a jackknife at each of their points.

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
    rng = np.random.default_rng(SEED)
    runs = values.shape[0]
    # a resample of the runs is a vector of weights: one matrix product for all budgets
    weights = rng.multinomial(runs, np.full(runs, 1 / runs), size=RESAMPLES) / runs
    low, high = np.quantile(weights @ values, _ENDS, axis=0)
    return values.mean(axis=0), low, high


def _without_interval(curve: Floats) -> tuple[Floats, Floats, Floats]:
    unknown = np.full_like(curve, np.nan)
    return curve, unknown, unknown


def median_curve(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Median over runs with its percentile bootstrap interval, at several budgets at once.

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
    chosen = np.random.default_rng(SEED).integers(runs, size=(RESAMPLES, runs))
    ends = [
        np.quantile(np.median(column[chosen], axis=1), _ENDS, method="inverted_cdf")
        for column in values.T
    ]
    low, high = np.array(ends).T
    return np.median(values, axis=0), low, high
