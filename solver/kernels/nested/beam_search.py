"""Nested search with beams, as a kernel that stops after some playouts and goes on."""

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
from solver.kernels.nested.beams import (
    BeamParameters,
    Beams,
    beam_rows,
    begin_beams,
    finish_beam_playout,
    floor_of,
    new_beams,
)
from solver.kernels.playout import PlayoutParameters, Workspace, playout
from solver.kernels.policy import PLAYED, Policy, grow_policy, has_room, new_policy
from solver.kernels.run import KernelRun, dead_ends_of
from solver.kernels.status import EXHAUSTED, FULL, PAUSED, REACHED


class BeamSearchParameters(NamedTuple):
    """Parameters of a nested search with beams."""

    beams: BeamParameters
    playouts: PlayoutParameters
    local_search: Any
    """`On`: a playout that may come into the beam is improved before anything is made of it."""
    room: int
    """Slots of new codes that a playout, with its improvement, may need."""


@kernel
def search_beam(
    task: Task,
    parameters: BeamSearchParameters,
    workspace: Workspace,
    beams: Beams,
    course: Course,
) -> int:
    """Beam NRPA (paper 'beam-nrpa', Algorithm 3), restarted until the course ends.

    Returns
    -------
    int
        `PAUSED`, `REACHED`, `FULL` or `EXHAUSTED`.
    """
    policy, records, choices = workspace.policy, workspace.records, workspace.choices
    counters = course.monitor.counters
    begin_beams(parameters.beams.levels.level, policy, records, beams)
    exhausted = False
    while counters[PLAYOUTS] < course.max_playouts and not exhausted:
        if not has_room(policy, parameters.room):
            return FULL
        floor = floor_of(parameters.beams, records, beams, len(records.score) - 2)
        # Playouts are made by row `PLAYED` of a policy: here of what begins with the right one.
        row = beams.policy_of[1, beams.turn[1]]
        odds = policy.odds[row - PLAYED :]
        played = Policy(
            policy.weight, odds, policy.key, policy.slot, policy.code, policy.used, policy.first
        )
        place = Workspace(played, records, beams.row_of, choices)
        reset(task.instance, task.state)
        met, exhausted = playout(task, parameters.playouts, place, course, floor)
        counters[PLAYOUTS] += met
        improve_last(
            parameters.local_search, task, parameters.playouts, place, course.stream,
            course.monitor.broken,
        )  # fmt: skip
        if finish_beam_playout(parameters.beams, policy, records, beams, course):
            return REACHED
    return EXHAUSTED if exhausted else PAUSED


class BeamRun(KernelRun):
    """A run of a nested search with beams.

    Parameters
    ----------
    widths : tuple of int
        Widths of the beams of level 1, 2 ...
    local_search, shaping : bool
        See `solver.algorithms.gnrpa.Gnrpa`.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        prior: Any,
        parameters: BeamParameters,
        widths: tuple[int, ...],
        *,
        dead_ends: int,
        local_search: bool,
        shaping: bool,
    ) -> None:
        limits = domain.limits(instance)
        choices = max(limits.choices, 1)
        beams = new_beams(widths, choices)
        policy = new_policy(sum(widths) + 2, limits.codes, choices)
        super().__init__(domain, instance, prior, policy, beam_rows(beams.width))
        self.beams = unshared(beams)
        self.parameters = BeamSearchParameters(
            beams=parameters,
            playouts=PlayoutParameters(dead_ends_of(dead_ends), On() if shaping else Off()),
            local_search=On() if local_search else Off(),
            room=choices * (2 if local_search else 1),  # a record made again meets new codes
        )

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        super().begin(stream)
        self.records.steps[:] = self.records.decisions[:] = 0
        self.beams.done[:] = -1

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        course = self.course(max_playouts, run_playouts)
        while True:
            status = search_beam(self.task, self.parameters, self.workspace, self.beams, course)
            if status != FULL:
                return status
            self.policy = unshared(grow_policy(self.policy))
