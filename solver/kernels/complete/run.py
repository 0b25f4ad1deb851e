"""A run of complete search from Python."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.memory import arrays_of, unshared, with_arrays
from solver.compiling.random import Stream
from solver.contract.branching import EXCLUSION
from solver.contract.domain import Puzzle
from solver.kernels.arguments import Course, Task
from solver.kernels.complete.branching import Excluding, Listing
from solver.kernels.complete.memory import (
    FAILS,
    N_BEST,
    NODES,
    NOGOODS,
    RESTARTS,
    Memory,
    enlarged,
    new_nogoods,
    new_way,
)
from solver.kernels.complete.search import CompleteParameters, complete
from solver.kernels.monitor import best_score, new_monitor
from solver.kernels.status import FULL

#: Moves of nogoods that there is room for at first, and at last.
ROOM, MOST_ROOM = 1 << 12, 1 << 24


class CompleteRun:
    """A complete search, which `advance` goes on with.

    Parameters
    ----------
    fails, values, phases
        See `solver.kernels.complete.search.CompleteParameters`.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        prior: Any,
        *,
        fails: int,
        values: int,
        phases: bool,
    ) -> None:
        self._limits = domain.limits(instance)
        self._new_state = functools.partial(domain.new_state, instance)
        self._instance, self._prior = instance, prior
        branching: Any = Excluding() if domain.has(*EXCLUSION) else Listing()
        self._parameters = CompleteParameters(branching, fails, values, int(phases), 0)
        self._target = np.inf if domain.target is None else float(domain.target)
        self._stream = unshared(np.zeros(4, np.uint64))
        self.monitor = unshared(new_monitor())
        self._state: Any = None
        self._memory: Any = None

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        self._stream[:] = stream
        self.monitor.counters[:] = self.monitor.broken[:] = 0
        self._parameters = self._parameters._replace(full=0)
        self._state = unshared(self._new_state())
        self._memory = unshared(
            Memory(
                numbers=np.zeros(20, np.int64),
                way=new_way(self._limits),
                nogoods=new_nogoods(self._limits.codes, ROOM),
                spare=self._new_state(),
                best=np.zeros(self._limits.steps + 1, np.int64),
                tried=np.zeros(self._limits.steps + 1, np.int64),
            )
        )

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`; after a solution it goes on to the next."""
        course = Course(self._stream, self.monitor, self._target, max_playouts, run_playouts)
        while True:
            task = Task(self._instance, self._state, self._prior)
            status: int = complete(task, self._parameters, self._memory, course)
            if status != FULL:
                return status
            room = 2 * len(self._memory.nogoods.literals)
            if room <= MOST_ROOM:
                nogoods = enlarged(self._memory.nogoods, room)
                self._memory = self._memory._replace(nogoods=nogoods)
            else:
                self._parameters = self._parameters._replace(full=1)

    def best(self) -> tuple[float, npt.NDArray[np.int64]]:
        """Score and moves of the best playout, int64[steps]; after a solution these are its own."""
        memory = self._memory
        return best_score(self.monitor), memory.best[: memory.numbers[N_BEST]].copy()

    def saved(self) -> list[npt.NDArray[Any]]:
        """Copies of all that the run reads and writes, for `restore`."""
        full = np.asarray(self._parameters.full)
        return [array.copy() for array in arrays_of((full, *self._parts()))]

    def restore(self, arrays: Sequence[npt.NDArray[Any]]) -> None:
        """Go on from where a run of the same problem and parameters was `saved`; after `begin`."""
        full, *rest = arrays
        self._parameters = self._parameters._replace(full=int(full))
        parts = with_arrays(self._parts(), iter(rest))
        self._stream, self.monitor, self._state, self._memory = parts

    def _parts(self) -> tuple[Any, ...]:
        return self._stream, self.monitor, self._state, self._memory

    def proof(self) -> str:
        """Description of the proof that there is no solution."""
        if self._memory.numbers[NODES] == 0:
            return "by propagation alone"
        counts = {name: f"{count:,}" for name, count in self.counts.items()}
        return (
            f"by complete search: {counts['fails']} dead ends, {counts['restarts']} restarts, "
            f"{counts['nogoods']} nogoods"
        )

    @property
    def counts(self) -> dict[str, int]:
        """Dead ends, restarts and nogoods so far."""
        numbers = self._memory.numbers
        names = {"fails": FAILS, "restarts": RESTARTS, "nogoods": NOGOODS}
        return {name: int(numbers[place]) for name, place in names.items()}
