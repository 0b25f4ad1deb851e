"""Cost and makespan of a tour, for searches that look for the best of both."""

from __future__ import annotations

from solver.contract.fronts.objectives import write_objectives
from solver.domains.tsptw.instance import Floats, Tsptw
from solver.domains.tsptw.kernels import COST, HERE, LATE, TIME, TsptwState

#: Facts that are the objectives, in the order in which they are written.
OBJECTIVES = ("cost", "makespan")


@write_objectives.register(Tsptw)
def _write_objectives(instance: Tsptw, state: TsptwState, values: Floats) -> None:
    leg = instance.cost[state.scalars[HERE], 0]
    back = state.clock[TIME] + leg
    values[0] = state.scalars[LATE] + (back > instance.end[0])
    values[1] = state.clock[COST] + leg
    values[2] = back
