"""Requests beyond a solution: who takes them, and which answers meet them."""

from __future__ import annotations

import pytest

from solver import Budget, Sampling, load_domain, solve
from solver.contract.designer import designer_of
from solver.contract.domain import NoOptions, Problem
from solver.domains.rna.domain import RnaDomain, RnaOptions
from solver.domains.rna.requests.options import RnaRequests
from solver.domains.rna.text import new_target
from solver.searching.solution import solve_several
from tests.toys.bits import BitsDomain, BitsRequests

DOMAIN, PROBLEM, ENOUGH = BitsDomain(), Problem("row", 4), Budget(playouts=200)
STEM = Problem("stem", new_target("((((....))))", "", "stem"))


def test_a_row_is_refined_and_verified() -> None:
    """A request that the rules do not know is met by refinement, and counted by the verifier."""
    plain = solve(DOMAIN, PROBLEM, NoOptions(), Sampling(), ENOUGH, seed=1)
    assert (plain.solved, plain.search.playouts) == (True, 1)
    missing = 4 - plain.answer.count("1")
    full = BitsRequests(ones=4)
    found = solve(DOMAIN, PROBLEM, NoOptions(), Sampling(), ENOUGH, seed=1, requests=full)
    assert (found.solved, found.answer) == (True, "1111")
    assert found.search.playouts == 1 + missing
    same = solve(
        DOMAIN, PROBLEM, NoOptions(), Sampling(), ENOUGH, seed=1, requests=full, excluded=["1111"]
    )
    assert not same.solved


def test_answers_differ() -> None:
    """All 16 rows of four bits are found, and no 17th."""
    requests = BitsRequests(rows=17)
    found = list(solve_several(DOMAIN, PROBLEM, NoOptions(), Sampling(), ENOUGH, requests=requests))
    assert [one.solved for one in found] == [True] * 16 + [False]
    assert len({one.answer for one in found[:16]}) == 16


def test_domains_without_a_designer_take_none() -> None:
    """Their designer asks for one answer and leaves it as it is."""
    domain = load_domain("latin-square")
    designer = designer_of(domain)
    assert (designer.n_answers(PROBLEM), designer.has_requests(PROBLEM)) == (1, False)
    assert not designer.improves
    assert designer.excluding([1]).domain is domain
    with pytest.raises(TypeError, match="requests of latin-square are RnaRequests, expected NoReq"):
        designer_of(domain, RnaRequests())


def test_requests_belong_to_the_search() -> None:
    """A domain that has requests already is refused: they would be ignored."""
    domain = RnaDomain(RnaRequests(gc="40-60"))
    with pytest.raises(TypeError, match="requests are an argument of the search"):
        solve(domain, STEM, RnaOptions(), Sampling(), ENOUGH)
