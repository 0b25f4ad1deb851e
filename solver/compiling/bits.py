"""Words of 64 bits: how many are set, numbers spread over them, and hashes of states."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.compiling.parts import part

Words = npt.NDArray[np.uint64]

_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MASK = (1 << 64) - 1

#: Beyond the numbers that items of arrays are mixed as: where those of what else is hashed begin.
FAR = 1 << 30


def count_ones(word: np.uint64) -> int:
    """Return the number of bits set in `word`."""
    return int(word).bit_count()


@part(count_ones, forceinline=True)
def _count_ones(word: Any) -> Any:
    from solver.compiling.machine_code import intrinsics

    return intrinsics.count_ones


def lowest_one(word: np.uint64) -> int:
    """Number of the lowest bit of `word` that is set; there is one."""
    return (int(word) & -int(word)).bit_length() - 1


@part(lowest_one, forceinline=True)
def _lowest_one(word: Any) -> Any:
    from solver.compiling.machine_code import intrinsics

    return intrinsics.lowest_one


@inlined
def mixed(number: Any) -> np.uint64:
    """`number` spread over 64 bits (Steele, Lea and Flood, 2014: splitmix64)."""
    x = np.uint64(number) * _STEP + _STEP
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


@inlined
def hash_items(items: npt.NDArray[Any], most: int) -> np.uint64:
    """Hash an array of integers, -2 ... most - 3, those that are -1 for next to nothing."""
    total = np.uint64(0)
    for index in range(len(items)):
        if items[index] != -1:
            total += mixed(index * most + items[index] + 2)
    return total


def hash_arrays(source: Any, begin: np.uint64) -> Any:
    """Hash all numbers in the arrays of a tuple, and of the tuples in it, after `begin`."""
    if isinstance(source, tuple):
        for item in source:
            begin = hash_arrays(item, begin)
        return begin
    with np.errstate(over="ignore"):
        for index in np.ndindex(source.shape):
            item = source[index]
            if source.dtype.kind == "f":
                word = np.float64(item).view(np.uint64)
            else:
                word = np.uint64(int(item) & _MASK)
            begin = mixed(begin ^ word)
    return begin


@part(hash_arrays, forceinline=True)
def _hash_arrays(source: Any, begin: Any) -> Any:
    from numba import types

    from solver.compiling.machine_code.intrinsics import float_bits

    def nothing(source: Any, begin: Any) -> Any:
        return begin

    def first_and_rest(source: Any, begin: Any) -> Any:
        return hash_arrays(source[1:], hash_arrays(source[0], begin))

    def floats(source: Any, begin: Any) -> Any:
        for index in np.ndindex(source.shape):
            begin = mixed(begin ^ float_bits(np.float64(source[index])))  # type: ignore[call-arg]
        return begin

    def integers(source: Any, begin: Any) -> Any:
        for index in np.ndindex(source.shape):
            begin = mixed(begin ^ np.uint64(source[index]))
        return begin

    if isinstance(source, types.BaseTuple):
        return first_and_rest if len(source) else nothing
    return floats if isinstance(source.dtype, types.Float) else integers
