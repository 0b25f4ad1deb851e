"""Bound on the cost of tours: the assignment problem over the legs that windows allow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import allocating_kernel
from solver.domains.tsptw.instance import Floats

Bools = npt.NDArray[np.bool_]


class Duals(NamedTuple):
    """Dual values of the assignment of a next node to every node."""

    leave: Floats
    """float64[n]: of leaving a node."""
    reach: Floats
    """float64[n]: of reaching it. No leg that is allowed costs less than both of its ends."""


def precedences(reach: Floats, start: Floats, end: Floats) -> Bools:
    """Pairs of customers of which the first must come before the second, bool[n, n].

    The second, at its earliest, cannot be followed by the first in time.
    """
    n = len(reach)
    earliest = np.maximum(reach[0], start)
    before: Bools = (earliest[:, None] + reach > end[None]).T.copy()
    before[0] = before[:, 0] = False
    before[np.arange(n), np.arange(n)] = False
    return before


def allowed_legs(cost: Floats, reach: Floats, start: Floats, end: Floats) -> Bools:
    """Legs that a tour in time may have, bool[n, n]."""
    n = len(cost)
    earliest = np.maximum(reach[0], start)
    earliest[0] = 0.0
    before = precedences(reach, start, end)
    allowed: Bools = earliest[:, None] + cost <= end[None]
    between = (before.astype(np.float32) @ before.astype(np.float32)) > 0  # whole numbers, exact
    allowed &= ~before.T & ~between
    allowed[0] &= ~before.any(axis=0)
    allowed[:, 0] &= ~before.any(axis=1)
    allowed[np.arange(n), np.arange(n)] = False
    return allowed


def assign(cost: Floats, allowed: Bools) -> Duals | None:
    """Solve the assignment problem; None if the allowed legs have no assignment."""
    legs = np.where(np.eye(len(cost), dtype=bool), 0.0, cost)
    most = float(legs.max(axis=1).sum())
    forbidden = 2.0 * most + (min(most, 1.0) or 1.0)  # in the unit of small costs
    leave, reach, follows = _assign(np.where(allowed, cost, forbidden))
    nodes = np.arange(len(cost))
    if not allowed[follows, nodes].all():
        return None
    return Duals(leave, reach)


@allocating_kernel
def _assign(cost: Floats) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Hungarian algorithm, by shortest augmenting paths (Kuhn 1955, Jonker and Volgenant 1987).

    Returns
    -------
    row, column : float64[n]
        Dual values.
    rows : int64[n]
        Row of every column.
    """
    n = len(cost)
    u, v, least = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    row, way = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    used = np.zeros(n + 1, np.int64)
    for one in range(1, n + 1):
        row[0] = one
        for column in range(n + 1):
            least[column] = np.inf
            used[column] = 0
        here = 0
        while row[here] != 0 or here == 0:
            used[here] = 1
            line, delta, following = row[here], np.inf, 0
            for column in range(1, n + 1):
                if used[column] == 0:
                    slack = cost[line - 1, column - 1] - u[line] - v[column]
                    if slack < least[column]:
                        least[column] = slack
                        way[column] = here
                    if least[column] < delta:
                        delta = least[column]
                        following = column
            for column in range(n + 1):
                if used[column]:
                    u[row[column]] += delta
                    v[column] -= delta
                else:
                    least[column] -= delta
            here = following
        while here != 0:
            row[here] = row[way[here]]
            here = way[here]
    return u[1:].copy(), v[1:].copy(), row[1:] - 1
