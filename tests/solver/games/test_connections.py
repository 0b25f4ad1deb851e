"""Wins of Hex by connections that nobody can cut, and must-play, against plain search."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from solver import Budget, analyse, load_game
from solver.commands.games.options import tree_algorithm
from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.contract.checks import ContractError
from solver.contract.domain import Problem
from solver.contract.rules import (
    forced_move,
    legal_moves,
    play,
    reset,
    saving_moves,
    won_by_force,
)
from solver.games.boards.grid import GridPosition
from solver.games.moves import moves_by_text
from solver.testing.games import check_forced
from tests.benchmarks.test_hex_openings import AlphaBeta

Stones = tuple[int, int]
HEX = load_game("hex")


def started(size: int, stones: Stones, mover: int, **options: Any) -> tuple[Any, Any]:
    """Instance and state of a position whose stones are bits."""
    cells = np.zeros(size * size, np.int64)
    for player, cell in itertools.product((0, 1), range(size * size)):
        if stones[player] >> cell & 1:
            cells[cell] = 1 + player
    data = GridPosition(cells.reshape(size, size), mover)
    instance = HEX.instance(Problem("p", data), HEX.options(**options))
    state = HEX.new_state(instance)
    reset(instance, state)
    return instance, state


class Plain(AlphaBeta):
    """Winners, and whether a win takes so many moves at most, by search alone."""

    def is_over(self, stones: Stones) -> bool:
        """True if somebody has connected."""
        return any(self.connects(stones[player], player) for player in (0, 1))

    def after(self, stones: Stones, mover: int, cell: int) -> Stones:
        """Stones after a move."""
        return (stones[0] | (mover == 0) << cell, stones[1] | (mover == 1) << cell)

    @cache  # noqa: B019
    def ends(self, stones: Stones, mover: int, winner: int, moves: int) -> bool:
        """True if `winner` can connect within so many moves of both, whatever is replied."""
        if self.connects(stones[winner], winner):
            return True
        if moves == 0:
            return False
        if mover == winner and moves == 1:
            free = self.all & ~(stones[0] | stones[1])
            return bool(self.connecting(stones[winner], free, winner))
        taken = stones[0] | stones[1]
        ways = (
            self.ends(self.after(stones, mover, cell), 1 - mover, winner, moves - 1)
            for cell in self.order
            if not taken >> cell & 1
        )
        return any(ways) if mover == winner else all(ways)


def told(plain: Plain, stones: Stones, mover: int) -> tuple[bool, int]:
    """Hold what the rules tell of a position against plain search.

    Returns whether they tell who wins, and how many moves they leave out.
    """
    size = plain.size
    instance, state = started(size, stones, mover)
    winner, longest = won_by_force(instance, state)
    forced = int(forced_move(instance, state))
    assert (forced >= 0) == (winner == mover)
    if winner >= 0:
        assert winner == (mover if plain.wins(stones, mover) else 1 - mover)
        assert plain.ends(stones, mover, winner, longest)
        if forced >= 0:
            after = plain.after(stones, mover, int(instance.board.ordinal[forced]))
            assert plain.ends(after, 1 - mover, mover, longest - 1)
            assert longest > 1 or plain.is_over(after)
        return True, 0
    has_more = longest
    moves = np.zeros(size * size, np.int64)
    with np.errstate(over="ignore"):
        n = int(legal_moves(instance, state, new_stream(0), moves))
    expected = sorted(moves[:n])
    left, longest = saving_moves(instance, state, moves, n)
    assert 0 < left <= n
    assert sorted(moves[:n]) == expected
    assert (longest == 0) == (left == n)
    assert has_more or left == n
    for move in moves[left:n]:
        after = plain.after(stones, mover, int(instance.board.ordinal[move]))
        assert not plain.is_over(after)
        assert plain.ends(after, 1 - mover, 1 - mover, longest - 1)
    return False, n - left


def all_positions(plain: Plain) -> Iterator[tuple[Stones, int]]:
    """Positions in which x has as many stones as o, or one more or less, and nobody has won."""
    n = plain.size**2
    for marks in itertools.product((0, 1, 2), repeat=n):
        x, o = marks.count(1), marks.count(2)
        first, second = (sum(1 << c for c in range(n) if marks[c] == p) for p in (1, 2))
        if abs(x - o) <= 1 and not plain.is_over((first, second)):
            for mover in (0, 1) if x == o else (int(x > o),):
                yield (first, second), mover


def random_positions(
    plain: Plain, free: int, count: int, random: np.random.Generator
) -> Iterator[tuple[Stones, int]]:
    """Positions with so many free cells in which nobody has won."""
    found = 0
    while found < count:
        cells = [1 << int(cell) for cell in random.permutation(plain.size**2)[free:]]
        half, mover = (len(cells) + found % 2) // 2, int(random.integers(2))
        stones = sum(cells[:half]), sum(cells[half:])
        if not plain.is_over(stones):
            found += 1
            yield stones, mover


@pytest.mark.parametrize("size", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_all_positions_of_small_boards(size: int) -> None:
    """A winner who is told wins in so many moves; so does the other against moves left out."""
    plain = Plain(size)
    found = [told(plain, *position) for position in all_positions(plain)]
    assert sum(tells for tells, _ in found) > 0.8 * len(found)
    assert size == 2 or sum(left_out for _, left_out in found) > 100


@pytest.mark.parametrize(("size", "free", "count"), [(4, 8, 150), (4, 11, 60), (5, 9, 80)])
def test_random_positions_of_larger_boards(size: int, free: int, count: int) -> None:
    """The same, of stones set at random."""
    plain, random = Plain(size), np.random.default_rng(size + free)
    found = [told(plain, *position) for position in random_positions(plain, free, count, random)]
    assert 0 < sum(tells for tells, _ in found) < count
    assert sum(left_out for _, left_out in found) > 20


@pytest.mark.parametrize("size", [4, 5])
def test_searches_prove_what_plain_search_finds(size: int) -> None:
    """The value, and a number of moves in which the winner can end."""
    plain, random = Plain(size), np.random.default_rng(size)
    for stones, mover in random_positions(plain, 9, 12, random):
        instance, _ = started(size, stones, mover)
        found = analyse(HEX, instance, tree_algorithm("mcps", {}), Budget(playouts=20_000))
        assert found.proved == float(plain.wins(stones, mover))
        assert found.moves_to_end is not None
        winner = mover if found.proved == 1.0 else 1 - mover
        assert plain.ends(stones, mover, winner, found.moves_to_end)


def told_of(text: str, **options: Any) -> tuple[int, int]:
    """Winner and moves that the rules tell of a position."""
    (problem,) = HEX.parse(text, "p")
    instance = HEX.instance(problem, HEX.options(**options))
    state = HEX.new_state(instance)
    reset(instance, state)
    winner, longest = won_by_force(instance, state)
    return int(winner), int(longest)


#: Three pairs: above c2, between c2 and b4, below b4.
LADDER = ".....\n..x..\n.....\n.x...\n.....\n{} to move"


def test_pairs_are_counted() -> None:
    """O takes a cell of each, and x the other one; x to move saves one of them."""
    assert told_of(LADDER.format("o")) == (0, 6)
    assert told_of(LADDER.format("x")) == (0, 5)


def test_sides_are_those_of_the_player() -> None:
    """The same stones of o connect nothing, those mirrored at the long diagonal both sides."""
    stones = LADDER.format("x").partition("x to")[0].replace("x", "o")
    assert told_of(f"{stones}x to move")[0] != 1
    assert told_of(".....\n...o.\n.o...\n.....\n.....\nx to move") == (1, 6)


def test_the_shortest_win_by_force_is_the_only_move() -> None:
    """X connects at once, be there connections that take longer."""
    text = "..x..\n..x..\n..x..\n.x...\n.....\n{} to move"
    assert told_of(text.format("o")) == (0, 2)
    (problem,) = HEX.parse(text.format("x"), "p")
    instance = HEX.instance(problem, HEX.options())
    found = analyse(HEX, instance, tree_algorithm("mcps", {}), Budget(playouts=1_000))
    assert [candidate.move for candidate in found.candidates] in (["a5"], ["b5"])
    assert (found.proved, found.moves_to_end) == (1.0, 1)


def test_a_stone_in_a_pair_has_to_be_answered() -> None:
    """X on the move takes the other cell; o would take both."""
    intruded = LADDER.replace(".....", "..o..", 1)
    assert told_of(intruded.format("x")) == (0, 5)
    assert told_of(intruded.format("o"))[0] != 0


def test_no_connection_wins_where_who_connects_loses() -> None:
    """Nothing is told, and nothing left out, with misère."""
    assert told_of(LADDER.format("o"), misere=True) == (-1, 0)
    instance, state = started(3, (1 << 4, 0), 1, misere=True)
    moves = np.array(list(moves_by_text(HEX, instance, state).values()))
    assert saving_moves(instance, state, moves, len(moves)) == (8, 0)


@pytest.mark.parametrize("stones", [(0, 0), (1 << 4, 0)])
def test_nothing_is_told_while_o_may_swap(stones: Stones) -> None:
    """The middle of 3 x 3 wins, unless it may be taken over."""
    mover = int(stones[0] > 0)
    instance, state = started(3, stones, mover)
    assert won_by_force(instance, state)[0] == 0
    instance, state = started(3, stones, mover, swap=True)
    assert won_by_force(instance, state) == (-1, 0)
    if mover == 0:
        play(instance, state, moves_by_text(HEX, instance, state)["b2"])
        play(instance, state, moves_by_text(HEX, instance, state)["swap"])
        play(instance, state, moves_by_text(HEX, instance, state)["a1"])
        assert won_by_force(instance, state)[0] == 1


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((2, 3), "player 2 wins"),
        ((0, 0), "ends in 0 moves"),
        ((0, 1), "wins at once"),
        ((-1, 0), "no move is forced, and one is"),
    ],
)
def test_wrong_answers_are_found(
    answer: tuple[int, int], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A winner is a player, and wins as soon as it says; what is said of moves is true."""
    instance = HEX.instance(HEX.start(HEX.options(size=4)), HEX.options())
    check_forced(HEX, instance, "toy")
    monkeypatch.setattr(contract, "won_by_force", lambda *arguments: answer)
    monkeypatch.setattr(HEX, "has", lambda function: True)
    with pytest.raises(ContractError, match=f"toy: won_by_force .*{expected}"):
        check_forced(HEX, instance, "toy")
