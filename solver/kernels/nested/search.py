"""Nested search, as a kernel that stops after some playouts and goes on when called again."""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.compiling.jit import kernel
from solver.compiling.memory import unshared
from solver.compiling.random import Stream
from solver.contract.domain import Puzzle
from solver.contract.rules import reset
from solver.kernels.arguments import Course, Off, On, Task
from solver.kernels.changes.improve import improve_last
from solver.kernels.monitor import PLAYOUTS
from solver.kernels.nested.levels import (
    LevelParameters,
    Levels,
    begin_levels,
    finish_playout,
    new_levels,
)
from solver.kernels.playout import PlayoutParameters, Workspace, playout
from solver.kernels.policy import grow_policy, has_room, new_policy
from solver.kernels.records import LAST
from solver.kernels.run import KernelRun, growing_dead_ends_of
from solver.kernels.status import EXHAUSTED, FULL, PAUSED, REACHED


class NestedParameters(NamedTuple):
    """Parameters of a nested search."""

    levels: LevelParameters
    playouts: PlayoutParameters
    local_search: Any
    """`On`: a playout better than the best of level 1 is improved before anything is made of it."""
    room: int
    """Slots of new codes that a playout, with its improvement, may need."""


@kernel
def search_nested(
    task: Task,
    parameters: NestedParameters,
    workspace: Workspace,
    levels: Levels,
    course: Course,
) -> int:
    """GNRPA (paper 'gnrpa', Algorithm 3), restarted until the course ends.

    Returns
    -------
    int
        `PAUSED`, `REACHED`, `FULL` or `EXHAUSTED`.
    """
    policy, records, row_of = workspace.policy, workspace.records, workspace.row_of
    counters = course.monitor.counters
    begin_levels(parameters.levels.level, policy, records, row_of, levels)
    exhausted = False
    while counters[PLAYOUTS] < course.max_playouts and not exhausted:
        if not has_room(policy, parameters.room):
            return FULL
        floor = records.shaped[row_of[LAST + 1]]
        reset(task.instance, task.state)
        met, exhausted = playout(task, parameters.playouts, workspace, course, floor)
        counters[PLAYOUTS] += met
        improve_last(
            parameters.local_search, task, parameters.playouts, workspace, course.stream,
            course.monitor.broken,
        )  # fmt: skip
        if finish_playout(parameters.levels, policy, records, row_of, levels, course):
            return REACHED
    return EXHAUSTED if exhausted else PAUSED


class NestedRun(KernelRun):
    """A run of a nested search.

    Parameters
    ----------
    local_search, shaping : bool
        See `solver.algorithms.gnrpa.Gnrpa`.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        prior: Any,
        parameters: LevelParameters,
        *,
        dead_ends: int,
        local_search: bool,
        shaping: bool,
    ) -> None:
        limits, rows = domain.limits(instance), parameters.level + 2
        choices = max(limits.choices, 1)
        policy = new_policy(rows, limits.codes, choices)
        super().__init__(domain, instance, prior, policy, rows)
        self.levels = unshared(new_levels(parameters.level, choices))
        self.parameters = NestedParameters(
            levels=parameters,
            playouts=PlayoutParameters(growing_dead_ends_of(dead_ends), On() if shaping else Off()),
            local_search=On() if local_search else Off(),
            room=choices * (2 if local_search else 1),  # a record made again meets new codes
        )

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        super().begin(stream)
        self.levels.done[:] = -1

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        course = self.course(max_playouts, run_playouts)
        while True:
            status = search_nested(self.task, self.parameters, self.workspace, self.levels, course)
            if status != FULL:
                return status
            self.policy = unshared(grow_policy(self.policy))
