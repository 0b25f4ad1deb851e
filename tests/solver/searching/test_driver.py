"""Interruption, progress and errors of a search, most of them with runs made in Python."""

from __future__ import annotations

import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from solver.algorithms import Sampling
from solver.compiling.random import new_stream
from solver.contract.domain import Puzzle
from solver.errors import InputError
from solver.kernels.monitor import PLAYOUTS, TRACE_LENGTH, new_monitor, note_improvement
from solver.kernels.status import PAUSED
from solver.priors.priors import NO_PRIOR
from solver.searching.driver import Budget, SearchResult, search
from tests.helpers import FOREVER, assert_consistent, gnrpa, toy
from tests.toys.sequence import SequenceDomain

SOLVED = 1e9


@dataclass(frozen=True)
class Scripted:
    """An algorithm that makes no playouts: `step` says what happens in each slice."""

    name: ClassVar[str] = "scripted"
    step: Callable[[ScriptedRun], bool] = lambda run: False
    playouts_per_run: int = 1000

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> ScriptedRun:
        return ScriptedRun(self)


class ScriptedRun:
    """A run whose score is the number of its slices, or `SOLVED`."""

    def __init__(self, algorithm: Scripted) -> None:
        self.algorithm = algorithm
        self.monitor = new_monitor()
        self.slices = 0
        self.score = -np.inf
        self.key = 0  # tells which stream, hence which number, the run began with

    def begin(self, stream: Any) -> None:
        self.monitor.counters[:] = 0
        self.slices = 0
        self.key = int(stream[0])

    def advance(self, max_playouts: int, run_playouts: int) -> bool:
        if max_playouts <= self.monitor.counters[PLAYOUTS]:
            return False
        self.slices += 1
        reached = self.algorithm.step(self)
        self.score = SOLVED if reached else float(self.slices)
        self.monitor.counters[PLAYOUTS] = max_playouts
        note_improvement(self.monitor, self.score)
        return reached

    def best(self) -> tuple[float, Any]:
        return self.score, np.arange(self.slices)


def scripted(step: Callable[[ScriptedRun], bool], budget: Budget, **arguments: Any) -> SearchResult:
    return search(SequenceDomain(), toy("00"), Scripted(step), budget, **arguments)


@pytest.mark.parametrize("threads", [1, 4])
def test_stop_event_interrupts(threads: int) -> None:
    """Setting `stop` ends the search; what was found until then is reported."""
    domain, instance = SequenceDomain(), toy("." * 12)
    stop = threading.Event()
    result = search(
        domain, instance, gnrpa(2, 10), Budget(playouts=FOREVER), threads=threads, stop=stop,
        progress=lambda playouts, best: stop.set() if playouts > 3000 else None,
    )  # fmt: skip
    assert result.interrupted
    assert 3000 < result.playouts < FOREVER
    assert_consistent(result, domain, instance)


@pytest.mark.parametrize("threads", [1, 4])
def test_ctrl_c_interrupts(threads: int) -> None:
    """Ctrl-C ends the search, not the program, and the best is reported."""
    main = threading.main_thread().ident
    assert main is not None
    once = threading.Lock()  # a second one would end the tests

    def press(playouts: int, best: float) -> None:
        waiting = {frame.f_code for frame, _ in traceback.walk_stack(sys._current_frames()[main])}
        if futures.wait.__code__ in waiting and once.acquire(blocking=False):
            signal.pthread_kill(main, signal.SIGINT)

    domain, instance = SequenceDomain(), toy("." * 12)
    result = search(
        domain, instance, gnrpa(2, 10), Budget(playouts=FOREVER), threads=threads, progress=press
    )
    assert result.interrupted
    assert_consistent(result, domain, instance)


def test_ctrl_c_while_threads_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C before the last thread has started interrupts as well."""

    class Pool(futures.ThreadPoolExecutor):
        submitted = 0

        def submit(self, *args: Any, **kwargs: Any) -> Any:
            self.submitted += 1
            if self.submitted == 3:
                raise KeyboardInterrupt
            return super().submit(*args, **kwargs)

    monkeypatch.setattr("solver.searching.driver.ThreadPoolExecutor", Pool)
    try:
        result = scripted(lambda run: False, Budget(playouts=500_000), threads=4)
    except KeyboardInterrupt:
        pytest.fail("it left the search")
    assert result.interrupted


@pytest.mark.parametrize("threads", [1, 4])
def test_an_error_in_a_run_is_raised(threads: int) -> None:
    """An error in a thread is raised by `search`."""

    def fail(run: ScriptedRun) -> bool:
        if run.slices == 3:
            raise ZeroDivisionError("in a run")
        return False

    with pytest.raises(ZeroDivisionError, match="in a run"):
        scripted(fail, Budget(playouts=20_000), threads=threads)


def test_an_error_in_a_run_ends_the_others() -> None:
    """A search that has failed does not go on until its budget is spent."""
    failed, stop = threading.Event(), threading.Event()
    lock = threading.Lock()
    slices_after = 0

    def one_fails(run: ScriptedRun) -> bool:
        nonlocal slices_after
        with lock:
            if not failed.is_set():
                failed.set()
                raise ZeroDivisionError("in a run")
            slices_after += 1
            if slices_after > 20_000:
                stop.set()
        return False

    with pytest.raises(ZeroDivisionError, match="in a run"):
        scripted(one_fails, Budget(playouts=FOREVER), threads=2, stop=stop)
    assert not stop.is_set(), "the other run went on"


def test_a_run_that_never_plays_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget in playouts would never end it."""
    monkeypatch.setattr(ScriptedRun, "advance", lambda self, most, run_playouts: PAUSED)
    with pytest.raises(InputError, match=r"^a run returned PAUSED 100,000 times without a playout"):
        scripted(lambda run: False, Budget(playouts=100))


def test_a_prior_is_its_table() -> None:
    """A search takes what acts, not all that `named_prior` returns."""
    with pytest.raises(InputError, match=r"^the prior is a Prior, expected its table$"):
        search(SequenceDomain(), toy("00"), Sampling(), Budget(playouts=1), prior=NO_PRIOR)
    with pytest.raises(InputError, match=r"^the prior is a str, expected its table$"):
        search(SequenceDomain(), toy("00"), Sampling(), Budget(playouts=1), prior="ngram")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"seed": 1.5}, "seed is 1.5, expected 0 or more"),
        ({"seed": None}, "seed is None, expected 0 or more"),
        ({"seed": -1}, "seed is -1, expected 0 or more"),
        ({"threads": "2"}, "threads is '2', expected 1 or more"),
        ({"threads": 1.0}, "threads is 1.0, expected 1 or more"),
    ],
)
def test_seeds_and_threads_are_whole_numbers(words: dict[str, Any], message: str) -> None:
    """Others are named in a line."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        search(SequenceDomain(), toy("00"), Sampling(), Budget(playouts=1), **words)


def test_an_error_in_progress_is_raised() -> None:
    """A progress function that raises ends the search with its error."""

    def fail(playouts: int, best: float) -> None:
        raise RuntimeError("no bar")

    with pytest.raises(RuntimeError, match="no bar"):
        search(SequenceDomain(), toy("..."), Sampling(), Budget(playouts=10), progress=fail)


@pytest.mark.parametrize("threads", [1, 4])
def test_progress_is_monotone(threads: int) -> None:
    """Progress never goes back and ends at the budget and the best score."""
    seen: list[tuple[int, float]] = []
    domain, instance = SequenceDomain(), toy("." * 12)
    result = search(
        domain, instance, gnrpa(2, 10), Budget(playouts=20_000), threads=threads,
        progress=lambda playouts, best: seen.append((playouts, best)),
    )  # fmt: skip
    playouts, best = zip(*seen, strict=True)
    assert list(playouts) == sorted(playouts)
    assert list(best) == sorted(best)
    assert seen[-1] == (20_000, result.score)
    assert len(seen) > 3


def test_runs_beyond_the_first_solved_one_do_not_count() -> None:
    """Run 1 solves; run 0 is made to its end all the same, and what run 2 has done is dropped."""
    number_of = {int(new_stream(0, number)[0]): number for number in range(100)}
    others = threading.Barrier(3, timeout=60)

    def step(run: ScriptedRun) -> bool:
        number = number_of[run.key]
        if run.slices == 1 and number < 3:
            others.wait()  # all three are on their way
        return number == 1

    result = scripted(step, Budget(playouts=50_000), threads=3)
    assert result.reached
    assert result.playouts == 1000 + 1  # the first slice is one playout
    assert (result.score, len(result.moves)) == (SOLVED, 1)


def test_with_a_deadline_the_first_solution_ends_the_search() -> None:
    """Run 1 solves: run 0, which would take for ever, does not go on."""
    number_of = {int(new_stream(0, number)[0]): number for number in range(100)}
    both, solved, stop = threading.Barrier(2, timeout=60), threading.Event(), threading.Event()
    slices_after = 0

    def step(run: ScriptedRun) -> bool:
        nonlocal slices_after
        number = number_of[run.key]
        if run.slices == 1:
            both.wait()
        slices_after += number == 0 and solved.is_set()
        if slices_after > 20_000:
            stop.set()
        if number == 1:
            solved.set()
        return number == 1

    algorithm = Scripted(step, playouts_per_run=FOREVER)
    result = search(
        SequenceDomain(), toy("00"), algorithm, Budget(seconds=3600.0), threads=2, stop=stop
    )
    assert not stop.is_set(), "the other run went on"
    assert (result.reached, result.score, result.interrupted) == (True, SOLVED, False)
    assert (result.trace.score[-1], result.trace.playouts[-1]) == (SOLVED, result.playouts)


def test_a_search_ends_before_a_playout_that_would_come_too_late() -> None:
    """30 s have room for two playouts of a quarter each, and as much to verify."""
    passed = 0.0

    class Slow(SequenceDomain):
        verification_playouts: ClassVar[float] = 1.0

    def take_a_quarter(run: ScriptedRun) -> bool:
        nonlocal passed
        passed += 7.5
        return False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("solver.searching.driver.time.perf_counter", lambda: passed)
        result = search(Slow(), toy("00"), Scripted(take_a_quarter), Budget(seconds=30.5))
    assert result.playouts == 3
    assert passed == 22.5


class ImprovingRun(ScriptedRun):
    """A run whose every playout is an improvement."""

    def advance(self, max_playouts: int, run_playouts: int) -> bool:
        counters = self.monitor.counters
        self.slices += 1
        while counters[PLAYOUTS] < max_playouts:
            counters[PLAYOUTS] += 1
            self.score = float(counters[PLAYOUTS])
            note_improvement(self.monitor, self.score)
        return False


@dataclass(frozen=True)
class Improving(Scripted):
    playouts_per_run: int = 3 * TRACE_LENGTH

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> ImprovingRun:
        return ImprovingRun(self)


def test_a_full_trace_ends_with_the_best_score() -> None:
    """With more improvements than a run can keep, the last entry is still the best score."""
    budget = Budget(playouts=2 * TRACE_LENGTH)
    result = search(SequenceDomain(), toy("00"), Improving(), budget)
    assert result.score == 2 * TRACE_LENGTH
    assert len(result.trace.score) <= TRACE_LENGTH
    assert result.trace.score[-1] == result.score
    assert result.trace.playouts[-1] == 2 * TRACE_LENGTH


class PausingRun(ScriptedRun):
    """A run whose first playouts are improvements, more than a trace keeps, and no later ones."""

    clock: ClassVar[list[float]] = [0.0]

    def advance(self, max_playouts: int, run_playouts: int) -> bool:
        counters = self.monitor.counters
        self.slices += 1
        while counters[PLAYOUTS] < max_playouts:
            counters[PLAYOUTS] += 1
            self.clock[0] += 1e-3
            if counters[PLAYOUTS] <= TRACE_LENGTH + 5:
                self.score = float(counters[PLAYOUTS])
                note_improvement(self.monitor, self.score)
            elif self.slices % 2:
                self.clock[0] += 1.0  # slower than the playouts before
        return False


@dataclass(frozen=True)
class Pausing(Scripted):
    playouts_per_run: int = 3 * TRACE_LENGTH

    def new_run(self, domain: Puzzle, instance: Any, prior: Any) -> PausingRun:
        return PausingRun(self)


def test_what_does_not_improve_moves_no_improvement_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last improvement of a full trace keeps its time, however the pace changes later."""
    clock = PausingRun.clock
    clock[0] = 0.0
    monkeypatch.setattr("solver.searching.driver.time.perf_counter", lambda: clock[0])
    budget = Budget(playouts=2 * TRACE_LENGTH)
    trace = search(SequenceDomain(), toy("00"), Pausing(), budget).trace
    assert (trace.playouts[-1], trace.score[-1]) == (TRACE_LENGTH + 5, TRACE_LENGTH + 5)
    assert trace.seconds[-2] <= trace.seconds[-1] <= 1e-3 * (TRACE_LENGTH + 5) + 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"budget": 20}, "the budget is 20, expected a Budget"),
        ({"algorithm": "gnrpa"}, "the algorithm is 'gnrpa', expected one of those of `solver`"),
        ({"algorithm": Sampling}, "the algorithm is the class Sampling, expected Sampling()"),
        ({"key": 3}, "key is 3, expected a tuple of numbers of 0 or more"),
        ({"key": (-1,)}, "key is (-1,), expected a tuple of numbers of 0 or more"),
        ({"threads": True}, "threads is True, expected 1 or more"),
        ({"seed": True}, "seed is True, expected 0 or more"),
    ],
)
def test_arguments_of_other_kinds_are_refused(words: dict[str, Any], message: str) -> None:
    """A line says what is expected in their places."""
    usual: dict[str, Any] = {"algorithm": Sampling(), "budget": Budget(playouts=1), **words}
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        search(SequenceDomain(), toy("00"), **usual)


@pytest.mark.parametrize("playouts", [2**62 + 1, 10**5000], ids=["one", "thousands"])
def test_playouts_are_such_as_kernels_count(playouts: int) -> None:
    """More are refused: they end in no error of a kernel."""
    with pytest.raises(InputError, match=r"^playouts is .*, expected 4611686018427387904 at most$"):
        Budget(playouts=playouts)
    assert Budget(playouts=2**62).playouts == 2**62


def test_seconds_are_such_as_clocks_count() -> None:
    """A whole number beyond floats is refused; infinity is no limit."""
    with pytest.raises(InputError, match=r"^seconds is .*, expected 1\.79\d*e\+308 at most$"):
        Budget(seconds=10**5000)
    assert Budget(seconds=float("inf")).limits()["seconds"] is None
