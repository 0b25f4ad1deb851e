"""Inner loops of the partition function, eight float64 at a time.

As in `solver.domains.rna.fold.vectors`, with sums of products in place of least sums. Products and
sums are rounded one by one, in an order that depends on the places alone, so that results are the
same on every processor. Kernels have the code of `lowering.py` in their place.

All arrays are contiguous, of one dimension, and places in them are not checked.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.compiling.parts import before_compiling
from solver.domains.rna.ensemble.sizes import LANES
from solver.domains.rna.fold.sizes import MIN_LOOP

Floats = npt.NDArray[np.float64]


def extend_loops(
    matrix: Floats,
    left: int,
    left_step: int,
    right: int,
    right_step: int,
    first: int,
    last: int,
    reach: int,
    most: int,
    extended: Floats,
    at: int,
    width: int,
    unequal: Floats,
    initial: Floats,
    sums: Floats,
) -> None:
    """Add up interior loops of two or more unpaired bases on each side, for a row of pairs.

    Loops of `u` bases are those of u - 2 at the neighbouring pair of the same diagonal, one base
    longer on each side, and two with exactly two bases on one side (Lyngsø, Zuker & Pedersen
    1999): the factor of a loop depends on its size and on how unequal its sides are.

    Parameters
    ----------
    matrix : float64[rows * width]
        Of each pair at the other side of such loops, with its mismatch.
    left, left_step, right, right_step : int
        Of the pair in column j the others with two bases on one side and u - 2 on the other are at
        left + u * left_step + j and right + u * right_step + j.
    first, last : int
        Columns; up to 7 more are written.
    reach, most : int
        Sizes are up to `reach` + j and up to `most`.
    extended : float64[(most + 1) * width]
        At u * width + at + j the sum for each size, as the neighbouring row has left it; 0 for
        sizes 2 and 3.
    unequal, initial : float64[most + 1]
        Factors for each size: of two bases on one side, and of the size.
    sums : float64[width]
        Raised for each column, without the mismatch of the pair itself.
    """
    for j in range(first, last + 1, LANES):
        for u in range(min(reach + j, most), MIN_LOOP - 1, -1):
            one, other = left + u * left_step + j, right + u * right_step + j
            edge = (matrix[one : one + LANES] + matrix[other : other + LANES]) * unequal[u]
            before, place = (u - 2) * width + at + j, u * width + at + j
            loops = extended[before : before + LANES] + edge
            extended[place : place + LANES] = loops
            sums[j : j + LANES] += loops * initial[u]


def add_loops(
    matrix: Floats,
    left: int,
    left_step: int,
    right: int,
    right_step: int,
    first: int,
    last: int,
    reach: int,
    least: int,
    most: int,
    factors: Floats,
    sums: Floats,
) -> None:
    """Add up loops that have one size on one side, for a row of pairs.

    Parameters are those of `extend_loops`; sizes are at least `least`, each with its factor.
    """
    for j in range(first, last + 1, LANES):
        for u in range(min(reach + j, most), least - 1, -1):
            one, other = left + u * left_step + j, right + u * right_step + j
            both = matrix[one : one + LANES] + matrix[other : other + LANES]
            sums[j : j + LANES] += both * factors[u]


def add_scaled(
    target: Floats, at: int, source: Floats, there: int, factor: float, count: int
) -> None:
    """Add `factor` times `count` numbers of `source` to those of `target`."""
    if count > 0:
        target[at : at + count] += source[there : there + count] * factor


def product(one: Floats, at: int, other: Floats, there: int, count: int) -> float:
    """Inner product of `count` numbers, and of up to 7 more to fill the last vector."""
    total = np.zeros(LANES)
    for place in range(0, count, LANES):
        first, second = at + place, there + place
        total += one[first : first + LANES] * other[second : second + LANES]
    for half in (4, 2, 1):
        total[:half] += total[half : 2 * half]
    return float(total[0])


@before_compiling
def _lower_all() -> None:
    from solver.compiling.machine_code.intrinsics import register_intrinsic
    from solver.domains.rna.ensemble import lowering

    for function in (extend_loops, add_loops, add_scaled, product):
        register_intrinsic(function, getattr(lowering, function.__name__))
