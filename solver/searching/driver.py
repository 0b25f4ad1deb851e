"""The search driver: budget, threads, progress, and the result of it all."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, cast

import numpy as np

from solver.algorithms import Algorithm, Run
from solver.algorithms.run import (
    MAX_RUN_PLAYOUTS,
    ParallelAlgorithm,
    TeamRun,
    suited_to_instance,
)
from solver.compiling.jit import compile_for
from solver.compiling.random import Stream, new_stream
from solver.contract.domain import Puzzle
from solver.contract.limits import check_limits
from solver.errors import InputError, quoted
from solver.kernels.bounds import refuse_broken
from solver.kernels.monitor import IMPROVEMENTS, PLAYOUTS, TRACE_LENGTH
from solver.kernels.replay import replay_moves
from solver.kernels.status import EXHAUSTED, PAUSED, REACHED
from solver.priors.priors import NoPrior
from solver.searching.arguments import (
    is_whole_number,
    refuse_other_algorithms,
    refuse_other_budgets,
    refuse_other_priors,
    refuse_other_seeds,
)
from solver.searching.budget import Budget as Budget
from solver.searching.fronts import FrontMember
from solver.searching.results import RunResult, merge
from solver.searching.results import SearchResult as SearchResult
from solver.searching.results import nothing_found as nothing_found
from solver.system.interrupt import result_of

#: A kernel returns to Python about this often: for the clock, Ctrl-C and the progress bar.
SLICE_SECONDS = 0.02
#: A run that returns more often in a row without a playout never ends.
MOST_IDLE = 100_000

Progress = Callable[[int, float], None]
"""Called with the playouts made so far and the best score."""


class _Clock:
    """Deadline, cancellation and progress, shared by the threads of a search.

    `reserve` is what verifying an answer will take, in playouts: so much is left of `seconds`.
    """

    def __init__(
        self,
        seconds: float | None,
        reserve: float,
        stop: threading.Event | None,
        progress: Progress | None,
    ) -> None:
        self.begin = time.perf_counter()
        self.seconds = seconds
        self.reserve = reserve
        self.stop = stop
        self.cancelled = threading.Event()
        self.last_needed = np.inf  # runs beyond it cannot change the answer
        self.playout_seconds = 0.0  # of the latest playouts, in any thread
        self.has_played = False  # a search answers with a playout at least, however late it starts
        self._progress = progress
        self._playouts: dict[int, int] = {}
        self._best = -np.inf
        self._lock = threading.Lock()

    def elapsed(self) -> float:
        return time.perf_counter() - self.begin

    def over(self, number: int) -> bool:
        """True if run `number` must end now: there is no time for another playout."""
        # What is less than a slice is not worth ending early for.
        needed = max(0.0, (1.0 + self.reserve) * self.playout_seconds - SLICE_SECONDS)
        late = (
            self.seconds is not None and self.has_played and self.elapsed() + needed >= self.seconds
        )
        return late or self.interrupted() or number > self.last_needed

    def interrupted(self) -> bool:
        """True if the search was told to stop, or one of its runs failed."""
        return self.cancelled.is_set() or (self.stop is not None and self.stop.is_set())

    def note_final(self, number: int) -> None:
        """Run `number` needs no other after it; with a deadline, none beside it either.

        A budget in seconds is not repeatable anyway, so there the first to find ends the search.
        """
        with self._lock:
            self.last_needed = min(self.last_needed, number if self.seconds is None else -1)

    def report(self, number: int, playouts: int, best: float) -> None:
        if self._progress is None:
            return
        with self._lock:
            self._playouts[number] = playouts
            self._best = max(self._best, best)
            self._progress(sum(self._playouts.values()), self._best)


def _advance_run(
    run: Run, number: int, stream: Stream, playouts: int, has_target: bool, clock: _Clock
) -> RunResult:
    """Make run `number`, with `stream` and up to `playouts` playouts."""
    result = RunResult()
    run.begin(stream)
    counters = run.monitor.counters
    slice_playouts = 1  # a playout may take a tenth of a second
    now = clock.elapsed()
    idle = 0  # calls in a row without a playout
    while not result.complete and not clock.over(number):
        before = int(counters[PLAYOUTS])
        status = run.advance(min(before + slice_playouts, playouts), playouts)
        refuse_broken(run.monitor.broken)
        result.playouts = int(counters[PLAYOUTS])
        if result.playouts > playouts:
            raise InputError(f"a run made {result.playouts} playouts, {playouts} at most were left")
        idle = 0 if result.playouts > before else idle + 1
        if idle >= MOST_IDLE and status == PAUSED:
            raise InputError(f"a run returned PAUSED {MOST_IDLE:,} times without a playout")
        clock.has_played = True
        then, now = now, clock.elapsed()
        pace = clock.playout_seconds = (now - then) / max(result.playouts - before, 1)
        # The last of a full trace, which a later improvement replaces.
        last = run.monitor.trace_playouts[-1], run.monitor.trace_score[-1]
        if len(result.trace) == TRACE_LENGTH and result.trace[-1][:2] != last:
            del result.trace[-1]
        known = len(result.trace)
        for index in range(known, int(counters[IMPROVEMENTS])):
            at = int(run.monitor.trace_playouts[index])
            score = float(run.monitor.trace_score[index])
            result.trace.append((at, score, then + (at - before) * pace))
        result.reached = status == REACHED
        # Where no target ends the search, what `legal_moves` leaves out is no proof of anything.
        nothing_to_do = result.playouts > 0 and len(run.best()[1]) == 0
        result.exhausted = nothing_to_do or (status == EXHAUSTED and has_target)
        if result.exhausted and hasattr(run, "proof"):
            result.proof = run.proof()
        if result.final:
            result.seconds = result.trace[-1][2] if result.reached else now
        result.complete = result.final or result.playouts == playouts
        slice_playouts = int(np.clip(SLICE_SECONDS / max(pace, 1e-9), 1, 4 * slice_playouts))
        clock.report(number, result.playouts, result.trace[-1][1] if result.trace else -np.inf)
    if result.trace:
        result.score, result.moves = run.best()
        if hasattr(run, "front"):
            result.front = [FrontMember(*member) for member in run.front()]
    return result


def _run_lengths(algorithm: Algorithm, playouts: int | None) -> Callable[[int], int]:
    """Length of run number i: the budget is cut into whole runs, the last one shorter.

    If a run may prove that there is no solution, each is as long as all before it together: a
    tree of any size fits into one of them.
    """
    least = algorithm.playouts_per_run
    if not is_whole_number(least, 1):
        expected = "expected a whole number, 1 or more"
        raise InputError(f"{algorithm.name}: playouts_per_run is {quoted(least)}, {expected}")
    lengthens = getattr(algorithm, "runs_lengthen", False)

    def length(number: int) -> int:
        return min(least << max(number - 1, 0), MAX_RUN_PLAYOUTS) if lengthens else least

    def begin(number: int) -> int:
        return (number and least << (number - 1)) if lengthens else number * least

    jobs = algorithm.jobs if isinstance(algorithm, ParallelAlgorithm) else 0
    if jobs and playouts is None:
        raise InputError("jobs share no budget, expected one in playouts")
    if playouts is None:
        return length
    if jobs:
        return lambda number: playouts // jobs + (number < playouts % jobs) if number < jobs else 0
    return lambda number: min(length(number), max(playouts - begin(number), 0))


def search(
    domain: Puzzle,
    instance: Any,
    algorithm: Algorithm,
    budget: Budget,
    *,
    prior: Any = None,
    seed: int = 0,
    key: tuple[int, ...] = (),
    threads: int = 1,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
) -> SearchResult:
    """Search `instance` until the domain's target, the budget or an interruption.

    The budget is cut into runs, run i with random stream i of `seed`. For a
    budget in playouts the result depends on the seed alone, not on `threads`: a solution
    stands once every run before its own is over. With a budget in seconds, which cannot be
    repeated anyway, the first solution ends the search.

    Parameters
    ----------
    domain : Puzzle
        Domain under the options of `instance`, see `Domain.with_options`.
    instance : NamedTuple
        As `domain.instance` returns it; it is not changed.
    algorithm : Algorithm
        Parameters of it that are None are set as suits `domain`, see `solver.algorithms.suited`.
    budget : Budget
        Playouts, seconds or both; the clock starts when everything is compiled.
    prior : NamedTuple, optional
        An instance of a class that `solver.contract.rules.odds` is registered for; `NoPrior`
        by default.
    seed : int
        Seed of all random streams, 0 or more.
    key : tuple of int
        Numbers, 0 or more; searches of one seed with different keys have different streams.
    threads : int
        Runs made at the same time, or of a `ParallelAlgorithm` what makes them; kernels do not hold
        the GIL.
    progress : callable, optional
        Called about fifty times a second and thread, with the playouts so far and the best score.
    stop : threading.Event, optional
        Ends the search when set; Ctrl-C in the main thread does the same.

    Returns
    -------
    SearchResult
        Best playout and end of the search; nothing is verified.

    Raises
    ------
    InputError
        If an argument is out of range, `budget` has no limit, `algorithm` does not fit `domain` or
        the budget, or memory is not enough.
    LimitsError
        If the rules return more than their `Limits`, or numbers out of range.
    """
    if not is_whole_number(threads, 1):
        raise InputError(f"threads is {quoted(threads)}, expected 1 or more")
    refuse_other_seeds(seed, key)
    refuse_other_priors(prior)
    refuse_other_budgets(budget)
    refuse_other_algorithms(algorithm)
    algorithm = suited_to_instance(algorithm, domain, instance)
    if budget.playouts is None and budget.seconds is None:
        raise InputError("a search has no budget, expected playouts or seconds")
    length = _run_lengths(algorithm, budget.playouts)
    at_once = threads if length(1) else 1
    if isinstance(algorithm, ParallelAlgorithm):
        at_once = min(at_once, algorithm.runs_at_once(threads))
    runs = [
        _new_run(algorithm, domain, instance, NoPrior() if prior is None else prior)
        for _ in range(at_once)
    ]
    if isinstance(algorithm, ParallelAlgorithm):
        for run in cast(list[TeamRun], runs):
            run.use_threads(threads // at_once)
    runs[0].begin(new_stream(seed, 0))
    runs[0].advance(0, 0)  # compiles, so that the clock does not see it
    clock = _Clock(budget.seconds, domain.verification_playouts, stop, progress)
    results = _make_runs(runs, (seed, *key), length, domain.target is not None, clock)
    return merge(results, clock.elapsed(), clock.interrupted())


def _new_run(algorithm: Algorithm, domain: Puzzle, instance: Any, prior: Any) -> Run:
    """Return a run of `algorithm`, which may be an author's unfinished one.

    Raises
    ------
    InputError
        If it lacks a member, or `Domain.limits` are no numbers that memory is enough for.
    """
    check_limits(domain, instance)
    try:
        run = algorithm.new_run(domain, instance, prior)
    except MemoryError as error:
        where = f"{domain.name}, {algorithm.name}"
        raise InputError(f"{where}: not enough memory for the limits: {error}") from None
    for member in ("monitor", "begin", "advance", "best"):
        if not hasattr(run, member):
            kind = type(run).__name__
            raise InputError(f"{algorithm.name}: new_run returns a {kind}, which lacks {member!r}")
    return run


def compile_search(
    domain: Puzzle, instance: Any, algorithm: Algorithm, prior: Any, *, whole: bool = False
) -> None:
    """Compile, or load from disk, what searching and checking instances like `instance` takes.

    `whole` includes what a run needs only after a while, its `compile_restarts` if it has that;
    else it is compiled when it comes to it.
    """
    run = _new_run(suited_to_instance(algorithm, domain, instance), domain, instance, prior)
    run.begin(new_stream(0, 0))
    run.advance(0, 0)
    if whole and hasattr(run, "compile_restarts"):
        run.compile_restarts()
    compile_for(replay_moves, instance, domain.new_state(instance), np.zeros(0, np.int64))


def _make_runs(
    runs: list[Run],
    seeds: tuple[int, ...],
    length: Callable[[int], int],
    has_target: bool,
    clock: _Clock,
) -> list[RunResult]:
    """Make numbered runs, one workspace of `runs` per thread, until the clock says stop.

    The last result is that which the search ends with, if there is one.
    """
    numbers = itertools.count()
    results: dict[int, RunResult] = {}

    def work(run: Run) -> None:
        for number in numbers:  # next() on a count is atomic
            if length(number) == 0 or clock.over(number):
                return
            try:
                stream = new_stream(*seeds, number)
                results[number] = _advance_run(
                    run, number, stream, length(number), has_target, clock
                )
            except BaseException:  # the other threads' runs would be for nothing
                clock.cancelled.set()
                raise
            if results[number].final:
                clock.note_final(number)

    futures: list[Future[None]] = []
    with ThreadPoolExecutor(len(runs)) as pool:
        try:
            futures += [pool.submit(work, run) for run in runs]
            for future in futures:
                result_of(future)
        except KeyboardInterrupt:
            clock.cancelled.set()
    for future in futures:
        future.result()
    if clock.seconds is None:
        return [results[number] for number in sorted(results) if number <= clock.last_needed]
    # Stable: the first to end, if any did, is the last; the others keep their order.
    made = [results[number] for number in sorted(results)]
    first = min(result.seconds for result in made) if made else np.inf
    return sorted(made, key=lambda result: result.final and result.seconds == first)
