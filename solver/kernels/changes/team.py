"""A run of parallel tempering, whose threads share the turns of a round."""

from __future__ import annotations

import functools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from solver.compiling.jit import compile_for
from solver.compiling.memory import unshared
from solver.compiling.random import Stream, jump_kernel
from solver.contract.domain import Puzzle
from solver.contract.rules import Floats, Moves
from solver.kernels.bounds import BOUND, NONE_BROKEN, new_broken
from solver.kernels.changes.change import TemperingParameters
from solver.kernels.changes.tempering import (
    NOT_BEGUN,
    Part,
    Replicas,
    Scratch,
    begin_orders,
    exchange_orders,
    merge_found,
    play_part,
)
from solver.kernels.monitor import PLAYOUTS, TRACE_LENGTH, best_score
from solver.kernels.policy import NoPolicy
from solver.kernels.records import LAST
from solver.kernels.run import KernelRun
from solver.kernels.status import PAUSED, REACHED


class Hand:
    """Orders and scratch of a thread; an order has `steps` items at most."""

    def __init__(self, domain: Puzzle, instance: Any, steps: int) -> None:
        self.orders = unshared(domain.new_orders(instance))
        self.scratch = unshared(
            Scratch(
                changed=np.zeros(steps + 1, np.int64),
                played=np.zeros(steps, np.int64),
                stream=np.zeros(4, np.uint64),
                broken=new_broken(),
            )
        )


class TemperingRun(KernelRun):
    """A run of parallel tempering, see `solver.algorithms.tempering.Tempering`.

    Parameters
    ----------
    temperatures : float64[replicas]
        From the lowest.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        prior: Any,
        temperatures: Floats,
        parameters: TemperingParameters,
    ) -> None:
        super().__init__(domain, instance, prior, NoPolicy(), rows=1)
        n, steps = len(temperatures), self.limits.steps
        self.parameters = parameters
        self.replicas = unshared(
            Replicas(
                temperature=temperatures,
                row_of=np.arange(n),
                order=np.zeros((n, steps), np.int64),
                steps=np.full(n, NOT_BEGUN),
                shaped=np.zeros(n),
                stream=np.zeros((n, 4), np.uint64),
                improvements=np.zeros(n, np.int64),
                trace_change=np.zeros((n, TRACE_LENGTH), np.int64),
                trace_score=np.zeros((n, TRACE_LENGTH)),
                moves=np.zeros((n, steps), np.int64),
                n_moves=np.zeros(n, np.int64),
            )
        )
        self._new_hand = functools.partial(Hand, domain, instance, steps)
        self._hands = [self._new_hand()]
        self._pools: dict[int, ThreadPoolExecutor] = {}
        self._made = self._before = 0  # changes in this round, playouts before it
        self._best = -np.inf  # before the round

    def use_threads(self, threads: int) -> None:
        """Set the number of threads for the turns of a round; it does not change the results."""
        n = min(threads, len(self.replicas.temperature))
        self._hands += [self._new_hand() for _ in range(n - len(self._hands))]
        del self._hands[n:]
        self._pools = {}

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`, that of the exchanges; those of the temperatures follow."""
        super().begin(stream)
        following = stream.copy()
        for own in self.replicas.stream:
            jump_kernel(following)
            own[:] = following
        self.replicas.row_of[:] = np.arange(len(self.replicas.row_of))
        self.replicas.steps[:] = NOT_BEGUN
        self.replicas.improvements[:] = 0
        self._made = 0
        for hand in self._hands:
            hand.scratch.broken[:] = 0

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        counters, replicas = self.monitor.counters, self.replicas
        if max_playouts <= 0:
            self._compile()
        whole = len(replicas.temperature) * self.parameters.turn
        while counters[PLAYOUTS] < max_playouts:
            if self._made == 0:
                self._before, self._best = int(counters[PLAYOUTS]), best_score(self.monitor)
            end = min(max_playouts - self._before, whole)
            if not self._play(end):
                return PAUSED
            status = merge_found(replicas, self.records, self._before, self.target, self.monitor)
            if status == REACHED:
                return status
            counters[PLAYOUTS] = self._before + end
            self._made = end
            if end == whole:
                exchange_orders(replicas, self.stream)
                self._made = 0
        return PAUSED

    def _parts(self, end: int) -> list[tuple[Any, ...]]:
        """Arguments of the kernel in each thread, up to change `end` of the round."""
        n = len(self._hands)
        return [
            (self.instance, self.parameters, hand.orders, self.replicas, hand.scratch,
             Part(thread, n, self._made, end, self._best, self.target))
            for thread, hand in enumerate(self._hands)
        ]  # fmt: skip

    def _play(self, end: int) -> bool:
        """Go on to change `end` of the round; returns False if the rules broke a bound."""
        first, *others = self._parts(end)
        futures = [self._pool().submit(play_part, *arguments) for arguments in others]
        play_part(*first)
        for future in futures:
            future.result()
        for hand in self._hands:
            if hand.scratch.broken[BOUND] != NONE_BROKEN:
                self.monitor.broken[:] = hand.scratch.broken
                return False
        return True

    def _pool(self) -> ThreadPoolExecutor:
        """Pool of the other threads, not that of the process that this one was forked from."""
        pool = self._pools.get(os.getpid())
        if pool is None:
            pool = self._pools[os.getpid()] = ThreadPoolExecutor(len(self._hands) - 1)
        return pool

    def _compile(self) -> None:
        """Compile the kernels, or load them from disk."""
        compile_for(play_part, *self._parts(0)[0])
        compile_for(merge_found, self.replicas, self.records, 0, self.target, self.monitor)
        compile_for(exchange_orders, self.replicas, self.stream)

    def begin_orders(self, moves: Moves, score: float) -> None:
        """Begin with the playout of `moves`, of `score`, the best so far."""
        records, n = self.records, len(moves)
        records.move[LAST, :n], records.steps[LAST], records.score[LAST] = moves, n, score
        begin_orders(*self._begin_arguments(moves))

    def _begin_arguments(self, moves: Moves) -> tuple[Any, ...]:
        hand = self._hands[0]
        return (
            self.instance, self.parameters.shaping, hand.orders, self.replicas, hand.scratch,
            moves,
        )  # fmt: skip
