"""Compiled instance of a travelling salesman problem with time windows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called, inlined

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


class Tsptw(NamedTuple):
    """A travelling salesman problem with time windows; node 0 is the depot."""

    n: int
    cost: Floats
    """float64[n, n]: from, to."""
    start: Floats
    """float64[n]: an earlier arrival waits; times count from the depot's."""
    end: Floats
    """float64[n]: a later arrival violates the window, see `times_of`."""
    given_end: Floats
    """float64[n]: the ends as given, from which lateness is measured."""
    gaps: Floats
    """float64[n, g, 2]: between the windows of a node, see `solver.domains.tsptw.windows`."""
    near: Floats
    """float64[n, n]: exp(-10 (cost - least) / (most - least)), the prior `distance`."""
    reach: Floats
    """float64[n, n]: from, to; no way over customers takes less, see `least_travel`."""
    urgent: Int64s
    """int64[n, n - 2]: the other customers, by how early one must leave for them in time."""
    earlier: Int64s
    """int64[n]: customers that are due earlier."""
    detour: float
    """Mean cost minus least cost: the unit of distances in the code `next`."""
    pruning: int
    """1: see `TsptwOptions.pruning`."""
    makespan: int
    """1: the time of the way back counts, 0: the cost."""
    origin: float
    """Part of the score beyond the amount spent, see `Scale`."""
    penalty: float
    """Penalty of a violated window, more than any tour spends."""
    behind: Int64s
    """int64[n, near]: of every node those that may best follow it, see `near_lists`."""
    ahead: Int64s
    """int64[n, near]: those that it may best follow."""


@called
def _next_window(instance: Any, node: int, time: float) -> float:
    for index in range(instance.gaps.shape[1]):
        if instance.gaps[node, index, 0] < time < instance.gaps[node, index, 1]:
            time = instance.gaps[node, index, 1]
    return float(time)


@inlined
def opening(instance: Any, node: int, arrival: float) -> float:
    """Time of service of a visitor who arrives at `arrival`, and waits for the next window.

    `instance` is a `Tsptw`, or has its `start` and `gaps`.
    """
    time = max(arrival, instance.start[node])
    return _next_window(instance, node, time) if instance.gaps.shape[1] > 0 else float(time)
