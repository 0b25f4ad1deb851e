"""Bias tables: frequencies, smoothing, what stands in for codes never seen."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.learning.bias import LEAST_FREQUENCY, compile_bias
from pipeline.learning.counts import Counts
from solver.contract.codes import PriorCode
from solver.errors import InputError
from tests.pipeline.small_tables import SMALL_METADATA, metadata_of, small_counts

# Rows (a, b): a = 0 with b = 0, 1; then a = 1 ...; a = 2 was never possible.
COUNT, NB = [1, 0, 3, 0, 0, 0], [4, 0, 6, 10, 0, 0]
MEAN = 4 / 20
MARGINAL_A = [(1 + MEAN) / 5, (3 + MEAN) / 17]
MARGINAL_B = [(4 + MEAN) / 11, (0 + MEAN) / 11]
EXPECTED = [math.sqrt(a * b) for a in MARGINAL_A for b in MARGINAL_B]

tables = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda two: (min(two), max(two))),
    min_size=6,
    max_size=6,
).filter(lambda rows: sum(count for count, _ in rows) > 0)


def compiled(count: Any, nb: Any, smoothing: float) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = compile_bias(
        small_counts(count, nb), smoothing, temperature=1.0
    ).to_pydict()
    return columns


def test_without_smoothing_it_is_the_frequency() -> None:
    """Each code seen has count / nb, and its logarithm; none is minus infinity."""
    table = compiled(COUNT, NB, smoothing=0)
    assert (table["a"], table["b"]) == ([0, 0, 1, 1], [0, 1, 0, 1])
    assert (table["count"], table["nb"]) == (COUNT[:4], NB[:4])
    assert table["frequency"] == [1 / 4, pytest.approx(EXPECTED[1]), 3 / 6, 0.0]
    assert table["bias"][0] == math.log(1 / 4)
    assert table["bias"][2] == math.log(1 / 2)
    assert table["bias"][3] == math.log(LEAST_FREQUENCY)


@pytest.mark.parametrize("smoothing", [0.5, 1, 10])
def test_smoothing_adds_imagined_observations(smoothing: float) -> None:
    """They have the frequency that the marginals of the components suggest."""
    table = compiled(COUNT, NB, smoothing)
    wanted = [
        (count + smoothing * expected) / (nb + smoothing)
        for count, nb, expected in zip(COUNT, NB, EXPECTED, strict=False)
    ]
    assert table["frequency"] == pytest.approx(wanted, rel=1e-12)
    assert table["bias"] == pytest.approx([math.log(f) for f in wanted], rel=1e-12)


@pytest.mark.parametrize("smoothing", [0, 1])
def test_unseen_codes_back_off_to_their_marginals(smoothing: float) -> None:
    """A code never possible, of components that were, has the frequency they suggest."""
    table = compiled(COUNT, NB, smoothing)
    assert (table["count"][1], table["nb"][1]) == (0, 0)
    assert table["frequency"][1] == pytest.approx(EXPECTED[1], rel=1e-12)


def test_unseen_components_back_off_to_the_mean() -> None:
    """A code with a component never seen has no row; the default is the mean's logarithm."""
    table = compile_bias(small_counts(COUNT, NB), 1.0, 1.0)
    assert 2 not in table["a"].to_pylist()
    assert metadata_of(table)["default_bias"] == pytest.approx(math.log(MEAN), rel=1e-12)


def test_never_played_at_all() -> None:
    """Moves that were possible and never played leave a finite table."""
    table = compile_bias(small_counts([0] * 6, [5] * 6), 0.0, 1.0)
    assert table["bias"].to_pylist() == [math.log(LEAST_FREQUENCY)] * 6
    assert metadata_of(table)["default_bias"] == math.log(LEAST_FREQUENCY)


@given(rows=tables, smoothing=st.floats(0, 100))
def test_smoothed_frequencies_lie_between(rows: list[tuple[int, int]], smoothing: float) -> None:
    """Smoothing moves a frequency towards the expected one and never beyond."""
    count, nb = zip(*rows, strict=True)
    plain, smoothed, expected = (compiled(count, nb, s) for s in (0, smoothing, 1e15))
    for one, between, other, tried in zip(
        plain["frequency"], smoothed["frequency"], expected["frequency"], plain["nb"], strict=True
    ):
        low, high = sorted((one, other))
        assert low - 1e-9 <= between <= high + 1e-9
        assert 0 <= between <= 1
        assert tried > 0 or one == between == pytest.approx(other)


@given(rows=tables, row=st.integers(0, 5), smoothing=st.floats(0, 10))
def test_more_plays_give_a_larger_bias(
    rows: list[tuple[int, int]], row: int, smoothing: float
) -> None:
    """Played once more, possible as often: the frequency rises."""
    count, nb = (np.array(column) for column in zip(*rows, strict=True))
    nb[row] = max(nb[row], 1)
    before = compiled(np.minimum(count, nb - (np.arange(6) == row)), nb, smoothing)
    count = np.minimum(count, nb - (np.arange(6) == row))
    after = compiled(count + (np.arange(6) == row), nb, smoothing)
    place = list(zip(before["a"], before["b"], strict=True)).index(divmod(row, 2))
    assert after["frequency"][place] > before["frequency"][place]
    assert after["bias"][place] > before["bias"][place]


@given(rows=tables, smoothing=st.floats(0, 100))
def test_the_bias_is_the_logarithm(rows: list[tuple[int, int]], smoothing: float) -> None:
    """A bias is the logarithm of the frequency, bounded below: always finite."""
    count, nb = zip(*rows, strict=True)
    table = compiled(count, nb, smoothing)
    for frequency, bias in zip(table["frequency"], table["bias"], strict=True):
        assert bias == np.log(max(frequency, LEAST_FREQUENCY))
        assert np.log(LEAST_FREQUENCY) <= bias <= 0


def test_metadata_is_that_of_the_counts_and_more() -> None:
    """A bias table says what was counted, how it was smoothed and how it is to be used."""
    counts = small_counts(COUNT, NB, instances=5, digest=255, n_rejected=1, rejected=["bad"])
    assert metadata_of(compile_bias(counts, 2.5, 0.7)) == SMALL_METADATA | {
        "kind": "bias",
        "instances": 5,
        "instances_digest": f"{255:064x}",
        "rejected": 1,
        "rejected_names": ["bad"],
        "smoothing": 2.5,
        "temperature": 0.7,
        "default_bias": float(np.log(MEAN)),
    }


@pytest.mark.parametrize("smoothing", [-1.0, math.inf, math.nan])
def test_smoothing_out_of_range(smoothing: float) -> None:
    """A negative, infinite or undefined number of observations is refused."""
    with pytest.raises(InputError, match=f"^smoothing is {smoothing}, expected 0 or more$"):
        compile_bias(small_counts(COUNT, NB), smoothing, 1.0)


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.inf, math.nan])
def test_temperature_out_of_range(temperature: float) -> None:
    """A factor that would undo or invert the prior is refused."""
    message = f"^prior_temperature is {temperature}, expected more than 0$"
    with pytest.raises(InputError, match=message):
        compile_bias(small_counts(COUNT, NB), 1.0, temperature)


def test_nothing_counted() -> None:
    """Instances without a single decision teach nothing."""
    with pytest.raises(InputError, match=r"^no decision was counted in 9 solved instances$"):
        compile_bias(small_counts([0] * 6, [0] * 6), 1.0, 1.0)


def test_nobody_won() -> None:
    """Games that are drawn teach nothing of who wins: the message says so."""
    drawn = replace(small_counts([0] * 6, [0] * 6), source={"learn_from": "winner"})
    with pytest.raises(InputError, match=r"in 9 solved instances: nobody won a game$"):
        compile_bias(drawn, 1.0, 1.0)
    short = "no game went on after its opening of up to 9 moves"
    for learn_from, reason in (("winner", f"nobody won a game, or {short}"), ("visits", short)):
        source = {"learn_from": learn_from, "openings": 9}
        with pytest.raises(InputError, match=f"in 9 solved instances: {reason}$"):
            compile_bias(replace(drawn, source=source), 1.0, 1.0)


COARSER = PriorCode("coarser", {"a": 2, "b": 2, "c": 2}, tuple, back_off=(("a",), ("a", "b")))
PLACES = [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_coarser_codes_stand_in_for_finer_ones() -> None:
    """Each code is smoothed towards the next coarser one; rows whose coarsest was not seen lack."""
    count = np.array([2, 0, 0, 0, 0, 0, 0, 0], np.int64)
    nb = np.array([4, 0, 6, 0, 0, 0, 0, 0], np.int64)
    counts = Counts("toy", COARSER, {}, {}, count, nb, instances=1)
    table = compile_bias(counts, smoothing=1.0, temperature=1.0).to_pydict()
    assert list(zip(table["a"], table["b"], table["c"], strict=True)) == [
        (0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1),
    ]  # fmt: skip
    mean = 2 / 10
    by_a = [(2 + mean) / 11, mean]
    by_b = [(2 + mean) / 5, mean / 7]
    by_c = [(2 + mean) / 11, mean]
    cells = [
        [math.exp(sum(map(math.log, (by_a[a], by_b[b], by_c[c]))) / 3) for b, c in PLACES]
        for a in (0, 1)
    ]
    coarse = (2 + sum(cells[0]) / 4) / 11
    # the mean over c of what the code of a says, which is the same for both
    middle = [(2 + coarse) / 5, coarse / 7]
    assert table["frequency"] == pytest.approx(
        [(2 + middle[0]) / 5, middle[0], middle[1] / 7, middle[1]]
    )
