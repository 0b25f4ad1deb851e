"""Proofs for tours: the best there is, bounds on the others, or that none keeps all windows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.domains.tsptw.instance import Floats, Int64s
from solver.domains.tsptw.proofs.assignment import Duals, allowed_legs, assign, precedences
from solver.domains.tsptw.proofs.layers import (
    BITS,
    ROUNDING,
    TOO_MANY,
    Labels,
    Room,
    Ways,
    expand,
    lowered,
    new_room,
)
from solver.domains.tsptw.proofs.relaxation import raised_bound
from solver.domains.tsptw.reach import least_travel
from solver.domains.tsptw.windows import times_of

#: A tour that is better by less than this share is none.
LEAST_GAIN = 1e-9
#: The same where all costs are whole numbers, in units.
WHOLE_GAIN = 1.0 - 1e-6


class Verdict(NamedTuple):
    """Findings of a dynamic program."""

    ended: bool
    """True if nothing is left out: the tour, or the one known before, is the best; or none is."""
    bound: float
    """No tour in time spends less; infinite if there is none."""
    tour: npt.NDArray[np.int64] | None
    """A tour better than the one known before; None if none was found."""
    depth: float
    """Share of the layers that were made."""


@dataclass(frozen=True)
class Windows:
    """Costs and windows, times counted from the start of the depot's."""

    cost: Floats
    """float64[n, n]"""
    start: Floats
    """float64[n]"""
    end: Floats
    """float64[n]"""
    gaps: Floats
    """float64[n, g, 2]: see `Tsptw.gaps`."""

    @classmethod
    def of(cls, data: Floats) -> Windows:
        """Split float64[n, n + 2 + 2 g]."""
        n = len(data)
        times = times_of(data)
        start, end = (np.ascontiguousarray(times[:, k]) for k in range(2))
        gaps = np.ascontiguousarray(times[:, 2:]).reshape(n, -1, 2)
        return cls(np.ascontiguousarray(data[:, :n]), start, end, gaps)


def prove(
    windows: Windows,
    best: float,
    *,
    by_time: bool,
    most: int,
    deadline: float = np.inf,
) -> Verdict:
    """Search all sets of customers for a tour that spends less than `best`.

    Parameters
    ----------
    windows : Windows
    best : float
        Cost of the best tour known, or its duration; infinite without one.
    by_time : bool
        Durations count, else costs.
    most : int
        Labels of a layer: beyond, a bound is all that is proved.
    deadline : float
        Of `time.perf_counter`, looked at between layers.
    """
    cost, n = windows.cost, len(windows.cost)
    if n < 2 or best <= 0.0:  # no tour spends less than nothing
        return Verdict(True, 0.0, None, 1.0)
    is_whole = bool((cost == np.rint(cost)).all()) and not by_time
    gain = WHOLE_GAIN if is_whole else LEAST_GAIN * best
    limit = best - gain if np.isfinite(best) else np.inf
    end = windows.end.copy()
    if by_time:
        end[0] = min(end[0], limit)
    prepared = prepare(windows, end, limit, by_time=by_time)
    if prepared is None:
        return Verdict(True, best, None, 1.0)
    ways, root = prepared
    room = new_room(most, n)
    source, target, table = room
    source.rest[0] = root
    count, bound = 1, lowered(root)
    history: list[tuple[Int64s, Int64s]] = []
    for layer in range(n - 1):
        bound = max(bound, _least(source, count, by_time))
        count = expand(ways, layer, source, count, target, table)
        if count == TOO_MANY or time.perf_counter() > deadline:
            verdict = Verdict(False, min(bound, best), None, layer / (n - 1))
            if by_time or not np.isfinite(best):
                return verdict
            history.clear()
            return _by_relaxation(ways, best, limit, verdict, room, deadline)
        if count == 0:
            return Verdict(True, best, None, 1.0)
        history.append((target.last[:count].copy(), target.parent[:count].copy()))
        source, target = target, source
    return _closed(ways, source, count, history, best)


def _by_relaxation(
    ways: Ways, best: float, limit: float, verdict: Verdict, room: Room, deadline: float
) -> Verdict:
    """Raise the bound of `verdict` by ways that forget; a proof if no better tour is left."""
    raised = raised_bound(ways, limit, verdict.bound, room, deadline)
    if lowered(raised.bound) > limit:
        return Verdict(True, best, None, 1.0)
    if raised.tour is not None:
        cost = float(ways.cost[raised.tour[:-1], raised.tour[1:]].sum())
        return Verdict(True, min(cost, best), raised.tour if cost < best else None, 1.0)
    return verdict._replace(bound=min(max(lowered(raised.bound), verdict.bound), best))


def prepare(
    windows: Windows, end: Floats, limit: float, *, by_time: bool
) -> tuple[Ways, float] | None:
    """Prepare a search for tours that spend less than `limit`, within `end`.

    Returns
    -------
    tuple of Ways and float, or None
        What labels are extended by, and the bound of the assignment; None if no tour is in time.
    """
    cost = windows.cost
    horizon = float(np.abs([windows.start, windows.end]).max())
    reach = least_travel(cost, horizon)
    allowed = allowed_legs(cost, reach, windows.start, end)
    duals = assign(cost, allowed)
    if duals is None:
        return None
    # Later by what may be lost where a time is taken off and not added: arrivals are looked at.
    latest = end[None] - reach + 4 * len(cost) * np.finfo(np.float64).eps * horizon
    ways = _ways(windows, end, reach, latest, allowed, duals, limit, by_time)
    return ways, float(duals.leave.sum() + duals.reach.sum())


def _ways(
    windows: Windows,
    end: Floats,
    reach: Floats,
    latest: Floats,
    allowed: npt.NDArray[np.bool_],
    duals: Duals,
    limit: float,
    by_time: bool,
) -> Ways:
    n = len(end)
    order = np.argsort(np.where(np.eye(n, dtype=bool), np.inf, latest), axis=1, kind="stable")
    urgent = np.ascontiguousarray(order[:, : n - 1])
    cost = np.where(allowed, windows.cost, np.inf)
    before = precedences(reach, windows.start, end)
    follow = np.where(allowed, np.arange(n), n)
    follow[:, 0] = n
    follow = np.sort(follow, axis=1)
    return Ways(
        cost=cost,
        price=cost,
        follow=np.where(follow < n, follow, -1),
        first=before.sum(axis=0),
        final=n - 2 - before.sum(axis=1),
        remembered=np.full((n, (n - 1) // BITS + 1), ~np.uint64(0)),
        forgets=0,
        start=windows.start,
        end=end,
        gaps=windows.gaps,
        latest=latest,
        urgent=urgent,
        leave=duals.leave,
        reach=duals.reach,
        limit=np.array([limit if by_time else limit + ROUNDING * abs(limit)]),
        by_time=int(by_time),
    )


def _least(labels: Labels, count: int, by_time: bool) -> float:
    """Least bound of the labels of a layer."""
    spent = labels.time if by_time else labels.spent
    alive = np.isfinite(labels.time[:count])
    return lowered(float((spent[:count] + labels.rest[:count])[alive].min(initial=np.inf)))


def _closed(
    ways: Ways,
    labels: Labels,
    count: int,
    history: list[tuple[Int64s, Int64s]],
    best: float,
) -> Verdict:
    """Return the best of the ways over all customers, back to the depot."""
    last = labels.last[:count]
    arrival = labels.time[:count] + ways.cost[last, 0]
    spent = arrival if ways.by_time else labels.spent[:count] + ways.price[last, 0]
    spent = np.where(arrival <= ways.end[0], spent, np.inf)
    place = int(np.argmin(spent))
    if not spent[place] < best:
        return Verdict(True, best, None, 1.0)
    found, nodes = float(spent[place]), [0]
    for last, parent in reversed(history):
        nodes.append(int(last[place]))
        place = int(parent[place])
    return Verdict(True, found, np.array([*nodes, 0][::-1], np.int64), 1.0)
