"""Parallel NRPA against plain Python, against NRPA, and against itself on more threads."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from solver.algorithms import AS_PUBLISHED, Gnrpa, ParallelNrpa, algorithm_named, suited
from solver.compiling.random import jump_kernel, new_stream
from solver.contract.domain import Puzzle
from solver.contract.references import generated_problems
from solver.domains import load_domain
from solver.errors import InputError, message_of
from solver.kernels.monitor import PLAYOUTS
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget, search
from solver.testing import check_algorithm
from tests.helpers import advance, begun, moves_of_record, same_search, toy
from tests.reference_parallel import ReferenceParallel
from tests.toys.sequence import N_PLAYED, SequenceDomain, TargetDomain
from tests.trials.forked import Streams, status_in_fork

DOMAIN = SequenceDomain()
TEXT = "..3...0.1"
PRIOR = NoPrior()
STRATEGIES = ("shared", "local", "speculative")


def reference(
    algorithm: ParallelNrpa, instance: Any, seed: int, playouts: int
) -> ReferenceParallel:
    found = ReferenceParallel(
        DOMAIN, instance, new_stream(seed), iterations=algorithm.iterations,
        alpha=algorithm.alpha, temperature=algorithm.temperature,
        playouts_per_adapt=algorithm.playouts_per_adapt, repetitions=algorithm.repetitions,
        workers=algorithm.workers, parallel_level=algorithm.parallel_level,
        strategy=algorithm.strategy, pass_policy=algorithm.pass_policy,
        adapt_each=algorithm.adapt_each, limit=playouts,
    )  # fmt: skip
    found.run(algorithm.level)
    return found


@pytest.mark.parametrize("hashed", [False, True], ids=["dense", "hashed"])
@pytest.mark.parametrize(
    "parameters",
    [
        {"level": 1, "iterations": 12, "workers": 4},
        {"level": 2, "iterations": 7, "workers": 3, "alpha": 0.7, "temperature": 1.3},
        {"level": 3, "iterations": 4, "workers": 2, "parallel_level": 2},
        {"level": 2, "iterations": 6, "workers": 6, "parallel_level": 2, "repetitions": 2},
        {"level": 2, "iterations": 7, "workers": 3, "alpha": 0.4, "adapt_each": True},
        {"level": 3, "iterations": 5, "workers": 2, "parallel_level": 2, "adapt_each": True},
        {"level": 2, "iterations": 9, "workers": 3, "strategy": "local"},
        {"level": 2, "iterations": 8, "workers": 3, "strategy": "local", "pass_policy": True},
        {
            "level": 3, "iterations": 4, "workers": 2, "parallel_level": 2, "strategy": "local",
            "pass_policy": True, "playouts_per_adapt": 2,
        },
        {"level": 2, "iterations": 5, "workers": 2, "parallel_level": 2, "strategy": "local"},
        {"level": 2, "iterations": 9, "workers": 5, "strategy": "speculative"},
        {"level": 3, "iterations": 4, "workers": 3, "parallel_level": 2, "strategy": "speculative"},
    ],
    ids=str,
)  # fmt: skip
def test_playouts_are_those_of_the_paper(parameters: dict[str, Any], hashed: bool) -> None:
    """One playout after the other is the plain search's, and there are as many rounds."""
    algorithm, playouts = ParallelNrpa(**AS_PUBLISHED, **parameters), 216
    instance = toy(TEXT, hashed=hashed)
    run = begun(algorithm, DOMAIN, instance, PRIOR, seed=4)
    made = []
    for _ in range(playouts):
        advance(run, int(run.monitor.counters[PLAYOUTS]) + 1)
        made.append(run.state.values[: run.state.scalars[N_PLAYED]].tolist())
    expected = reference(algorithm, instance, seed=4, playouts=playouts)
    assert made == [moves for _, moves in expected.playouts[:playouts]]
    assert abs(run.parallel_time.rounds - expected.rounds) <= 1  # the last may be under way


@pytest.mark.parametrize("strategy", ["shared", "local"])
@pytest.mark.parametrize("parallel_level", [1, 2, 3])
@pytest.mark.parametrize("options", [{}, {"repetitions": 2}, {"layered": True}], ids=str)
def test_one_worker_is_gnrpa(parallel_level: int, strategy: Any, options: dict[str, Any]) -> None:
    """One worker is GNRPA at any level, with every option."""
    plain = Gnrpa(level=3, iterations=6, temperature=1.2, **AS_PUBLISHED, **options)
    single = ParallelNrpa(
        **asdict(plain), workers=1, parallel_level=parallel_level, strategy=strategy
    )
    one, other = (
        search(DOMAIN, toy(TEXT), algorithm, Budget(playouts=1500), seed=3, prior=PRIOR)
        for algorithm in (plain, single)
    )
    assert same_search(one, other)


def test_a_forked_process_goes_on_with_a_run(tmp_path: Path) -> None:
    """Its threads are its own; both processes find the same as one alone."""
    algorithm = suited(ParallelNrpa(level=2, iterations=12, workers=4), DOMAIN)

    def begun_on_two() -> Any:
        run: Any = algorithm.new_run(DOMAIN, toy(TEXT), PRIOR)
        run.use_threads(2)
        run.begin(new_stream(4))
        advance(run, 30)
        return run

    run, alone = begun_on_two(), begun_on_two()
    advance(alone, 100)
    expected = moves_of_record(alone, 0)

    def go_on() -> None:
        advance(run, 100)
        sys.exit(7 if moves_of_record(run, 0) == expected else 1)

    status = status_in_fork(go_on, [], tmp_path, Streams(tmp_path / "errors"), 30.0)
    assert (status, (tmp_path / "errors").read_text()) == (7, "")
    advance(run, 100)
    assert moves_of_record(run, 0) == expected


def sequential(
    domain: Puzzle, instance: Any, algorithm: Gnrpa, seed: int, playouts: int
) -> list[Any]:
    """Playouts of a search of level 1 or 2, each with a stream of its own."""
    run: Any = begun(algorithm, domain, instance, PRIOR, seed)
    stream, made = new_stream(seed), []
    for playout in range(playouts):
        run.stream[:] = stream
        jump_kernel(stream)
        advance(run, playout + 1)
        made.append(run.best())
    return [(score, moves.tolist()) for score, moves in made]


@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("name", ["toy", "tsptw"])
def test_a_speculative_search_is_the_sequential_one(name: str, workers: int) -> None:
    """NRPA itself, with a stream for each call, finds the same, bit by bit, with any M."""
    domain: Puzzle = DOMAIN
    instance: Any = toy(TEXT)
    if name != "toy":
        domain = load_domain(name)
        (problem,) = generated_problems(domain, 1, seed=1)
        instance = domain.instance(problem, domain.options())
    plain = Gnrpa(level=2, iterations=20, **AS_PUBLISHED)
    algorithm = ParallelNrpa(**asdict(plain), workers=workers, strategy="speculative")
    expected = sequential(domain, instance, plain, 6, 400)
    for threads in (1, 2):
        run: Any = algorithm.new_run(domain, instance, PRIOR)
        run.use_threads(threads)
        run.begin(new_stream(6))
        made = []
        for playout in range(400):
            run.advance(playout + 1, 400)
            score, moves = run.best()
            made.append((score, moves.tolist()))
        assert made[-1] == expected[-1]
        assert threads > 1 or made == expected
        assert run.parallel_time.calls == 400
        assert (run.parallel_time.rounds == 400) == (workers == 1)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "options",
    [AS_PUBLISHED, {**AS_PUBLISHED, "repetitions": 2}, {"dead_ends": 2, "shaping": True}],
    ids=str,
)
def test_threads_change_nothing(strategy: Any, options: dict[str, Any]) -> None:
    """The same search on any number of threads, more than workers included, however codes look."""
    for parallel_level in (1, 2):
        algorithm = ParallelNrpa(
            level=2, iterations=20, workers=5, parallel_level=parallel_level, strategy=strategy,
            pass_policy=strategy == "local", **options,
        )  # fmt: skip
        found = [
            search(
                DOMAIN, toy(TEXT, hashed=threads > 1), algorithm, Budget(playouts=1100), seed=2,
                prior=PRIOR, threads=threads,
            )
            for threads in (1, 2, 3, 7)
        ]  # fmt: skip
        assert all(same_search(found[0], other) for other in found)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_first_worker_that_reaches_the_target_counts(strategy: Any, seed: int) -> None:
    """The first worker that reaches the target counts, on any number of threads."""
    algorithm = ParallelNrpa(level=3, iterations=8, workers=4, parallel_level=3, strategy=strategy)
    one, two = (
        search(
            TargetDomain(), toy("..3......"), algorithm, Budget(playouts=100_000), seed=seed,
            prior=PRIOR, threads=threads,
        )
        for threads in (1, 2)
    )  # fmt: skip
    assert one.reached
    assert same_search(one, two)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_pauses_of_threads_change_nothing(strategy: Any) -> None:
    """Rounds that are cut into pieces end as others, and are as many."""
    algorithm = ParallelNrpa(
        level=3, iterations=6, workers=4, parallel_level=2, strategy=strategy, **AS_PUBLISHED
    )
    found = []
    for threads, step in ((1, 300), (2, 300), (2, 7), (3, 1)):
        run: Any = algorithm.new_run(DOMAIN, toy(TEXT), PRIOR)
        run.use_threads(threads)
        run.begin(new_stream(5))
        for playouts in (*range(step, 300, step), 300):
            run.advance(playouts, 300)
        score, moves = run.best()
        found.append((score, moves.tolist(), run.parallel_time, run.monitor.counters.tolist()))
    assert found == [found[0]] * 4


@pytest.mark.parametrize("workers", [1, 4])
def test_jobs_share_the_budget(workers: int) -> None:
    """The best of K searches, each of an equal part of the playouts, and all playouts are made."""
    algorithm = ParallelNrpa(level=2, iterations=10, workers=workers, jobs=3)
    alone = replace(algorithm, jobs=1)
    found = [
        search(DOMAIN, toy(TEXT), algorithm, Budget(playouts=305), prior=PRIOR, threads=threads)
        for threads in (1, 2, 4)
    ]
    assert same_search(found[0], found[1])
    assert same_search(found[0], found[2])
    assert found[0].playouts == 305
    runs = [begun(alone, DOMAIN, toy(TEXT), PRIOR, 0) for _ in range(3)]
    for number, run in enumerate(runs):
        run.begin(new_stream(0, number))
        advance(run, 102 - (number == 2))
    assert found[0].score == max(run.best()[0] for run in runs)


def test_jobs_need_a_budget_in_playouts() -> None:
    """There is nothing to share equally in seconds."""
    with pytest.raises(InputError, match=r"^jobs share no budget, expected one in playouts$"):
        search(DOMAIN, toy("..."), ParallelNrpa(jobs=2), Budget(seconds=1.0))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_it_keeps_the_promises_of_algorithms(strategy: Any) -> None:
    """Pauses and threads change nothing, budgets are exact."""
    problems = DOMAIN.parse(TEXT, "toy")
    algorithm = ParallelNrpa(level=2, iterations=9, workers=4, strategy=strategy)
    check_algorithm(algorithm, DOMAIN, problems)
    assert algorithm_named("parallel-nrpa") is ParallelNrpa


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"workers": 0}, "workers is 0, expected 1 or more"),
        ({"workers": 101}, "workers is 101, expected 1 ... 100: no more than iterations"),
        ({"parallel_level": 0}, "parallel_level is 0, expected 1 or more"),
        ({"parallel_level": 3, "level": 2}, "parallel_level is 3, expected 1 ... 2"),
        ({"jobs": -1}, "jobs is -1, expected 0 or more"),
        (
            {"strategy": "both"},
            "strategy is 'both', expected one of: shared, local, speculative",
        ),
        ({"pass_policy": True}, "pass_policy is for the strategy local"),
        ({"adapt_each": True, "strategy": "local"}, "adapt_each is for the strategy shared"),
        (
            {"strategy": "local", "warm_start": True},
            "warm_start is not for the strategy local",
        ),
        (
            {"playouts_per_adapt": 2},
            "playouts_per_adapt is 2, expected 1 where workers make single playouts",
        ),
    ],
)
def test_parameters_are_validated(parameters: dict[str, Any], message: str) -> None:
    """A parameter out of range is refused with its name and value."""
    with pytest.raises(InputError) as error:
        ParallelNrpa(**parameters)
    assert str(error.value) == message
    assert message_of(error.value).startswith("--")
