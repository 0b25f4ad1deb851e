"""Lowering with less of LLVM's language: values that are set once, tuples that are one argument."""

from __future__ import annotations

import gc
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from solver.compiling.jit import called, compile_for, kernel
from tests.helpers import needs_jit

pytestmark = needs_jit


class Pair(NamedTuple):
    """A tuple of two kinds."""

    numbers: Any
    scale: float


class Box(NamedTuple):
    """A tuple within another, and a flag, which is wider in memory."""

    pair: Pair
    is_doubled: bool


@called
def _total(box: Box) -> float:
    total = 0.0
    for number in box.pair.numbers:
        total += number * box.pair.scale
    return 2 * total if box.is_doubled else total


@called
def _other(box: Box, numbers: Any) -> Box:
    return Box(Pair(numbers, box.pair.scale + 1), not box.is_doubled)


@kernel
def _walk(box: Box, numbers: Any, steps: int) -> float:
    found, current = 0.0, box
    for step in range(steps):
        before = current
        if step % 2:
            current = _other(before, numbers)
            first = _total(before)
        elif step % 3:
            first = 1.0
        else:
            continue
        found += first + _total(current)
        if found > 1e6:
            break
    return found + _total(before)


@kernel
def _walk_twice(box: Box, numbers: Any, steps: int) -> float:
    return _walk(box, numbers, steps) + _walk(box, numbers, steps + 1)


#: With the attributes of a kernel.
WALK: Any = _walk


@pytest.mark.parametrize("steps", [1, 2, 3, 8, 30])
def test_tuples_across_calls_and_branches(steps: int) -> None:
    """Values of several blocks, changed in a loop or not, are those of plain Python."""
    box = Box(Pair(np.arange(3.0), 0.5), True)
    numbers = np.array([2.0, 5.0])
    assert _walk(box, numbers, steps) == WALK.py_func(box, numbers, steps)


def test_a_kernel_within_a_kernel_has_no_machine_code_of_its_own() -> None:
    """It is compiled as a part of the other."""
    box, numbers = Box(Pair(np.arange(3.0), 0.5), True), np.array([2.0, 5.0])
    expected = WALK.py_func(box, numbers, 4) + WALK.py_func(box, numbers, 5)
    before = len(WALK.dispatcher.overloads)
    assert _walk_twice(box, numbers, 4) == expected
    assert len(WALK.dispatcher.overloads) == before


@kernel
def _wrong(value: int) -> int:
    return value.nothing  # type: ignore[attr-defined, no-any-return]


def test_garbage_is_collected_after_a_failure() -> None:
    """Compiling, which collects none, leaves the collector as it was."""
    assert gc.isenabled()
    with pytest.raises(numba.TypingError):
        compile_for(_wrong, 1)
    assert gc.isenabled()
