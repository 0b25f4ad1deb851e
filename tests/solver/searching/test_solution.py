"""Several answers to a problem, and answers that are improved: what they cost."""

from __future__ import annotations

import re
import threading
from typing import Any, ClassVar

import numpy as np
import pytest

from solver.algorithms import Sampling
from solver.algorithms.cegls import Cegls
from solver.contract.domain import Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.requests.options import RnaRequests
from solver.domains.rna.text import new_target
from solver.domains.tsptw.domain import TsptwOptions
from solver.errors import InputError
from solver.games import load_game
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"domain": load_game("hex")},
            "hex is a game, expected a puzzle: `analyse` searches games",
        ),
        ({"domain": "rna"}, "the domain is 'rna', expected a puzzle"),
        ({"problem": STEM}, f"the problem is '{STEM}', expected a Problem, as rna parses it"),
        ({"options": TsptwOptions()}, "rna: the options are TsptwOptions, expected RnaOptions"),
        ({"budget": 300}, "the budget is 300, expected a Budget"),
        ({"algorithm": Cegls}, "the algorithm is the class Cegls, expected Cegls()"),
        ({"algorithm": "cegls"}, "the algorithm is 'cegls', expected one of those of `solver`"),
    ],
)
def test_arguments_of_other_kinds_are_refused(words: dict[str, Any], message: str) -> None:
    """A line says what is expected in their places, whichever function is called."""
    usual: dict[str, Any] = {
        "domain": RnaDomain(), "problem": PROBLEM, "options": RnaOptions(),
        "algorithm": Cegls(), "budget": Budget(playouts=1), **words,
    }  # fmt: skip
    function: Any
    for function in (solve, solve_several):
        with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
            list(function(**usual))


def test_options_are_those_of_the_domain_where_none_are_given() -> None:
    """None stands for them."""
    budget = Budget(playouts=50)
    found = solve(TargetDomain(), Problem("toy", np.full(6, -1)), None, Sampling(), budget)
    usual = TargetDomain.options()
    same = solve(TargetDomain(), Problem("toy", np.full(6, -1)), usual, Sampling(), budget)
    assert found.search.score == same.search.score
