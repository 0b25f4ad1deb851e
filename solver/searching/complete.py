"""Solutions of a problem one after the other: all of them, some, or whether there is just one."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from solver.algorithms.complete import Complete
from solver.algorithms.run import Algorithm, suited
from solver.compiling.random import new_stream
from solver.contract.domain import Problem, Puzzle
from solver.contract.problems import refuse_unreadable
from solver.contract.rules import mark, undo
from solver.errors import InputError, VerificationError, quoted
from solver.kernels.bounds import refuse_broken
from solver.kernels.monitor import PLAYOUTS
from solver.kernels.replay import replay_moves
from solver.kernels.status import EXHAUSTED, REACHED
from solver.priors.priors import NoPrior
from solver.searching.answers import answer_in
from solver.searching.arguments import (
    is_whole_number,
    own_options,
    refuse_other_algorithms,
    refuse_other_budgets,
    refuse_other_priors,
    refuse_other_problems,
    refuse_other_seeds,
)
from solver.searching.driver import SLICE_SECONDS, Budget, Progress

_DIGEST_BYTES = 16
#: Without a limit the search goes on until all solutions are found.
NO_LIMIT = 1 << 62


@dataclass(frozen=True)
class Checkpoint:
    """State of a search for solutions, from which a later one of the same settings goes on."""

    count: int
    """Solutions found."""
    seconds: float
    """Seconds of searching."""
    seen: npt.NDArray[np.uint8]
    """uint8[count, 16]: digests of the solutions."""
    run: list[npt.NDArray[Any]]
    """Arrays of the run, see `solver.kernels.complete.run.CompleteRun.saved`."""


@dataclass
class SolutionSearch:
    """Search for the different solutions of a problem: an iterator of verified answers.

    The search goes on where the iteration does, and may be left at any time. Solutions depend on
    the seed, and on `budget` where that ends the search.

    Parameters
    ----------
    domain : Puzzle
        With a target, and rules that have `mark` and `undo`.
    problem : Problem
        As `domain.parse` returns it.
    options : object, optional
        Options of the domain, by default its own.
    limit : int
        Solutions after which the search ends, 1 or more.
    budget : Budget, optional
        Playouts, each a dead end or a solution, and seconds; none by default.
    prior : NamedTuple, optional
        See `solver.searching.driver.search`.
    seed : int
        Seed of the random stream, 0 or more.
    algorithm : Algorithm, optional
        Whose runs go on after a solution: `Complete` by default.
    stop : threading.Event, optional
        Ends the search when set.
    progress : callable, optional
        Called about fifty times a second with the playouts and the number of solutions so far.
    start : Checkpoint, optional
        Place of an earlier search of the same settings: its solutions are not found again, and they
        count towards `limit`, its playouts and seconds towards `budget`.
    on_pause : callable, optional
        Called between two solutions, about fifty times a second, where `checkpoint` can be.

    Attributes
    ----------
    count : int
        Solutions found so far.
    exact : bool
        True if there are no others: what was not found does not exist.
    interrupted : bool
        True if `stop` or Ctrl-C has ended it: no more solutions come.
    playouts : int
        Dead ends and solutions so far.
    restarts : int
        Times that the search has begun again at the root.
    nogoods : int
        Refuted branches that are kept from restart to restart.
    seconds : float
        Seconds of searching, without those of the caller and of compiling.

    Raises
    ------
    InputError
        If moves of the domain cannot be undone, or it has no target; or `limit`, `seed` or `prior`
        is out of range. From the iterator: if the problem cannot be read or has no instance, or
        `algorithm` ends at a solution.
    LimitsError
        From the iterator: if the rules return more than their `Limits`.
    VerificationError
        From the iterator: if the verifier rejects a solution that was found, a bug.
    """

    domain: Puzzle
    problem: Problem
    options: Any = None
    limit: int = NO_LIMIT
    budget: Budget = field(default_factory=Budget)
    prior: Any = None
    seed: int = 0
    algorithm: Algorithm = field(default_factory=Complete)
    stop: threading.Event | None = None
    progress: Progress | None = None
    start: Checkpoint | None = None
    on_pause: Callable[[], None] | None = None

    count: int = field(default=0, init=False)
    exact: bool = field(default=False, init=False)
    interrupted: bool = field(default=False, init=False)
    playouts: int = field(default=0, init=False)
    restarts: int = field(default=0, init=False)
    nogoods: int = field(default=0, init=False)
    seconds: float = field(default=0.0, init=False)

    _answers: Iterator[Any] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        refuse_other_problems(self.domain, self.problem)
        if not self.domain.has(mark, undo) or self.domain.target is None:
            raise InputError(f"{self.domain.name} has no complete search")
        if not is_whole_number(self.limit, 1):
            limit = quoted(self.limit)
            raise InputError(f"the limit is {limit}, expected a whole number, 1 or more")
        refuse_other_priors(self.prior)
        refuse_other_seeds(self.seed)
        refuse_other_budgets(self.budget)
        refuse_other_algorithms(self.algorithm)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        """Return another verified answer; no two are alike."""
        if self._answers is None:
            self._answers = self._found()
        try:
            return next(self._answers)
        except KeyboardInterrupt:
            self.interrupted = True
            raise

    def _found(self) -> Iterator[Any]:
        """Yield verified answers, no two alike."""
        refuse_unreadable(self.problem)
        options = own_options(self.domain, self.options)
        domain = self.domain.with_options(options)
        instance = domain.instance(self.problem, options)
        prior = NoPrior() if self.prior is None else self.prior
        run: Any = suited(self.algorithm, domain).new_run(domain, instance, prior)
        run.begin(new_stream(self.seed, 0))
        if not hasattr(run, "counts"):
            raise InputError(f"{self.algorithm.name} ends at a solution, expected complete")
        run.advance(0, 0)  # compiles, so that the clock does not see it
        self._run, self._seen = run, set()
        if self.start is not None:
            self.count, self.seconds = self.start.count, self.start.seconds
            self._seen = {row.tobytes() for row in self.start.seen}
            run.restore(self.start.run)
            self._note_counts(run)
        state, seen = domain.new_state(instance), self._seen
        while self.count < self.limit and self._advance(run):
            score = replay_moves(instance, state, run.best()[1])
            answer = answer_in(domain, instance, state)
            if score < run.best()[0]:
                raise VerificationError(f"{self.problem.name}: replayed score {score}")
            domain.verify(self.problem, answer)
            content = domain.format(self.problem, answer)
            digest = hashlib.blake2b(content.encode(), digest_size=_DIGEST_BYTES).digest()
            if digest not in seen:
                seen.add(digest)
                self.count += 1
                yield answer

    def checkpoint(self) -> Checkpoint:
        """Return copies of the state of the search; only between solutions, once it has begun."""
        seen = np.frombuffer(b"".join(self._seen), np.uint8).reshape(-1, _DIGEST_BYTES)
        return Checkpoint(self.count, self.seconds, seen, self._run.saved())

    def _advance(self, run: Any) -> bool:
        """Go on to the next solution; False if there is none, or the budget ends before."""
        begin, spent = time.perf_counter(), self.seconds
        most = NO_LIMIT if self.budget.playouts is None else self.budget.playouts
        step = 1
        while not self._ends(most):
            now = time.perf_counter()
            before = self.playouts
            status = run.advance(min(before + step, most), most)
            refuse_broken(run.monitor.broken)
            self._note_counts(run)
            then = time.perf_counter()
            self.seconds = spent + then - begin
            pace = (then - now) / max(self.playouts - before, 1)
            step = int(min(max(SLICE_SECONDS / max(pace, 1e-9), 1), 4 * step))
            if self.progress is not None:
                self.progress(self.playouts, self.count)
            self.exact = status == EXHAUSTED
            if status in (REACHED, EXHAUSTED):
                return bool(status == REACHED)
            if self.on_pause is not None and not self._ends(most):
                self.on_pause()
        return False

    def _ends(self, most: int) -> bool:
        """Return whether the search was stopped, or its budget is spent."""
        self.interrupted = self.stop is not None and self.stop.is_set()
        late = self.budget.seconds is not None and self.seconds >= self.budget.seconds
        return self.interrupted or late or self.playouts >= most

    def _note_counts(self, run: Any) -> None:
        """Note how much a run has done."""
        self.playouts = int(run.monitor.counters[PLAYOUTS])
        self.restarts, self.nogoods = (run.counts[name] for name in ("restarts", "nogoods"))


def solutions(domain: Puzzle, problem: Problem, **settings: Any) -> SolutionSearch:
    """Return the search for the solutions of `problem`, see `SolutionSearch`.

    Parameters
    ----------
    domain : Puzzle
        With a target, and rules that have `mark` and `undo`.
    problem : Problem
        As `domain.parse` returns it.
    **settings
        Other parameters of `SolutionSearch`.

    Returns
    -------
    SolutionSearch
        An iterator of verified answers; its attributes say how far it has come.

    Raises
    ------
    InputError
        As `SolutionSearch`.

    Examples
    --------
    >>> found = solutions(domain, problem, limit=2)
    >>> answers = list(found)
    >>> found.exact
    True
    """
    return SolutionSearch(domain, problem, **settings)


def is_unique(domain: Puzzle, problem: Problem, **settings: Any) -> bool | None:
    """Return whether `problem` has just one solution; None if the budget ends before.

    Parameters
    ----------
    domain : Puzzle
        With a target, and rules that have `mark` and `undo`.
    problem : Problem
        As `domain.parse` returns it.
    **settings
        Other parameters of `SolutionSearch`, apart from its limit.

    Returns
    -------
    bool or None
        False if there is no solution, or more than one.

    Raises
    ------
    InputError
        As `SolutionSearch`.
    TypeError
        If `settings` has a limit.
    """
    if "limit" in settings:
        raise TypeError("is_unique looks for two solutions, expected no limit")
    search = SolutionSearch(domain, problem, limit=2, **settings)
    found = sum(1 for _ in search)
    if found == 2:
        return False
    return found == 1 if search.exact else None
