"""Proofs beside a search: on a share of its time, and after it where the budget is in playouts."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field, replace

from solver.contract.domain import Problem, Puzzle
from solver.contract.gaps import Proof, Prove
from solver.contract.references import resolve
from solver.searching.driver import Budget, Progress, SearchResult

#: When proofs are looked for, and for how long at most, as shares of the seconds of a search, with
#: room for so many states; each follows one that promised something.
TURNS = ((0.1, 0.1, 20_000), (0.3, 0.3, 300_000))
#: Room for states where playouts are counted, so that the result does not depend on the clock.
ROOM = 20_000


class _Stop(threading.Event):
    """An event that is set if another one is, too."""

    def __init__(self, other: threading.Event | None) -> None:
        super().__init__()
        self._other = other

    def is_set(self) -> bool:
        """Return whether this event or the other one is set."""
        return super().is_set() or (self._other is not None and self._other.is_set())


@dataclass
class ProofSearch:
    """Proofs for `problem` beside a search; with `domain.prover` None nothing happens.

    Parameters
    ----------
    domain : Puzzle
        Under its options.
    problem : Problem
    budget : Budget
        Of the search.
    progress, stop
        Of the search; the attributes of these names take their place.
    """

    domain: Puzzle
    problem: Problem
    budget: Budget
    progress: Progress | None = None
    stop: threading.Event | None = None
    proof: Proof = field(default_factory=Proof)
    """The latest proof."""

    def __post_init__(self) -> None:
        self._prove: Prove | None = resolve(self.domain.prover)
        self._turns = [] if self.budget.playouts is not None else list(TURNS)
        self._begin: float | None = None
        self._progress, self._outer = self.progress, self.stop
        self._lock = threading.Lock()
        if self._prove is not None:
            self.progress, self.stop = self._report, _Stop(self.stop)

    def _report(self, playouts: int, best: float) -> None:
        """Pass progress on, and look for a proof when it is time for one."""
        if self._progress is not None:
            self._progress(playouts, best)
        now = time.perf_counter()
        with self._lock:
            self._begin = now if self._begin is None else self._begin
            seconds = self.budget.seconds
            if not self._turns or seconds is None or not math.isfinite(seconds):
                return
            share, longest, most = self._turns[0]
            if now - self._begin < share * seconds:
                return
            self._turns.pop(0)
            if not self._look(best, most, now + longest * seconds):
                self._turns.clear()

    def _look(self, best: float, most: int, deadline: float) -> bool:
        """Look for a proof; return whether another try with more room is worth it."""
        assert self._prove is not None
        earlier = self.proof
        if earlier.answer is not None:
            best = max(best, self.domain.objective(self.problem, earlier.answer))
        found = self._prove(self.domain, self.problem, best, most, deadline)
        bounds = [bound for bound in (earlier.bound, found.bound) if bound is not None]
        self.proof = replace(
            found,
            answer=earlier.answer if found.answer is None else found.answer,
            bound=min(bounds, default=None),
        )
        if found.ended:
            assert self.stop is not None
            self.stop.set()
        return found.promises and not found.ended

    def concluded(self, result: SearchResult) -> SearchResult:
        """Return the result of the search with the better answer of the proof, if it has one."""
        if self._prove is None:
            return result
        if self.proof.ended:
            is_stopped = self._outer is not None and self._outer.is_set()
            result = replace(result, interrupted=is_stopped)
        if self.budget.playouts is not None and not result.interrupted:
            before = self.proof.answer
            self._look(result.score, ROOM, math.inf)
            if self.proof.answer is not before and not self.proof.ended:
                self._look(result.score, ROOM, math.inf)  # its own answer is a bound by now
        answer = self.proof.answer
        score = -math.inf if answer is None else self.domain.objective(self.problem, answer)
        if score <= result.score:
            return result
        return replace(result, score=score, moves=self.domain.solution(self.problem, answer))


def compile_prover(domain: Puzzle, problem: Problem) -> None:
    """Compile, or load from disk, what proofs for problems like `problem` take."""
    prove: Prove | None = resolve(domain.prover)
    if prove is not None:
        prove(domain, problem, -math.inf, 1, math.inf)
