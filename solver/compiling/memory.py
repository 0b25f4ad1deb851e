"""Memory that threads do not share."""

from __future__ import annotations

import math
from collections.abc import Iterator
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


def arrays_of(value: Any) -> list[npt.NDArray[Any]]:
    """Return the arrays of a NamedTuple, and of those in it, in order."""
    if isinstance(value, tuple):
        return [array for entry in value for array in arrays_of(entry)]
    return [value] if isinstance(value, np.ndarray) else []


def with_arrays(value: Any, arrays: Iterator[npt.NDArray[Any]]) -> Any:
    """Copy `value` with `arrays`, in the order of `arrays_of`, in place of its own.

    Raises
    ------
    ValueError
        If an array has another dtype or number of dimensions, or there are too few.
    """
    if isinstance(value, tuple):
        entries = [with_arrays(entry, arrays) for entry in value]
        return type(value)(*entries) if hasattr(value, "_fields") else tuple(entries)
    if not isinstance(value, np.ndarray):
        return value
    array = next(arrays, None)
    if array is None or (array.dtype, array.ndim) != (value.dtype, value.ndim):
        raise ValueError("the arrays are not those of this value")
    return unshared(array)


def unshared_zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Allocate zeros on cache lines of their own; large arrays take memory as they are used."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    lines = -(-size // LINE_BYTES) * LINE_BYTES
    memory = np.zeros(lines + LINE_BYTES, np.uint8)
    begin = -memory.ctypes.data % LINE_BYTES
    return memory[begin : begin + size].view(dtype).reshape(shape)
