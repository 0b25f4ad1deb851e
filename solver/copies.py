"""Copies between arrays of a state, as loops: for few items cheaper than an assigned slice."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from solver.jit import spliced


@spliced
def copy_items(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> None:
    """Copy an array of one dimension."""
    for index in range(len(source)):
        target[index] = source[index]


@spliced
def copy_rows(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> None:
    """Copy an array of two dimensions."""
    for row in range(len(source)):
        for column in range(source.shape[1]):
            target[row, column] = source[row, column]
