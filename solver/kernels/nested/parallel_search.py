"""Parallel nested search, as a kernel that stops after some playouts and goes on when called."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.compiling.jit import kernel
from solver.compiling.memory import unshared
from solver.compiling.random import Stream, jump_kernel
from solver.contract.domain import Puzzle
from solver.contract.rules import reset
from solver.kernels.arguments import Course, Off, On, Task
from solver.kernels.changes.improve import improve_last
from solver.kernels.monitor import PLAYOUTS
from solver.kernels.nested.rounds import (
    BEYOND,
    FIRST,
    TURN,
    RoundParameters,
    Rounds,
    begin_call,
    begin_rounds,
    finish_call_playout,
    is_waiting,
    new_rounds,
)
from solver.kernels.playout import PlayoutParameters, Workspace, playout
from solver.kernels.policy import grow_policy, has_room, new_policy
from solver.kernels.records import LAST
from solver.kernels.run import KernelRun, dead_ends_of
from solver.kernels.status import EXHAUSTED, FULL, PAUSED, REACHED, WAITING


class ParallelParameters(NamedTuple):
    """Parameters of a parallel nested search."""

    rounds: RoundParameters
    playouts: PlayoutParameters
    local_search: Any
    """`On`: a playout better than the best of level 1 is improved before anything is made of it."""
    room: int
    """Slots of new codes that a playout, with its improvement, may need."""


@kernel
def search_parallel(
    task: Task,
    parameters: ParallelParameters,
    workspace: Workspace,
    rounds: Rounds,
    course: Course,
) -> int:
    """Parallel NRPA (paper 'distributed-nrpa'), restarted until the course ends.

    Returns
    -------
    int
        `PAUSED`, `REACHED`, `FULL`, `EXHAUSTED`, or `WAITING` for other threads.
    """
    policy, records, row_of = workspace.policy, workspace.records, workspace.row_of
    counters = course.monitor.counters
    begin_rounds(parameters.rounds, policy, records, row_of, rounds)
    exhausted = False
    while counters[PLAYOUTS] < course.max_playouts and not exhausted:
        if is_waiting(parameters.rounds, rounds):
            return WAITING
        if not has_room(policy, parameters.room):
            return FULL
        row = begin_call(parameters.rounds, policy, records, row_of, rounds, course)
        stream, monitor = rounds.stream[row], course.monitor
        own = Course(stream, monitor, course.target, course.max_playouts, course.run_playouts)
        floor = records.shaped[row_of[LAST + 1]]
        reset(task.instance, task.state)
        met, exhausted = playout(task, parameters.playouts, workspace, own, floor)
        counters[PLAYOUTS] += met
        improve_last(
            parameters.local_search, task, parameters.playouts, workspace, stream,
            course.monitor.broken,
        )  # fmt: skip
        if finish_call_playout(parameters.rounds, policy, records, row_of, rounds, course):
            return REACHED
    if exhausted:
        return EXHAUSTED
    return WAITING if is_waiting(parameters.rounds, rounds) else PAUSED


class Replica(KernelRun):
    """State of a thread: all levels, and the calls of some workers.

    If several threads make a search, the levels above the calls are the same in all of them.

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
        parameters: RoundParameters,
        *,
        dead_ends: int,
        local_search: bool,
        shaping: bool,
    ) -> None:
        limits, rows = domain.limits(instance), parameters.levels.level + 2
        choices = max(limits.choices, 1)
        policy = new_policy(rows + 1, limits.codes, choices)
        super().__init__(domain, instance, prior, policy, rows + parameters.workers)
        self.row_of = unshared(np.arange(rows))
        self.rounds = unshared(new_rounds(parameters, choices))
        self.parameters = ParallelParameters(
            rounds=parameters,
            playouts=PlayoutParameters(dead_ends_of(dead_ends), On() if shaping else Off()),
            local_search=On() if local_search else Off(),
            room=choices * (2 if local_search else 1),  # a record made again meets new codes
        )
        self.workers = range(parameters.workers)

    def take_workers(self, workers: range) -> None:
        """Make the calls of `workers` only, from the next round on."""
        self.workers = workers
        counters = self.rounds.counters
        counters[FIRST] = counters[TURN] = workers.start
        counters[BEYOND] = workers.stop

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`, that of the first worker; those of the others follow it."""
        super().begin(stream)
        rounds = self.rounds
        rounds.levels.done[:] = -1
        rounds.counters[:] = 0
        self.take_workers(self.workers)
        rounds.stream[0] = stream
        for row in range(1, len(rounds.stream)):
            rounds.stream[row] = rounds.stream[row - 1]
            jump_kernel(rounds.stream[row])

    def search(self, course: Course) -> int:
        """Continue the search; returns the status of `search_parallel`, except `FULL`."""
        while True:
            status = search_parallel(
                self.task, self.parameters, self.workspace, self.rounds, course
            )
            if status != FULL:
                return status
            self.grow()

    def grow(self) -> None:
        """Make room for more codes."""
        self.policy = unshared(grow_policy(self.policy))
