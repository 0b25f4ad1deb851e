"""Bound on the cost of tours by ways that forget: dynamic ng-tours with a charge on each customer.

Labels forget customers, and may visit them again, unless they are remembered where the way goes on:
a relaxation of the tours in time (Baldacci, Mingozzi, Roberti 2012). Customers visited too often
are charged, those left out rewarded, by subgradient steps; and where the best way goes in a circle,
its nodes learn to remember the customer (Roberti, Mingozzi 2014).
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.domains.tsptw.instance import Floats, Int64s
from solver.domains.tsptw.proofs.layers import (
    BITS,
    TOO_MANY,
    Labels,
    Room,
    Ways,
    Words,
    expand,
    lowered,
)

#: Near nodes that each node remembers at first, and subgradient steps after which more are.
REMEMBERED, STEPS = 5, 4
#: Share of the step that is left after two steps without a better bound, and least share of the
#: cost that a step may go for.
SLOWER, LEAST_AIM = 0.7, 1e-3
#: Subgradient steps after which the bound is not raised any more, and labels in all, as a multiple
#: of those that a layer has room for.
MOST_STEPS, LAYERS = 100, 100


class Relaxed(NamedTuple):
    """Best way of a relaxation."""

    cost: float
    """Cost, charges included; infinite if there is none."""
    nodes: Int64s
    """int64[n + 1]: nodes, some of them again and again."""
    labels: int
    """Number of labels made."""


class Raised(NamedTuple):
    """Result of raising the bound."""

    bound: float
    """No tour in time costs less; infinite if there is none."""
    tour: Int64s | None
    """int64[n + 1]: a tour of this cost, if the best way was one."""


def raised_bound(ways: Ways, goal: float, bound: float, room: Room, deadline: float) -> Raised:
    """Raise the bound by subgradient steps, until a tour, the time or the room ends them.

    Parameters
    ----------
    ways : Ways
        As for the search of all sets; the cost counts.
    goal : float
        Stop once the bound exceeds this.
    bound : float
        Lower bound known before.
    room : Room
        For labels; what is in it is lost.
    deadline : float
        Of `time.perf_counter`, looked at before every layer.
    """
    n = len(ways.start)
    charge = -(ways.leave + ways.reach)
    charge[0] = 0.0
    remembered, none = _near(ways), np.zeros(n)
    forgetful = ways._replace(forgets=1, leave=none, reach=none, limit=np.array([np.inf]))
    share, fails, left = 1.0, 0, LAYERS * len(room.source.last)
    for step in range(1, MOST_STEPS + 1):
        priced = forgetful._replace(price=ways.cost + charge, remembered=remembered)
        way = _best_way(priced, room, left, deadline)
        if way is None:
            break
        reached = way.cost - float(charge.sum())
        if not np.isfinite(reached):
            return Raised(np.inf, None)
        if reached > bound:
            bound, fails = reached, 0
        else:
            fails += 1
            share *= SLOWER if fails % 2 == 0 else 1.0
        excess = np.bincount(way.nodes[1:-1], minlength=n) - 1
        excess[0] = 0
        if not excess.any():
            return Raised(bound, way.nodes)
        left -= way.labels
        if lowered(bound) > goal:
            break
        aim = max(goal - reached, LEAST_AIM * abs(goal))
        charge += share * aim / float((excess**2).sum()) * excess
        if step % STEPS == 0:
            _remember(remembered, way.nodes)
    return Raised(bound, None)


def _bit(node: int) -> np.uint64:
    return np.uint64(1) << np.uint64(node % BITS)


def _near(ways: Ways) -> Words:
    """Return the nearest customers of each node as those that it remembers."""
    n = len(ways.start)
    remembered = np.zeros((n, (n - 1) // BITS + 1), np.uint64)
    nearest = np.argsort(np.minimum(ways.cost, ways.cost.T), axis=1, kind="stable")
    for node in range(1, n):
        for other in nearest[node, :REMEMBERED]:
            remembered[node, other // BITS] |= _bit(int(other))
    return remembered


def _remember(remembered: Words, nodes: Int64s) -> None:
    """Let the nodes of each circle remember the customer where it closes."""
    places: dict[int, int] = {}
    for place, node in enumerate(nodes[1:-1].tolist(), 1):
        for inside in nodes[places.get(node, place) + 1 : place]:
            remembered[inside, node // BITS] |= _bit(node)
        places[node] = place


def _best_way(ways: Ways, room: Room, left: int, deadline: float) -> Relaxed | None:
    """Return the best way; None if the time, the room or the `left` labels are too little."""
    source, target, table = room
    source.visited[0], source.last[0] = 0, 0
    source.time[0], source.spent[0], source.rest[0] = 0.0, 0.0, 0.0
    count, labels, history = 1, 0, []
    for layer in range(len(ways.start) - 1):
        if labels > left or time.perf_counter() > deadline:
            return None
        count = expand(ways, layer, source, count, target, table)
        if count == TOO_MANY:
            return None
        history.append((target.last[:count].copy(), target.parent[:count].copy()))
        labels += count
        source, target = target, source
    return _closed(ways, source, count, history, labels)


def _closed(
    ways: Ways,
    source: Labels,
    count: int,
    history: list[tuple[Int64s, Int64s]],
    labels: int,
) -> Relaxed:
    """Return the best of the ways of the last layer, back to the depot."""
    last = source.last[:count]
    in_time = source.time[:count] + ways.cost[last, 0] <= ways.end[0]
    spent: Floats = np.where(in_time, source.spent[:count] + ways.price[last, 0], np.inf)
    if not np.isfinite(spent).any():
        return Relaxed(np.inf, np.zeros(2, np.int64), labels)
    place = int(np.argmin(spent))
    cost, nodes = float(spent[place]), [0]
    for layer, parent in reversed(history):
        nodes.append(int(layer[place]))
        place = int(parent[place])
    way: npt.NDArray[np.int64] = np.array([*nodes, 0][::-1], np.int64)
    return Relaxed(cost, way, labels)
