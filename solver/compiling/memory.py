"""Memory that threads do not share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

#: Processors fetch cache lines of 64 bytes in pairs.
LINE_BYTES = 128


def unshared(arrays: Any) -> Any:
    """Copy an array, or a NamedTuple of them, onto cache lines of its own.

    Small arrays of two runs can lie on one cache line, which then travels between
    the cores at every write. Objects that are no arrays are returned as they are.
    """
    if isinstance(arrays, tuple):
        return type(arrays)(*map(unshared, arrays))
    if not isinstance(arrays, np.ndarray):
        return arrays
    copy = unshared_zeros(arrays.shape, arrays.dtype)
    copy[...] = arrays
    return copy


def unshared_zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Allocate zeros on cache lines of their own; large arrays take memory as they are used."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    lines = -(-size // LINE_BYTES) * LINE_BYTES
    memory = np.zeros(lines + LINE_BYTES, np.uint8)
    begin = -memory.ctypes.data % LINE_BYTES
    return memory[begin : begin + size].view(dtype).reshape(shape)
