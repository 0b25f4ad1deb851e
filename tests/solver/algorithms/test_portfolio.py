"""Searches that take turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from generators.kakuro import KakuroGenerator
from generators.latin_square import LatinSquareGenerator
from generators.sudoku import SudokuGenerator
from solver.algorithms.gnrpa import Gnrpa
from solver.algorithms.turns.portfolio import Portfolio
from solver.compiling.random import new_stream
from solver.contract.domain import Problem, Puzzle
from solver.domains import load_domain
from solver.domains.kakuro.domain import KakuroDomain
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.sudoku.domain import SudokuDomain
from solver.errors import InputError, message_of
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
    with pytest.raises(InputError, match="parts has 'cadical', kakuro has no clauses for it"):
        Portfolio(parts="cadical").new_run(domain, instance, NO_PRIOR)


@pytest.mark.parametrize("parts", ["magic:1", "gnrpa:0", ""])
def test_unknown_parts_are_refused(parts: str) -> None:
    """With the names that there are, or the form expected."""
    with pytest.raises(InputError, match="parts has") as error:
        Portfolio(parts=parts)
    assert message_of(error.value).startswith("--parts has")


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


def test_full_squares_are_solved_by_every_part() -> None:
    """Nothing is left to choose: no clause is broken, no playout is longer than 0 moves."""
    full = Problem("full", np.add.outer(np.arange(3), np.arange(3)).astype(np.int16) % 3)
    refuted = Problem("refuted", np.full((3, 3), -1, np.int16))
    refuted.data[0, :2], refuted.data[1, 2] = (0, 1), 2
    for parts in PARTS:
        for problem, status in ((full, "solved"), (refuted, "infeasible")):
            found = solve(DOMAIN, problem, OPTIONS, Portfolio(parts=parts), Budget(playouts=100))
            assert found.status == status, parts


def test_clauses_of_sudokus_allow_the_completions_alone() -> None:
    """Boxes and diagonals are among the sets."""
    domain = SudokuDomain()
    for number, generator in enumerate(
        (SudokuGenerator(order=9, holes=0.5), SudokuGenerator(order=6, holes=0.6, diagonals=True))
    ):
        problem, _ = generator.generate(46, number)
        budget = Budget(playouts=10_000)
        found = solve(domain, problem, domain.options(), Portfolio(parts="cadical"), budget)
        assert found.status == "solved"


def test_loose_squares_are_searched_as_by_the_part_that_suits_them() -> None:
    """The portfolio is no detour: the same playouts, the same answer, whatever the threads."""
    problem = LatinSquareGenerator(order=30, holes=0.6).generate(5, 0)[0]
    runs = [
        solve(DOMAIN, problem, OPTIONS, algorithm, Budget(playouts=20_000), threads=threads)
        for algorithm, threads in ((Gnrpa(), 1), (Portfolio(), 1), (Portfolio(), 3))
    ]
    assert {run.search.playouts for run in runs} == {runs[0].search.playouts}
    assert len({run.answer.tobytes() for run in runs}) == 1


def test_answers_at_the_threshold_do_not_depend_on_threads() -> None:
    """With a budget in playouts."""
    problem = hard_square()
    runs = [
        solve(DOMAIN, problem, OPTIONS, Portfolio(), Budget(playouts=20_000), threads=threads)
        for threads in (1, 3)
    ]
    assert runs[0].search.playouts == runs[1].search.playouts
    assert runs[0].answer.tobytes() == runs[1].answer.tobytes()


def test_without_python_sat_the_other_parts_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by default; named, the part is refused in a line that says how it is installed."""
    monkeypatch.setattr("solver.kernels.complete.cadical.has_cadical", lambda: False)
    budget = Budget(playouts=200_000)
    assert solve(DOMAIN, hard_square(), OPTIONS, Portfolio(), budget).status == "solved"
    with pytest.raises(InputError, match="cadical needs python-sat: pip install python-sat"):
        solve(DOMAIN, hard_square(), OPTIONS, Portfolio(parts="cadical"), budget)


def test_instances_choose_their_search() -> None:
    """Loose and small ones one search, those at the threshold and large ones several."""
    chosen = {}
    for order, holes in ((60, 0.42), (20, 0.42), (35, 0.33)):
        problem, _ = LatinSquareGenerator(order=order, holes=holes).generate(1, 0)
        chosen[order] = list(DOMAIN.portfolio(DOMAIN.instance(problem, OPTIONS)))
    assert chosen == {60: ["gnrpa"], 20: ["complete"], 35: ["gnrpa", "complete", "cadical"]}
    for generator, parts in (
        (SudokuGenerator(order=9, holes=0.6), ["gnrpa"]),
        (SudokuGenerator(order=25, holes=0.55), ["gnrpa", "complete", "cadical"]),
        (KakuroGenerator(rows=6, columns=6), ["gnrpa"]),
        (KakuroGenerator(rows=20, columns=20, values=22), ["gnrpa", "complete"]),
    ):
        domain: Puzzle = load_domain(generator.domain)
        instance = domain.instance(generator.generate(1, 0)[0], domain.options())
        assert list(domain.portfolio(instance)) == parts
