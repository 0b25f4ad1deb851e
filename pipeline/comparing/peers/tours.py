"""PyVRP on tours with time windows."""

from __future__ import annotations

import threading
import time

from generators.pyvrp_tours import solve_with_pyvrp
from pipeline.comparing.peers.peer import PeerResult
from solver.contract.domain import Problem
from solver.domains.tsptw.domain import COST, MAKESPAN


def route_pyvrp(
    problem: Problem,
    seconds: float,
    seed: int,
    stop: threading.Event,
    objective: str = COST,
) -> PeerResult:
    """Route one vehicle on one core; it proves nothing and takes all of its time."""
    begin = time.perf_counter()
    makespan = objective == MAKESPAN
    found = solve_with_pyvrp(problem.data, seed, seconds=seconds, makespan=makespan, stop=stop)
    departure = float(problem.data[0, len(problem.data)]) if makespan else 0.0
    return PeerResult(
        found.tour,
        time.perf_counter() - begin,
        interrupted=stop.is_set(),
        trace_seconds=found.seconds,
        trace_score=[-departure - cost for cost in found.cost],
    )
