from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solver.algorithms import (
    ALGORITHMS,
    AS_PUBLISHED,
    MIN_RUN_PLAYOUTS,
    Complete,
    Gnrpa,
    Nmcs,
    Nrpa,
    Portfolio,
    Sampling,
    suited,
)
from solver.contract.domain import Puzzle
from solver.domains import load_domain
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.errors import InputError
from solver.searching.driver import Budget, search
from solver.testing import check_algorithm
from tests.helpers import FOREVER, assert_consistent, gnrpa, random_prior, same_search, toy
from tests.instances import problems
from tests.toys.sequence import SequenceDomain, TargetDomain


def latin_square(name: str) -> tuple[Puzzle, Any]:
    domain = LatinSquareDomain()
    return domain, domain.instance(problems("latin-square")[name], LatinSquareOptions())


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
    tours = load_domain("tsptw")
    for algorithm in (Sampling(dead_ends=1), Nmcs(dead_ends=1), Gnrpa(dead_ends=1)):
        expected = "dead_ends is 1, expected 0 as tsptw cannot back out of dead ends"
        with pytest.raises(InputError, match=f"^{expected}$"):
            algorithm.new_run(tours, None, None)
    for search_of_all in (Complete(), Portfolio()):
        expected = f"{search_of_all.name} is not for tsptw, which cannot back out of dead ends"
        with pytest.raises(InputError, match=f"^{expected}$"):
            search_of_all.new_run(tours, None, None)


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


def test_a_search_that_begins_too_late_plays_once() -> None:
    """Time that is up before the first playout, as on a busy machine, still gives an answer."""
    domain, instance = latin_square("order-20-phase-transition")
    result = search(domain, instance, gnrpa(2, 10), Budget(seconds=1e-9))
    assert result.playouts == 1
    assert len(result.moves) > 0
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


@pytest.mark.parametrize(
    "algorithm",
    [Sampling(10**9), Sampling(1), Gnrpa(2, 20, dead_ends=10**9), Gnrpa(2, 20, dead_ends=1)],
    ids=str,
)
def test_all_tried_is_a_proof(algorithm: Any) -> None:
    """A search that backs out of every dead end of an impossible square says so and ends."""
    domain, instance = latin_square("order-05-stuck")
    result = search(domain, instance, algorithm, Budget(playouts=FOREVER))
    assert result.exhausted
    assert (result.reached, result.interrupted) == (False, False)
    result = search(domain, instance, replace(algorithm, dead_ends=0), Budget(playouts=200))
    assert not result.exhausted
    assert result.playouts == 200


@pytest.mark.parametrize("name", ["sampling", "gnrpa"])
@pytest.mark.parametrize("square", ["order-12-infeasible", "order-13-infeasible"])
def test_squares_at_the_threshold_are_proved(square: str, name: str) -> None:
    """Trees of thousands of dead ends are seen whole: more may be met, what failed comes first."""
    domain = LatinSquareDomain()
    text = Path(__file__).with_name(f"{square}.txt").read_text()
    instance = domain.instance(domain.parse(text, square)[0], domain.options())
    result = search(domain, instance, ALGORITHMS[name](), Budget(playouts=60_000))
    assert result.exhausted
    assert result.playouts > domain.default_dead_ends


def test_a_tree_larger_than_a_run_is_seen_whole() -> None:
    """Each run is as long as all before it, and the answer is the same on several threads."""
    domain, instance = TargetDomain(), toy("....")
    one, *others = (
        search(domain, instance, Sampling(2), Budget(playouts=10**6), threads=threads)
        for threads in (1, 2, 8)
    )
    assert one.exhausted
    assert one.playouts > 2 * MIN_RUN_PLAYOUTS
    for other in others:
        assert same_search(one, other)
        assert other.exhausted


@pytest.mark.parametrize(
    ("name", "problem"), [("latin-square", "order-20-phase-transition"), ("kakuro", "black-6-7")]
)
@pytest.mark.parametrize("algorithm", [Sampling(3), Gnrpa(2, 10, dead_ends=3)], ids=str)
def test_what_failed_is_forgotten_between_runs(algorithm: Any, name: str, problem: str) -> None:
    """A run is the same whatever its workspace was used for, and however often it pauses."""
    check_algorithm(algorithm, load_domain(name), [problems(name)[problem]])


@pytest.mark.parametrize(
    ("domain", "problem", "name"),
    [
        ("latin-square", "order-05-stuck", "gnrpa"),
        ("latin-square", "order-05-stuck", "sampling"),
        ("latin-square", "order-05-stuck", "nmcs"),
        ("kakuro", "square-3-stuck", "gnrpa"),
        ("kakuro", "square-3-stuck", "sampling"),
        ("samegame", "random-06-3", "gnrpa"),
        ("samegame", "random-06-3", "sampling"),
        ("samegame", "random-06-3", "nmcs"),
    ],
)
def test_a_call_searches_as_the_command(domain: str, problem: str, name: str) -> None:
    """Unset parameters are those of the domain: also in Python, also for a proof."""
    puzzle: Any = load_domain(domain)
    instance = puzzle.instance(problems(domain)[problem], puzzle.options())
    plain, of_command = ALGORITHMS[name](), ALGORITHMS[name].suited_to(puzzle)
    budget = Budget(playouts=300)
    called, commanded = (search(puzzle, instance, one, budget) for one in (plain, of_command))
    assert same_search(called, commanded)
    assert called.exhausted == commanded.exhausted == (domain != "samegame" and name != "nmcs")
    published = {key: value for key, value in AS_PUBLISHED.items() if hasattr(plain, key)}
    given = suited(replace(plain, **published), puzzle)
    assert {key: getattr(given, key) for key in published} == published


def test_nothing_to_choose_is_a_proof_where_there_is_a_target() -> None:
    """A single way to play that misses the target: without a target it proves nothing."""
    for domain, exhausted, playouts in ((TargetDomain(), True, 1), (SequenceDomain(), False, 50)):
        result = search(domain, toy("0000"), gnrpa(2, 5), Budget(playouts=50))
        assert (result.exhausted, result.playouts, result.reached) == (exhausted, playouts, False)


# Algorithms and priors


def test_nrpa_is_gnrpa_without_temperature_and_prior() -> None:
    """NRPA makes the playouts of GNRPA at temperature 1 without a prior."""
    domain, instance = SequenceDomain(), toy("." * 12)
    one = search(domain, instance, Nrpa(2, 10, **AS_PUBLISHED), Budget(playouts=500))
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
