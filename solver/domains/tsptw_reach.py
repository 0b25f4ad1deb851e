"""What is within reach in time: lower bounds on travel, over any customers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.jit import kernel

Floats = npt.NDArray[np.float64]


def least_travel(cost: Floats, horizon: float) -> Floats:
    """Least travel time between nodes over customers, waiting left out, float64[n, n].

    Where ways over others are longer it is the cost. They count as shorter by what may be lost
    when legs are added to times up to `horizon` in another order.
    """
    n = len(cost)
    shortest = cost.copy()
    np.fill_diagonal(shortest, 0.0)
    _shorten(shortest, shortest)
    np.fill_diagonal(shortest, np.inf)  # to stay is no way over another
    over_others = np.full((n, n), np.inf)
    _shorten(over_others, shortest)
    lost = 4 * n * np.finfo(np.float64).eps * horizon
    reach = np.minimum(cost, over_others - lost)
    np.fill_diagonal(reach, 0.0)
    return reach


@kernel
def _shorten(ways: Floats, legs: Floats) -> None:
    """Make `ways` no longer than two `legs` over a customer, both float64[n, n].

    Where they are one array that is the algorithm of Floyd and Warshall.
    """
    n = len(ways)
    for over in range(1, n):
        for here in range(n):
            leg = legs[here, over]
            for there in range(n):
                ways[here, there] = min(ways[here, there], leg + legs[over, there])


def by_urgency(reach: Floats, end: Floats) -> npt.NDArray[np.int64]:
    """For every node the customers beside it by their latest departure from it, int64[n, n - 2]."""
    n = len(reach)
    leave = end - reach
    np.fill_diagonal(leave, np.inf)
    order = np.argsort(leave, axis=1, kind="stable")
    order = order[order != 0].reshape(n, n - 1) if n > 1 else order
    return np.ascontiguousarray(order[:, : max(n - 2, 0)])
