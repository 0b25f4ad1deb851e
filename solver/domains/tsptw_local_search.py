"""Local search on tours with time windows: or-opt and 2-opt, fewer late arrivals before all else.

A tour is improved by the first change that makes it better, until none does. *Or-opt* moves one
to three nodes in a row elsewhere, as they are or reversed; *2-opt* reverses a part of the
tour. Costs may be asymmetric: what a reversal costs inside is counted.
"""

from __future__ import annotations

import numpy as np

from solver import domain
from solver.domain import Moves
from solver.domains.tsptw_kernels import Tsptw, TsptwState
from solver.jit import inlined

LONGEST_MOVED = 3
#: A change must gain this share of the objective: less is rounding.
LEAST_GAIN = 1e-9
SPENT = 0  # of `TsptwState.measure`


@domain.improve.register(Tsptw)
def improve(instance: Tsptw, state: TsptwState, moves: Moves) -> bool:
    n, tour = instance.n, state.route
    tour[0] = tour[n] = 0
    for index in range(n - 1):
        tour[index + 1] = moves[index]
    _measure(instance, state)
    improved = False
    begin, tried = 1, 0
    while tried < n - 1:  # all beginnings without a better tour: a local optimum
        if _improve_at(instance, state, begin):
            _measure(instance, state)
            improved = True
            tried = 0
        else:
            tried += 1
            begin = begin % (n - 1) + 1
    for index in range(n - 1):
        moves[index] = tour[index + 1]
    return improved


@inlined
def _measure(instance: Tsptw, state: TsptwState) -> None:
    """Follow the tour there and back: times of service, windows violated, latest arrivals."""
    n, tour = instance.n, state.route
    cost, time = 0.0, instance.start[0]
    state.served[0] = time
    for place in range(1, n + 1):
        leg = instance.cost[tour[place - 1], tour[place]]
        cost += leg
        time += leg
        state.late_from[place] = time > instance.end[tour[place]]
        if place < n:
            time = max(time, instance.start[tour[place]])
        state.served[place] = time
    state.measure[SPENT] = time if instance.makespan else cost
    latest, travel, earliest = instance.end[0], 0.0, -np.inf
    state.latest[n], state.travel[n], state.earliest[n] = latest, travel, earliest
    for place in range(n - 1, 0, -1):
        node = tour[place]
        leg = instance.cost[node, tour[place + 1]]
        state.late_from[place] += state.late_from[place + 1]
        latest -= leg
        latest = min(latest, instance.end[node]) if latest >= instance.start[node] else -np.inf
        travel += leg
        earliest = max(earliest, instance.start[node] + travel)
        state.latest[place], state.travel[place], state.earliest[place] = latest, travel, earliest


@inlined
def _improve_at(instance: Tsptw, state: TsptwState, begin: int) -> bool:
    """Make the first change of what begins at place `begin` that betters the tour."""
    return _move_segment(instance, state, begin) or _reverse(instance, state, begin)


@inlined
def _move_segment(instance: Tsptw, state: TsptwState, begin: int) -> bool:
    """Or-opt of the segments that begin at `begin`."""
    n, tour, cost = instance.n, state.route, instance.cost
    before, first = tour[begin - 1], tour[begin]
    reversal = 0.0  # what the segment costs more in the other direction
    for end in range(begin + 1, min(begin + LONGEST_MOVED, n) + 1):  # the place behind it
        last, after = tour[end - 1], tour[end]
        if end - begin > 1:
            reversal += cost[last, tour[end - 2]] - cost[tour[end - 2], last]
        taken_out = cost[before, after] - cost[before, first] - cost[last, after]
        for place in range(n):  # in between `place` and the next
            if begin - 1 <= place < end:
                continue
            one, other = tour[place], tour[place + 1]
            base = taken_out - cost[one, other]
            change = base + cost[one, first] + cost[last, other]
            if _promises(instance, state, change):
                _lay_out(state, begin, end, place, False)
                if _accept(instance, state, min(begin, place + 1), max(end, place + 1), change):
                    return True
            change = base + cost[one, last] + cost[first, other] + reversal
            if end - begin > 1 and _promises(instance, state, change):
                _lay_out(state, begin, end, place, True)
                if _accept(instance, state, min(begin, place + 1), max(end, place + 1), change):
                    return True
    return False


@inlined
def _lay_out(state: TsptwState, begin: int, end: int, place: int, reversed_: bool) -> None:
    """Write the changed part of the tour into `trial`, at its places."""
    tour, trial = state.route, state.trial
    length = end - begin
    to = place + 1 if place < begin else place + 1 - length
    for index in range(length):
        trial[to + index] = tour[end - 1 - index] if reversed_ else tour[begin + index]
    for index in range(place + 1, begin):
        trial[index + length] = tour[index]
    for index in range(end, place + 1):
        trial[index - length] = tour[index]


@inlined
def _reverse(instance: Tsptw, state: TsptwState, begin: int) -> bool:
    """2-opt of the parts that begin at `begin`."""
    n, tour, cost = instance.n, state.route, instance.cost
    before, first = tour[begin - 1], tour[begin]
    reversal = 0.0
    for end in range(begin + 2, n + 1):
        last, after = tour[end - 1], tour[end]
        reversal += cost[last, tour[end - 2]] - cost[tour[end - 2], last]
        change = (
            reversal + cost[before, last] + cost[first, after]
            - cost[before, first] - cost[last, after]
        )  # fmt: skip
        if _promises(instance, state, change):
            for index in range(begin, end):
                state.trial[index] = tour[begin + end - 1 - index]
            if _accept(instance, state, begin, end, change):
                return True
    return False


@inlined
def _promises(instance: Tsptw, state: TsptwState, change: float) -> bool:
    """Whether a `change` of the cost may better the tour: it gains, or windows are violated.

    How long a tour takes is known when it was followed only.
    """
    return instance.makespan == 1 or state.late_from[1] > 0 or change < _least_change(state)


@inlined
def _least_change(state: TsptwState) -> float:
    """What the objective must change by to be better."""
    return -LEAST_GAIN * abs(state.measure[SPENT])


@inlined
def _accept(instance: Tsptw, state: TsptwState, begin: int, end: int, change: float) -> bool:
    """Put the places from `begin` to before `end` of `trial` into the tour if that betters it."""
    if not _is_better(instance, state, begin, end, change):
        return False
    for place in range(begin, end):
        state.route[place] = state.trial[place]
    return True


@inlined
def _is_better(instance: Tsptw, state: TsptwState, begin: int, end: int, change: float) -> bool:
    """Whether the tour, its places from `begin` to before `end` changed, is better.

    `change` is that of the cost.
    """
    tour, trial = state.route, state.trial
    here, time = tour[begin - 1], state.served[begin - 1]
    late = state.late_from[1] - state.late_from[begin]
    allowed = state.late_from[1]
    if not instance.makespan and change >= _least_change(state):
        allowed -= 1
    for place in range(begin, end):
        there = trial[place]
        time += instance.cost[here, there]
        late += time > instance.end[there]
        if late > allowed:
            return False
        time = max(time, instance.start[there])
        here = there
    time += instance.cost[here, tour[end]]
    if instance.makespan:
        back = max(time + state.travel[end], state.earliest[end])
        if back - state.measure[SPENT] >= _least_change(state):
            allowed -= 1
    return _ends_late(instance, state, end, time, allowed - late)


@inlined
def _ends_late(instance: Tsptw, state: TsptwState, place: int, time: float, allowed: int) -> bool:
    """Whether the tour from `place` on, reached at `time`, is late `allowed` times at most.

    It is followed only until it is known how many windows that violates: none,
    if it is reached early enough, as many as before from where service is at the same time.
    """
    tour, n = state.route, instance.n
    late = 0
    while late <= allowed and place <= n:
        there = tour[place]
        if time <= state.latest[place]:
            return True
        late += time > instance.end[there]
        if place < n:
            time = max(time, instance.start[there])
            if time == state.served[place]:
                return late + state.late_from[place + 1] <= allowed
            time += instance.cost[there, tour[place + 1]]
        place += 1
    return late <= allowed
