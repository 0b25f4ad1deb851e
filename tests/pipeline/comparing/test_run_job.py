"""Rows of runs: what is kept of a long trace."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.comparing.run_job import MAX_TRACE, _thinned


@pytest.mark.parametrize("length", [0, 1, MAX_TRACE])
def test_a_short_trace_is_kept(length: int) -> None:
    """As it is."""
    assert _thinned(np.arange(length)) == list(range(length))


@pytest.mark.parametrize("length", [MAX_TRACE + 1, 1024, 100_000])
def test_of_a_long_trace_values_of_all_parts_are_kept(length: int) -> None:
    """From the first to the last, none of them twice."""
    kept = np.array(_thinned(np.arange(length)))
    assert (len(kept), kept[0], kept[-1]) == (MAX_TRACE, 0, length - 1)
    gaps = np.diff(kept)
    assert gaps.min() >= 1
    assert gaps.max() - gaps.min() <= 1
