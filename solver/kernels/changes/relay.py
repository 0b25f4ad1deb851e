"""Nested search whose best playout parallel tempering goes on from."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.jit import compile_for
from solver.compiling.random import Stream, jump_kernel
from solver.kernels.changes.team import TemperingRun
from solver.kernels.changes.tempering import begin_orders
from solver.kernels.monitor import PLAYOUTS
from solver.kernels.run import KernelRun
from solver.kernels.status import PAUSED


class RelayRun(TemperingRun):
    """A run of tempering after one of another search, see `solver.algorithms.turns.relay.Relay`.

    Parameters
    ----------
    first : KernelRun
        The search that begins.
    playouts : int
        Playouts after which tempering goes on.
    """

    def __init__(self, first: KernelRun, playouts: int, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.first: Any = first
        self.first.monitor = self.monitor  # both count on
        self.playouts = playouts
        self._has_begun_orders = False

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`; each part has a stream of its own."""
        self.first.begin(stream)
        following = stream.copy()
        jump_kernel(following)
        super().begin(following)
        self._has_begun_orders = False

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        if max_playouts <= 0:
            self._compile()
            return PAUSED
        if self.monitor.counters[PLAYOUTS] < self.playouts:
            most = min(max_playouts, self.playouts)
            status: int = self.first.advance(most, min(run_playouts, self.playouts))
            if status != PAUSED or max_playouts <= self.playouts:
                return status
        if not self._has_begun_orders:
            score, moves = self.first.best()
            self.begin_orders(moves, score)
            self._has_begun_orders = True
        return super().advance(max_playouts, run_playouts)

    def best(self) -> tuple[float, Any]:
        """Score and moves of the best playout, int64[steps]."""
        return super().best() if self._has_begun_orders else self.first.best()

    def _compile(self) -> None:
        """Compile the kernels of both parts, or load them from disk."""
        self.first.advance(0, 0)
        super()._compile()
        compile_for(begin_orders, *self._begin_arguments(np.zeros(0, np.int64)))
