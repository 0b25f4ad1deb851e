"""Proofs of tours made apart from the solver's: whole numbers, NumPy, nothing else of its code.

A dynamic program over sets of visited customers, with the duals of a linear program (HiGHS) as its
bound, and a walk along a tour. Both are there to judge the verdicts of others.
"""

from __future__ import annotations

import itertools
import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import coo_array

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

#: Costs and times of up to so many decimals are whole numbers of this unit.
UNIT = 10**5
#: Status of SciPy's `linprog` where no tour meets the constraints.
INFEASIBLE = 2
#: Labels of a layer beyond which nothing is found out, and those extended at a time.
MOST_LABELS, CHUNK = 400_000, 4_000
NONE, BETTER, OPEN = "none", "better", "open"


class Labels(NamedTuple):
    """Ways from the depot."""

    visited: npt.NDArray[np.uint64]
    """uint64[labels, words]: a bit for each customer."""
    last: Int64s
    """int64[labels]"""
    time: Int64s
    """int64[labels]: of service."""
    spent: Int64s
    """int64[labels]: cost."""
    rest: Floats
    """float64[labels]: bound on the cost of the rest."""

    def chosen(self, rows: Int64s | Bools | slice) -> Labels:
        """Return some of the labels."""
        return Labels(
            self.visited[rows], self.last[rows], self.time[rows], self.spent[rows], self.rest[rows]
        )


class Ways(NamedTuple):
    """An instance prepared for the search, in units."""

    legs: Int64s
    """int64[n, n]: those that no tour in time has are far too long."""
    reach: Int64s
    """int64[n, n]: shortest ways over customers."""
    start: Int64s
    """int64[n]"""
    end: Int64s
    """int64[n]"""
    leave: Floats
    """float64[n]: dual values of leaving a node."""
    arrive: Floats
    """float64[n]: dual values of reaching it."""
    least: float
    """Bound on the cost of all tours."""
    limit: float
    """Tours that cost more are not looked for."""
    bits: npt.NDArray[np.uint64]
    """uint64[n, words]: a bit for each customer."""


def whole(data: Floats) -> Int64s:
    """Costs and windows in units of 1e-5, int64[n, n + 2]."""
    return np.rint(data * UNIT).astype(np.int64)


def cost_of(data: Floats, tour: npt.ArrayLike) -> float | None:
    """Return the cost of a tour from depot to depot; None if it is late or leaves one out."""
    units, nodes = whole(data), [int(node) for node in np.asarray(tour)]
    n, at, spent = len(units), int(units[0, len(units)]), 0
    if nodes[0] != 0 or nodes[-1] != 0 or sorted(nodes[1:-1]) != list(range(1, n)):
        return None
    for here, node in itertools.pairwise(nodes):
        spent += int(units[here, node])
        at += int(units[here, node])
        if at > units[node, n + 1]:
            return None
        if node:
            at = max(at, int(units[node, n]))
    return spent / UNIT


def looked_for(data: Floats, cost: float | None, seconds: float) -> str:
    """Look for a tour in time that costs less than `cost`; for any if that is None.

    Parameters
    ----------
    data : float64[n, n + 2]
        Costs and windows, one for each node.

    Returns
    -------
    str
        `NONE`, `BETTER`, or `OPEN` where the time, or the memory, was too little.
    """
    deadline = time.perf_counter() + seconds
    ways = _ways(whole(data), None if cost is None else round(cost * UNIT))
    if ways is None:
        return NONE
    labels = _first(ways)
    for _ in range(len(data) - 1):
        parts = []
        for begin in range(0, len(labels.last), CHUNK):
            parts.append(_extended(ways, labels.chosen(slice(begin, begin + CHUNK))))
            if time.perf_counter() > deadline:
                return OPEN
        labels = _undominated(_joined(parts), by_time=cost is None)
        if len(labels.last) == 0:
            return NONE
        if len(labels.last) > MOST_LABELS:
            return OPEN
    back = ways.legs[labels.last, 0]
    found = (labels.time + back <= ways.end[0]) & (labels.spent + back <= ways.limit)
    return BETTER if found.any() else NONE


def _first(ways: Ways) -> Labels:
    """Return the label of the depot alone."""
    nowhere, zero = np.zeros((1, ways.bits.shape[1]), np.uint64), np.zeros(1, np.int64)
    return Labels(nowhere, zero, ways.start[:1].copy(), zero, np.array([ways.least]))


def _extended(ways: Ways, some: Labels) -> Labels:
    """Return the labels with another customer each, that leave nobody out of reach."""
    arrival = some.time[:, None] + ways.legs[some.last]
    spent = some.spent[:, None] + ways.legs[some.last]
    after = some.rest[:, None] - ways.leave[some.last][:, None] - ways.arrive
    unvisited: Bools = np.logical_not((some.visited[:, None] & ways.bits[None]).any(axis=2))
    unvisited[:, 0] = False
    fits = unvisited & (arrival <= ways.end) & (arrival + after < ways.end[0] + 0.5)
    row, nodes = np.nonzero(fits & (spent + after <= ways.limit))
    at = np.maximum(arrival[row, nodes], ways.start[nodes])
    others = unvisited[row]
    others[np.arange(len(row)), nodes] = False
    others[:, 0] = True
    stranded: Bools = np.any(others & (at[:, None] + ways.reach[nodes] > ways.end), axis=1)
    visited = some.visited[row] | ways.bits[nodes]
    return Labels(visited, nodes, at, spent[row, nodes], after[row, nodes]).chosen(~stranded)


def _joined(parts: list[Labels]) -> Labels:
    """Return the labels of all parts."""
    return Labels(
        np.concatenate([part.visited for part in parts]),
        np.concatenate([part.last for part in parts]),
        np.concatenate([part.time for part in parts]),
        np.concatenate([part.spent for part in parts]),
        np.concatenate([part.rest for part in parts]),
    )


def _shortest(legs: Int64s) -> Int64s:
    """Shortest ways over customers, int64[n, n] (Floyd and Warshall)."""
    ways = legs.copy()
    np.fill_diagonal(ways, 0)
    for over in range(1, len(ways)):
        ways = np.minimum(ways, ways[:, over, None] + ways[None, over])
    return ways


def _ways(units: Int64s, cost: int | None) -> Ways | None:
    """Prepare the search; None if the legs that windows allow have no assignment."""
    n = len(units)
    legs, start, end = units[:, :n], units[:, n], units[:, n + 1]
    reach = _shortest(legs)
    earliest = np.maximum(start[0] + reach[0], start)
    earliest[0] = start[0]
    allowed = earliest[:, None] + legs <= end
    np.fill_diagonal(allowed, False)
    before = earliest[:, None] + reach > end  # the column's node comes before the row's
    before[0] = before[:, 0] = False
    allowed &= ~before
    allowed[0] &= ~before.any(axis=1)
    allowed[:, 0] &= ~before.any(axis=0)
    here, there = np.nonzero(allowed)
    arcs = np.arange(len(here))
    places = np.concatenate([here, n + there]), np.concatenate([arcs, arcs])
    matrix = coo_array((np.ones(2 * len(arcs)), places), shape=(2 * n, len(arcs))).tocsr()
    found = linprog(legs[here, there], A_eq=matrix, b_eq=np.ones(2 * n), method="highs")
    if found.status == INFEASIBLE:
        return None
    if found.status != 0:
        raise RuntimeError(f"HiGHS ended with status {found.status}: {found.message}")
    leave = np.array(found.eqlin.marginals[:n])
    arrive = np.full(n, np.inf)  # no leg is cheaper than both of its ends, whatever HiGHS rounds
    np.minimum.at(arrive, there, legs[here, there] - leave[here])
    bits = np.zeros((n, (n - 2) // 64 + 1), np.uint64)
    for node in range(1, n):
        bits[node, (node - 1) // 64] = np.uint64(1) << np.uint64((node - 1) % 64)
    far = int(end.max() - start.min() + legs.max() + 1)
    return Ways(
        np.where(allowed, legs, far), reach, start, end, leave, arrive,
        float(leave.sum() + arrive.sum()), np.inf if cost is None else cost - 0.5, bits,
    )  # fmt: skip


def _undominated(labels: Labels, *, by_time: bool) -> Labels:
    """Labels that no other one with the same customers and last one beats in time and cost."""
    keys = (*labels.visited.T, labels.last)
    order = np.lexsort((labels.spent, labels.time, *keys))
    labels = labels.chosen(order)
    changed = (labels.visited[1:] != labels.visited[:-1]).any(axis=1)
    changed |= labels.last[1:] != labels.last[:-1]
    first = np.concatenate([[True], changed]) if len(order) else np.zeros(0, bool)
    if by_time or len(order) == 0:
        return labels.chosen(first)
    # Each group's costs are below those of the groups before: one running minimum does for all.
    below = labels.spent - np.cumsum(first) * (int(labels.spent.max()) + 1)
    least = np.minimum.accumulate(below)
    return labels.chosen(first | np.concatenate([[True], below[1:] < least[:-1]]))
