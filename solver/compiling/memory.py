"""Memory that threads do not share."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Processors fetch cache lines of 64 bytes in pairs.
LINE_BYTES = 128


def unshared(arrays: Any) -> Any:
    """Copy an array, or a NamedTuple of them, onto cache lines of its own.

    Small arrays of two runs can lie on one cache line, which then travels between
    the cores at every write. What is no array is returned as it is.
    """
    if isinstance(arrays, tuple):
        return type(arrays)(*map(unshared, arrays))
    if not isinstance(arrays, np.ndarray):
        return arrays
    lines = -(-arrays.nbytes // LINE_BYTES) * LINE_BYTES
    memory = np.empty(lines + LINE_BYTES, np.uint8)
    begin = -memory.ctypes.data % LINE_BYTES
    copy = memory[begin : begin + arrays.nbytes].view(arrays.dtype).reshape(arrays.shape)
    copy[...] = arrays
    return copy
