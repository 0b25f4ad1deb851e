"""Steps on arrays that several threads share: each is done as a whole, or not at all.

In kernels they are instructions of the processor; in plain Python a lock stands for them.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy.typing as npt

from solver.compiling.parts import part
from solver.system.forks import lock_over_forks

Array = npt.NDArray[Any]

_lock = lock_over_forks()


def fetch_add(array: Array, index: int, amount: Any) -> Any:
    """Add to an item of an array of one dimension, and return what it was."""
    with _lock:
        before = array[index]
        array[index] = before + amount
    return before


def compare_and_set(array: Array, index: int, expected: int, number: int) -> bool:
    """Set an item that is `expected`; returns whether it was."""
    with _lock:
        found = bool(array[index] == expected)
        if found:
            array[index] = number
    return found


def publish(array: Array, index: int, number: int) -> None:
    """Set an item; who sees it sees all that was written before, too."""
    array[index] = number


def give_way() -> None:
    """Let other threads have the processor."""
    time.sleep(0)


@part(fetch_add, forceinline=True)
def _fetch_add(array: Any, index: Any, amount: Any) -> Any:
    from solver.compiling.machine_code import intrinsics

    return intrinsics.fetch_add


@part(compare_and_set, forceinline=True)
def _compare_and_set(array: Any, index: Any, expected: Any, number: Any) -> Any:
    from solver.compiling.machine_code import intrinsics

    return intrinsics.compare_and_set


@part(publish, forceinline=True)
def _publish(array: Any, index: Any, number: Any) -> Any:
    from solver.compiling.machine_code import intrinsics

    return intrinsics.publish


@part(give_way, forceinline=True)
def _give_way() -> Any:
    from numba import types

    # Windows has none: threads wait there until the processor is taken from them.
    if not hasattr(os, "sched_yield"):
        return lambda: None
    sched_yield = types.ExternalFunction("sched_yield", types.int32())

    def give_way() -> None:
        sched_yield()

    return give_way
