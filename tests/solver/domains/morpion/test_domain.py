"""Morpion Solitaire against its rules in plain Python."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.compiling.random import new_stream, next_below
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.morpion.board import AREA, DIRECTIONS, SIZE, most_moves
from solver.domains.morpion.domain import MorpionDomain, MorpionOptions
from solver.domains.morpion.priors import GAINS, LOSSES, PLACES, LineTable
from solver.domains.morpion.text import CROSS, VARIANTS, Start, check_game, points_of
from solver.errors import InputError, VerificationError

DOMAIN = MorpionDomain()
Point = tuple[int, int]


class PlainSheet:
    """The rules in the shortest way: sets of dots and of what joins them, searched from scratch."""

    def __init__(self, cells: Any, variant: str) -> None:
        self.dots = {(int(x), int(y)) for y, x in np.argwhere(cells)}
        self.variant = variant
        self.used: set[tuple[int, Any]] = set()
        self.known: dict[tuple[int, Point], Point] | None = None

    def taken(self, sign: int, line: list[Point]) -> set[tuple[int, Any]]:
        """Return the exclusive parts of a line: its dots in 5D, its steps between dots in 5T."""
        parts: Any = line if self.variant == "5D" else pairwise(line)
        return {(sign, part) for part in parts}

    def lines(self) -> dict[tuple[int, Point], Point]:
        """Direction and first dot of every line that can be drawn, and the dot it adds."""
        if self.known is None:  # the first time after a line was drawn
            self.known = self.searched()
        return self.known

    def searched(self) -> dict[tuple[int, Point], Point]:
        """Look at every line of five through or beside a dot."""
        found = {}
        for sign, (right, down) in enumerate(DIRECTIONS):
            near = {(x - k * right, y - k * down) for x, y in self.dots for k in range(5)}
            for x, y in near:
                line = [(x + k * right, y + k * down) for k in range(5)]
                missing = [point for point in line if point not in self.dots]
                if len(missing) == 1 and not self.taken(sign, line) & self.used:
                    found[sign, (x, y)] = missing[0]
        return found

    def draw(self, sign: int, first: Point) -> None:
        """Draw a line."""
        self.dots.add(self.lines()[sign, first])
        right, down = DIRECTIONS[sign]
        line = [(first[0] + k * right, first[1] + k * down) for k in range(5)]
        self.used |= self.taken(sign, line)
        self.known = None


def named(instance: Any, move: int) -> tuple[int, Point]:
    """Direction and first dot of a move, as the plain sheet has them."""
    sign, place = divmod(int(move), AREA)
    return sign, (place % SIZE - instance.left, place // SIZE - instance.top)


def plain_code(plain: PlainSheet, sign: int, first: Point) -> int:
    """The prior code of a line, by drawing it."""
    before = plain.lines()
    dot = before[sign, first]
    after = PlainSheet(np.zeros((1, 1)), plain.variant)
    after.dots, after.used = set(plain.dots), set(plain.used)
    after.draw(sign, first)
    lines = after.lines()
    gained = min(len(lines.keys() - before.keys()), GAINS - 1)
    lost = min(len(before.keys() - lines.keys()) - 1, LOSSES - 1)
    right, down = DIRECTIONS[sign]
    number = next(k for k in range(5) if (first[0] + k * right, first[1] + k * down) == dot)
    return (((sign > 1) * PLACES + min(number, 4 - number)) * GAINS + gained) * LOSSES + lost


def assert_plays_alike(cells: Any, variant: str, seed: int, codes: bool) -> int:
    """Play at random on both sheets; returns the number of moves."""
    problem = Problem("p", Start(cells, variant))
    instance = DOMAIN.instance(problem, DOMAIN.options())
    state, stream, plain = DOMAIN.new_state(instance), new_stream(seed), PlainSheet(cells, variant)
    buffer = np.zeros(DOMAIN.limits(instance).moves, np.int64)
    table = LineTable(np.ones(1))
    contract.reset(instance, state)
    steps = 0
    while True:
        n = contract.legal_moves(instance, state, stream, buffer)
        moves = [named(instance, move) for move in buffer[:n]]
        assert sorted(moves) == sorted(plain.lines())
        if n == 0:
            break
        if codes:
            for move in buffer[:n]:
                code = contract.prior_code(table, instance, state, int(move))
                assert code == plain_code(plain, *named(instance, int(move)))
        with np.errstate(over="ignore"):
            chosen = int(next_below(stream, n))
        contract.play(instance, state, int(buffer[chosen]))
        plain.draw(*moves[chosen])
        steps += 1
    assert contract.score(instance, state) == steps <= most_moves(int(cells.sum()), instance.reach)
    answer = DOMAIN.answer(instance, state)
    check_game(problem.data, answer, variant)
    assert DOMAIN.objective(problem, answer) == steps
    assert {(x, y) for x, y, _, _ in answer.tolist()} == plain.dots - {
        (int(x), int(y)) for y, x in np.argwhere(cells)
    }
    assert DOMAIN.solution(problem, answer).tolist() == state.line[:steps].tolist()
    return steps


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_small_starts(variant: str, data: Any) -> None:
    """Moves and codes from small starts are those of the plain rules."""
    height, width = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 7))
    rows = st.lists(st.booleans(), min_size=width, max_size=width)
    cells = np.array(data.draw(st.lists(rows, min_size=height, max_size=height)), np.int8)
    cells[0, 0] = 1
    assert_plays_alike(cells, variant, data.draw(st.integers(0, 99)), codes=True)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_cross(variant: str) -> None:
    """Games from the cross are those of the plain rules; it has 28 first moves."""
    assert CROSS.sum() == 36
    assert (CROSS == CROSS.T).all()
    assert np.array_equal(CROSS, CROSS[::-1])
    assert len(PlainSheet(CROSS, variant).lines()) == 28
    assert max(assert_plays_alike(CROSS, variant, seed, codes=False) for seed in range(3)) > 20


def test_the_edge_of_the_sheet_ends_a_game() -> None:
    """A full row of the largest start can only be drawn across; nothing leaves the arrays."""
    cells = np.ones((20, 20), np.int8)
    cells[::5] = 0
    problem = Problem("p", Start(cells, "5T"))
    instance = DOMAIN.instance(problem, DOMAIN.options())
    state, buffer = DOMAIN.new_state(instance), np.zeros(DOMAIN.limits(instance).moves, np.int64)
    contract.reset(instance, state)
    stream = new_stream(1)
    while n := contract.legal_moves(instance, state, stream, buffer):
        assert n <= len(buffer)
        with np.errstate(over="ignore"):
            contract.play(instance, state, int(buffer[next_below(stream, n)]))
    answer = DOMAIN.answer(instance, state)
    check_game(problem.data, answer, "5T")
    away = answer[:, :2] + (instance.left, instance.top)
    assert away.min() >= 4
    assert away.max() < 36


def test_variants_differ_in_what_may_touch() -> None:
    """Two lines that share an end are right in 5T and wrong in 5D; two shared dots are wrong."""
    cells = np.array([[1, 1, 1, 1, 0, 1, 1, 1, 0]], np.int8)
    start = Start(cells)
    touching = np.array([[4, 0, 0, 4], [8, 0, 0, 4]])
    check_game(start, touching, "5T")
    shared = "move 2, 9,1-5: shares a dot with a line of its direction"
    with pytest.raises(VerificationError, match=f"^{shared}; legal in the variant 5T$"):
        check_game(start, touching, "5D")
    with pytest.raises(VerificationError, match=f"^{shared}$"):
        check_game(start, np.concatenate([touching, touching]), "5D")
    with pytest.raises(VerificationError, match=f"^{shared}$"):
        check_game(start._replace(variant="5D"), touching, "5D")
    overlapping = np.array([[4, 0, 0, 4], [8, 0, 0, 4]])
    overlapping[0] = [4, 0, 0, 3]
    with pytest.raises(VerificationError, match=r"^move 2, 9,1-5: overlaps"):
        check_game(start, overlapping, "5T")


def test_the_variant_of_a_start_goes_before_the_option() -> None:
    """An option is for starts that do not say."""
    touching = DOMAIN.with_options(MorpionOptions("5T"))
    said, unsaid = (Problem("p", Start(CROSS, variant)) for variant in ("5D", ""))
    assert (touching.variant(said), touching.variant(unsaid)) == ("5D", "5T")
    assert (touching.best_known(said), touching.best_known(unsaid)) == (82, 178)
    reaches = [DOMAIN.instance(p, touching.chosen).reach for p in (said, unsaid)]
    assert reaches == [4, 3]
    with pytest.raises(InputError, match=r"^variant is '4D', expected 5D or 5T$"):
        MorpionOptions("4D")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "f: no start found"),
        ("5T\n", "f: line 1: no lines of o and . below 5T"),
        ("oo\no\n", "f: line 2: 1 points, expected 2 as in line 1"),
        (".o\n.x\n", "f: line 2, position 2: 'x', expected o for a dot or ."),
        ("..\n..\n", "f: line 1: a start without a dot"),
        ("o" * 21 + "\n", "f: line 1: a start of 21 x 1 points, expected 20 x 20 at most"),
    ],
)
def test_what_is_no_start(text: str, expected: str) -> None:
    """Errors name line and position, and what was expected."""
    with pytest.raises(InputError) as error:
        DOMAIN.parse(text, "f")
    assert str(error.value).startswith(expected)


def test_moves_as_text() -> None:
    """A move names the new dot, the direction, and which dot of the line it is."""
    problem = Problem("p", Start(CROSS))
    game = DOMAIN.parse_answer(problem, "8,1-5 3,-1|1\n", "f")
    assert game.tolist() == [[7, 0, 0, 4], [2, -2, 1, 0]]
    assert points_of(game[0].tolist())[0] == (3, 0)
    assert DOMAIN.format(problem, game) == "8,1-5 3,-1|1\n"
    with pytest.raises(InputError, match=r"^f: move 2: '1,1-6', expected column,row"):
        DOMAIN.parse_answer(problem, "1,1-5 1,1-6", "f")
    with pytest.raises(InputError, match=re.escape(r"f: move 1: '1,1\6', expected column,row")):
        DOMAIN.parse_answer(problem, r"1,1\6", "f")


def test_a_game_of_one_move() -> None:
    """The score is told in the singular."""
    told = [DOMAIN.describe_score(score) for score in (0.0, 1.0, 2.0, 1.5)]
    assert told == ["0 moves", "1 move", "2 moves", "1.5 moves"]
