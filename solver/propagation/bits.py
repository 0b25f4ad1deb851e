"""Sets of small numbers as bits of an int64: bit v is set while v is in the set."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.bits import lowest_one as trailing_zeros
from solver.compiling.parts import part

#: Numbers 0 ... 61: the sign stays out of it, and 1 << n_bits fits too.
MAX_BITS = 62


def count_bits(bits: int) -> int:
    """Size of a set."""
    return int(bits).bit_count()


@part(count_bits, forceinline=True)
def _count_bits_compiled(bits: Any) -> Any:
    """Numba knows no `bit_count`; LLVM makes one instruction of these."""

    def count(bits: Any) -> Any:
        x = np.uint64(bits)
        x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
        x = (x & np.uint64(0x3333333333333333)) + (
            (x >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))

    return count


def lowest_bit(bits: int) -> int:
    """Smallest number in a set that is not empty."""
    bits = int(bits)
    return (bits & -bits).bit_length() - 1


@part(lowest_bit, forceinline=True)
def _lowest_bit_compiled(bits: Any) -> Any:
    def compiled(bits: Any) -> Any:  # Numba wants the same annotations
        return np.int64(trailing_zeros(bits))

    return compiled
