"""Changes of a tour: segments moved, exchanged or reversed, measured before they are made.

Each function lays the changed places out in `Route.trial` and says whether the tour is better
for it: less warp, or no more warp and less of what is to be less.
"""

from __future__ import annotations

from solver.compiling.jit import inlined
from solver.domains.tsptw.instance import Tsptw
from solver.domains.tsptw.route import (
    BEGIN,
    END,
    LATE,
    SPENT,
    TOTAL_WARP,
    Route,
    pass_back,
    pass_places,
    pass_tail,
)

#: A change must gain this share of the objective: less is rounding.
LEAST_GAIN = 1e-9
#: Warp that rounding may make, as a share of the time at which the tour ends.
ROUNDING = 1e-12


@inlined
def _rounding(instance: Tsptw, route: Route) -> float:
    """Warp that is none: without it two tours might each seem less late than the other."""
    return ROUNDING * (abs(route.time[instance.n]) + route.measure[TOTAL_WARP])


@inlined
def allowed_warp(instance: Tsptw, route: Route) -> float:
    """Warp beyond which a tour is worse."""
    if route.scalars[LATE] > 0:
        return route.measure[TOTAL_WARP]
    return _rounding(instance, route)


@inlined
def promises(instance: Tsptw, route: Route, change: float) -> bool:
    """Return whether a `change` of the cost may better the tour: it gains, or windows are violated.

    The duration of a tour is known only when its times are.
    """
    return bool(
        instance.makespan == 1
        or route.scalars[LATE] > 0
        or change < -LEAST_GAIN * abs(route.measure[SPENT])
    )


@inlined
def _is_better(instance: Tsptw, route: Route, change: float, end: float, warp: float) -> bool:
    """Return whether a tour that costs `change` more, ends at `end` and warps `warp` is better."""
    allowed = allowed_warp(instance, route)
    if warp > allowed:
        return False
    if route.scalars[LATE] > 0 and warp < allowed - _rounding(instance, route):
        return True
    gain = end - route.measure[SPENT] if instance.makespan == 1 else change
    return bool(gain < -LEAST_GAIN * abs(route.measure[SPENT]))


@inlined
def _ends_better(
    instance: Tsptw, route: Route, place: int, here: int, time: float, warp: float, change: float
) -> bool:
    """Return whether the tour from `here` to the old `place` and on to the end is better."""
    end, warp = pass_tail(instance, route, place, here, time, warp)
    return _is_better(instance, route, change, end, warp)


@inlined
def betters_moved(
    instance: Tsptw, route: Route, begin: int, end: int, place: int, backwards: bool
) -> bool:
    """Move the segment from `begin` to before `end` behind `place`, which is not in it.

    It keeps its direction unless `backwards`.
    """
    tour, cost = route.tour, instance.cost
    before, first, last, after = tour[begin - 1], tour[begin], tour[end - 1], tour[end]
    one, other = tour[place], tour[place + 1]
    change = cost[before, after] - cost[before, first] - cost[last, after] - cost[one, other]
    if backwards:
        change += cost[one, last] + cost[first, other]
        change += route.back[end - 1] - route.back[begin]
        change -= route.there[end - 1] - route.there[begin]
    else:
        change += cost[one, first] + cost[last, other]
    if not promises(instance, route, change):
        return False
    allowed = allowed_warp(instance, route)
    forwards = place >= end
    start = begin if forwards else place + 1
    here, time, warp = tour[start - 1], route.time[start - 1], route.warp[start - 1]
    if forwards:
        here, time, warp = pass_places(instance, route, end, place + 1, here, time, warp)
        if warp > allowed:
            return False
    if backwards:
        here, time, warp = pass_back(instance, route, begin, end, here, time, warp, allowed)
    else:
        here, time, warp = pass_places(instance, route, begin, end, here, time, warp)
    if warp > allowed:
        return False
    if not forwards:
        here, time, warp = pass_places(instance, route, place + 1, begin, here, time, warp)
    stop = place + 1 if forwards else end
    if not _ends_better(instance, route, stop, here, time, warp, change):
        return False
    length, at = end - begin, start
    if forwards:
        for index in range(end, place + 1):
            route.trial[at] = tour[index]
            at += 1
    for index in range(length):
        route.trial[at] = tour[end - 1 - index] if backwards else tour[begin + index]
        at += 1
    if not forwards:
        for index in range(place + 1, begin):
            route.trial[at] = tour[index]
            at += 1
    route.scalars[BEGIN], route.scalars[END] = start, stop
    return True


@inlined
def betters_reversed(instance: Tsptw, route: Route, begin: int, end: int) -> bool:
    """2-opt: reverse the places from `begin` to before `end`."""
    tour, cost = route.tour, instance.cost
    before, first, last, after = tour[begin - 1], tour[begin], tour[end - 1], tour[end]
    change = cost[before, last] + cost[first, after] - cost[before, first] - cost[last, after]
    change += route.back[end - 1] - route.back[begin] - route.there[end - 1] + route.there[begin]
    if not promises(instance, route, change):
        return False
    allowed = allowed_warp(instance, route)
    time, warp = route.time[begin - 1], route.warp[begin - 1]
    here, time, warp = pass_back(instance, route, begin, end, before, time, warp, allowed)
    if warp > allowed or not _ends_better(instance, route, end, here, time, warp, change):
        return False
    for index in range(begin, end):
        route.trial[index] = tour[begin + end - 1 - index]
    route.scalars[BEGIN], route.scalars[END] = begin, end
    return True


@inlined
def betters_exchanged(
    instance: Tsptw, route: Route, begin: int, end: int, other: int, stop: int
) -> bool:
    """Exchange the places from `begin` to before `end` and, later, from `other` to before `stop`.

    There is at least one place in between: else one of them is moved.
    """
    tour, cost = route.tour, instance.cost
    before, first, last, after = tour[begin - 1], tour[begin], tour[end - 1], tour[end]
    ahead, third, fourth, behind = tour[other - 1], tour[other], tour[stop - 1], tour[stop]
    change = cost[before, third] + cost[fourth, after] + cost[ahead, first] + cost[last, behind]
    change -= cost[before, first] + cost[last, after] + cost[ahead, third] + cost[fourth, behind]
    if not promises(instance, route, change):
        return False
    allowed = allowed_warp(instance, route)
    here, time, warp = before, route.time[begin - 1], route.warp[begin - 1]
    here, time, warp = pass_places(instance, route, other, stop, here, time, warp)
    if warp > allowed:
        return False
    here, time, warp = pass_places(instance, route, end, other, here, time, warp)
    if warp > allowed:
        return False
    here, time, warp = pass_places(instance, route, begin, end, here, time, warp)
    if warp > allowed or not _ends_better(instance, route, stop, here, time, warp, change):
        return False
    at = begin
    for index in range(other, stop):
        route.trial[at] = tour[index]
        at += 1
    for index in range(end, other):
        route.trial[at] = tour[index]
        at += 1
    for index in range(begin, end):
        route.trial[at] = tour[index]
        at += 1
    route.scalars[BEGIN], route.scalars[END] = begin, stop
    return True
