"""Windows that no tour keeps, found before the search: bounds on arrivals by least travel times."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.domains.tsptw.instance import Floats

#: Customers that a word has bits for.
BITS = 64
#: Ways of a layer, in states that it may have, before the earliest are chosen.
MANY = 8


def conflict(reach: Floats, start: Floats, end: Floats, begin: float) -> str | None:
    """Say why no tour keeps all windows; None if nothing here tells.

    Parameters
    ----------
    reach : float64[n, n]
        Least travel times over any customers, from, to; see `least_travel`.
    start, end : float64[n]
        Windows, counted from the start of the depot's.
    begin : float
        Start of the depot's window, for the text.
    """
    n = len(reach)
    if n < 2:
        return None
    from_depot = np.concatenate([[0.0], reach[0, 1:]])
    late = np.flatnonzero(from_depot[1:] > end[1:]) + 1
    if len(late):
        node = int(late[0])
        opens = f"opens at {begin:.10g} and " if begin else ""
        return (
            f"node {node} is due at {_at(end, node, begin)}, the depot {opens}"
            f"is {reach[0, node]:.10g} away"
        )
    earliest = np.maximum(from_depot, start)
    back = earliest[1:] + reach[1:, 0]
    if back.max() > end[0]:
        node = int(back.argmax()) + 1
        arrival = f"{begin + back[node - 1]:.10g}"
        return (
            f"the depot is due at {_at(end, 0, begin)}, from node {node} that is {arrival} or later"
        )
    first = earliest[1:, None] + reach[1:, 1:] <= end[None, 1:]  # one before the other
    np.fill_diagonal(first, True)
    apart = np.argwhere(~first & ~first.T)
    if len(apart):
        one, other = (int(node) + 1 for node in apart[0])
        return (
            f"nodes {one} and {other} exclude each other: from neither the other is reached in time"
        )
    return _circle(~first)


def _at(end: Floats, node: int, begin: float) -> str:
    """Due time of a node, as in the file."""
    return f"{begin + end[node]:.10g}"


def _circle(before: npt.NDArray[np.bool_]) -> str | None:
    """Say which customers must each come before the next, in a circle; None if there is none.

    Parameters
    ----------
    before : bool[n, n]
        Whether the customer of a column must come before that of the row.
    """
    left = before.copy()
    alive = np.ones(len(left), bool)
    while True:  # take away those that nothing must precede
        free = alive & ~left.any(axis=1)
        if not free.any():
            break
        alive &= ~free
        left[:, free] = False
    if not alive.any():
        return None
    way = [int(np.flatnonzero(alive)[0])]
    while (step := int(np.flatnonzero(left[way[-1]])[0])) not in way:
        way.append(step)
    circle = [node + 1 for node in way[way.index(step) :]][::-1]
    return f"nodes {', '.join(map(str, [*circle, circle[0]]))}: each must come before the next"


def is_hopeless(cost: Floats, reach: Floats, start: Floats, end: Floats, most: int) -> bool:
    """Return whether no tour keeps all windows, by a search of all sets of customers in turn.

    Layer by layer: of all ways through a set of customers to the same last one the earliest
    stands for all; ways from which another customer is out of reach are dropped. No layer left
    is the proof.

    Parameters
    ----------
    cost, reach : float64[n, n]
        Travel times, and least ones over any customers, from, to.
    start, end : float64[n]
        Windows, counted from the start of the depot's.
    most : int
        States of a layer: beyond, nothing is proved.

    Returns
    -------
    bool
        False also where it is not known, and for more than 64 customers.
    """
    n = len(cost)
    if n - 1 > BITS or n < 2:
        return False
    bit = np.concatenate([[0], np.uint64(1) << np.arange(n - 1, dtype=np.uint64)]).astype(np.uint64)
    visited, last, time = np.zeros(1, np.uint64), np.zeros(1, np.int64), np.zeros(1)
    for _ in range(n - 1):
        arrival = np.maximum(time[:, None] + cost[last], start)
        open_ways = (visited[:, None] & bit == 0) & (arrival <= end)
        open_ways[:, 0] = False
        row, node = np.nonzero(open_ways)
        if len(row) > MANY * most:
            return False
        visited, last, time = visited[row] | bit[node], node, arrival[row, node]
        order = np.lexsort((time, last, visited))
        visited, last, time = visited[order], last[order], time[order]
        again = (visited[1:] == visited[:-1]) & (last[1:] == last[:-1])
        first = np.concatenate([[True], ~again]) if len(order) else np.zeros(0, bool)
        visited, last, time = visited[first], last[first], time[first]
        out_of_reach = (visited[:, None] & bit == 0) & (time[:, None] + reach[last] > end)
        out_of_reach[:, 0] = time + reach[last, 0] > end[0]
        kept = ~out_of_reach.any(axis=1)
        visited, last, time = visited[kept], last[kept], time[kept]
        if len(visited) == 0:
            return True
        if len(visited) > most:
            return False
    return False
