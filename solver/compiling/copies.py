"""Copies between arrays of a state, as loops: for few items cheaper than an assigned slice."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.compiling.parts import part


@inlined
def copy_items(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> None:
    """Copy an array of one dimension."""
    for index in range(len(source)):
        target[index] = source[index]


@inlined
def fill_items(target: npt.NDArray[Any], value: float) -> None:
    """Set all items of an array of one dimension."""
    for index in range(len(target)):
        target[index] = value


@inlined
def copy_rows(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> None:
    """Copy an array of two dimensions."""
    for row in range(len(source)):
        for column in range(source.shape[1]):
            target[row, column] = source[row, column]


def copy_arrays(source: Any, target: Any) -> None:
    """Copy an array, or all arrays of a tuple and of the tuples in it."""
    if isinstance(source, tuple):
        for one, other in zip(source, target, strict=True):
            copy_arrays(one, other)
    else:
        target[...] = source


@part(copy_arrays, forceinline=True)
def _copy_arrays(source: Any, target: Any) -> Any:
    from numba import types

    def nothing(source: Any, target: Any) -> None:
        return

    def first_and_rest(source: Any, target: Any) -> None:
        copy_arrays(source[0], target[0])
        copy_arrays(source[1:], target[1:])

    def array(source: Any, target: Any) -> None:
        for index in np.ndindex(source.shape):
            target[index] = source[index]

    if isinstance(source, types.BaseTuple):
        return first_and_rest if len(source) else nothing
    return {1: copy_items, 2: copy_rows}.get(source.ndim, array)
