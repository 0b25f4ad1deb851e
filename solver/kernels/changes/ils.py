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
from solver.kernels.records import LAST, Records, copy_record
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


@inlined
def _begin_from_last(
    task: Task,
    records: Records,
    idle: npt.NDArray[np.int64],
    reached_here: npt.NDArray[np.float64],
) -> None:
    """Improve the record `LAST`, a playout or a solution that was given, and begin from it."""
    moves = records.move[LAST, : records.steps[LAST]]
    records.score[LAST] = _improved_score(task.instance, task.state, moves)
    idle[0] = 0
    reached_here[0] = records.score[LAST]


@kernel
def search_ils(
    task: Task,
    parameters: IlsParameters,
    workspace: Workspace,
    idle: npt.NDArray[np.int64],
    reached_here: npt.NDArray[np.float64],
    course: Course,
) -> int:
    """Perturb the record `LAST`, improve it, and keep the result if it is not worse.

    Parameters
    ----------
    idle : int64[1]
        Perturbations since the last better score, `NOT_BEGUN` before the first playout.
    reached_here : float64[1]
        Best score since the last playout.

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
            _begin_from_last(task, records, idle, reached_here)
        else:
            moves = records.move[LAST, : records.steps[LAST]]
            reached = perturb(instance, state, moves, course.stream)
            counters[PLAYOUTS] += 1
            idle[0] = 0 if reached > reached_here[0] else idle[0] + 1
            reached_here[0] = max(reached, reached_here[0])
            records.score[LAST] = reached
        if records.score[LAST] > best_score(course.monitor):
            note_improvement(course.monitor, records.score[LAST])
            copy_record(records, LAST, BEST)
            if records.score[LAST] >= course.target:
                return REACHED
        if idle[0] >= parameters.patience * max(records.steps[LAST], 1):
            idle[0] = NOT_BEGUN
    return EXHAUSTED if exhausted else PAUSED


@kernel
def begin_with(
    task: Task,
    workspace: Workspace,
    first: Moves,
    idle: npt.NDArray[np.int64],
    reached_here: npt.NDArray[np.float64],
    course: Course,
) -> None:
    """Make `first`, improved, the record `LAST`, as if it were the first playout."""
    records = workspace.records
    records.steps[LAST] = len(first)
    for step in range(len(first)):
        records.move[LAST, step] = first[step]
    _begin_from_last(task, records, idle, reached_here)
    course.monitor.counters[PLAYOUTS] += 1
    note_improvement(course.monitor, records.score[LAST])
    copy_record(records, LAST, BEST)


class IlsRun(KernelRun):
    """A run of iterated local search, see `solver.algorithms.ils.Ils`.

    Parameters
    ----------
    first : int64[steps] or None
        Moves to begin with in place of a playout.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        prior: Any,
        patience: int,
        dead_ends: int,
        first: Moves | None = None,
    ) -> None:
        super().__init__(domain, instance, prior, NoPolicy(), rows=2)
        playouts = PlayoutParameters(dead_ends_of(dead_ends), Off())
        self.parameters = IlsParameters(patience, playouts)
        self.idle = unshared(np.full(1, NOT_BEGUN, np.int64))
        self.reached_here = unshared(np.full(1, -np.inf))
        self.first = first

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        super().begin(stream)
        self.idle[0] = NOT_BEGUN
        if self.first is not None:
            begin_with(
                self.task, self.workspace, self.first, self.idle, self.reached_here,
                self.course(1, 1),
            )  # fmt: skip

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        course = self.course(max_playouts, run_playouts)
        return search_ils(
            self.task, self.parameters, self.workspace, self.idle, self.reached_here, course
        )
