"""Puzzles that are made have one solution and their grade, by a solver of rules written apart."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from generators.puzzles.grids import HOLE, LatinSquareMaker, SudokuMaker, orbits
from generators.puzzles.kakuro import KakuroMaker
from generators.puzzles.making import make_puzzle
from solver.contract.domain import Problem
from solver.domains import load_domain
from solver.errors import InputError
from solver.searching.grades import GRADES, grade
from tests.generators.puzzles.plain_rules import (
    grade_by_rules,
    groups_of_square,
    groups_of_sudoku,
    rules_of,
    solutions_by_rules,
)

MAKERS: list[Any] = [
    SudokuMaker(minimal=True),
    SudokuMaker(minimal=True, grade="look-ahead"),
    SudokuMaker(minimal=True, symmetry="half-turn"),
    SudokuMaker(order=6, minimal=True, diagonals=True),
    SudokuMaker(order=5, minimal=True, shape="jigsaw"),
    SudokuMaker(minimal=True, grade="propagation"),
    SudokuMaker(holes=0.5),
    LatinSquareMaker(order=6, minimal=True),
    LatinSquareMaker(order=6, holes=0.5, symmetry="diagonal"),
    KakuroMaker(rows=5, columns=6),
    KakuroMaker(rows=6, columns=6, black=0.2, grade="propagation"),
    pytest.param(
        KakuroMaker(rows=6, columns=6, black=0.25, grade="look-ahead"), marks=pytest.mark.slow
    ),
    KakuroMaker(rows=3, columns=3, values=5, black=0),
]


@pytest.mark.parametrize("maker", MAKERS, ids=str)
def test_puzzles_are_what_they_are_called(maker: Any) -> None:
    """One solution, the answer that comes with it, and the grade; the same again for the seed."""
    domain = load_domain(maker.domain)
    for number in range(2):
        made = make_puzzle(maker, domain, 5, number)
        domain.verify(made.problem, made.answer)
        rules = rules_of(domain.name, made.problem.data)
        found = list(itertools.islice(solutions_by_rules(*rules), 2))
        assert len(found) == 1
        assert all(made.answer[place] == min(values) for place, values in found[0].items())
        assert made.grade == grade_by_rules(*rules_of(domain.name, made.problem.data))
        assert maker.grade in ("any", made.grade)
        again = make_puzzle(maker, domain, 5, number)
        assert domain.format_problem(again.problem) == domain.format_problem(made.problem)
        (read,) = domain.parse(domain.format_problem(made.problem), "test")
        assert grade(domain, read) == made.grade


@pytest.mark.parametrize(
    "maker",
    [SudokuMaker(minimal=True), LatinSquareMaker(order=6, minimal=True)],
    ids=lambda maker: str(maker.domain),
)
def test_of_a_minimal_puzzle_no_given_can_go(maker: Any) -> None:
    """Each given taken away leaves two solutions or more."""
    domain = load_domain(maker.domain)
    problem = make_puzzle(maker, domain, 3, 0).problem
    grid = problem.data.grid if maker.domain == "sudoku" else problem.data
    for place in np.argwhere(grid >= 0).tolist():
        fewer = grid.copy()
        fewer[tuple(place)] = HOLE
        data = problem.data._replace(grid=fewer) if maker.domain == "sudoku" else fewer
        found = itertools.islice(solutions_by_rules(*rules_of(domain.name, data)), 2)
        assert sum(1 for _ in found) == 2


@pytest.mark.parametrize(
    ("symmetry", "turned"),
    [
        ("half-turn", lambda grid: grid[::-1, ::-1]),
        ("quarter-turn", lambda grid: np.rot90(grid)),
        ("mirror", lambda grid: grid[:, ::-1]),
        ("diagonal", lambda grid: grid.T),
    ],
)
def test_symmetric_puzzles_are_symmetric(symmetry: Any, turned: Any) -> None:
    """The pattern of givens stays as it is; every cell is in one orbit."""
    assert sorted(itertools.chain(*orbits(5, symmetry))) == list(range(25))
    maker = SudokuMaker(order=6, symmetry=symmetry, minimal=True)
    given = make_puzzle(maker, load_domain("sudoku"), 1, 0).problem.data.grid >= 0
    assert (turned(given) == given).all()
    assert not given.all()


@pytest.mark.slow
def test_grades_of_random_boards_are_those_of_the_rules() -> None:
    """Those with several solutions need search; where there is none, it says so."""
    from generators.kakuro import KakuroGenerator
    from generators.sudoku import SudokuGenerator

    seen = set()
    for generator in (
        SudokuGenerator(order=9, holes=0.65),
        SudokuGenerator(order=4, holes=0.6, diagonals=True),
        KakuroGenerator(rows=5, columns=5, values=9, black=0.3),
    ):
        domain = load_domain(generator.domain)
        for number in range(8):
            problem, _ = generator.generate(11, number)
            found = grade(domain, problem)
            assert found == grade_by_rules(*rules_of(domain.name, problem.data))
            seen.add(found)
    assert seen >= {GRADES[0], GRADES[-1]}
    impossible = np.full((3, 3), -1, np.int16)
    impossible[0, :2], impossible[1, 2] = (0, 1), 2
    with pytest.raises(InputError, match=r"^square: no solution$"):
        grade(load_domain("latin-square"), Problem("square", impossible))


def test_what_cannot_be_made_is_said() -> None:
    """A full square needs no search, whatever the seed."""
    maker = LatinSquareMaker(order=2, grade="search")
    with pytest.raises(
        InputError, match=r"^no puzzle of grade search was found in 200 drafts: ord"
    ):
        make_puzzle(maker, load_domain("latin-square"), 1, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "maker",
    [
        SudokuMaker(order=9, minimal=True, shape="jigsaw", grade="search"),
        LatinSquareMaker(order=16, minimal=True, grade="search"),
    ],
    ids=lambda maker: str(maker.domain),
)
def test_puzzles_that_need_search_defeat_the_rules(maker: Any) -> None:
    """Trying values one by one leaves cells open; CP-SAT finds no second solution."""
    from ortools.sat.python import cp_model

    domain = load_domain(maker.domain)
    made = make_puzzle(maker, domain, 5, 0)
    domain.verify(made.problem, made.answer)
    assert made.grade == grade_by_rules(*rules_of(domain.name, made.problem.data)) == "search"
    grid = made.problem.data.grid if maker.domain == "sudoku" else made.problem.data
    groups = groups_of_sudoku(made.problem.data) if maker.domain == "sudoku" else None
    model = cp_model.CpModel()
    order = range(len(grid))
    cells = {(r, c): model.new_int_var(0, len(grid) - 1, "") for r in order for c in order}
    for group in groups or groups_of_square(grid):
        model.add_all_different([cells[place] for place in group])
    for place, cell in cells.items():
        if grid[place] >= 0:
            model.add(cell == int(grid[place]))
    others = []
    for place, cell in cells.items():
        other = model.new_bool_var("")
        model.add(cell != int(made.answer[place])).only_enforce_if(other)
        others.append(other)
    model.add_bool_or(others)
    solver = cp_model.CpSolver()
    solver.parameters.catch_sigint_signal = False  # it would leave SIGINT at its default
    assert solver.solve(model) == cp_model.INFEASIBLE
