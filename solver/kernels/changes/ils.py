"""Iterated local search, as a kernel that stops after some perturbations and goes on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.compiling.memory import unshared
from solver.compiling.random import Stream
from solver.contract.domain import Puzzle
from solver.contract.rules import Moves, improve, perturb, play, reset, score
from solver.kernels.arguments import Course, Off, Task
from solver.kernels.bounds import BOUND, NONE_BROKEN
from solver.kernels.monitor import PLAYOUTS, best_score, note_improvement
from solver.kernels.playout import PlayoutParameters, Workspace, playout
from solver.kernels.policy import NoPolicy
from solver.kernels.records import LAST, copy_record
from solver.kernels.run import KernelRun, dead_ends_of
from solver.kernels.status import EXHAUSTED, PAUSED, REACHED

BEST = 1
NOT_BEGUN = -1


class IlsParameters(NamedTuple):
    """See `solver.algorithms.ils.Ils`."""

    patience: int
    playouts: PlayoutParameters


@inlined
def _improved_score(instance: Any, state: Any, moves: Moves) -> float:
    """Improve `moves`, and play them to get their score."""
    improve(instance, state, moves)
    reset(instance, state)
    for step in range(len(moves)):
        play(instance, state, moves[step])
    return float(score(instance, state))


@kernel
def search_ils(
    task: Task,
    parameters: IlsParameters,
    workspace: Workspace,
    idle: npt.NDArray[np.int64],
    course: Course,
) -> int:
    """Perturb the record `LAST`, improve it, and keep the result if it is not worse.

    Parameters
    ----------
    idle : int64[1]
        Perturbations since the last better score, `NOT_BEGUN` before the first playout.

    Returns
    -------
    int
        `PAUSED`, `REACHED` or `EXHAUSTED`.
    """
    instance, state, records = task.instance, task.state, workspace.records
    counters = course.monitor.counters
    exhausted = False
    while counters[PLAYOUTS] < course.max_playouts and not exhausted:
        if idle[0] == NOT_BEGUN:
            reset(instance, state)
            met, exhausted = playout(task, parameters.playouts, workspace, course, -np.inf)
            counters[PLAYOUTS] += met
            if course.monitor.broken[BOUND] != NONE_BROKEN:
                return EXHAUSTED
            moves = records.move[LAST, : records.steps[LAST]]
            records.score[LAST] = _improved_score(instance, state, moves)
            idle[0] = 0
        else:
            moves = records.move[LAST, : records.steps[LAST]]
            reached = perturb(instance, state, moves, course.stream)
            counters[PLAYOUTS] += 1
            idle[0] = 0 if reached > records.score[LAST] else idle[0] + 1
            records.score[LAST] = reached
        if records.score[LAST] > best_score(course.monitor):
            note_improvement(course.monitor, records.score[LAST])
            copy_record(records, LAST, BEST)
            if records.score[LAST] >= course.target:
                return REACHED
        if idle[0] >= parameters.patience * max(records.steps[LAST], 1):
            idle[0] = NOT_BEGUN
    return EXHAUSTED if exhausted else PAUSED


class IlsRun(KernelRun):
    """A run of iterated local search, see `solver.algorithms.ils.Ils`."""

    def __init__(
        self, domain: Puzzle, instance: Any, prior: Any, patience: int, dead_ends: int
    ) -> None:
        super().__init__(domain, instance, prior, NoPolicy(), rows=2)
        playouts = PlayoutParameters(dead_ends_of(dead_ends), Off())
        self.parameters = IlsParameters(patience, playouts)
        self.idle = unshared(np.full(1, NOT_BEGUN, np.int64))

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        super().begin(stream)
        self.idle[0] = NOT_BEGUN

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        course = self.course(max_playouts, run_playouts)
        return search_ils(self.task, self.parameters, self.workspace, self.idle, course)
