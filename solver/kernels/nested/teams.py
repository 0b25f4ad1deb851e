"""A parallel search on several threads: each has a replica of it, and they meet at barriers."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from solver.compiling.jit import compile_for
from solver.compiling.random import Stream
from solver.contract.domain import Puzzle
from solver.kernels.arguments import Course
from solver.kernels.bounds import refuse_broken
from solver.kernels.monitor import (
    IMPROVEMENTS,
    PLAYOUTS,
    best_score,
    new_monitor,
    note_improvement,
)
from solver.kernels.nested.exchange import Copy, import_best, import_policy, import_results
from solver.kernels.nested.parallel_search import Replica
from solver.kernels.nested.rounds import (
    BEGAN,
    CALLS,
    CHANGED,
    CRITICAL,
    FIRST,
    LOCAL,
    LONGEST,
    ROUNDS,
    SPECULATIVE,
    TURN,
    UNDER_WAY,
    RoundParameters,
    finish_round,
)
from solver.kernels.status import EXHAUSTED, PAUSED, REACHED

#: Playouts of a round have no limit to check: a round begins only where all of them fit.
UNLIMITED = 2**62


class ParallelTime(NamedTuple):
    """Length of a search in which every worker has a processor of its own."""

    rounds: int
    """Rounds that are over, each with a barrier."""
    calls: int
    """Calls of workers in these rounds, without any that were discarded."""
    critical_playouts: int
    """Playouts on the critical path: of the longest call of each round, one after the other."""


class Member:
    """A replica with its playouts since the last barrier."""

    def __init__(self, replica: Replica) -> None:
        self.replica = replica
        self.monitor = new_monitor()
        self.status = PAUSED
        self.behind = False

    @property
    def playouts(self) -> int:
        """Playouts of the round so far."""
        return int(self.monitor.counters[PLAYOUTS])

    @property
    def copy(self) -> Copy:
        """State that other members may copy."""
        replica = self.replica
        return Copy(replica.policy, replica.records, replica.row_of, replica.rounds)

    @property
    def best_result(self) -> float:
        """Shaped score of the best result in the round."""
        replica = self.replica
        return float(replica.records.shaped[replica.rounds.result[0]])

    def new_round(self, best: float) -> None:
        """Begin to count; `best` is the best score of all until now."""
        self.status = PAUSED
        self.replica.rounds.counters[CHANGED] = 0
        self.monitor.counters[:] = 0
        if best > -np.inf:
            self.monitor.trace_score[0] = best
            self.monitor.counters[IMPROVEMENTS] = 1

    def catch_up(self) -> None:
        """Put the results of the last round together, now that all are there."""
        if self.behind:
            finish_round(self.replica.parameters.rounds, *self.copy)
            self.behind = False

    def advance(self, playouts: int) -> None:
        """Make `playouts` playouts of the round, or those that remain."""
        self.catch_up()
        replica = self.replica
        most = self.playouts + playouts
        course = Course(replica.stream, self.monitor, replica.target, most, UNLIMITED)
        self.status = replica.search(course)

    @property
    def ends_round(self) -> bool:
        """True if the results of later workers in this round do not count."""
        changed = self.replica.rounds.counters[CHANGED] == 1
        return self.status in (REACHED, EXHAUSTED) or bool(changed)

    def take(self, take: Callable[..., bool], *arguments: Any) -> None:
        """Let a kernel copy something into the replica, where it needs room for codes."""
        while not take(*arguments, self.copy):
            self.replica.grow()


class ParallelRun(Replica):
    """A run of a parallel nested search, on one thread until `use_threads` says otherwise."""

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        prior: Any,
        parameters: RoundParameters,
        *,
        dead_ends: int,
        local_search: bool,
        shaping: bool,
    ) -> None:
        searched = (domain, instance, prior, parameters)
        options: Any = {"dead_ends": dead_ends, "local_search": local_search, "shaping": shaping}
        super().__init__(*searched, **options)
        self._new_replica = functools.partial(Replica, *searched, **options)
        self._shaping = shaping
        self._most_of_round = _most_playouts(parameters) * (1 + dead_ends)
        self._pools: dict[int, ThreadPoolExecutor] = {}
        self._members: list[Member] = []
        self._alone = True
        self._confirmed = 0

    @property
    def parallel_time(self) -> ParallelTime:
        """Length of the search with a processor for each worker."""
        counters = self.rounds.counters
        under_way = self.monitor.counters[PLAYOUTS] - counters[BEGAN] if counters[UNDER_WAY] else 0
        return ParallelTime(
            int(counters[ROUNDS]),
            int(counters[CALLS]),
            int(counters[CRITICAL] + max(counters[LONGEST], under_way)),
        )

    def use_threads(self, threads: int) -> None:
        """Set the number of threads for the calls of a round; it does not change the results.

        A speculative search stays on one where it is not the best alone that ends a round: with
        limited repetitions, and where the best of all may be another than that of a level.
        """
        parameters = self.parameters.rounds
        ends_early = self._shaping or parameters.levels.repetitions > 0
        if parameters.strategy == SPECULATIVE and ends_early:
            threads = 1
        threads = min(threads, parameters.workers)
        others = [self._new_replica() for _ in range(threads - 1)]
        self._members = [Member(replica) for replica in (self, *others)] if others else []
        self._pools = {}
        if others:
            self._compile_exchange()

    def _compile_exchange(self) -> None:
        """Compile the kernels of the first barrier, or load them from disk."""
        parameters, copy = self.parameters.rounds, self._members[0].copy
        compile_for(finish_round, parameters, *copy)
        compile_for(import_best, copy, copy)
        compile_for(import_policy, parameters, copy, copy)
        counters = self.rounds.counters
        compile_for(import_results, parameters, counters[FIRST], counters[TURN], copy, copy)

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        workers, n = self.parameters.rounds.workers, len(self._members)
        self.workers = range(workers)
        for index, member in enumerate(self._members):
            member.replica.workers = range(workers * index // n, workers * (index + 1) // n)
            member.new_round(-np.inf)
            member.behind = False
            member.replica.target = self.target
            if index > 0:
                member.replica.begin(stream)
        super().begin(stream)
        self._alone = not self._members
        self._confirmed = 0

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`.

        Results of other threads count from the end of a round on.
        """
        counters = self.monitor.counters
        while not self._alone:
            active = self._active()
            made = self._made()
            counters[PLAYOUTS] = self._confirmed + made
            if made == 0 and self._confirmed + self._most_of_round > run_playouts:
                self._leave_to_first()
            elif not active:
                status = self._meet()
                if status != PAUSED:
                    return status
            elif counters[PLAYOUTS] < max_playouts:
                self._play(active, int(max_playouts - counters[PLAYOUTS]))
            else:
                return PAUSED
        return self.search(self.course(max_playouts, run_playouts))

    def _active(self) -> list[Member]:
        """Members that have calls to make, none of them after one that ends the round."""
        active = []
        for member in self._members:
            if member.ends_round:
                break
            if member.status == PAUSED:
                active.append(member)
        return active

    def _made(self) -> int:
        """Playouts of the round so far, without those that may be discarded."""
        if self.parameters.rounds.strategy == SPECULATIVE:
            return self._members[0].playouts
        return sum(member.playouts for member in self._members)

    def _play(self, active: list[Member], playouts: int) -> None:
        """Let members make playouts, each on a thread."""
        share = -(-playouts // len(active))
        pool = self._pools.get(os.getpid())
        if pool is None:  # or that of the process that this one was forked from, without threads
            pool = self._pools[os.getpid()] = ThreadPoolExecutor(len(self._members) - 1)
        futures = [pool.submit(member.advance, share) for member in active[1:]]
        active[0].advance(share)
        for future in futures:
            future.result()
        self._note(self._members[0], self._confirmed)

    def _note(self, member: Member, before: int) -> bool:
        """Note the result of a member, `before` playouts later; returns whether it is the best."""
        found, better = member.monitor, False
        refuse_broken(found.broken)
        for place in range(found.counters[IMPROVEMENTS]):
            if found.trace_score[place] > best_score(self.monitor):
                self.monitor.counters[PLAYOUTS] = before + found.trace_playouts[place]
                note_improvement(self.monitor, found.trace_score[place])
                better = True
        return better

    def _meet(self) -> int:
        """Merge the results of all members; returns whether the search is over."""
        first, *others = self._members
        made, longest, taken = self._confirmed, 0, []
        for member in self._members:
            taken.append(member)
            if self._note(member, made) and member is not first:
                first.take(import_best, member.copy)
            made += member.playouts
            longest = max(longest, member.replica.rounds.counters[LONGEST])
            if member.ends_round:
                break
        self._confirmed = self.monitor.counters[PLAYOUTS] = made
        if taken[-1].status in (REACHED, EXHAUSTED):
            return taken[-1].status
        self.rounds.counters[LONGEST] = longest
        self._exchange(taken)
        for member in others if self.parameters.rounds.levels.warm_start else ():
            member.take(import_best, first.copy)
        for member in self._members:
            member.behind = True
            member.new_round(best_score(self.monitor))
        first.catch_up()
        return PAUSED

    def _exchange(self, taken: list[Member]) -> None:
        """Give every member the results of others, of those that are `taken`."""
        parameters = self.parameters.rounds
        if parameters.strategy == LOCAL:
            best = max(self._members, key=lambda member: member.best_result)
            for member in self._members:
                if member is not best:
                    member.take(import_policy, parameters, best.copy)
            return
        for source in taken:
            counters = source.replica.rounds.counters
            for member in self._members:
                if member is not source:
                    member.take(
                        import_results, parameters, counters[FIRST], counters[TURN], source.copy
                    )

    def _leave_to_first(self) -> None:
        """Let the first member make all calls: where the budget ends, their order counts."""
        for member in self._members:
            own = slice(member.replica.workers.start, member.replica.workers.stop)
            if self.parameters.rounds.strategy != SPECULATIVE:
                self.rounds.stream[own] = member.replica.rounds.stream[own]
        self.take_workers(range(self.parameters.rounds.workers))
        self._alone = True


def _most_playouts(parameters: RoundParameters) -> int:
    """Most playouts of a round, if none backs out of dead ends."""
    levels, level = parameters.levels, parameters.parallel_level
    if parameters.strategy == LOCAL:
        return int(levels.iterations**level) * levels.playouts_per_adapt
    call = int(levels.iterations ** (level - 1))
    return call * parameters.workers * (levels.playouts_per_adapt if level > 1 else 1)
