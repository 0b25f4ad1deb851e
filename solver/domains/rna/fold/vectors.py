"""Inner loops of folding, eight int32 at a time, in LLVM's own words.

They take 80 % of a fold's time, and their shape (reading two places above the one that is
written, counts that are rounded up to whole vectors because rows are padded) is nothing that
LLVM makes vectors of by itself: kernels have the code of `lowering.py` in their place.

All arrays are contiguous, of one dimension; places in them are not checked and never negative.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.parts import before_compiling
from solver.domains.rna.fold.sizes import LANES, MAX_LOOP, MIN_LOOP, STRETCH

Int32s = npt.NDArray[np.int32]


def item(array: Any, index: int) -> Any:
    """Return `array[index]`; Numba would look whether `index` is negative."""
    return array[index]


def part(array: Any, begin: int, count: int) -> Any:
    """Return `array[begin : begin + count]`; without reference counts none may return a slice."""
    return array[begin : begin + count]


def array_at(address: int, count: int) -> Int32s:
    """Return the `count` int32 at an address as an array."""
    return np.ctypeslib.as_array((ctypes.c_int32 * count).from_address(address))


def letters_at(address: int, count: int) -> npt.NDArray[np.uint8]:
    """Return the `count` uint8 at an address as an array."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * count).from_address(address))


def least_sum(one: Int32s, at: int, other: Int32s, there: int, added: Int32s) -> int:
    """Least of `min(one[at + k], other[there + k]) + added[k]` over `STRETCH` places."""
    nearer = np.minimum(one[at : at + STRETCH], other[there : there + STRETCH])
    return int((nearer + added[:STRETCH]).min())


def lower(target: Int32s, at: int, source: Int32s, there: int, added: int, count: int) -> None:
    """Lower `count` numbers of `target` to those of `source` plus `added`, where these are less."""
    if count > 0:
        total = source[there : there + count] + np.int32(added)
        np.minimum(target[at : at + count], total, out=target[at : at + count])


def interior_row(
    closed: Int32s,
    width: int,
    i: int,
    first: int,
    last: int,
    best: Int32s,
    best_width: int,
    unequal: Int32s,
    initial: Int32s,
    least: Int32s,
) -> None:
    """Best interior loops, of two or more unpaired bases on each side, of a row of pairs.

    Those of `u` unpaired bases that (i, j) closes are those that (i + 1, j - 1) closes with
    u - 2, one base longer on each side, and two with exactly two bases on one side (Lyngsø,
    Zuker & Pedersen 1999): what a loop costs depends on its size and on how unequal its sides are.

    Parameters
    ----------
    closed : int32[rows * width]
        Least energy inside each pair, with its mismatch outwards.
    i, first, last : int
        Row, first column (at least i + 10) and last; up to 7 more columns are written.
    best : int32[31 * best_width]
        For each size u, at i + j: least energy inside a loop of that size that (i, j) closes, as
        the row i + 1 has left it; rows 2 and 3 hold numbers that are never the least.
    unequal, initial : int32[31]
        For each size: cost of two bases on one side and u - 2 on the other, and of the size.
    least : int32[width]
        For each column, lowered to the least energy of such a loop, without the mismatch of (i, j).
    """
    for begin in range(first, last + 1, LANES):
        j, lanes = begin, slice(begin, begin + LANES)
        for u in range(min(MAX_LOOP, j + LANES - 1 - i - 6), MIN_LOOP - 1, -1):
            left = (i + 3) * width + j + 1 - u
            right = (i + u - 1) * width + j - 3
            both = np.minimum(closed[left : left + LANES], closed[right : right + LANES])
            both += unequal[u]
            before, place = (u - 2) * best_width + i + j, u * best_width + i + j
            np.minimum(both, best[before : before + LANES], out=both)
            best[place : place + LANES] = both
            np.minimum(least[lanes], both + initial[u], out=least[lanes])


@before_compiling
def _lower_all() -> None:
    from solver.compiling.machine_code.intrinsics import register_intrinsic
    from solver.domains.rna.fold import lowering

    for function in (item, part, array_at, letters_at, least_sum, lower, interior_row):
        register_intrinsic(function, getattr(lowering, function.__name__))
