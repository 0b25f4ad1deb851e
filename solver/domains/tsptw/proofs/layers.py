"""Dynamic programming over sets of visited customers: one layer for each number of them.

A label is a way from the depot: whom it has visited, where it ends, when and at what cost. Of ways
over the same customers to the same last one, those are kept that no other is before in time and
cost (Dumas et al. 1995; Christofides, Mingozzi, Toth 1981); ways from which another customer is out
of reach, or that are bounded by the best tour known, are dropped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.domains.tsptw.instance import Floats, Int64s, opening

Words = npt.NDArray[np.uint64]

BITS = 64
EMPTY = -1
#: Result of `expand` where a layer has more labels than there is room for.
TOO_MANY = -1
#: Bounds are lowered by this share of themselves: they are added up in another order.
ROUNDING = 1e-9
_MIX, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


class Ways(NamedTuple):
    """Instance of the dynamic program: what the labels of a layer are extended by."""

    cost: Floats
    """float64[n, n]: from, to; infinite where no tour in time has the leg."""
    price: Floats
    """float64[n, n]: what a label spends on a leg, the cost or what is charged in its place."""
    follow: Int64s
    """int64[n, n]: customers that may follow a node, and -1 behind them."""
    first: Int64s
    """int64[n]: first layer of a customer: so many others must come before it."""
    final: Int64s
    """int64[n]: last layer of a customer."""
    remembered: Words
    """uint64[n, words]: at a node, customers that a label does not forget."""
    forgets: int
    """1: labels forget customers, and may visit them again."""
    start: Floats
    """float64[n]"""
    end: Floats
    """float64[n]: of the depot also less than the best makespan known."""
    gaps: Floats
    """float64[n, g, 2]: see `Tsptw.gaps`."""
    latest: Floats
    """float64[n, n]: latest time of leaving the row's node for the column's, over others too."""
    urgent: Int64s
    """int64[n, n - 1]: other nodes by the latest time of leaving for them."""
    leave: Floats
    """float64[n]: see `Duals`."""
    reach: Floats
    """float64[n]: see `Duals`."""
    limit: Floats
    """float64[1]: bounds from here on are no better than the best tour known."""
    by_time: int
    """1: the time alone counts, 0: the cost does."""


class Labels(NamedTuple):
    """Labels of a layer."""

    visited: Words
    """uint64[most, words]: a bit for each node."""
    last: Int64s
    """int64[most]"""
    time: Floats
    """float64[most]: of service; infinite for a label that another is better than."""
    spent: Floats
    """float64[most]: cost of the way."""
    rest: Floats
    """float64[most]: bound on the cost of the rest of the tour."""
    parent: Int64s
    """int64[most]: label of the layer before."""
    link: Int64s
    """int64[most]: another label in the same place of the table."""


class Room(NamedTuple):
    """Room for two layers, used in turns."""

    source: Labels
    target: Labels
    """The last place of the layer that is written is scratch."""
    table: Int64s
    """int64[size]: scratch, `size` a power of two."""


def new_room(most: int, nodes: int) -> Room:
    """Allocate room for layers of `most` labels."""
    source, target = (new_labels(most + 1, (nodes - 1) // BITS + 1) for _ in range(2))
    return Room(source, target, np.zeros(1 << (2 * most).bit_length(), np.int64))


def lowered(bound: float) -> float:
    """Lower a bound by what rounding may have added to it."""
    return bound - ROUNDING * abs(bound) if np.isfinite(bound) else bound


def new_labels(most: int, words: int) -> Labels:
    """Allocate room for the labels of a layer."""
    last, parent, link = (np.zeros(most, np.int64) for _ in range(3))
    time, spent, rest = (np.zeros(most) for _ in range(3))
    return Labels(np.zeros((most, words), np.uint64), last, time, spent, rest, parent, link)


@inlined
def _is_visited(visited: Words, node: int) -> bool:
    """Return whether the bit of a node is set in uint64[words]."""
    return bool((visited[node // BITS] >> np.uint64(node % BITS)) & np.uint64(1))


@inlined
def _strands(ways: Ways, visited: Words, node: int, time: float) -> bool:
    """Return whether at `node`, visited at `time`, another node is out of reach."""
    for index in range(ways.urgent.shape[1]):
        other = ways.urgent[node, index]
        if ways.latest[node, other] >= time:
            return False
        if not _is_visited(visited, other):
            return True
    return False


@inlined
def _place(visited: Words, node: int, size: int) -> int:
    """Place of a set and its last node in a table of `size`, a power of two."""
    key = np.uint64(node)
    for word in range(len(visited)):
        key = (key ^ visited[word]) * _MIX
        key ^= key >> _SHIFT
    key *= _MIX
    return int((key >> np.uint64(32)) & np.uint64(size - 1))


@inlined
def _add(ways: Ways, labels: Labels, table: Int64s, count: int, most: int) -> int:
    """Add the label at place `count` unless another is as good; return the number of labels.

    Those that it is better than die.
    """
    node, time, spent = labels.last[count], labels.time[count], labels.spent[count]
    place = _place(labels.visited[count], node, len(table))
    other = table[place]
    while other != EMPTY:
        same = labels.last[other] == node
        for word in range(labels.visited.shape[1]):
            same &= labels.visited[other, word] == labels.visited[count, word]
        if same:
            if labels.time[other] <= time and (ways.by_time or labels.spent[other] <= spent):
                return count
            if labels.time[other] >= time and (ways.by_time or labels.spent[other] >= spent):
                labels.time[other] = np.inf
                labels.spent[other] = np.inf
        other = labels.link[other]
    if count >= most:
        return most + 1
    labels.link[count] = table[place]
    table[place] = count
    return count + 1


@kernel
def expand(
    ways: Ways, layer: int, source: Labels, n_source: int, target: Labels, table: Int64s
) -> int:
    """Extend every label of a layer by every customer; return the labels of the next layer.

    Parameters
    ----------
    layer : int
        Customers that each label has visited.
    target : Labels
        Its last place is scratch.
    table : int64[size]
        Scratch, `size` a power of two.

    Returns
    -------
    int
        `TOO_MANY` if there is no room for all.
    """
    n, words, most = len(ways.start), source.visited.shape[1], len(target.last) - 1
    for place in range(len(table)):
        table[place] = EMPTY
    count = 0
    for label in range(n_source):
        if source.time[label] == np.inf:
            continue
        visited, here = source.visited[label], source.last[label]
        for index in range(n):
            node = ways.follow[here, index]
            if node < 0:
                break
            if layer < ways.first[node] or layer > ways.final[node]:
                continue
            arrival = source.time[label] + ways.cost[here, node]
            if arrival > ways.end[node] or _is_visited(visited, node):
                continue
            time = opening(ways, node, arrival)
            spent = source.spent[label] + ways.price[here, node]
            rest = source.rest[label] - ways.leave[here] - ways.reach[node]
            if (time if ways.by_time else spent) + rest > ways.limit[0]:
                continue
            for word in range(words):
                target.visited[count, word] = visited[word] & ways.remembered[node, word]
            target.visited[count, node // BITS] |= np.uint64(1) << np.uint64(node % BITS)
            if ways.forgets == 0 and _strands(ways, target.visited[count], node, time):
                continue
            target.last[count], target.parent[count] = node, label
            target.time[count], target.spent[count] = time, spent
            target.rest[count] = rest
            count = _add(ways, target, table, count, most)
            if count > most:
                return TOO_MANY
    return count
