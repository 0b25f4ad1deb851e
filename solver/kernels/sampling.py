"""Independent playouts, as a kernel that stops after some and goes on when called again."""

from __future__ import annotations

from typing import Any

from solver.compiling.jit import called, kernel
from solver.contract.domain import Puzzle
from solver.contract.rules import reset
from solver.kernels.arguments import Course, Off, Task
from solver.kernels.monitor import PLAYOUTS, best_score, note_improvement
from solver.kernels.playout import PlayoutParameters, Workspace, playout
from solver.kernels.policy import NoPolicy
from solver.kernels.records import LAST
from solver.kernels.run import KernelRun, growing_dead_ends_of
from solver.kernels.status import EXHAUSTED, PAUSED, REACHED

BEST = 1  # of `Workspace.row_of`


# Not copied into the kernel, unlike into those of nested searches: 0.97 of the time, there 1.03
# (`benchmarks.before_after`, geometric means).
@called
def _playout(
    task: Task, parameters: PlayoutParameters, workspace: Workspace, course: Course, floor: float
) -> tuple[int, bool]:
    return playout(task, parameters, workspace, course, floor)


@kernel
def sample(task: Task, parameters: PlayoutParameters, workspace: Workspace, course: Course) -> int:
    """Sample until the course ends; the records are those of the last playout and of the best.

    Returns
    -------
    int
        `PAUSED`, `REACHED` or `EXHAUSTED`.
    """
    records, row_of, monitor = workspace.records, workspace.row_of, course.monitor
    exhausted = False
    while monitor.counters[PLAYOUTS] < course.max_playouts and not exhausted:
        reset(task.instance, task.state)
        met, exhausted = _playout(task, parameters, workspace, course, best_score(monitor))
        monitor.counters[PLAYOUTS] += met
        reached = records.score[row_of[LAST]]
        if reached > best_score(monitor):
            row_of[LAST], row_of[BEST] = row_of[BEST], row_of[LAST]
            note_improvement(monitor, reached)
            if reached >= course.target:
                return REACHED
    return EXHAUSTED if exhausted else PAUSED


class SamplingRun(KernelRun):
    """A run of playouts that back out of `dead_ends` dead ends each."""

    def __init__(self, domain: Puzzle, instance: Any, prior: Any, dead_ends: int) -> None:
        super().__init__(domain, instance, prior, NoPolicy(), rows=2)
        self.parameters = PlayoutParameters(growing_dead_ends_of(dead_ends), Off())

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        course = self.course(max_playouts, run_playouts)
        return sample(self.task, self.parameters, self.workspace, course)
