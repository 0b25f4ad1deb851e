"""Games that go on: starts with moves played already, and files of the Pentasol player."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from solver.algorithms import AS_PUBLISHED, Gnrpa, Nrpa, algorithm_named, suited
from solver.contract.domain import Problem
from solver.domains.morpion.domain import MorpionDomain, MorpionOptions
from solver.domains.morpion.text import CROSS, Start, check_game
from solver.errors import InputError, VerificationError
from solver.searching.driver import Budget
from solver.searching.solution import solve
from solver.testing import check_domain
from tests.solver.domains.morpion.test_domain import PlainSheet, named

DOMAIN = MorpionDomain(MorpionOptions("5T"))
PENTASOL = MorpionDomain(MorpionOptions("5T", "pentasol"))
#: First moves of a game of 177 (C. D. Rosin, 2010), as its published file has them.
BEGUN = "# begun\n(28,28)\n(27,25) - +2\n(32,32) / 0\n(30,28) - +2\n(28,35) | -2\n(30,33) / 0\n"
#: The same in the notation of this project, the columns and rows of the cross from 1.
MOVES = "3,1-1 8,8/3 6,4-1 4,11|5 6,9/3"
ROWS = "\n".join("".join(".o"[cell] for cell in row) for row in CROSS)


def test_pentasol_is_read() -> None:
    """The reference is the inner corner of the cross; signs of the middle are as published."""
    (problem,) = DOMAIN.parse(BEGUN, "f")
    assert problem.name == "begun"
    assert DOMAIN.format(problem, problem.data.moves) == MOVES + "\n"
    (moved,) = DOMAIN.parse(BEGUN.replace("(28,28)", "(27,28)").replace(
        "(27,25)", "(26,25)").replace("(32,32)", "(31,32)").replace("(30,", "(29,").replace(
        "(28,35)", "(27,35)"), "f")  # fmt: skip
    assert np.array_equal(moved.data.moves, problem.data.moves)


def test_pentasol_is_written() -> None:
    """An answer reads back, and begins as the file did."""
    (problem,) = PENTASOL.parse(BEGUN, "f")
    found = solve(
        PENTASOL, problem, PENTASOL.chosen, Gnrpa(level=1, **AS_PUBLISHED), Budget(playouts=50)
    )
    text = PENTASOL.format(problem, found.answer)
    assert text.startswith(BEGUN.split("\n", 1)[1])
    assert np.array_equal(PENTASOL.parse_answer(problem, text, "f"), found.answer)
    assert set(text.split()) >= {"+2", "-2", "+1", "-1", "0"}


def test_a_game_goes_on() -> None:
    """Its answer has the moves played before, counts them, and is verified from the start."""
    (problem,) = DOMAIN.parse(f"5T\n{ROWS}\n{MOVES[:11]}\n{MOVES[12:]}\n", "f")
    assert DOMAIN.parse(DOMAIN.format_problem(problem), "f")[0].data.moves.shape == (5, 4)
    found = solve(
        DOMAIN, problem, DOMAIN.chosen, Gnrpa(level=2, iterations=10, **AS_PUBLISHED),
        Budget(playouts=200), threads=2,
    )  # fmt: skip
    assert found.verified
    assert found.search.score == len(found.answer) > 20
    assert DOMAIN.format(problem, found.answer).startswith(MOVES)
    check_game(Start(CROSS), found.answer, "5T")
    with pytest.raises(VerificationError, match="does not begin with the moves of its start"):
        DOMAIN.verify(problem, found.answer[[1, 0, *range(2, len(found.answer))]])


def test_a_begun_game_has_the_moves_of_the_rules() -> None:
    """The lines that can be drawn after it are those of the plain rules; the contract holds."""
    from solver.compiling.random import new_stream
    from solver.contract import rules

    (problem,) = DOMAIN.parse(BEGUN, "f")
    instance, plain = DOMAIN.instance(problem, DOMAIN.chosen), PlainSheet(CROSS, "5T")
    for line in DOMAIN.line_numbers(Start(CROSS), problem.data.moves):
        plain.draw(*named(instance, line))
    state, buffer = DOMAIN.new_state(instance), np.zeros(DOMAIN.limits(instance).moves, np.int64)
    rules.reset(instance, state)
    n = rules.legal_moves(instance, state, new_stream(1), buffer)
    assert sorted(named(instance, move) for move in buffer[:n]) == sorted(plain.lines())
    check_domain(DOMAIN, [problem])


def test_a_finished_game_is_its_own_answer() -> None:
    """A game without a further move is the answer, with its score."""
    (problem,) = DOMAIN.parse(BEGUN, "f")
    quick = Gnrpa(level=1, **AS_PUBLISHED)
    found = solve(DOMAIN, problem, DOMAIN.chosen, quick, Budget(playouts=5))
    over = Problem("over", replace_moves(problem, found.answer))
    again = solve(DOMAIN, over, DOMAIN.chosen, quick, Budget(playouts=5))
    assert np.array_equal(again.answer, found.answer)
    assert again.verified


def test_the_default_is_the_search_that_the_guide_recommends() -> None:
    """NRPA of level 3, which makes a million playouts before it begins anew."""
    algorithm = suited(algorithm_named(DOMAIN.best_algorithm(DOMAIN.chosen))(), DOMAIN)
    assert algorithm == Nrpa(level=3, **AS_PUBLISHED)
    assert algorithm.playouts_per_run == 1_000_000


def replace_moves(problem: Problem, moves: object) -> Start:
    """Return the start of `problem` with other moves."""
    start: Start = problem.data._replace(moves=moves)
    return start


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(28 28)\n", "f: line 1: '(28 28)', expected the reference point of a Pentasol file, as"),
        ("(28,28)\n(27,25) -2\n", "f: line 2: '(27,25) -2', expected a move as (27,25) - +2"),
        ("(28,28)\n(27,25) - +3\n", "f: line 2: '(27,25) - +3', expected a move as"),
        ("(28,28)\n(27,25) - -2\n", "f: line 2: move 1, 3,1-5: no dot at -1,1"),
        ("(28,28)\n\n", None),
        (BEGUN + "(31,28) | 0\n", "f: line 8: move 6, 7,4|3: there is a dot already"),
        (f"{ROWS}\n3,1-1 3,1-1\n", "f: line 11: move 2, 3,1-1: there is a dot already"),
        (f"{ROWS}\n3,1-1\nooo.......\n", "f: line 12: 'ooo.......' below moves"),
        (f"{ROWS}\n3,1-6\n", "f: line 11: move 1: '3,1-6', expected column,row, one of"),
    ],
)
def test_moves_that_cannot_be_made(text: str, message: str | None) -> None:
    """The line of the move is named, and what is wrong; a reference alone is the cross."""
    if message is None:
        assert len(DOMAIN.parse(text, "f")[0].data.moves) == 0
        return
    with pytest.raises(InputError, match="^" + re.escape(message)):
        DOMAIN.parse(text, "f")


def test_variants_and_starts_that_do_not_fit() -> None:
    """A game of 5T is none of 5D, from Python too; Pentasol is for the cross."""
    touching = f"{ROWS}\n8,1-5 12,1-5\n".replace("\n..", "\n..")
    row = Problem("row", Start(np.array([[1, 1, 1, 1, 0, 1, 1, 1, 0]], np.int8), "5D",
                               np.array([[4, 0, 0, 4], [8, 0, 0, 4]])))  # fmt: skip
    with pytest.raises(InputError, match=r"^row: move 2, 9,1-5: shares a dot"):
        DOMAIN.instance(row, DOMAIN.chosen)
    with pytest.raises(InputError, match=r"^f: line 11: move 2, 12,1-5: no dot at"):
        DOMAIN.parse(touching, "f")
    pentasol = "(28,28)\n(28,29) | -2\n(28,30) | +1\n"
    assert len(DOMAIN.parse(pentasol, "f")[0].data.moves) == 2
    shared = r"^f: line 3: move 2, 4,6\|2: shares a dot .*; legal in the variant 5T$"
    with pytest.raises(InputError, match=shared):
        MorpionDomain().parse(pentasol, "f")
    fitting = replace(row, data=row.data._replace(variant="5T"))
    assert DOMAIN.instance(fitting, DOMAIN.chosen).start.scalars[1] == 2
    with pytest.raises(InputError, match=r"^row: pentasol is a notation of games from the cross$"):
        PENTASOL.instance(fitting, PENTASOL.chosen)
