"""Large arrays on memory pages of their own, which go back to the system with the array."""

from __future__ import annotations

import math
import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.memory import unshared_zeros

#: Bytes of a structure from which its arrays have pages of their own, and of such an array.
LARGE, MAPPED = 1 << 26, 1 << 18


def zeros_within(whole: int, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Allocate zeros as `unshared_zeros`, for an array of a structure of `whole` bytes.

    Arrays of a large structure are on pages of their own, which are resident once they are written
    to, and no more when the array is gone. The allocator keeps freed arrays of up to 32 MB for
    others, and fills these with zeros at once: a tree that grows and shrinks a few times would
    have a hundred MB more resident.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if whole < LARGE or size < MAPPED:
        return unshared_zeros(shape, dtype)
    if hasattr(mmap, "MAP_PRIVATE"):  # not on Windows; the default would be shared with forks
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    else:
        pages = mmap.mmap(-1, size)
    return np.frombuffer(pages, dtype).reshape(shape)
