"""Several answers to a problem, and answers that are improved: what they cost."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import pytest

from solver.algorithms import Sampling
from solver.algorithms.cegls import Cegls
from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.requests.options import RnaRequests
from solver.domains.rna.text import new_target
from solver.priors.priors import default_prior
from solver.searching.driver import Budget
from solver.searching.solution import Solution, solve, solve_several
from tests.toys.sequence import TargetDomain

STEM = "((((((...((((....))))...))))))"
PROBLEM = Problem("stem", new_target(STEM, "", "stem"))


def solutions(requests: RnaRequests, budget: Budget, **arguments: Any) -> list[Solution]:
    arguments["prior"] = default_prior(RnaDomain(), None).table
    return list(
        solve_several(
            RnaDomain(), PROBLEM, RnaOptions(), Cegls(), budget, requests=requests, **arguments
        )
    )


def test_designs_share_a_budget() -> None:
    """With an objective each spends an equal part of what is left, all of it together."""
    found = solutions(RnaRequests(designs=3, objective="defect"), Budget(playouts=300))
    assert [one.search.playouts for one in found] == [100, 100, 100]
    assert all(one.solved and one.verified for one in found)
    assert len({one.answer.sequence for one in found}) == 3


def test_what_is_spent_is_spent() -> None:
    """Designs that no budget is left for are one that is not solved, without an answer."""
    (only,) = solutions(RnaRequests(), Budget(playouts=300))
    budget = Budget(playouts=only.search.playouts)
    first, last = solutions(RnaRequests(designs=4), budget)
    assert (first.solved, first.answer != only.answer) == (True, False)
    assert (last.solved, last.answer, last.status) == (False, None, "budget")
    assert last.search.playouts == 0


def test_one_answer_is_as_it_was() -> None:
    """Without requests there is one answer, that of `solve`, improved by nothing."""
    (one,) = solutions(RnaRequests(), Budget(playouts=300))
    prior = default_prior(RnaDomain(), None).table
    same = solve(RnaDomain(), PROBLEM, RnaOptions(), Cegls(), Budget(playouts=300), prior=prior)
    assert one.answer == same.answer
    assert one.search.playouts == same.search.playouts == int(one.search.trace.playouts[-1])


def test_more_than_the_target_is_solved() -> None:
    """And verified, and worth what it is, not what was asked for."""

    class Modest(TargetDomain):
        target: ClassVar[float | None] = 3.0

    domain = Modest()
    (problem,) = domain.parse("..3......", "toy")
    found = solve(domain, problem, domain.options(), Sampling(), Budget(playouts=50))
    assert found.solved
    assert found.verified
    assert found.search.score > 3.0


@pytest.mark.parametrize("requests", [RnaRequests(gap=15.0), RnaRequests(objective="defect")])
def test_improving_is_interrupted(requests: RnaRequests) -> None:
    """Once told to stop it ends with the best so far, and says so."""
    stop = threading.Event()
    calls = []

    def progress(playouts: int, best: float) -> None:
        calls.append(playouts)
        if best == 1.0:
            stop.set()

    (one,) = solutions(requests, Budget(seconds=60.0), stop=stop, progress=progress)
    assert one.search.interrupted
    assert one.search.playouts <= calls[-1] + 1
    assert one.solved == (requests.gap == 0)
    assert one.status == ("solved" if one.solved else "interrupted")
