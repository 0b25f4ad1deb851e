"""Reachability in time: lower bounds on travel, over any customers."""

from __future__ import annotations

import functools
import math

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import kernel

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

#: Most nodes whose shortest ways are all found, in time of the cube of the nodes.
EXACT = 1000
#: Nodes in a list of those near to one, the depot included.
NEAR = 20
#: Costs of a unit of waiting, and of a unit of being late.
WAITING, LATENESS = 0.2, 1.0


def least_travel(cost: Floats, horizon: float) -> Floats:
    """Least travel time between nodes over customers, waiting left out, float64[n, n].

    If ways over others are longer, it is the cost. They count as shorter by what may be lost
    when legs are added to times up to `horizon` in another order. For more than `EXACT` nodes, a
    way over others counts as the shortest leg from its first node and the shortest to its last.
    """
    if len(cost) > EXACT:
        return _least_of_legs(cost, horizon)
    return _least_travel(cost.tobytes(), horizon).copy()


def _least_of_legs(cost: Floats, horizon: float) -> Floats:
    """Lower bounds on `least_travel` in time and memory of the square of the nodes."""
    nodes = np.arange(len(cost))
    legs = cost.copy()
    legs[nodes, nodes] = np.inf
    leave, arrive = legs[:, 1:].min(axis=1), legs[1:].min(axis=0)
    lost = 4 * len(cost) * np.finfo(np.float64).eps * horizon
    np.add(leave[:, None], arrive - lost, out=legs)
    np.minimum(cost, legs, out=legs)
    legs[nodes, nodes] = 0.0
    return legs


@functools.lru_cache(maxsize=2)  # asked for before a search, and for it
def _least_travel(costs: bytes, horizon: float) -> Floats:
    """Return `least_travel` of a matrix as bytes."""
    cost = np.frombuffer(costs).copy()
    n = math.isqrt(len(cost))
    cost = cost.reshape(n, n)
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

    If both are one array, this is the algorithm of Floyd and Warshall.
    """
    n = len(ways)
    for over in range(1, n):
        for here in range(n):
            leg = legs[here, over]
            for there in range(n):
                ways[here, there] = min(ways[here, there], leg + legs[over, there])


def by_urgency(reach: Floats, end: Floats) -> npt.NDArray[np.int64]:
    """Return for each node the customers beside it by their latest departure, int64[n, n - 2]."""
    n = len(reach)
    leave = end - reach
    np.fill_diagonal(leave, np.inf)
    order = np.argsort(leave, axis=1, kind="stable")
    order = order[order != 0].reshape(n, n - 1) if n > 1 else order
    return np.ascontiguousarray(order[:, : max(n - 2, 0)])


def near_lists(cost: Floats, start: Floats, end: Floats) -> tuple[Int64s, Int64s]:
    """Nodes that may best follow each node, and those that each may best follow, the best first.

    By cost, and by how long at least one waits or is late where one goes straight from one to the
    other. The depot is left at its start, and reached again at any time.

    Returns
    -------
    behind, ahead : int64[n, near]
        `near` is the number of other nodes, 20 at most.
    """
    first = end.copy()
    first[0] = start[0]
    wait = np.maximum(start[None] - (first[:, None] + cost), 0.0)
    wait[:, 0] = 0.0
    late = np.maximum(start[:, None] + cost - end[None], 0.0)
    away = cost + WAITING * wait + LATENESS * late
    np.fill_diagonal(away, np.inf)
    near = min(NEAR, len(cost) - 1)
    behind, ahead = (np.argsort(a, axis=1, kind="stable")[:, :near] for a in (away, away.T))
    return np.ascontiguousarray(behind), np.ascontiguousarray(ahead)
