"""Nested Monte Carlo search: equal to the paper's recursion, playout by playout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from solver.algorithms import AS_PUBLISHED, Nmcs, Sampling
from solver.compiling.random import new_stream
from solver.contract.rules import odds
from solver.domains import load_domain
from solver.kernels.monitor import IMPROVEMENTS, PLAYOUTS
from solver.kernels.nested.nmcs import NOT_BEGUN
from solver.kernels.status import EXHAUSTED, PAUSED
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget, search
from tests.helpers import (
    FOREVER,
    advance,
    assert_consistent,
    begun,
    random_prior,
    same_search,
    toy,
)
from tests.instances import problems
from tests.reference_nmcs import ReferenceNmcs
from tests.toys.sequence import SequenceDomain


def held_against_the_paper(
    domain: Any, instance: Any, algorithm: Nmcs, prior: Any, playouts: int, seed: int = 3
) -> ReferenceNmcs:
    """Run kernel and reference on equal streams, and compare all that they found."""
    reference = ReferenceNmcs(
        domain,
        instance,
        new_stream(seed),
        playouts=playouts,
        memorise=algorithm.memorise,
        shaping=algorithm.shaping,
        bias=lambda state, move: math.log(odds(prior, instance, state, move)),
    )
    reference.run(algorithm.level)
    run = begun(algorithm, domain, instance, prior, seed)
    advance(run, playouts)
    monitor = run.monitor
    found = int(monitor.counters[IMPROVEMENTS])
    improvements = zip(
        monitor.trace_playouts[:found].tolist(), monitor.trace_score[:found].tolist(), strict=True
    )
    assert list(improvements) == reference.improvements()
    number, score = reference.improvements()[-1]
    best, moves = run.best()
    assert (best, moves.tolist()) == (score, reference.playouts[number - 1][1])
    assert monitor.counters[PLAYOUTS] == len(reference.playouts)
    if run.searches.turn[0] != NOT_BEGUN:  # else the reference has listed the first moves already
        assert run.stream.tolist() == reference.stream.tolist()
    return reference


@pytest.mark.parametrize("memorise", [True, False])
@pytest.mark.parametrize(("level", "playouts"), [(1, 500), (2, 3000), (3, 6000)])
def test_the_toy_is_searched_as_in_the_paper(level: int, playouts: int, memorise: bool) -> None:
    """With forced moves, dead ends and a prior, over whole searches and one that is cut short."""
    domain = SequenceDomain()
    prior = random_prior(domain.priors["pair"], seed=1)
    reference = held_against_the_paper(
        domain, toy("..3.0"), Nmcs(level, memorise, **AS_PUBLISHED), prior, playouts
    )
    assert reference.finished > 0


def test_a_shaped_score_is_what_searches_compare() -> None:
    """The best of all is that of the best score."""
    held_against_the_paper(SequenceDomain(), toy("......"), Nmcs(2, shaping=True), NoPrior(), 2000)


@pytest.mark.parametrize(
    ("domain_name", "name", "algorithm", "playouts"),
    [
        ("samegame", "random-06-3", Nmcs(2, **AS_PUBLISHED), 3000),
        ("tsptw", "seven-customers", Nmcs(3, **AS_PUBLISHED), 4000),
        ("latin-square", "order-09-holes", Nmcs(1, **AS_PUBLISHED), 40),
    ],
)
def test_problems_are_searched_as_in_the_paper(
    domain_name: str, name: str, algorithm: Nmcs, playouts: int
) -> None:
    """With ties broken at random, moves that change a state for good, scores that are bounded."""
    domain = load_domain(domain_name)
    instance = domain.instance(problems(domain_name)[name], domain.options())
    held_against_the_paper(domain, instance, algorithm, NoPrior(), playouts)


@pytest.mark.parametrize("level", [1, 2])
def test_slices_do_not_change_a_run(level: int) -> None:
    """A run that pauses after every playout ends where one that never pauses does."""
    domain, instance = SequenceDomain(), toy("......", hashed=True)
    runs = [begun(Nmcs(level), domain, instance, NoPrior(), seed=4) for _ in range(2)]
    for playouts in range(1, 701):
        advance(runs[0], playouts)
    advance(runs[1], 700)
    assert runs[0].stream.tolist() == runs[1].stream.tolist()
    assert runs[0].best()[1].tolist() == runs[1].best()[1].tolist()
    for first, second in zip(runs[0].searches, runs[1].searches, strict=True):
        assert np.array_equal(first, second)


def test_a_run_begins_afresh() -> None:
    """A workspace that was used makes the run that a new one makes."""
    domain, instance = SequenceDomain(), toy("......")
    used, new = (begun(Nmcs(2), domain, instance, NoPrior(), seed=1) for _ in range(2))
    advance(used, 321)
    for run in (used, new):
        run.begin(new_stream(2))
        advance(run, 500)
    assert used.best()[1].tolist() == new.best()[1].tolist()
    assert used.stream.tolist() == new.stream.tolist()


@pytest.mark.parametrize("dead_ends", [0, 3])
def test_budgets_are_exact(dead_ends: int) -> None:
    """Playouts that back out of dead ends count each; 1, 2 and 8 threads find the same."""
    domain, instance = SequenceDomain(), toy("..3.0.4.")
    one, *others = (
        search(
            domain, instance, Nmcs(1, dead_ends=dead_ends), Budget(playouts=9999), threads=threads
        )
        for threads in (1, 2, 8)
    )
    assert one.playouts == 9999
    assert_consistent(one, domain, instance)
    for other in others:
        assert same_search(one, other)


def test_what_has_no_decision_is_exhausted() -> None:
    """One playout exhausts an instance without decisions, at any level, and no other."""
    domain = SequenceDomain()
    for text, status in (("1234", EXHAUSTED), ("1.34", PAUSED)):
        for algorithm in (Sampling(), Nmcs(1), Nmcs(3)):
            run = begun(algorithm, domain, toy(text), NoPrior(), seed=0)
            assert run.advance(40, FOREVER) == status


def test_a_problem_without_moves() -> None:
    """A search of any level is then one playout."""
    domain = load_domain("samegame")
    instance = domain.instance(problems("samegame")["no-move"], domain.options())
    for level in (1, 2):
        result = search(domain, instance, Nmcs(level), Budget(playouts=10))
        assert (result.playouts, result.moves.tolist(), result.exhausted) == (1, [], True)
