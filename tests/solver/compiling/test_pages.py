"""Arrays on memory pages of their own."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from solver.compiling.memory import LINE_BYTES
from solver.compiling.pages import LARGE, MAPPED, zeros_within

STATM = Path("/proc/self/statm")


@pytest.mark.parametrize("whole", [LARGE - 1, LARGE])
@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, MAPPED // 8), (MAPPED // 16 + 1, 2)])
def test_zeros_are_like_those_of_the_allocator(whole: int, shape: tuple[int, ...]) -> None:
    """Shape, type, zeros, contiguous, to be written to, and on cache lines of their own."""
    made = zeros_within(whole, shape, np.int64)
    assert made.shape == shape
    assert made.dtype == np.int64
    assert made.flags.c_contiguous
    assert made.flags.writeable
    assert not made.any()
    made[...] = 7
    assert (made == 7).all()
    assert made.ctypes.data % LINE_BYTES == 0


@pytest.mark.skipif(not STATM.exists(), reason="tells resident pages")
def test_pages_are_resident_from_writing_to_the_end_of_the_array() -> None:
    """Arrays of a size that the allocator keeps leave nothing behind."""

    def resident() -> int:
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before = resident()
    arrays = [zeros_within(LARGE, (8 * MAPPED,), np.uint8) for _ in range(32)]
    assert resident() - before < 8 * MAPPED
    for array in arrays:
        array[:] = 1
    assert resident() - before > 31 * 8 * MAPPED
    del arrays, array
    assert resident() - before < 8 * MAPPED
