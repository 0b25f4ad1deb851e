"""A run of tree search on a puzzle, for the search driver."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.memory import unshared
from solver.compiling.random import Stream
from solver.contract.domain import Puzzle
from solver.contract.rules import play, reset
from solver.kernels.monitor import PLAYOUTS, best_score, new_monitor
from solver.kernels.status import PAUSED, REACHED
from solver.kernels.tree.arrays import Guides, TreeParameters
from solver.kernels.tree.puzzles import BEFORE, BEST, Kept
from solver.kernels.tree.run import NewPolicy, TreeRun


class PuzzleRun:
    """A tree from the start, or, if it commits, from further on after each so many playouts.

    Parameters
    ----------
    memory : int
        Bytes that a tree may have.
    commit : int
        Playouts after which the move of most visits is played for good, and a new tree begins
        there, or at the start if that was the last; 0 for never.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        guides: Guides,
        parameters: TreeParameters,
        memory: int,
        commit: int,
        policy: NewPolicy | None = None,
    ) -> None:
        steps = domain.limits(instance).steps
        last, best, counts = (np.zeros(n, np.int64) for n in (steps, steps, 2))
        target = np.inf if domain.target is None else float(domain.target)
        listing = np.zeros(4, np.uint64)
        self.kept = unshared(Kept(last, best, counts, new_monitor(), listing, target))
        self.monitor, self.commit = self.kept.monitor, commit
        self.tree = TreeRun(domain, instance, parameters, memory, guides, self.kept, policy=policy)
        self._root = domain.new_state(instance)

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        self.monitor.counters[:] = 0
        self.kept.steps[:] = 0
        self.tree.begin(stream)
        reset(self.tree.searched.instance, self._root)

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        while True:
            left = max(max_playouts - int(self.monitor.counters[PLAYOUTS]), 0)
            share = min(left, self.commit - self.tree.played) if self.commit else left
            if self.tree.advance(self.tree.played + share) == REACHED:
                return REACHED
            if self.tree.played == self.commit > 0:
                self._play_best()
            if self.monitor.counters[PLAYOUTS] >= max_playouts:
                return PAUSED

    def _play_best(self) -> None:
        """Let the tree begin behind the best move of the root."""
        moves, instance, before = self.tree.moves_of(), self.tree.searched.instance, self.kept.steps
        if len(moves.move):
            move = int(moves.move[self.tree.best()])
            self.kept.last[before[BEFORE]] = move
            before[BEFORE] += 1
            play(instance, self._root, move)
        else:
            before[BEFORE] = 0
            reset(instance, self._root)
        self.tree.begin(self.tree.stream.copy(), self._root)

    def best(self) -> tuple[float, npt.NDArray[np.int64]]:
        """Score and moves of the best playout, int64[steps]."""
        return best_score(self.monitor), self.kept.best[: self.kept.steps[BEST]].copy()
