"""Searches that take turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generators.latin_square import LatinSquareGenerator
from solver.algorithms.turns.portfolio import Portfolio
from solver.compiling.random import new_stream
from solver.contract.domain import Problem
from solver.domains.kakuro.domain import KakuroDomain
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.errors import InputError
from solver.kernels.complete.cadical import exactly_one_clauses
from solver.kernels.monitor import PLAYOUTS
from solver.priors.priors import NoPrior
from solver.searching.driver import Budget
from solver.searching.solution import solve
from tests.searching_squares import all_squares

DOMAIN = LatinSquareDomain()
NO_PRIOR = NoPrior()
OPTIONS = DOMAIN.options()
INFEASIBLE = Path(__file__).parents[1] / "searching/order-12-infeasible.txt"
PARTS = ["gnrpa", "complete", "cadical", "auto", "cadical:1,complete:2,gnrpa:1"]


def hard_square() -> Problem:
    return LatinSquareGenerator(order=30, holes=0.37).generate(3, 0)[0]


@pytest.mark.parametrize("parts", PARTS)
def test_every_part_solves_and_proves(parts: str) -> None:
    """Alone and together: an answer that is verified, and a proof that says how."""
    algorithm, budget = Portfolio(parts=parts), Budget(playouts=200_000)
    solution = solve(DOMAIN, hard_square(), OPTIONS, algorithm, budget)
    assert solution.status == "solved"
    (problem,) = DOMAIN.parse(INFEASIBLE.read_text(), "file")
    refuted = solve(DOMAIN, problem, OPTIONS, algorithm, budget)
    assert refuted.status == "infeasible"
    if parts in ("complete", "cadical"):
        assert refuted.search.proof.startswith(
            {"complete": "by complete search: ", "cadical": "by CaDiCaL: "}[parts]
        )


@pytest.mark.parametrize("parts", PARTS)
def test_slices_and_repeats_change_nothing(parts: str) -> None:
    """The answer depends on seed and playouts, not on where a run is stopped to look at a clock."""
    problem = hard_square()
    instance = DOMAIN.instance(problem, OPTIONS)
    ends: list[Any] = []
    for step in (1, 37, 10_000):
        run = Portfolio(parts=parts).new_run(DOMAIN, instance, NO_PRIOR)
        run.begin(new_stream(5, 0))
        made = 0
        while made < 3000 and run.advance(min(made + step, 3000), 3000) == 0:
            made = int(run.monitor.counters[PLAYOUTS])
        score, moves = run.best()
        ends.append((int(run.monitor.counters[PLAYOUTS]), score, moves.tolist()))
    assert ends[0] == ends[1] == ends[2]


def test_boards_are_searched_without_clauses() -> None:
    """Sums are no sets of which one move is chosen: named, the part is refused."""
    domain = KakuroDomain()
    (problem,) = domain.parse("X 3\\ 4\\\n\\3 . .\n\\4 . .\n", "board")
    instance = domain.instance(problem, domain.options())
    assert Portfolio().new_run(domain, instance, NO_PRIOR)
    with pytest.raises(InputError, match="kakuro has no clauses for cadical"):
        Portfolio(parts="cadical").new_run(domain, instance, NO_PRIOR)


@pytest.mark.parametrize("parts", ["magic:1", "gnrpa:0", ""])
def test_unknown_parts_are_refused(parts: str) -> None:
    """With the names that there are, or the form expected."""
    with pytest.raises(InputError, match="parts has"):
        Portfolio(parts=parts)


@pytest.mark.parametrize("size", [2, 5, 41, 43])
def test_clauses_say_exactly_one(size: int) -> None:
    """By unit propagation alone: two true are refuted, one true makes the others false."""
    from pysat.solvers import Cadical195

    with Cadical195(bootstrap_with=exactly_one_clauses([range(1, size + 1)], size)) as solver:
        assert solver.solve(assumptions=[1])
        assert not solver.solve(assumptions=[1, 2])
        assert not solver.solve(assumptions=[size - 1, size])
        assert not solver.solve(assumptions=[-name for name in range(1, size + 1)])


def test_all_completions_have_just_one_of_each_set() -> None:
    """The sets are the rules: what they allow is what brute force finds."""
    grid = np.full((3, 3), -1, np.int16)
    grid[0] = 0, 1, 2
    instance = DOMAIN.instance(Problem("square", grid), OPTIONS)
    sets = DOMAIN.exactly_one(instance)
    assert sets is not None
    squares = [np.frombuffer(content, np.int16) for content in all_squares(grid)]
    for square in squares:
        true = square[instance.cell] == instance.value
        assert [int(true[one].sum()) for one in sets] == [1] * len(sets)
    assert len(squares) == 2
