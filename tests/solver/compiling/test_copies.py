"""Copies of tuples of arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from solver.compiling.copies import copy_arrays
from solver.compiling.jit import kernel


class Inner(NamedTuple):
    """Arrays of other dimensions."""

    cube: Any
    flags: Any


class Outer(NamedTuple):
    """Arrays, and a tuple of arrays."""

    row: Any
    table: Any
    inner: Inner


def numbered(first: int) -> Outer:
    return Outer(
        row=np.arange(first, first + 3),
        table=np.arange(first, first + 4, dtype=np.float64).reshape(2, 2),
        inner=Inner(
            cube=np.arange(first, first + 8, dtype=np.int16).reshape(2, 2, 2),
            flags=np.array([first > 0, first == 0]),
        ),
    )


def arrays(outer: Outer) -> list[Any]:
    return [outer.row, outer.table, *outer.inner]


@kernel
def compiled_copy(source: Any, target: Any) -> None:
    copy_arrays(source, target)


@pytest.mark.parametrize("copy", [copy_arrays, compiled_copy])
def test_all_arrays_are_copied(copy: Any) -> None:
    """Arrays of any dimensions, in tuples at any depth, and nothing is shared afterwards."""
    source, target = numbered(5), numbered(0)
    copy(source, target)
    for array in arrays(source):
        array[...] = 0
    for copied, wanted in zip(arrays(target), arrays(numbered(5)), strict=True):
        assert np.array_equal(copied, wanted)
