"""A run of a search from Python: the arrays that its kernel works on, and how it goes on."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.memory import arrays_of, unshared
from solver.compiling.random import Stream
from solver.contract.domain import Puzzle
from solver.kernels.arguments import Course, Off, Task
from solver.kernels.choices import DeadEnds, GrowingDeadEnds, new_choices
from solver.kernels.monitor import new_monitor
from solver.kernels.playout import Workspace
from solver.kernels.records import new_records

#: Largest state that is made as new in its own memory; new memory is slower to begin with.
MOST_BYTES = 1 << 21


class KernelRun:
    """Base class of runs; a subclass advances the search.

    Parameters
    ----------
    policy : NamedTuple
        `Policy` or `NoPolicy`.
    rows : int
        Number of records; the last is that of the best playout.
    """

    def __init__(self, domain: Puzzle, instance: Any, prior: Any, policy: Any, rows: int) -> None:
        self.limits = domain.limits(instance)
        self._new_state = functools.partial(domain.new_state, instance)
        self.instance = instance
        self.prior = prior
        self.policy = unshared(policy)
        self.state = unshared(self._new_state())
        self._contents = _contents_of(self.state)
        self.records = unshared(new_records(rows, self.limits))
        self.row_of = unshared(np.arange(rows))
        self.choices = new_choices(self.limits)
        self.stream = unshared(np.zeros(4, np.uint64))
        self.monitor = unshared(new_monitor())
        self._begun = False
        self.target = np.inf if domain.target is None else float(domain.target)

    @property
    def task(self) -> Task:
        """Task of the kernels."""
        return Task(self.instance, self.state, self.prior)

    @property
    def workspace(self) -> Workspace:
        """Workspace of the playouts."""
        return Workspace(self.policy, self.records, self.row_of, self.choices)

    def course(self, max_playouts: int, run_playouts: int) -> Course:
        """Return the limits of the kernels."""
        return Course(self.stream, self.monitor, self.target, max_playouts, run_playouts)

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        self.stream[:] = stream
        if self._begun:  # states keep notes of dead ends
            self._renew_state()
        self._begun = True
        self.monitor.counters[:] = self.monitor.broken[:] = 0
        self.records.score[:] = self.records.shaped[:] = -np.inf

    def _renew_state(self) -> None:
        """Make the state as new, in its own memory unless it is large."""
        if self._contents is None:
            self.state = unshared(self._new_state())
            return
        for array, contents in zip(arrays_of(self.state), self._contents, strict=True):
            array[...] = contents

    def best(self) -> tuple[float, npt.NDArray[np.int64]]:
        """Score and moves of the best playout, int64[steps]."""
        row = self.row_of[-1]
        return float(self.records.score[row]), self.records.move[
            row, : self.records.steps[row]
        ].copy()


def dead_ends_of(most: int) -> DeadEnds | Off:
    """Return the kernel argument for playouts that back out of `most` dead ends."""
    return DeadEnds(most) if most else Off()


def growing_dead_ends_of(most: int) -> GrowingDeadEnds | Off:
    """Return the kernel argument for playouts that all begin at the start, one after the other."""
    return GrowingDeadEnds(most) if most else Off()


def _contents_of(state: Any) -> list[Any] | None:
    """Return what the arrays of a new state contain, 0 for zeros; None for a large state.

    Large arrays of zeros take no memory before they are used. Also None where a state consists of
    more than arrays: numbers may be addresses of others.
    """
    arrays = arrays_of(state)
    if sum(array.nbytes for array in arrays) > MOST_BYTES or not _is_of_arrays(state):
        return None
    return [array.copy() if array.any() else 0 for array in arrays]


def _is_of_arrays(state: Any) -> bool:
    if isinstance(state, tuple):
        return all(map(_is_of_arrays, state))
    return isinstance(state, np.ndarray)
