"""Parallel NRPA in plain Python, from paper 'distributed-nrpa', Algorithms 4 and 5.

The workers of a round take turns, which nothing in it depends on.
"""

from __future__ import annotations

import math
from typing import Any

from solver.compiling.random import Stream
from tests.reference import MASK, ReferenceGnrpa, StopSearch, Weights, xoshiro256pp

NOTHING: tuple[float, list[int]] = (-math.inf, [])
JUMP = (0x180EC6D33CFD0ABA, 0xD5A61266F0C9392C, 0xA9582618E03FC9AA, 0x39ABDC4529B1661C)


def jumped(stream: Stream) -> Stream:
    """The stream 2**128 steps on, after the C code of Blackman and Vigna (2021)."""
    state, sums = [int(word) for word in stream], [0, 0, 0, 0]
    for word in JUMP:
        for bit in range(64):
            if word >> bit & 1:
                sums = [one ^ other for one, other in zip(sums, state, strict=True)]
            xoshiro256pp(state)
    found = stream.copy()
    found[:] = [word & MASK for word in sums]
    return found


class ReferenceParallel(ReferenceGnrpa):
    """Algorithms 4 and 5 and speculation, of `limit` playouts."""

    def __init__(
        self,
        *given: Any,
        workers: int,
        parallel_level: int,
        strategy: str,
        pass_policy: bool,
        adapt_each: bool,
        limit: int,
        **parameters: Any,
    ) -> None:
        super().__init__(*given, **parameters)
        self.workers = workers
        self.parallel_level = parallel_level
        self.strategy = strategy
        self.pass_policy = pass_policy
        self.adapt_each = adapt_each
        self.limit = limit
        self.rounds = 0
        self.streams = [self.stream]
        for _ in range(1, workers):
            self.streams.append(jumped(self.streams[-1]))

    def watch(self) -> None:
        if self.terminals >= self.limit:
            raise StopSearch

    def nested(
        self, level: int, policy: Weights, start: tuple[float, list[int]] = NOTHING
    ) -> tuple[float, list[int]]:
        if level != self.parallel_level:
            return super().nested(level, policy, start)
        search = {"shared": self.shared, "local": self.local, "speculative": self.speculative}
        return search[self.strategy](level, dict(policy), start)

    def shared(
        self, level: int, policy: Weights, best: tuple[float, list[int]]
    ) -> tuple[float, list[int]]:
        """Algorithm 4; lines 9 to 15 adapt once, as the text has it, or after each result."""
        left, repeated = self.iterations, 0
        while left > 0:
            calls = min(self.workers, left)
            results = []
            for worker in range(calls):
                self.stream = self.streams[worker]
                results.append(self.nested(level - 1, policy))
            for result in results:
                if result == best:
                    repeated += 1
                elif result[0] >= best[0]:
                    best, repeated = result, 0
                if self.adapt_each:
                    policy = self.adapt_by(self.alpha * calls, policy, best[1])
            if not self.adapt_each:
                policy = self.adapt_by(self.alpha * calls, policy, best[1])
            left -= calls
            self.rounds += 1
            if self.repetitions and repeated >= self.repetitions:
                break
        return best

    def adapt_by(self, alpha: float, policy: Weights, sequence: list[int]) -> Weights:
        """Adapt with another learning rate."""
        before, self.alpha = self.alpha, alpha
        adapted = self.adapt(policy, sequence)
        self.alpha = before
        return adapted

    def local(
        self, level: int, policy: Weights, start: tuple[float, list[int]]
    ) -> tuple[float, list[int]]:
        """Algorithm 5."""
        found = []
        for worker in range(self.workers):
            self.stream = self.streams[worker]
            own = self.iterations // self.workers + (worker < self.iterations % self.workers)
            found.append(self.sub(level, dict(policy), own))
        best, adapted = max(found, key=lambda worker: worker[0][0])
        if self.pass_policy and level + 1 in self.policies:
            self.policies[level + 1] = adapted
        self.rounds += 1
        return best

    def sub(
        self, level: int, policy: Weights, iterations: int
    ) -> tuple[tuple[float, list[int]], Weights]:
        """NRPA-Sub of Algorithm 5."""
        best, repeated = NOTHING, 0
        for _ in range(iterations):
            result = self.nested(level - 1, policy)
            if result == best:
                repeated += 1
            elif result[0] >= best[0]:
                best, repeated = result, 0
            policy = self.adapt(policy, best[1])
            if self.repetitions and repeated >= self.repetitions:
                break
        return best, policy

    def speculative(
        self, level: int, policy: Weights, best: tuple[float, list[int]]
    ) -> tuple[float, list[int]]:
        """Workers take the next iterations, as they are if the best stays; wrong ones are undone.

        Every iteration has a stream of its own, `streams[0]` being that of the next.
        """
        left = self.iterations
        while left > 0:
            before, self.terminals = self.terminals, -self.limit  # may be discarded: no limit
            policies, results, streams = [policy], [], [self.streams[0]]
            made = [len(self.playouts)]
            for _ in range(min(self.workers, left)):
                self.stream = streams[-1].copy()
                results.append(self.nested(level - 1, policies[-1]))
                policies.append(self.adapt(policies[-1], best[1]))
                streams.append(jumped(streams[-1]))
                made.append(len(self.playouts))
            confirmed = 0
            for result in results:
                confirmed += 1
                if result[0] >= best[0] and result != best:
                    best = result
                    policies[confirmed] = self.adapt(policies[confirmed - 1], best[1])
                    break
            del self.playouts[made[confirmed] :]
            policy, self.streams[0] = policies[confirmed], streams[confirmed]
            left -= confirmed
            self.rounds += 1
            self.terminals = before + made[confirmed] - made[0]
            self.watch()
        return best
