"""Values that moves are selected by, against the formulas of the papers."""

from __future__ import annotations

import itertools

import pytest

from solver.kernels.tree.select import grave_value, mcps_value

COUNTS = [(0, 0.0), (1, 1.0), (4, 1.5), (37, 20.0)]


@pytest.mark.parametrize("bias", [0.0, 1e-5, 0.3])
def test_grave(bias: float) -> None:
    """Algorithm 1, lines 11 and 12."""
    for (n, total), (amaf, amaf_total) in itertools.product(COUNTS, COUNTS):
        if n + amaf == 0:
            continue
        beta = amaf / (amaf + n + bias * amaf * n)
        own, other = (s / c if c else 0.0 for s, c in ((total, n), (amaf_total, amaf)))
        expected = (1 - beta) * own + beta * other
        assert grave_value(n, total, amaf, amaf_total, bias) == pytest.approx(expected)


def test_mcps() -> None:
    """Section 3.2: weights c₁ n, n~ and n^; c₁ is 1 where n~ is 0."""
    for counts in itertools.product(COUNTS, repeat=3):
        (n, total), (amaf, amaf_total), (permuted, permuted_total) = counts
        if n + amaf + permuted == 0:
            continue
        c = (amaf + permuted) / amaf if amaf else 1.0
        weights = [c * n, amaf, permuted]
        means = [total / n if n else 0.0, amaf_total / amaf if amaf else 0.0]
        means.append(permuted_total / permuted if permuted else 0.0)
        expected = sum(w * q for w, q in zip(weights, means, strict=True)) / sum(weights)
        found = mcps_value(n, total, amaf, amaf_total, permuted, permuted_total)
        assert found == pytest.approx(expected)
