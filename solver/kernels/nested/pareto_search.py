"""Pareto-NRPA, as a kernel that stops after some playouts and goes on when called again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

from solver.compiling.jit import kernel
from solver.compiling.memory import unshared
from solver.compiling.random import Stream, next_place
from solver.contract.domain import Puzzle
from solver.contract.fronts.objectives import objectives_of, write_objectives
from solver.contract.rules import reset
from solver.kernels.arguments import Course, Off, Task
from solver.kernels.bounds import BOUND, NONE_BROKEN
from solver.kernels.monitor import PLAYOUTS, best_score
from solver.kernels.nested.fronts import (
    FrontParameters,
    Fronts,
    begin_fronts,
    finish_front_playout,
    front_rows,
    new_fronts,
    policy_row,
)
from solver.kernels.playout import PlayoutParameters, Workspace, playout
from solver.kernels.policy import PLAYED, Policy, grow_policy, has_room, new_policy
from solver.kernels.records import LAST
from solver.kernels.run import KernelRun
from solver.kernels.status import EXHAUSTED, FULL, PAUSED, REACHED


class ParetoParameters(NamedTuple):
    """Parameters of Pareto-NRPA."""

    fronts: FrontParameters
    playouts: PlayoutParameters
    room: int
    """Slots of new codes that a playout may need."""


@kernel
def search_front(
    task: Task, parameters: ParetoParameters, workspace: Workspace, fronts: Fronts, course: Course
) -> int:
    """Pareto-NRPA, restarted until the course ends.

    Returns
    -------
    int
        `PAUSED`, `REACHED`, `FULL` or `EXHAUSTED`.
    """
    policy, records, choices = workspace.policy, workspace.records, workspace.choices
    counters, broken = course.monitor.counters, course.monitor.broken
    begin_fronts(parameters.fronts, policy, fronts)
    exhausted = False
    while counters[PLAYOUTS] < course.max_playouts and not exhausted:
        if not has_room(policy, parameters.room):
            return FULL
        number = next_place(course.stream, parameters.fronts.policies)
        # Playouts are made by row `PLAYED` of a policy: here of what begins with the right one.
        odds = policy.odds[policy_row(parameters.fronts, 1, number) - PLAYED :]
        played = Policy(
            policy.weight, odds, policy.key, policy.slot, policy.code, policy.used, policy.first
        )
        place = Workspace(played, records, fronts.member[LAST], choices)
        reset(task.instance, task.state)
        floor = best_score(course.monitor)
        met, exhausted = playout(task, parameters.playouts, place, course, floor)
        counters[PLAYOUTS] += met
        if broken[BOUND] != NONE_BROKEN:
            break
        row = fronts.member[LAST, 0]
        fronts.maker[row] = number
        write_objectives(task.instance, task.state, fronts.values[row])
        if finish_front_playout(parameters.fronts, policy, records, fronts, course):
            return REACHED
    return EXHAUSTED if exhausted else PAUSED


class ParetoRun(KernelRun):
    """A run of Pareto-NRPA, with fronts of `size`."""

    def __init__(
        self, domain: Puzzle, instance: Any, prior: Any, parameters: FrontParameters, size: int
    ) -> None:
        limits, n_objectives = domain.limits(instance), len(objectives_of(domain))
        choices = max(limits.choices, 1)
        policy = new_policy(parameters.level * parameters.policies + 1, limits.codes, choices)
        super().__init__(domain, instance, prior, policy, front_rows(parameters.level, size))
        self.fronts = unshared(new_fronts(parameters.level, size, n_objectives, choices))
        self.parameters = ParetoParameters(parameters, PlayoutParameters(Off(), Off()), choices)

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        super().begin(stream)
        self.fronts.done[:] = -1

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        course = self.course(max_playouts, run_playouts)
        while True:
            status = search_front(self.task, self.parameters, self.workspace, self.fronts, course)
            if status != FULL:
                return status
            self.policy = unshared(grow_policy(self.policy))

    def front(self) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
        """Return values and moves of the fronts of all levels: one may dominate that of another."""
        rows = [
            row
            for level in range(len(self.fronts.done) - 1, 0, -1)
            for row in self.fronts.member[level, : self.fronts.n_members[level]]
        ]
        steps, move = self.records.steps, self.records.move
        return [(self.fronts.values[row].copy(), move[row, : steps[row]].copy()) for row in rows]
