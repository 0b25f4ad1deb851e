"""Tours with time windows from PyVRP, an optional package."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.errors import InputError

#: PyVRP takes integers; costs with up to so many decimals stay what they are.
DECIMALS = 5
#: PyVRP's cost of a tour that is not feasible.
NOT_FEASIBLE = np.iinfo(np.int64).max


class Routed(NamedTuple):
    """A tour of PyVRP's, and when it found better and better ones."""

    tour: npt.NDArray[np.int64] | None
    """int64[n + 1]: a tour that it holds for feasible; None if it found none."""
    seconds: list[float]
    """Times at which a feasible tour was better than all before, from the call of its search."""
    cost: list[float]
    """Cost of these, or how long they take."""


def _problem_of(data: npt.NDArray[np.float64], *, makespan: bool) -> Any:
    """Return the instance as PyVRP has it, with one vehicle."""
    from pyvrp import Client, Depot, Location, ProblemData, VehicleType

    n = len(data)
    scaled = np.rint(data * 10**DECIMALS).astype(np.int64)
    cost = scaled[:, :n].copy()
    np.fill_diagonal(cost, 0)
    windows: list[dict[str, Any]] = [
        {"tw_early": int(start), "tw_late": int(end)} for start, end in scaled[:, n:]
    ]
    # Its duration counts from when the vehicle leaves: at once.
    in_time = {
        "unit_distance_cost": 0,
        "unit_duration_cost": 1,
        "start_late": windows[0]["tw_early"],
    }
    vehicle = VehicleType(**windows[0], **in_time) if makespan else VehicleType()
    return ProblemData(
        locations=[Location(0, 0) for _ in range(n)],
        clients=[Client(node, **windows[node]) for node in range(1, n)],
        depots=[Depot(0, **windows[0])],
        vehicle_types=[vehicle],
        distance_matrices=[cost],
        duration_matrices=[cost],
    )


def solve_with_pyvrp(
    data: npt.NDArray[np.float64],
    seed: int,
    *,
    seconds: float | None = None,
    iterations: int = 0,
    makespan: bool = False,
    stop: threading.Event | None = None,
    first: bool = False,
    clock: Callable[[], float] = time.perf_counter,
) -> Routed:
    """Let PyVRP search for a tour.

    Parameters
    ----------
    data : float64[n, n + 2]
        Costs, which are times too, and windows; see `solver.domains.tsptw.text`.
    seconds : float, optional
        Time limit.
    iterations : int
        Iterations of its iterated local search where there is no time limit.
    makespan : bool
        The vehicle is to be back early; else to travel little.
    stop : threading.Event, optional
        Ends the search when it is set; what was found by then is returned.
    first : bool
        The first feasible tour ends the search.
    clock : callable
        Clock of `Routed.seconds`, in seconds.

    Raises
    ------
    InputError
        If the package is not installed, or a place has several windows.
    """
    try:
        from pyvrp import solve
        from pyvrp.exceptions import PenaltyBoundWarning
        from pyvrp.stop import MaxIterations, MaxRuntime
    except ImportError:
        raise InputError("pyvrp needs the package pyvrp (pip install pyvrp)") from None
    n = len(data)
    if data.shape[1] != n + 2:
        raise InputError("several windows of a place are not passed on to pyvrp")
    if n == 1:
        return Routed(np.zeros(2, np.int64), [], [])
    problem = _problem_of(data, makespan=makespan)
    limit = MaxIterations(iterations) if seconds is None else MaxRuntime(seconds)

    costs: list[int] = []
    times: list[float] = []

    def is_over(best_cost: int) -> bool:
        if best_cost < (costs[-1] if costs else NOT_FEASIBLE):
            costs.append(best_cost)
            times.append(clock() - begin)
        is_enough = (first and bool(costs)) or (stop is not None and stop.is_set())
        return is_enough or limit(best_cost)

    begin = clock()
    with warnings.catch_warnings():  # "struggles to find a feasible solution": None says so
        warnings.simplefilter("ignore", PenaltyBoundWarning)
        result = solve(problem, is_over, seed, collect_stats=False, display=False)
    improvements = times, [cost / 10**DECIMALS for cost in costs]
    if not result.is_feasible():
        return Routed(None, *improvements)
    (route,) = result.best.routes()
    visits = [activity.idx + 1 for activity in route.schedule() if activity.is_client()]
    return Routed(np.array([0, *visits, 0], np.int64), *improvements)
