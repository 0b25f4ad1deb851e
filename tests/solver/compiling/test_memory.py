"""Arrays on cache lines of their own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.memory import LINE_BYTES, unshared


class Inner(NamedTuple):
    matrix: npt.NDArray[np.int32]
    none: npt.NDArray[np.float64]


class Outer(NamedTuple):
    inner: Inner
    flags: npt.NDArray[np.uint8]
    number: int


def outer() -> Outer:
    return Outer(
        Inner(np.arange(6, dtype=np.int32).reshape(2, 3), np.zeros(0)), np.ones(3, "u1"), 7
    )


def lines(array: Any) -> set[int]:
    begin = array.ctypes.data
    return set(range(begin // LINE_BYTES, -(-(begin + array.nbytes) // LINE_BYTES)))


def test_content_and_type_stay() -> None:
    """Kernels see the same class, types and layout, so that nothing is compiled again."""
    given, made = outer(), unshared(outer())
    assert type(made) is Outer
    assert type(made.inner) is Inner
    assert made.number == 7
    pairs: list[tuple[Any, Any]] = list(zip(given.inner, made.inner, strict=True))
    for before, after in [*pairs, (given.flags, made.flags)]:
        assert np.array_equal(before, after)
        assert before.dtype == after.dtype
        assert after.flags.c_contiguous
        assert after.flags.writeable
        assert after.flags.aligned


def test_no_two_arrays_share_a_line() -> None:
    kept = [unshared(outer()) for _ in range(50)]
    seen: set[int] = set()
    for made in kept:
        for array in (made.inner.matrix, made.flags):
            assert not lines(array) & seen
            seen |= lines(array)
