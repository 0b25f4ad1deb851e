"""Tests of comparisons in the docs: right by an independent reference, and as the pages say."""

from __future__ import annotations

import math

import pytest
from scipy.stats import norm

from benchmarks.corrected import FAMILIES, LEVEL, Mean, against_half, between, corrected


def test_means_are_read_with_their_errors() -> None:
    """Intervals and half-widths give the same standard error; a number alone has none."""
    assert Mean.of("1,234 (1,038 to 1,430)").error == pytest.approx(100)
    assert Mean.of("-7 (-26.6 to 12.6)").error == pytest.approx(10)
    assert Mean.of("70.1 ± 1.96").error == pytest.approx(1)
    assert Mean.of("12") == Mean(12)


def test_p_values_are_those_of_the_normal_distribution() -> None:
    """Two-sided, with the errors of both; a score against one half with that of one half."""
    assert between("", Mean(3, 0.3), Mean(2, 0.4)).p == pytest.approx(2 * norm.sf(2))
    assert against_half("", 58, 200).p == pytest.approx(2 * norm.sf(0.08 / math.sqrt(0.25 / 200)))


@pytest.mark.parametrize(
    ("name", "differ", "of"),
    [("beams", 22, 52), ("beams-scores", 0, 52), ("beams-printed", 17, 52), ("morpion", 5, 18),
     ("rna-paper", 2, 6), ("games-priors", 12, 12), ("games-puct", 9, 12), ("games-seconds", 1, 6),
     ("games-ref", 3, 72), ("processors", 4, 10), ("nmcs", 6, 6),
     ("codes", 1, 12),
     ("report-samegame", 1, 3), ("report-squares", 0, 3)],
)  # fmt: skip
def test_as_many_differ_as_the_pages_say(name: str, differ: int, of: int) -> None:
    """A table that changes must have its sentence read again."""
    tested = corrected(name)
    assert (sum(p < LEVEL for _, p in tested), len(tested)) == (differ, of)
    assert set(FAMILIES) >= {name}


def test_beams_are_ahead_where_they_differ() -> None:
    """With 20 iterations, else on the harder instance without pruning; costs are below."""
    found = [one for one, p in corrected("beams") if p < LEVEL]
    assert all(one.difference < 0 for one in found)
    few = [one.label for one in found if ", N=20, " in one.label]
    others = [one.label for one in found if one.label not in few]
    assert len(few) == 16
    assert all(label.startswith("rc_202.3, pruning off") for label in others)


def test_beams_as_printed() -> None:
    """Without adapting sequences that stay in the beam 16 are worse, and one is better."""
    worse = [one.difference > 0 for one, p in corrected("beams-printed") if p < LEVEL]
    assert (sum(worse), len(worse)) == (16, 17)
