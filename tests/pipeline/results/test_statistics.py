"""Statistics of runs against direct counting, scipy and known cases."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binomtest, chi2_contingency, norm

from pipeline.results import statistics
from pipeline.results.statistics import RESAMPLES, Estimate, Floats


@pytest.mark.parametrize("trials", [1, 7, 100])
def test_wilson_interval_equals_scipy(trials: int) -> None:
    """The array form gives scipy's interval for every number of successes."""
    successes = np.arange(trials + 1)
    low, high = statistics.wilson_interval(successes, trials)
    for k in successes.tolist():
        expected = binomtest(k, trials).proportion_ci(method="wilson")
        assert low[k] == pytest.approx(expected.low, abs=1e-12)
        assert high[k] == pytest.approx(expected.high, abs=1e-12)


def test_wilson_interval_of_no_trials_is_everything() -> None:
    """Nothing is known of a proportion that was never tried."""
    low, high = statistics.wilson_interval([0, 3], [0, 4])
    assert (low[0], high[0]) == (0, 1)
    assert 0 < low[1] < 0.75 < high[1] < 1


def test_proportion_is_the_share_of_true_values() -> None:
    """The value is k / n and lies inside its interval."""
    share = statistics.proportion(np.array([True, True, False, True]))
    assert share.value == 0.75
    assert share.low < 0.75 < share.high


def test_median_counts_unsolved_runs_as_infinite() -> None:
    """With a minority of infinities the median is finite and its interval may not be."""
    values = np.array([1.0, 2.0, 3.0, np.inf, np.inf])
    median = statistics.median_interval(values)
    assert median.value == 3
    assert np.isfinite(median.low)
    assert np.isinf(median.high)
    assert statistics.median_interval(np.full(4, np.inf)).value == np.inf


def test_bootstrap_is_deterministic() -> None:
    """The same values give the same interval, another seed gives another one."""
    values = np.random.default_rng(1).exponential(size=50)
    assert statistics.mean_interval(values) == statistics.mean_interval(values)
    assert statistics.mean_interval(values) != statistics.mean_interval(values, seed=1)


def test_bootstrap_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    """About 95 % of 200 intervals of the mean of 40 normal values hold the true mean."""
    samples = np.random.default_rng(2).normal(5, 2, size=(200, 40))
    intervals = [statistics.mean_interval(sample) for sample in samples]
    covered = sum(interval.low <= 5 <= interval.high for interval in intervals)
    assert 0.88 * 200 <= covered <= 0.99 * 200


def test_bootstrap_of_nothing_is_nan() -> None:
    """No values have no mean, and ask for no resampling."""
    assert np.isnan(statistics.mean_interval(np.empty(0))).all()


def test_shares_that_are_all_one_have_an_interval() -> None:
    """Three runs that reach every target do not show that all would: Wilson's interval."""
    all_three = statistics.mean_share(np.ones(3))
    assert all_three == statistics.proportion(np.ones(3, np.bool_))
    assert all_three.low < 0.5 < all_three.high == 1.0
    shares = np.array([0.25, 1.0, 0.0])
    assert statistics.mean_share(shares) == statistics.mean_interval(shares)


def test_a_single_value_has_no_interval() -> None:
    """One run says nothing of the spread."""
    mean = statistics.mean_interval(np.array([3.0]))
    assert mean.value == 3
    assert np.isnan(mean[1:]).all()
    difference = statistics.difference_of_means(np.array([3.0]), np.array([1.0, 2.0]))
    assert difference.value == 1.5
    assert np.isnan(difference[1:]).all()
    for curve in (statistics.mean_curve, statistics.median_curve):
        middle, *ends = curve(np.array([[3.0, 4.0]]))
        assert middle.tolist() == [3, 4]
        assert np.isnan(ends).all()


def bca_by_hand(values: Floats, seed: int) -> list[float]:
    """Efron's formulas, one resample after another."""
    rng = np.random.default_rng(seed)
    n, value = values.size, values.mean()
    means = np.array([values[rng.integers(n, size=n)].mean() for _ in range(RESAMPLES)])
    below = (np.count_nonzero(means < value) + np.count_nonzero(means <= value)) / 2
    z0 = norm.ppf(below / RESAMPLES)
    left_out = np.array([np.delete(values, k).mean() for k in range(n)])
    deviations = left_out.mean() - left_out
    acceleration = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    ends = z0 + norm.ppf([0.025, 0.975])
    shares = norm.cdf(z0 + ends / (1 - acceleration * ends))
    return [float(end) for end in np.quantile(means, shares)]


def test_mean_interval_is_that_of_efron() -> None:
    """Bias-corrected and accelerated: of a skewed sample further to the right than to the left."""
    values = np.random.default_rng(6).exponential(size=30)
    mean = statistics.mean_interval(values)
    assert [mean.low, mean.high] == pytest.approx(bca_by_hand(values, statistics.SEED), rel=1e-9)
    assert mean.high - mean.value > 1.2 * (mean.value - mean.low)


def test_mean_interval_has_the_unit_of_the_values() -> None:
    """Values a thousand times larger have an interval a thousand times wider."""
    values = np.random.default_rng(8).normal(size=20)
    small, large = statistics.mean_interval(values), statistics.mean_interval(1000 * values)
    assert large == pytest.approx([1000 * x for x in small], rel=1e-9)


def test_equal_resamples_are_ties_however_they_are_added() -> None:
    """Thirds do not add up exactly: the interval of what is left of 1 mirrors that of a share."""
    shares = np.array([1, 2, 0, 2, 1, 3, 1]) / 3
    mean, mirrored = statistics.mean_interval(shares), statistics.mean_interval(1 - shares)
    assert [1 - mirrored.high, 1 - mirrored.low] == pytest.approx([mean.low, mean.high])


@pytest.mark.parametrize("values", [[0.0, 0.0], [-3.5] * 4, [0.1 + 0.2, 0.3, 0.3]])
def test_equal_values_have_an_interval_without_width(values: list[float]) -> None:
    """BCa divides by the spread: where there is none, or of rounding only, it is not asked."""
    mean = statistics.mean_interval(np.array(values))
    assert mean == pytest.approx([values[0]] * 3)
    difference = statistics.difference_of_means(np.array(values), np.ones(3))
    assert difference == pytest.approx([values[0] - 1] * 3)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_has_no_interval(value: float) -> None:
    """A run without a score leaves the mean undefined."""
    mean = statistics.mean_interval(np.array([1.0, value]))
    assert mean == pytest.approx([value, np.nan, np.nan], nan_ok=True)


def test_one_sample_may_be_constant() -> None:
    """Then the difference varies as the other one does."""
    values = np.array([1.0, 2.0, 4.0])
    difference = statistics.difference_of_means(values, np.full(5, 2.0))
    mean = statistics.mean_interval(values)
    assert difference.value == mean.value - 2
    assert [difference.low, difference.high] == pytest.approx([mean.low - 2, mean.high - 2])


@pytest.mark.parametrize("interval", [statistics.mean_interval, statistics.median_interval])
def test_intervals_of_large_samples(interval: Callable[[Floats], Estimate]) -> None:
    """A sample too large to be resampled in one piece still gets all its resamples."""
    estimate = interval(np.random.default_rng(3).normal(size=3000))
    width = 2 * 1.96 / np.sqrt(3000)
    median = interval is statistics.median_interval
    expected = width * np.sqrt(np.pi / 2) if median else width
    assert estimate.high - estimate.low == pytest.approx(expected, rel=0.15)


def test_quartiles_of_a_partly_unsolved_family() -> None:
    """Quartiles do no arithmetic on infinities."""
    assert statistics.quartiles(np.array([4.0, 8.0, 16.0, np.inf])) == (4, 12, 16)
    assert statistics.quartiles(np.array([4.0, np.inf, np.inf])) == (4, np.inf, np.inf)


def test_par2_doubles_the_limit_of_unsolved_runs() -> None:
    """Two solved runs of 1 and 3 s and one unsolved with limit 10 s: (1 + 3 + 20) / 3."""
    solved = np.array([True, True, False])
    assert statistics.par2(np.array([1.0, 3.0, 10.0]), solved, limit=10) == 8


def test_ecdf_counts_the_values_up_to_each_step() -> None:
    """Each step says how many values are at most there; infinities are never counted."""
    values = np.array([5.0, 1.0, np.inf, 5.0, 2.0])
    at, count = statistics.ecdf(values)
    assert at.tolist() == [1, 2, 5]
    assert count.tolist() == [(values <= x).sum() for x in at]


def test_paired_values_average_seeds_and_keep_common_instances() -> None:
    """Seeds of one instance are averaged; an instance of one side only is left out."""
    first = (np.array(["b", "a", "a", "c"]), np.array([10.0, 1.0, 3.0, 7.0]))
    second = (np.array(["a", "b"]), np.array([5.0, 6.0]))
    a, b = statistics.paired_values(first, second)
    assert a.tolist() == [2, 10]
    assert b.tolist() == [5, 6]


def test_difference_of_means_covers_about_as_often_as_it_says() -> None:
    """About 95 % of 200 intervals of two normal samples hold the true difference."""
    rng = np.random.default_rng(4)
    samples = [(rng.normal(7, 2, size=30), rng.normal(5, 3, size=50)) for _ in range(200)]
    intervals = [statistics.difference_of_means(a, b) for a, b in samples]
    covered = sum(interval.low <= 2 <= interval.high for interval in intervals)
    assert 0.88 * 200 <= covered <= 0.99 * 200


def test_best_so_far_follows_the_trace() -> None:
    """Before the first improvement there is no score; later the last one reached holds."""
    at, score = np.array([1.0, 10.0]), np.array([-5.0, -2.0])
    best = statistics.best_so_far(at, score, np.array([0.5, 1.0, 9.0, 10.0, 99.0]))
    assert np.isnan(best[0])
    assert best[1:].tolist() == [-5, -5, -2, -2]
    assert np.isnan(statistics.best_so_far(np.empty(0), score, np.ones(2))).all()


def test_mean_curve_is_the_mean_at_each_budget() -> None:
    """The interval holds the mean, and a budget that a run has not reached is nan."""
    values = np.random.default_rng(5).normal(size=(25, 3))
    values[0, 0] = np.nan
    mean, low, high = statistics.mean_curve(values)
    assert np.isnan([mean[0], low[0], high[0]]).all()
    assert mean[1:] == pytest.approx(values[:, 1:].mean(axis=0))
    assert (low[1:] < mean[1:]).all()
    assert (mean[1:] < high[1:]).all()


def test_two_proportions_is_the_uncorrected_chi_square_test() -> None:
    """The pooled z-test is the chi-square test of a 2 x 2 table without correction."""
    for ours, paper, n in ((411, 425.5, 800), (60, 40, 100), (50, 50, 100)):
        table = [[ours, n - ours], [paper, n - paper]]
        expected = chi2_contingency(table, correction=False).pvalue
        assert statistics.two_proportions(ours, n, paper, n) == pytest.approx(expected)
    assert statistics.two_proportions(10, 10, 20, 20) == 1


def test_holm_multiplies_by_the_number_of_hypotheses_left() -> None:
    """The least p-value counts n times, the next n - 1 times, never less than one before."""
    corrected = statistics.holm(np.array([0.04, 0.001, 0.03, 0.9]))
    assert corrected == pytest.approx([0.09, 0.004, 0.09, 0.9])
