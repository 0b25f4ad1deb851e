"""Runs of different searches that take turns on one instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.random import Stream, jump_kernel
from solver.kernels.bounds import refuse_broken
from solver.kernels.monitor import PLAYOUTS, best_score, new_monitor, note_improvement
from solver.kernels.status import EXHAUSTED, PAUSED, REACHED

#: Playouts of all parts in the first turn, and the factor from one turn to the next.
FIRST_TURN, FACTOR = 400, 1.5


@dataclass
class Part:
    """A search of a portfolio."""

    run: Any
    share: float
    """Of the playouts; the shares of all parts need not add up to 1."""
    length: int
    """Playouts after which its run begins anew."""
    least: int = 1
    """Playouts of a turn at least: until it is due so many it lets its turns pass."""
    made: int = 0
    """Playouts of the run under way."""
    due: float = 0.0
    """Playouts of its share that it has not made yet."""


class PortfolioRun:
    """Searches that take turns, each with its share of the playouts of a turn.

    The first part has `head` playouts more in its first turn.
    Where a turn is cut short the next call goes on with it, so that the slices in which time is
    measured change nothing.
    """

    def __init__(self, parts: Sequence[Part], head: int = 0) -> None:
        self._parts, self._head = parts, head
        self.monitor = new_monitor()
        self._total = sum(part.share for part in parts)
        self._best: tuple[float, npt.NDArray[np.int64]] = (-np.inf, np.zeros(0, np.int64))
        self._proof = ""

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`; each part has a stream of its own."""
        self.monitor.counters[:] = self.monitor.broken[:] = 0
        self._stream = stream.copy()
        self._best = (-np.inf, np.zeros(0, np.int64))
        self._turn, self._place, self._left = 0, -1, 0
        self._proof = ""
        for part in self._parts:
            part.due = 0.0
            self._begin_part(part)

    def _begin_part(self, part: Part) -> None:
        part.run.begin(self._stream.copy())
        jump_kernel(self._stream)
        part.made = 0

    def _next_turn(self) -> None:
        """Let the next part have its turn, of those that are due enough."""
        self._left = 0
        while self._left <= 0:
            self._place += 1
            if self._place == len(self._parts):
                self._place = 0
                self._turn += 1
            part = self._parts[self._place]
            part.due += FIRST_TURN * FACTOR**self._turn * part.share / self._total
            if self._turn == self._place == 0:
                part.due += self._head
            if part.due >= part.least:
                self._left = max(round(part.due), 1)

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        counters = self.monitor.counters
        if max_playouts <= 0:
            for part in self._parts:
                part.run.advance(0, 0)  # compiles
            return PAUSED
        while counters[PLAYOUTS] < max_playouts:
            if self._left <= 0:
                self._next_turn()
            part = self._parts[self._place]
            if part.made >= part.length:
                self._begin_part(part)
            step = min(self._left, part.length - part.made, max_playouts - int(counters[PLAYOUTS]))
            most = min(part.length, part.made + run_playouts - int(counters[PLAYOUTS]))
            status = part.run.advance(part.made + step, most)
            refuse_broken(part.run.monitor.broken)
            made = int(part.run.monitor.counters[PLAYOUTS]) - part.made
            part.made += made
            part.due -= made
            self._left -= made
            counters[PLAYOUTS] += made
            self._note(part)
            if status == REACHED:
                return REACHED
            if status == EXHAUSTED:
                proof = getattr(part.run, "proof", None)
                self._proof = proof() if proof is not None else ""
                return EXHAUSTED
        return PAUSED

    def _note(self, part: Part) -> None:
        """Keep the best playout of `part` if it is the best of all."""
        worth = best_score(part.run.monitor)
        if worth > self._best[0]:
            self._best = part.run.best()
            note_improvement(self.monitor, worth)

    def best(self) -> tuple[float, npt.NDArray[np.int64]]:
        """Score and moves of the best playout, int64[steps]."""
        return self._best

    def proof(self) -> str:
        """Description of the proof that there is no answer, by the part that found it."""
        return self._proof
