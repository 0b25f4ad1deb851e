"""Complete search against brute force."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from generators.latin_square import LatinSquareGenerator
from solver.algorithms import Gnrpa
from solver.algorithms.complete import Complete
from solver.compiling.random import new_stream
from solver.contract import rules
from solver.contract.branching import EXCLUSION
from solver.contract.domain import Problem
from solver.domains.kakuro.board import BLACK, Board, framed, runs_of
from solver.domains.kakuro.domain import KakuroDomain
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.tsptw.domain import TsptwDomain
from solver.errors import InputError
from solver.kernels.bounds import new_moves
from solver.priors.priors import NO_PRIOR
from solver.searching.complete import SolutionSearch, is_unique, solutions
from solver.searching.driver import Budget
from tests.searching_squares import all_squares

SQUARES, BOARDS = 100, 100


def random_square(order: int, random: np.random.Generator) -> Any:
    """Some givens that do not contradict each other at once: often there is no solution."""
    grid = np.full((order, order), -1, np.int16)
    holes = int(random.integers(order, order * order * 3 // 4))
    for cell in random.permutation(order * order)[holes:]:
        row, column = divmod(int(cell), order)
        free = [v for v in range(order) if v not in grid[row] and v not in grid[:, column]]
        if free:
            grid[row, column] = random.choice(free)
    return grid


def all_boards(board: Board) -> Iterator[bytes]:
    """Fill `board` in every way, a cell after the other, looking at runs when they are full."""
    white = board.cells != BLACK
    runs = list(runs_of(white))
    cells = [tuple(cell) for cell in np.argwhere(white).tolist()]
    at: dict[Any, list[int]] = {cell: [] for cell in cells}
    members = []
    for number, run in enumerate(runs):
        mask = np.zeros(white.shape, bool)
        mask[run.cells] = True
        members.append([tuple(cell) for cell in np.argwhere(mask).tolist()])
        for cell in members[-1]:
            at[cell].append(number)
    values: dict[Any, int] = {}

    def fits(number: int) -> bool:
        known = [values[cell] for cell in members[number] if cell in values]
        if len(set(known)) < len(known):
            return False
        total = int(board.clues[runs[number].clue])
        return sum(known) == total if len(known) == runs[number].length else sum(known) < total

    def fill(place: int) -> Iterator[bytes]:
        if place == len(cells):
            grid = np.zeros(white.shape, np.int16)
            for cell, value in values.items():
                grid[cell] = value
            yield grid.tobytes()
            return
        for value in range(board.least, board.most + 1):
            values[cells[place]] = value
            if all(map(fits, at[cells[place]])):
                yield from fill(place + 1)
            del values[cells[place]]

    yield from fill(0)


def random_board(random: np.random.Generator) -> Board:
    """A small board with the sums of random values; with some sums moved there may be no answer."""
    while True:
        white = random.random((4, 4)) < 0.8
        values = np.where(white, random.integers(1, 6, (4, 4)), 0)
        board = framed(white, values.astype(np.int16), 1, 5)
        white = board.cells != BLACK
        if not white.any():
            continue
        shown = np.zeros(white.shape, np.int64)
        shown[1:, 1:] = values
        if all(len(set(shown[r.cells])) == r.length for r in runs_of(white)):
            return board


def found_by(search: SolutionSearch) -> list[bytes]:
    return [answer.astype(np.int16).tobytes() for answer in search]


class PlainSquares(LatinSquareDomain):
    """As if its rules had no more than `mark` and `undo`."""

    def has(self, *functions: Any) -> bool:
        return super().has(*functions) and not set(functions) & set(EXCLUSION)


@pytest.mark.slow
@pytest.mark.parametrize("domain", [LatinSquareDomain(), PlainSquares()])
@pytest.mark.parametrize("fails", [0, 1, 5])
def test_all_solutions_of_small_squares_are_those_of_brute_force(
    domain: LatinSquareDomain, fails: int
) -> None:
    """Each once, whatever the restarts; with the proof that there are no others."""
    random = np.random.default_rng(fails)
    counts = []
    for number in range(SQUARES):
        grid = random_square(3 + number % 4, random)
        problem = Problem("square", grid)
        expected = sorted(all_squares(grid))
        search = solutions(domain, problem, algorithm=Complete(fails=fails), seed=number)
        assert sorted(found_by(search)) == expected
        assert search.exact
        assert search.count == len(expected)
        counts.append(len(expected))
    assert min(counts) == 0
    assert 1 in counts
    assert max(counts) > 10


@pytest.mark.slow
@pytest.mark.parametrize("fails", [0, 1, 5])
def test_all_solutions_of_small_boards_are_those_of_brute_force(fails: int) -> None:
    """Kakuro, too."""
    random = np.random.default_rng(fails)
    counts = []
    for number in range(BOARDS):
        board = random_board(random)
        expected = sorted(all_boards(board))
        search = solutions(
            KakuroDomain(), Problem("board", board), algorithm=Complete(fails=fails), seed=number
        )
        assert sorted(found_by(search)) == expected
        assert search.exact
        counts.append(len(expected))
    assert 1 in counts
    assert max(counts) > 2


def test_uniqueness_is_told_from_none_and_several() -> None:
    """True for one solution, False for none and for two, None where the budget ends before."""
    domain = LatinSquareDomain()
    square = np.add.outer(np.arange(4), np.arange(4)).astype(np.int16) % 4
    one, several, none = square.copy(), np.full((4, 4), -1, np.int16), square.copy()
    one[:2, :2] = -1
    one[0, 0] = 0
    none[0, :2] = -1
    none[1, 0], none[1, 1] = -1, 0
    assert is_unique(domain, Problem("one", one)) is True
    assert is_unique(domain, Problem("several", several)) is False
    assert is_unique(domain, Problem("several", several), budget=Budget(playouts=1)) is None
    with pytest.raises(InputError):
        is_unique(domain, Problem("none", none))


def test_a_limit_ends_the_search_and_the_count_is_at_least() -> None:
    """The count is exact only where the tree was seen to its end."""
    empty = Problem("empty", np.full((4, 4), -1, np.int16))
    search = solutions(LatinSquareDomain(), empty, limit=10)
    assert len(set(found_by(search))) == search.count == 10
    assert not search.exact
    again = solutions(LatinSquareDomain(), empty, limit=10)
    assert found_by(again) == found_by(solutions(LatinSquareDomain(), empty, limit=10))


def test_an_iteration_that_was_left_goes_on() -> None:
    """No answer comes twice, and all that came are counted; where all came, none is left."""
    empty = Problem("empty", np.full((4, 4), -1, np.int16))
    search = solutions(LatinSquareDomain(), empty)
    begun = [next(search).tobytes() for _ in range(3)]
    for answer in search:
        begun.append(answer.tobytes())
        if len(begun) == 5:
            break
    begun += [answer.tobytes() for answer in search]
    assert len(begun) == len(set(begun)) == search.count == 576
    assert list(search) == []
    assert (search.count, search.exact) == (576, True)


@pytest.mark.parametrize("limit", [0, 2.5, None])
def test_a_limit_is_a_whole_number(limit: Any) -> None:
    """Others are refused."""
    empty = Problem("empty", np.full((2, 2), -1, np.int16))
    with pytest.raises(InputError, match=f"the limit is {limit}, expected a whole number"):
        solutions(LatinSquareDomain(), empty, limit=limit)


def test_priors_and_searches_of_another_kind_are_refused() -> None:
    """A line says what is expected in their places."""
    domain = LatinSquareDomain()
    (problem,) = domain.parse("1 .\n. .\n", "test")
    with pytest.raises(InputError, match=r"^the prior is a Prior, expected its table$"):
        solutions(domain, problem, prior=NO_PRIOR)
    with pytest.raises(InputError, match=r"^seed is None, expected 0 or more$"):
        solutions(domain, problem, seed=None)
    with pytest.raises(InputError, match=r"^gnrpa ends at a solution, expected complete$"):
        next(solutions(domain, problem, algorithm=Gnrpa(level=1)))


def test_an_interruption_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C ends the search: it does not look as if there were no other solutions."""
    domain = LatinSquareDomain()
    (problem,) = domain.parse("1 . .\n. . .\n. . .\n", "test")
    found = solutions(domain, problem)
    next(found)

    def interrupt(*words: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(domain, "verify", interrupt, raising=False)
    found.domain = domain
    with pytest.raises(KeyboardInterrupt):
        list(found)
    assert (found.interrupted, found.exact) == (True, False)
    assert list(found) == []


def test_domains_without_undo_are_refused() -> None:
    """The message names the domain."""
    with pytest.raises(InputError, match="tsptw has no complete search"):
        solutions(TsptwDomain(), Problem("tour", None))


def test_the_best_playout_is_legal_and_has_its_score() -> None:
    """Wherever the search is stopped: moves of a worse playout do not take the best one's place."""
    domain = LatinSquareDomain()
    generator = LatinSquareGenerator(order=30, holes=0.37, pattern="balanced")
    for number in range(4, 8):
        problem, _ = generator.generate(number, 0)
        instance = domain.instance(problem, domain.options())
        run = Complete(fails=10).new_run(domain, instance, NO_PRIOR.table)
        run.begin(new_stream(number))
        state = domain.new_state(instance)
        listed = new_moves(domain.limits(instance))
        for playouts in range(20, 400, 20):
            run.advance(playouts, 1 << 60)
            score, moves = run.best()
            rules.reset(instance, state)
            for move in moves:
                with np.errstate(over="ignore"):
                    assert rules.legal_moves(instance, state, new_stream(0), listed) > 0
                rules.play(instance, state, move)
            assert rules.score(instance, state) == score


def test_a_stop_where_every_playout_is_a_solution() -> None:
    """Limits are looked at between solutions, too, not only at dead ends."""
    stop = threading.Event()
    empty = Problem("empty", np.full((8, 8), -1, np.int16))
    search = solutions(LatinSquareDomain(), empty, stop=stop)
    found = iter(search)
    for _ in range(3):
        next(found)
    stop.set()
    assert list(found) == []
    assert (search.count, search.interrupted, search.exact) == (3, True, False)
