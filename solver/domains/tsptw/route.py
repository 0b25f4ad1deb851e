"""A tour under change, and the times of its segments, without following them node by node.

A segment is a function of the time at which its first node is reached. A visitor before its
`EARLIEST` waits; a visitor after its `LATEST` is late, and so much time is taken back, as *warp*,
so that the rest is not late for the same reason; `SPAN` passes between the time so bounded and the
service of the last node, and `WARP` is taken back in any case. Two segments in a row are such a
function, too (Vidal, Crainic, Gendreau and Prins 2013): the tour is cut into segments of 1, 2, 4
... nodes from every place on, the beginning up to each place and the end from each place on, so
that a tour with some of its segments in another order is measured by a few steps. A tour without
warp is in time everywhere. Nodes of several windows are no such functions: where an instance has
some, changed tours are followed node by node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compiling.jit import called, inlined
from solver.domains.tsptw.instance import Floats, Int64s, Tsptw, opening

EARLIEST, LATEST, SPAN, WARP = range(4)  # of a segment
SPENT, TOTAL_WARP, TAKEN = range(3)  # of `Route.measure`
LATE, QUEUED, HEAD, BEGIN, END = range(5)  # of `Route.scalars`
#: Segments have up to 2**(JUMPS - 1) nodes.
JUMPS = 6


class Route(NamedTuple):
    """A tour; place 0 and place n are the depot."""

    tour: Int64s
    """int64[n + 1]: nodes by place."""
    place: Int64s
    """int64[n]: places by node, of the depot 0."""
    trial: Int64s
    """int64[n + 1]: the changed places of a tour that may be better."""
    time: Floats
    """float64[n + 1]: time of service, warp taken back."""
    warp: Floats
    """float64[n + 1]: warp up to a place."""
    there: Floats
    """float64[n + 1]: cost of the legs up to a place."""
    back: Floats
    """float64[n + 1]: the same of the legs taken the other way."""
    tail: Floats
    """float64[n + 1, 4]: the segment from a place to the end."""
    jump: Floats
    """float64[JUMPS, n + 1, 4]: the segment of 2**k nodes from a place on."""
    queue: Int64s
    """int64[n]: nodes whose edges are to be looked at, in a circle."""
    waits: Int64s
    """int64[n]: 1 for a node in the queue."""
    measure: Floats
    """float64[3]: what the tour is to have less of, cost or makespan, with warp taken back;
    warp; the first without it."""
    scalars: Int64s
    """int64[5]: windows violated; nodes in the queue and where that begins; the places changed
    by the last trial, from the first to the one behind the last."""


def new_route(n: int) -> Route:
    """Allocate a route of n nodes."""
    tour, trial = (np.zeros(n + 1, np.int64) for _ in range(2))
    place, queue, waits = (np.zeros(n, np.int64) for _ in range(3))
    time, warp, there, back = (np.zeros(n + 1) for _ in range(4))
    return Route(
        tour, place, trial, time, warp, there, back, np.zeros((n + 1, 4)),
        np.zeros((JUMPS, n + 1, 4)), queue, waits, np.zeros(3), np.zeros(5, np.int64),
    )  # fmt: skip


@inlined
def _join(one: Floats, other: Floats, leg: float, target: Floats) -> None:
    """Make `target` the segment of `one`, a leg, and `other`, which it may be itself."""
    offset = one[SPAN] + leg
    wait = max(other[EARLIEST] - one[LATEST] - offset, 0.0)
    warp = max(one[EARLIEST] + offset - other[LATEST], 0.0)
    earliest = min(max(other[EARLIEST] - offset, one[EARLIEST]), one[LATEST])
    latest = max(min(other[LATEST] - offset, one[LATEST]), one[EARLIEST])
    target[SPAN] = offset + other[SPAN] + wait - warp
    target[WARP] = one[WARP] + other[WARP] + warp
    target[EARLIEST], target[LATEST] = earliest, latest


@inlined
def measure_route(instance: Tsptw, route: Route, begin: int, end: int) -> None:
    """Find all that is known of a tour whose places from `begin` to before `end` are new."""
    n, tour, cost = instance.n, route.tour, instance.cost
    if begin <= 1:
        begin = 1
        route.place[0] = 0
        route.time[0] = instance.start[0]
        route.warp[0] = route.there[0] = route.back[0] = 0.0
    for place in range(begin, n + 1):
        here, node = tour[place - 1], tour[place]
        if place < n:
            route.place[node] = place
        route.there[place] = route.there[place - 1] + cost[here, node]
        route.back[place] = route.back[place - 1] + cost[node, here]
        time = route.time[place - 1] + cost[here, node]
        late = max(time - instance.given_end[node], 0.0)
        route.warp[place] = route.warp[place - 1] + late
        time -= late
        route.time[place] = opening(instance, node, time) if place < n else time
    jump = route.jump
    for place in range(begin, min(end, n) + (end >= n)):
        node = tour[place]
        single = jump[0, place]
        single[EARLIEST] = instance.start[node] if place < n else -np.inf
        single[LATEST] = max(instance.given_end[node], single[EARLIEST])
        single[SPAN] = single[WARP] = 0.0
    for k in range(1, JUMPS):
        half = 1 << (k - 1)
        for place in range(max(1, begin - 2 * half), min(end, n + 2 - 2 * half)):
            leg = cost[tour[place + half - 1], tour[place + half]]
            _join(jump[k - 1, place], jump[k - 1, place + half], leg, jump[k, place])
    tail = route.tail
    if end >= n:
        for item in range(4):
            tail[n, item] = jump[0, n, item]
    for place in range(min(end, n) - 1, 0, -1):
        leg = cost[tour[place], tour[place + 1]]
        _join(jump[0, place], tail[place + 1], leg, tail[place])
    late, time = follow_route(instance, route)
    total = route.there[n]
    route.scalars[LATE] = late
    route.measure[SPENT] = route.time[n] if instance.makespan else total
    route.measure[TAKEN] = time if instance.makespan else total
    route.measure[TOTAL_WARP] = route.warp[n]


@inlined
def follow_route(instance: Tsptw, route: Route) -> tuple[int, float]:
    """Windows that the tour violates, nothing taken back, and the time at which it ends."""
    time, late = instance.start[0], 0
    for place in range(1, instance.n + 1):
        node = route.tour[place]
        time += instance.cost[route.tour[place - 1], node]
        late += time > instance.end[node]
        if place < instance.n:
            time = opening(instance, node, time)
    return late, time


class _Way(NamedTuple):
    """Arrays of a tour and its instance to follow it node by node: few arguments of a call."""

    tour: Int64s
    cost: Floats
    start: Floats
    gaps: Floats
    single: Floats
    """float64[n + 1, 4]: the segments of one node, `Route.jump[0]`."""


@inlined
def _way_of(instance: Tsptw, route: Route) -> _Way:
    return _Way(route.tour, instance.cost, instance.start, instance.gaps, route.jump[0])


@inlined
def pass_segment(segment: Floats, arrival: float, warp: float) -> tuple[float, float]:
    """Time and warp behind a segment whose first node is reached at `arrival`."""
    bounded = min(max(arrival, segment[EARLIEST]), segment[LATEST])
    warp += max(arrival - segment[LATEST], 0.0) + segment[WARP]
    return bounded + segment[SPAN], warp


@called
def _follow_places(
    way: _Way, begin: int, end: int, here: int, time: float, warp: float
) -> tuple[int, float, float]:
    """`pass_places` node by node, where nodes have several windows."""
    for place in range(begin, end):
        node = way.tour[place]
        arrival = time + way.cost[here, node]
        time, warp = pass_segment(way.single[place], arrival, warp)
        here = node
        time = opening(way, here, time)
    return here, time, warp


@inlined
def pass_places(
    instance: Tsptw, route: Route, begin: int, end: int, here: int, time: float, warp: float
) -> tuple[int, float, float]:
    """Go on from node `here` over the places from `begin` to before `end`, in O(1) for each 32.

    Returns the last node, and time and warp there.
    """
    if instance.gaps.shape[1] > 0:
        return _follow_places(_way_of(instance, route), begin, end, here, time, warp)
    tour = route.tour
    while begin < end:
        k = JUMPS - 1
        while begin + (1 << k) > end:
            k -= 1
        arrival = time + instance.cost[here, tour[begin]]
        time, warp = pass_segment(route.jump[k, begin], arrival, warp)
        begin += 1 << k
        here = tour[begin - 1]
    return here, time, warp


@inlined
def pass_tail(
    instance: Tsptw, route: Route, place: int, here: int, time: float, warp: float
) -> tuple[float, float]:
    """Go on from node `here` over the places from `place` to the end."""
    if instance.gaps.shape[1] > 0:
        here, time, warp = _follow_places(
            _way_of(instance, route), place, instance.n, here, time, warp
        )
        place = instance.n
    arrival = time + instance.cost[here, route.tour[place]]
    return pass_segment(route.tail[place], arrival, warp)


@inlined
def pass_back(
    instance: Tsptw,
    route: Route,
    begin: int,
    end: int,
    here: int,
    time: float,
    warp: float,
    allowed: float,
) -> tuple[int, float, float]:
    """The same from the last of these places to the first; ends where more is warped than allowed.

    A long way back is seldom in time: it is followed node by node.
    """
    for place in range(end - 1, begin - 1, -1):
        arrival = time + instance.cost[here, route.tour[place]]
        time, warp = pass_segment(route.jump[0, place], arrival, warp)
        here = route.tour[place]
        if instance.gaps.shape[1] > 0:
            time = opening(instance, here, time)
        if warp > allowed:
            break
    return here, time, warp
