"""Local search on tours with time windows, and an iterated one: lateness before all else.

*Or-opt* moves one to three nodes in a row elsewhere, as they are or reversed; *2-opt* reverses a
part of the tour; *exchange* lets one or two nodes change places with one or two others. A change is
looked for by an edge that it makes, from a node to one of those near it (`near_lists`), and the
first that betters the tour is made. Nodes with new edges are looked at again; all others have
their don't-look bits set (Bentley 1992). Costs may be asymmetric: what a reversal costs inside is
counted.

The functions that are called and not copied are those that a perturbation uses twice: copies of
them were three quarters of the machine code. Loops over the lengths of segments are as long as the
tour allows: of those whose length it knows LLVM makes a copy for each turn, which took half of the
time of compiling.

Tours that are late are made less so by the time that they are late in all, see
`solver.domains.tsptw.route`, and are better in the end if fewer of their windows are violated.
"""

from __future__ import annotations

from solver.compiling.jit import called, inlined
from solver.compiling.random import Stream, next_below, next_uniform
from solver.contract import rules
from solver.contract.rules import Moves
from solver.domains.tsptw.changes import (
    betters_exchanged,
    betters_moved,
    betters_reversed,
)
from solver.domains.tsptw.instance import Tsptw
from solver.domains.tsptw.kernels import TsptwState, score_of
from solver.domains.tsptw.route import (
    BEGIN,
    END,
    HEAD,
    LATE,
    QUEUED,
    SPENT,
    TAKEN,
    TOTAL_WARP,
    Route,
    follow_route,
    measure_route,
)

LONGEST_MOVED, LONGEST_EXCHANGED = 3, 2
#: Longest of two neighbouring segments that change places at random.
LONGEST_SHAKEN = 5
#: While a tour is late: share of exchanges near a late node, and of later tours that are kept.
NEAR_LATENESS, LATER_ACCEPTED = 0.8, 0.03


@inlined
def _look_at(instance: Tsptw, route: Route, node: int) -> None:
    """Put a node into the queue if it is not there."""
    if route.waits[node] == 0:
        route.waits[node] = 1
        route.queue[(route.scalars[HEAD] + route.scalars[QUEUED]) % instance.n] = node
        route.scalars[QUEUED] += 1


@inlined
def _exchange_places(route: Route) -> None:
    """Exchange the changed places with those of the tour."""
    for place in range(route.scalars[BEGIN], route.scalars[END]):
        route.tour[place], route.trial[place] = route.trial[place], route.tour[place]


@inlined
def _take_change(instance: Tsptw, route: Route) -> None:
    """Measure the changed tour, and look at the ends of its new edges."""
    begin, end = route.scalars[BEGIN], route.scalars[END]
    for place in range(begin, end + 1):
        one, other = route.tour[place - 1], route.tour[place]
        old = instance.n if place == instance.n else route.place[other]
        if old != route.place[one] + 1:
            _look_at(instance, route, one)
            _look_at(instance, route, other)
    measure_route(instance, route, begin, end)


@inlined
def _undo_change(instance: Tsptw, route: Route, queued: int) -> None:
    """Restore the tour before the change, and keep only the first `queued` nodes in the queue."""
    while route.scalars[QUEUED] > queued:
        route.scalars[QUEUED] -= 1
        last = (route.scalars[HEAD] + route.scalars[QUEUED]) % instance.n
        route.waits[route.queue[last]] = 0
    _exchange_places(route)
    measure_route(instance, route, route.scalars[BEGIN], route.scalars[END])


@inlined
def _make_change(instance: Tsptw, route: Route) -> bool:
    """Make the change that is laid out, unless the tour is no better for it after all.

    Gains are differences of sums, which very long legs make inexact. Without this check two tours
    might each seem better than the other, and the search would not end.
    """
    in_time = route.scalars[LATE] == 0
    warp, spent = route.measure[TOTAL_WARP], route.measure[SPENT]
    _exchange_places(route)
    if in_time and follow_route(instance, route)[0] > 0:  # by rounding
        _exchange_places(route)
        return False
    queued = route.scalars[QUEUED]
    _take_change(instance, route)
    less_late = not in_time and route.measure[TOTAL_WARP] < warp
    as_late = in_time or route.measure[TOTAL_WARP] == warp
    if less_late or (as_late and route.measure[SPENT] < spent):
        return True
    _undo_change(instance, route, queued)
    return False


@inlined
def _find_moved(instance: Tsptw, route: Route, one: int, other: int) -> bool:
    """Or-opt that makes an edge from the node at place `one` to that at place `other`."""
    n = instance.n
    for number in range(4 * min(LONGEST_MOVED, n)):  # one loop, of a length unknown: see the module
        length, kind = 1 + number // 4, number % 4  # it begins or ends with a node of the edge
        backwards = kind % 2 == 1
        if backwards and length == 1:
            continue
        if kind == 0:
            begin, place = other, one
        elif kind == 1:
            begin, place = other - length + 1, one
        elif kind == 2:
            begin, place = one - length + 1, other - 1
        else:
            begin, place = one, other - 1
        end = begin + length
        inside = begin - 1 <= place < end
        if begin < 1 or end > n or inside:
            continue
        if betters_moved(instance, route, begin, end, place, backwards):
            return True
    return False


@inlined
def _find_reversed(instance: Tsptw, route: Route, one: int, other: int) -> bool:
    """2-opt that makes an edge from the node at place `one` to that at place `other`, later."""
    for kind in range(2):
        begin, end = one + 1 - kind, other + 1 - kind
        fits = begin >= 1 and end <= instance.n
        if fits and betters_reversed(instance, route, begin, end):
            return True
    return False


@inlined
def _find_exchanged(instance: Tsptw, route: Route, one: int, other: int) -> bool:
    """Exchange of the segments behind place `one` and from place `other`."""
    longest = min(LONGEST_EXCHANGED, instance.n)
    for number in range(longest * longest):
        here, there = 1 + number // longest, 1 + number % longest
        if one + 1 < other:
            begin, end, second, stop = one + 1, one + 1 + here, other, other + there
        else:
            begin, end, second, stop = other, other + there, one + 1, one + 1 + here
        fits = begin >= 1 and end < second and stop <= instance.n
        if fits and betters_exchanged(instance, route, begin, end, second, stop):
            return True
    return False


@inlined
def _improve_edge(instance: Tsptw, route: Route, one: int, other: int) -> bool:
    """Make the first change that betters the tour and leads from node `one` to node `other`."""
    here = route.place[one]
    there = route.place[other] if other != 0 else instance.n
    if here + 1 == there:
        return False
    found = _find_moved(instance, route, here, there)
    if not found and here < there:
        found = _find_reversed(instance, route, here, there)
    if not found:
        found = _find_exchanged(instance, route, here, there)
    return found and _make_change(instance, route)


@inlined
def _improve_at(instance: Tsptw, route: Route, node: int) -> bool:
    """Make the first change that betters the tour by an edge from or to `node`."""
    for index in range(2 * instance.behind.shape[1]):
        if index % 2 == 0:
            one, other = node, instance.behind[node, index // 2]
        else:
            one, other = instance.ahead[node, index // 2], node
        if _improve_edge(instance, route, one, other):
            return True
    return False


@called
def improve_route(instance: Tsptw, route: Route) -> None:
    """Better the tour until no edge of the nodes in the queue does."""
    while route.scalars[QUEUED] > 0:
        node = route.queue[route.scalars[HEAD]]
        route.scalars[HEAD] = (route.scalars[HEAD] + 1) % instance.n
        route.scalars[QUEUED] -= 1
        route.waits[node] = 0
        if _improve_at(instance, route, node):
            _look_at(instance, route, node)


@called
def set_route(instance: Tsptw, route: Route, moves: Moves) -> None:
    """Make the tour that of `moves`, int64[n - 1], unless it is."""
    n = instance.n
    same = n > 1
    for index in range(n - 1):
        same &= route.tour[index + 1] == moves[index]
        route.tour[index + 1] = moves[index]
    if not same:
        route.tour[0] = route.tour[n] = 0
        measure_route(instance, route, 1, n + 1)


@rules.improve.register(Tsptw)
def improve(instance: Tsptw, state: TsptwState, moves: Moves) -> bool:
    route, n = state.route, instance.n
    set_route(instance, route, moves)
    late, taken = route.scalars[LATE], route.measure[TAKEN]
    for place in range(n):
        _look_at(instance, route, route.tour[place])
    improve_route(instance, route)
    if route.scalars[LATE] > late:
        return False
    if route.scalars[LATE] == late and route.measure[TAKEN] >= taken:
        return False
    for index in range(n - 1):
        moves[index] = route.tour[index + 1]
    return True


@rules.perturb.register(Tsptw)
def perturb(instance: Tsptw, state: TsptwState, moves: Moves, stream: Stream) -> float:
    """Swap two neighbouring segments of the tour, and improve the result.

    While the tour is late, segments are mostly near a node that is, and now and then a later tour
    takes its place.
    """
    route, n = state.route, instance.n
    set_route(instance, route, moves)
    if n > 2:
        late, warp = route.scalars[LATE], route.measure[TOTAL_WARP]
        spent = route.measure[SPENT]
        begin = _late_begin(route, n, stream) if late > 0 else 1 + next_below(stream, n - 2)
        _shake(instance, route, stream, begin)
        improve_route(instance, route)
        if late == 0:
            worse = route.scalars[LATE] > 0 or route.measure[SPENT] > spent
        else:
            worse = route.measure[TOTAL_WARP] > warp
            worse = worse and next_uniform(stream) >= LATER_ACCEPTED
        if worse:
            set_route(instance, route, moves)
        else:
            for index in range(n - 1):
                moves[index] = route.tour[index + 1]
    return score_of(instance, route.measure[TAKEN], route.scalars[LATE])


@inlined
def _late_begin(route: Route, n: int, stream: Stream) -> int:
    """Place from which segments of a late tour are exchanged: before a late node, or any."""
    begin = 1 + next_below(stream, n - 2)
    if next_uniform(stream) < NEAR_LATENESS:
        met = 0
        for place in range(1, n + 1):
            if route.warp[place] > route.warp[place - 1]:
                met += 1
                if next_below(stream, met) == 0:
                    begin = place
        begin -= 1 + next_below(stream, LONGEST_SHAKEN)
    return int(min(max(begin, 1), n - 2))


@inlined
def _shake(instance: Tsptw, route: Route, stream: Stream, begin: int) -> None:
    """Exchange two neighbouring segments of one to five nodes, the first from place `begin` on."""
    n = instance.n
    middle = begin + 1 + next_below(stream, min(LONGEST_SHAKEN, n - 1 - begin))
    end = middle + 1 + next_below(stream, min(LONGEST_SHAKEN, n - middle))
    at = begin
    for place in range(middle, end):
        route.trial[at] = route.tour[place]
        at += 1
    for place in range(begin, middle):
        route.trial[at] = route.tour[place]
        at += 1
    route.scalars[BEGIN], route.scalars[END] = begin, end
    _exchange_places(route)
    _take_change(instance, route)
