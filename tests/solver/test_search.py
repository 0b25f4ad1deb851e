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

from solver.algorithms import ALGORITHMS, MIN_RUN_PLAYOUTS, Gnrpa, Nrpa, Sampling
from solver.domain import Domain
from solver.domains.latin_square import LatinSquareDomain, LatinSquareOptions
from solver.errors import InputError
from solver.kernels.monitor import PLAYOUTS, TRACE_LENGTH, new_monitor, note_improvement
from solver.kernels.replay import replay_moves
from solver.random import new_stream
from solver.search import Budget, SearchResult, search
from tests.helpers import FOREVER, gnrpa, random_prior, same_search, toy
from tests.instances import problems
from tests.toys.sequence import SequenceDomain, TargetDomain


def latin_square(name: str) -> tuple[Domain, Any]:
    domain = LatinSquareDomain()
    return domain, domain.instance(problems("latin-square")[name], LatinSquareOptions())


def assert_consistent(result: SearchResult, domain: Domain, instance: Any) -> None:
    """The parts of a result agree with each other and with the moves played again."""
    assert replay_moves(instance, domain.new_state(instance), result.moves) == result.score
    trace = result.trace
    assert trace.score[-1] == result.score
    assert (np.diff(trace.score) > 0).all()
    assert (np.diff(trace.playouts) > 0).all()
    assert (np.diff(trace.seconds) >= 0).all()
    assert 1 <= trace.playouts[0] <= trace.playouts[-1] <= result.playouts
    assert result.reached == (domain.target is not None and result.score >= domain.target)
    if result.reached:
        assert trace.playouts[-1] == result.playouts
        assert trace.seconds[-1] == result.seconds


# Same answer on any number of threads


@pytest.mark.parametrize("algorithm", [Sampling(), gnrpa(2, 10, 0.1)], ids=["sampling", "gnrpa"])
def test_threads_do_not_change_the_answer_of_the_toy(algorithm: Any) -> None:
    """Solved early, late or not at all, 1, 2 and 8 threads give one result per seed."""
    domain, instance = TargetDomain(), toy("..3......")
    solved_after_first_run = unsolved = 0
    for seed in range(8):
        one, *others = (
            search(domain, instance, algorithm, Budget(playouts=5000), seed=seed, threads=threads)
            for threads in (1, 2, 8)
        )
        assert_consistent(one, domain, instance)
        for other in others:
            assert same_search(one, other)
        solved_after_first_run += one.reached and one.playouts > MIN_RUN_PLAYOUTS
        unsolved += not one.reached
        assert one.reached or one.playouts == 5000
    assert solved_after_first_run
    assert unsolved


@pytest.mark.parametrize("name", ["order-09-holes", "order-20-phase-transition", "order-05-stuck"])
def test_threads_do_not_change_the_answer_of_a_latin_square(name: str) -> None:
    """The same for Latin squares."""
    domain, instance = latin_square(name)
    for seed in range(2):
        one, *others = (
            search(domain, instance, gnrpa(2, 20), Budget(playouts=2500), seed=seed, threads=n)
            for n in (1, 2, 8)
        )
        assert_consistent(one, domain, instance)
        assert one.reached == (name != "order-05-stuck")
        for other in others:
            assert same_search(one, other)


@pytest.mark.parametrize("dead_ends", [1, 50, 10**9])
def test_dead_ends_count_as_playouts(dead_ends: int) -> None:
    """Backing out keeps budgets exact and results the same for 1, 2 and 8 threads."""
    domain, instance = SequenceDomain(), toy("..3.0.4.")
    for algorithm in (Sampling(dead_ends), Gnrpa(2, 40, dead_ends=dead_ends)):
        one, *others = (
            search(domain, instance, algorithm, Budget(playouts=3333), threads=threads)
            for threads in (1, 2, 8)
        )
        assert one.playouts == 3333
        assert_consistent(one, domain, instance)
        for other in others:
            assert same_search(one, other)


def test_a_domain_that_cannot_undo_refuses_dead_ends() -> None:
    """Dead ends need a domain that can take moves back."""

    class OneWay(SequenceDomain):
        can_undo: ClassVar[bool] = False

    with pytest.raises(InputError, match=r"^toy cannot back out of dead ends$"):
        search(OneWay(), toy("..."), Sampling(dead_ends=1), Budget(playouts=1))


def test_growing_policies_do_not_change_the_answer() -> None:
    """Hashed codes, interned in other orders by other threads, give one result."""
    domain = SequenceDomain()
    results = [
        search(
            domain, toy("." * 40, hashed=hashed), gnrpa(2, 25), Budget(playouts=4000),
            threads=threads, seed=3,
        )
        for hashed, threads in ((False, 1), (True, 1), (True, 2), (True, 8))
    ]  # fmt: skip
    for other in results[1:]:
        assert same_search(results[0], other)


def test_seeds_differ() -> None:
    """Another seed is another search."""
    domain, instance = SequenceDomain(), toy("." * 12)
    moves = {
        tuple(search(domain, instance, Sampling(), Budget(playouts=50), seed=seed).moves.tolist())
        for seed in range(10)
    }
    assert len(moves) == 10


def test_more_playouts_go_on_where_fewer_end() -> None:
    """A larger budget makes the same playouts first: its trace begins with the smaller one's."""
    domain, instance = SequenceDomain(), toy("." * 12)
    small, large = (
        search(domain, instance, gnrpa(2, 10), Budget(playouts=playouts), threads=2)
        for playouts in (1500, 4500)
    )
    n = len(small.trace.score)
    assert large.trace.playouts[:n].tolist() == small.trace.playouts.tolist()
    assert large.trace.score[:n].tolist() == small.trace.score.tolist()
    assert large.playouts == 4500


# Budgets


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("playouts", [1, 7, 1023, 1024, 1025, 5000])
def test_a_budget_in_playouts_is_exact(playouts: int, threads: int) -> None:
    """An unsolved search makes the playouts it was given."""
    for algorithm in (Sampling(), gnrpa(2, 7)):
        result = search(
            SequenceDomain(), toy("....."), algorithm, Budget(playouts=playouts), threads=threads
        )
        assert result.playouts == playouts
        assert not result.reached
        assert not result.interrupted


@pytest.mark.parametrize("threads", [1, 2])
def test_a_budget_in_seconds_ends_a_search(threads: int) -> None:
    """Without a limit on playouts the clock ends the search, and the best is reported."""
    domain, instance = SequenceDomain(), toy("." * 12)
    result = search(domain, instance, gnrpa(2, 10), Budget(seconds=0.2), threads=threads)
    assert result.seconds >= 0.2
    assert result.playouts > 0
    assert not result.interrupted
    assert_consistent(result, domain, instance)


def test_whichever_limit_comes_first() -> None:
    """With both limits, the few playouts end the search long before the seconds do."""
    result = search(
        SequenceDomain(), toy("....."), Sampling(), Budget(playouts=100, seconds=1000.0)
    )
    assert result.playouts == 100
    assert result.seconds < 1000.0


def test_an_instance_without_moves() -> None:
    """A complete square is solved by one playout of no moves; a contradiction never is."""
    domain, instance = latin_square("order-04-complete")
    for algorithm in (Sampling(), gnrpa(2, 5)):
        result = search(domain, instance, algorithm, Budget(playouts=50))
        assert (result.score, result.playouts, result.reached) == (0.0, 1, True)
        assert result.moves.tolist() == []
    domain, instance = latin_square("order-04-contradiction")
    for algorithm in (Sampling(), gnrpa(2, 5)):
        result = search(domain, instance, algorithm, Budget(playouts=50))
        assert result.score < 0
        assert not result.reached
        assert result.playouts < 50  # more playouts of no moves would find the same


# Interruption, progress and errors, with runs made in Python


SOLVED = 1e9


@dataclass(frozen=True)
class Scripted:
    """An algorithm that makes no playouts: `step` says what happens in each slice."""

    name: ClassVar[str] = "scripted"
    step: Callable[[ScriptedRun], bool] = lambda run: False
    playouts_per_run: int = 1000

    def new_run(self, domain: Domain, instance: Any, prior: Any) -> ScriptedRun:
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
    return search(SequenceDomain(), None, Scripted(step), budget, **arguments)


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
    sent = threading.Event()

    def press(playouts: int, best: float) -> None:
        waiting = {frame.f_code for frame, _ in traceback.walk_stack(sys._current_frames()[main])}
        if futures.wait.__code__ in waiting and not sent.is_set():
            sent.set()
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

    monkeypatch.setattr("solver.search.ThreadPoolExecutor", Pool)
    try:
        result = scripted(lambda run: False, Budget(playouts=500_000), threads=4)
    except KeyboardInterrupt:
        pytest.fail("it left the search")
    assert result.interrupted


@pytest.mark.parametrize("threads", [1, 4])
def test_an_error_in_a_run_is_raised(threads: int) -> None:
    """What goes wrong in a thread comes out of `search`."""

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
    assert result.playouts == 1000 + 16
    assert (result.score, len(result.moves)) == (SOLVED, 1)


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

    def new_run(self, domain: Domain, instance: Any, prior: Any) -> ImprovingRun:
        return ImprovingRun(self)


def test_a_full_trace_ends_with_the_best_score() -> None:
    """With more improvements than a run can keep, the last entry is still the best score."""
    budget = Budget(playouts=2 * TRACE_LENGTH)
    result = search(SequenceDomain(), None, Improving(), budget)
    assert result.score == 2 * TRACE_LENGTH
    assert len(result.trace.score) <= TRACE_LENGTH
    assert result.trace.score[-1] == result.score
    assert result.trace.playouts[-1] == 2 * TRACE_LENGTH


# Parameters


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"playouts": 0}, "playouts is 0, expected more than 0"),
        ({"playouts": -5}, "playouts is -5, expected more than 0"),
        ({"seconds": 0.0}, "seconds is 0.0, expected more than 0"),
        ({"seconds": -1.0}, "seconds is -1.0, expected more than 0"),
        ({"seconds": float("nan")}, "seconds is nan, expected more than 0"),
    ],
)
def test_budget_is_validated(limits: dict[str, Any], message: str) -> None:
    """A limit that is not positive is refused with its name and value."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Budget(**limits)


@pytest.mark.parametrize(
    ("budget", "threads", "message"),
    [
        (Budget(), 1, "a search needs a budget in playouts or seconds"),
        (Budget(playouts=5), 0, "threads is 0, expected 1 or more"),
        (Budget(playouts=5), -2, "threads is -2, expected 1 or more"),
    ],
)
def test_search_arguments_are_validated(budget: Budget, threads: int, message: str) -> None:
    """A search without end and a search without threads are refused."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        search(SequenceDomain(), toy("..."), Sampling(), budget, threads=threads)


@pytest.mark.parametrize(
    ("algorithm", "parameters", "message"),
    [
        (Gnrpa, {"level": 0}, "level is 0, expected 1 ... 10"),
        (Gnrpa, {"level": 11}, "level is 11, expected 1 ... 10"),
        (Gnrpa, {"iterations": 0}, "iterations is 0, expected 1 or more"),
        (Gnrpa, {"alpha": 0.0}, "alpha is 0.0, expected more than 0"),
        (Gnrpa, {"alpha": float("nan")}, "alpha is nan, expected more than 0"),
        (Gnrpa, {"alpha": float("inf")}, "alpha is inf, expected more than 0"),
        (Gnrpa, {"temperature": -1.0}, "temperature is -1.0, expected more than 0"),
        (Gnrpa, {"temperature": float("inf")}, "temperature is inf, expected more than 0"),
        (Gnrpa, {"dead_ends": -1}, "dead_ends is -1, expected 0 or more"),
        (Sampling, {"dead_ends": -1}, "dead_ends is -1, expected 0 or more"),
        (Nrpa, {"level": 0}, "level is 0, expected 1 ... 10"),
        (Nrpa, {"temperature": 1.4}, "nrpa has no temperature, use gnrpa"),
    ],
)
def test_algorithm_parameters_are_validated(
    algorithm: type[Gnrpa | Sampling], parameters: dict[str, Any], message: str
) -> None:
    """A parameter out of range is refused with its name and value."""
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        algorithm(**parameters)


@pytest.mark.parametrize(("level", "iterations"), [(1, 1), (2, 7), (2, 32), (2, 100), (3, 20)])
def test_a_run_is_made_of_whole_nested_searches(level: int, iterations: int) -> None:
    """A run has the playouts of a multiple of N**level, and is long enough to be worth starting."""
    playouts = gnrpa(level, iterations).playouts_per_run
    assert playouts % iterations**level == 0
    assert playouts >= MIN_RUN_PLAYOUTS
    assert playouts == iterations**level or playouts - iterations**level < MIN_RUN_PLAYOUTS


def test_algorithms_are_listed_by_name() -> None:
    """The table of algorithms has each under its own name."""
    assert {name: algorithm.name for name, algorithm in ALGORITHMS.items()} == {
        "sampling": "sampling", "nrpa": "nrpa", "gnrpa": "gnrpa",
    }  # fmt: skip


def test_nrpa_is_gnrpa_without_temperature_and_prior() -> None:
    """NRPA makes the playouts of GNRPA at temperature 1 without a prior."""
    domain, instance = SequenceDomain(), toy("." * 12)
    one = search(domain, instance, Nrpa(2, 10), Budget(playouts=500))
    two = search(domain, instance, gnrpa(2, 10), Budget(playouts=500))
    assert same_search(one, two)


def test_a_prior_changes_the_search() -> None:
    """A prior given to `search` reaches the playouts."""
    domain, instance = SequenceDomain(), toy("." * 12)
    prior = random_prior(domain.priors["pair"], seed=0, scale=3.0)
    one, two = (
        search(domain, instance, Sampling(), Budget(playouts=50), prior=p) for p in (None, prior)
    )
    assert not same_search(one, two)
