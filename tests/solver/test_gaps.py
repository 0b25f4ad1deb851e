"""The one definition of a gap."""

from __future__ import annotations

import numpy as np

from solver.contract.gaps import relative_gap


def test_gaps_are_shares_of_the_best() -> None:
    """Gaps of costs are relative to the least, gaps of scores to the highest."""
    assert relative_gap(-150.0, -100.0) == 0.5
    assert relative_gap(np.array([80.0, 125.0]), 100.0).tolist() == [0.2, -0.25]


def test_the_best_may_be_nothing() -> None:
    """Beside a best score of 0 there is no share: the same, or infinitely far."""
    assert relative_gap(np.array([0.0, -1.0, 1.0]), 0.0).tolist() == [0.0, np.inf, -np.inf]
    assert np.isnan(relative_gap(np.nan, -1.0))


def test_gaps_have_no_unit() -> None:
    """A share is the same in any unit."""
    scores = np.array([-3.0, -5.0, -9.0])
    for factor in (2.0**-40, 2.0**40):
        scaled = relative_gap(scores * factor, -2.0 * factor)
        assert np.array_equal(scaled, relative_gap(scores, -2.0))
