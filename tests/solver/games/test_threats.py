"""Threats in Gomoku: windows, answers to threats, estimates, and wins that searches prove."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.algorithms.tree import Puct
from solver.compiling.random import new_stream
from solver.contract.rules import (
    decisive_move,
    estimate,
    forced_move,
    legal_moves,
    odds,
    play,
    saving_move,
    saving_moves,
)
from solver.games.boards.gomoku import ThreatOdds
from solver.games.boards.rows.fives import FIVE
from solver.games.boards.rows.threats import BITS, MOST, ODDS
from solver.kernels.tree.arrays import Guides
from solver.searching.analysis import Analyst
from solver.searching.driver import Budget
from tests.solver.games.plain_fives import (
    DIRECTIONS,
    SIZE,
    Cells,
    as_board,
    fifths,
    has_five,
    random_stones,
    started,
    wins_by_fours,
)

SEARCH = Puct(exploration=0.4, proofs=True, estimates=True)
OPEN_THREE = """\
.........
.........
..o...o..
.........
.........
...xxx...
......o..
.........
.........
o to move
"""


def plain_windows(board: Cells, mark: int) -> list[tuple[list[tuple[int, int]], int]]:
    """Windows of five with one to four stones of `mark` and none of the other: cells, stones."""
    found = []
    for row, column in board:
        for down, right in DIRECTIONS:
            cells = [(row + k * down, column + k * right) for k in range(FIVE)]
            owners = [board.get(cell, 3 - mark) for cell in cells]
            stones = owners.count(mark)
            if 3 - mark not in owners and 0 < stones < FIVE:
                found.append((cells, stones))
    return found


def listed(instance: Any, state: Any) -> np.ndarray:
    """Legal moves, int64[moves]."""
    moves = np.zeros(SIZE * SIZE, np.int64)
    with np.errstate(over="ignore"):
        return moves[: int(legal_moves(instance, state, new_stream(0), moves))]


def positions(random: np.random.Generator, n: int, exactly: bool, few: bool = False) -> Any:
    """Random positions in which nobody has five, and who moves does not complete it."""
    while n > 0:
        cells = random_stones(random, *((12, 20) if few else (16, 30)))
        board = as_board(cells)
        rows = any(mark and has_five(board, cell, exactly) for cell, mark in board.items())
        if not rows and not fifths(board, 1, exactly):
            n -= 1
            yield cells, board


def test_windows_are_those_of_a_plain_count() -> None:
    """Through each cell and in all, of both players; and odds are higher where more is made."""
    for cells, board in positions(np.random.default_rng(1), 12, False):
        _, instance, state = started(cells, 0, size=SIZE)
        moves = listed(instance, state)
        for player in range(2):
            windows = plain_windows(board, player + 1)
            for number, cell in enumerate(board):
                through = int(state.windows.through[player, instance.board.cells[number]])
                for stones in range(1, FIVE):
                    plain = sum(stones == n and cell in window for window, n in windows)
                    assert through >> BITS * (stones - 1) & MOST == plain
            for stones in range(1, FIVE):
                assert state.windows.all[player, stones] == sum(n == stones for _, n in windows)
        prior = ThreatOdds(ODDS)
        chances = [odds(prior, instance, state, int(move)) for move in moves]
        assert min(chances) > 0
        blocks = fifths(board, 2, False)
        if blocks:
            best = int(instance.board.ordinal[moves[int(np.argmax(chances))]])
            assert divmod(best, SIZE) in blocks


@pytest.mark.parametrize("exactly", [False, True])
def test_moves_that_are_left_out_lose_by_fours(exactly: bool) -> None:
    """A plain search wins by fours after each of them; moves that are left are legal, and some."""
    n_left_out, n_positions = 0, 0
    for cells, board in positions(np.random.default_rng(20_262), 60, exactly):
        _, instance, state = started(cells, 0, size=SIZE, exactly_five=exactly)
        if forced_move(instance, state) >= 0 or saving_move(instance, state) >= 0:
            continue
        moves = listed(instance, state)
        before, stones = moves.copy(), state.board.owner.copy()
        n, longest = saving_moves(instance, state, moves, len(moves))
        assert sorted(moves) == sorted(before)
        assert np.array_equal(state.board.owner, stones)
        assert 0 < n <= len(moves)
        assert (longest == 0) == (n == len(moves))
        n_positions += n < len(moves)
        for move in moves[n:][:6]:
            cell = divmod(int(instance.board.ordinal[move]), SIZE)
            after = board | {cell: 1}
            assert not fifths(after, 1, exactly)
            assert fifths(board, 2, exactly) or wins_by_fours(after, 2, exactly, (longest - 2) // 2)
            n_left_out += 1
    assert n_positions > 5
    assert n_left_out > 30


def test_only_answers_to_an_open_three_are_searched() -> None:
    """Its three free cells, of six in a row: the search has no others, and proves no loss."""
    game, instance, state = at(OPEN_THREE)
    analyst = Analyst(game, instance, SEARCH, guides=Guides(ThreatOdds(ODDS)))
    found = analyst.analyse(Budget(playouts=50), state=state)
    assert {candidate.move for candidate in found.candidates} <= {"b4", "c4", "g4", "h4"}
    assert {"c4", "g4"} <= {candidate.move for candidate in found.candidates}
    assert found.proved is None


def at(text: str, **options: Any) -> tuple[Any, Any, Any]:
    """Game, instance and state of a position."""
    from solver import load_game

    (problem,) = load_game("gomoku").parse(text, "p")
    return started(problem.data.cells, problem.data.turn, size=SIZE, **options)


def test_estimates_add_up_and_know_wins_by_fours() -> None:
    """Chances are between 0 and 1, 1 where fours win; there is none at an end, nor of misère."""
    wins = 0
    for cells, board in positions(np.random.default_rng(3), 30, False):
        _, instance, state = started(cells, 0, size=SIZE)
        worth = np.full(2, -1.0)
        assert estimate(instance, state, worth)
        assert worth.sum() == pytest.approx(1.0)
        assert (worth[0] == 1.0) == wins_by_fours(board, 1, False, depth=10)
        wins += worth[0] == 1.0
        _, instance, state = started(cells, 0, size=SIZE, misere=True)
        assert not estimate(instance, state, worth)
    assert 0 < wins < 30
    _, instance, state = at(OPEN_THREE.replace("xxx.", "xxxx").replace("o to", "x to"))
    play(instance, state, decisive_move(instance, state))
    assert not estimate(instance, state, np.zeros(2))


def is_won(analyst: Analyst, board: Cells, mark: int, depth: int) -> bool:
    """Return whether the search wins for `mark`, who moves, against each reply.

    Wins by fours are found by a plain search, which asks nobody.
    """
    if fifths(board, mark, False) or wins_by_fours(board, mark, False, depth=5):
        return True
    cells = np.array(list(board.values())).reshape(SIZE, SIZE)
    _, _, state = started(cells, mark - 1, size=SIZE)
    found = analyst.analyse(Budget(playouts=3000), state=state)
    if found.proved != 1.0 or depth == 0:
        return False
    word = found.candidates[0].move
    after = board | {(SIZE - int(word[1:]), "abcdefghi".index(word[0])): mark}
    return all(
        is_won(analyst, after | {reply: 3 - mark}, mark, depth - 1)
        for reply, owner in after.items()
        if owner == 0
    )


def test_wins_that_are_proved_are_won_against_each_reply() -> None:
    """Positions that no fours win: threes do, as a search proves with few playouts."""
    game, instance, _ = started(np.zeros((SIZE, SIZE), np.int64), 0, size=SIZE)
    analyst = Analyst(game, instance, SEARCH, guides=Guides(ThreatOdds(ODDS)))
    random, lengths = np.random.default_rng(7), list[int]()
    for cells, board in positions(random, 30, False, few=True):
        if fifths(board, 2, False) or wins_by_fours(board, 1, False, depth=5):
            continue
        _, _, state = started(cells, 0, size=SIZE)
        found = analyst.analyse(Budget(playouts=500), state=state)
        length = found.moves_to_end or 0
        if found.proved == 1.0 and 5 < length < 14:
            assert is_won(analyst, board, 1, length // 2)
            lengths.append(length)
        if len(lengths) == 2:
            break
    assert len(lengths) == 2
