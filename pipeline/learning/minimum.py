"""Minimum of a smooth function by L-BFGS, the same bytes on any number of threads.

SciPy's takes its sums from BLAS, which cuts them by the threads it has: from 10,000 weights on its
last bits, and so the number of steps, depend on the machine and its settings.

J. Nocedal and S. Wright, Numerical Optimization, 2006, algorithms 7.4 and 7.5, with backtracking.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

#: Pairs of steps and changes of the gradient that are remembered.
MEMORY = 10
#: Share of the decrease that the slope promises which a step must bring.
SUFFICIENT = 1e-4
#: Shortest step, as a share of the first that was tried.
SHORTEST = 1e-10


class Minimum(NamedTuple):
    """Place of a minimum, or where the search for it ended."""

    x: Floats
    value: float
    evaluations: int
    converged: bool


def minimum(
    function: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    tolerance: float,
    most: int,
) -> Minimum:
    """Find the minimum of a convex `function`, which returns value and gradient, from `start` on.

    Parameters
    ----------
    tolerance : float
        Largest component of the gradient at the end.
    most : int
        Evaluations after which it ends in any case.
    """
    x = start.copy()
    value, gradient = function(x)
    evaluations = 1
    pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=MEMORY)
    while evaluations < most and np.max(np.abs(gradient), initial=0.0) > tolerance:
        direction = _direction(gradient, pairs)
        slope = _dot(gradient, direction)
        step = 1.0 if pairs else min(1.0, 1.0 / float(np.sum(np.abs(gradient))))
        shortest = step * SHORTEST
        while True:
            new = x + step * direction
            new_value, new_gradient = function(new)
            evaluations += 1
            if new_value <= value + SUFFICIENT * step * slope or step < shortest:
                break
            if evaluations >= most:
                return Minimum(x, value, evaluations, converged=False)
            # The minimum of the parabola through what is known, within a tenth and a half.
            parabola = -slope * step / (2.0 * (new_value - value - slope * step))
            step *= min(max(parabola, 0.1), 0.5) if np.isfinite(new_value) else 0.1
        if new_value >= value:  # nothing to gain beyond rounding
            return Minimum(x, value, evaluations, converged=True)
        change = new_gradient - gradient
        curvature = _dot(new - x, change)
        if curvature > 0.0:
            pairs.append((new - x, change, curvature))
        x, value, gradient = new, new_value, new_gradient
    converged = bool(np.max(np.abs(gradient), initial=0.0) <= tolerance)
    return Minimum(x, value, evaluations, converged)


def _direction(gradient: Floats, pairs: deque[tuple[Floats, Floats, float]]) -> Floats:
    """Minus the gradient times an approximation of the inverse Hessian."""
    direction = -gradient
    shares = []
    for step, change, curvature in reversed(pairs):
        share = _dot(step, direction) / curvature
        direction = direction - share * change
        shares.append(share)
    if pairs:
        _, change, curvature = pairs[-1]
        direction = direction * (curvature / _dot(change, change))
    for (step, change, curvature), share in zip(pairs, reversed(shares), strict=True):
        direction = direction + (share - _dot(change, direction) / curvature) * step
    return direction


def _dot(one: Floats, other: Floats) -> float:
    """Inner product, summed in an order that depends on the length alone."""
    return float(np.sum(one * other))
