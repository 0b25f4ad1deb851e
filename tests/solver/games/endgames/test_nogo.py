"""Winners of late positions of Nogo against plain search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from solver.algorithms.tree import Mcps
from solver.compiling.random import new_stream, next_below
from solver.contract.rules import copy_state, play, reset, solved_move, won_by_force
from solver.games.boards.endgames import nogo as endgame
from solver.games.boards.endgames import sets
from solver.games.boards.grid import GridPosition
from solver.games.boards.nogo import Nogo
from solver.games.boards.placement import TURN
from solver.games.moves import moves_by_text
from solver.searching.analysis import analyse
from solver.searching.driver import Budget
from tests.solver.games.plain_rules import nogo_rules

NOGO = Nogo()
#: Moves of a position that is few enough for plain search.
FEW = 5


def late_positions(count: int, least: int, most: int, **options: Any) -> Iterator[tuple[Any, Any]]:
    """Positions of random games in which who moves has so many moves."""
    chosen = NOGO.options(**options)
    instance = NOGO.instance(NOGO.start(chosen), chosen)
    state, seed = NOGO.new_state(instance), 0
    while count > 0:
        stream, seed = new_stream(seed), seed + 1
        reset(instance, state)
        while len(possible := moves_by_text(NOGO, instance, state)) > most:
            with np.errstate(over="ignore"):
                play(instance, state, list(possible.values())[next_below(stream, len(possible))])
        if len(possible) >= least:
            count -= 1
            yield instance, state


class Plain:
    """Winners by the rules of the text of a position, and how long games may be."""

    def __init__(self) -> None:
        self.rules, self.known = nogo_rules(2), dict[tuple[bytes, int], tuple[int, int]]()

    def found(self, position: GridPosition) -> tuple[int, int]:
        """Return the winner, and the moves of the longest game."""
        key = position.cells.tobytes(), position.turn
        if key not in self.known:
            moves, _ = self.rules(position)
            after = [self.found(self.after(position, move)) for move in moves]
            wins = any(winner == position.turn for winner, _ in after)
            winner = position.turn if wins else 1 - position.turn
            self.known[key] = winner, 1 + max((moves for _, moves in after), default=-1)
        return self.known[key]

    def after(self, position: GridPosition, move: str) -> GridPosition:
        """Return the position after a move."""
        rows, columns = position.cells.shape
        cells = position.cells.copy()
        cells[Nogo().cell_named(move, rows, columns, "test")] = 1 + position.turn
        return position._replace(cells=cells, turn=1 - position.turn)


@pytest.mark.parametrize("options", [{"size": 4}, {"rows": 3, "size": 6}, {"size": 5}])
def test_winners_are_those_of_plain_search(options: dict[str, int]) -> None:
    """All late positions have a winner, the one of plain search, and end as soon as told."""
    plain = Plain()
    for instance, state in late_positions(12, 1, FEW, **options):
        winner, longest = won_by_force(instance, state)
        expected, moves = plain.found(NOGO.position(instance, state))
        assert winner == expected
        assert longest >= moves


@pytest.mark.parametrize("options", [{"size": 4}, {"rows": 3, "size": 6}, {"size": 5}])
def test_a_move_is_told_where_there_is_one_that_wins(options: dict[str, int]) -> None:
    """A long search finds a move that wins in every late position that is won."""
    plain, told = Plain(), 0
    for instance, state in late_positions(12, 1, FEW, **options):
        position = NOGO.position(instance, state)
        move, longest = solved_move(instance, state)
        winner, moves = plain.found(position)
        assert (move >= 0) == (winner == position.turn)
        if move >= 0:
            told += 1
            after = plain.after(position, NOGO.format_move(instance, state, move))
            assert plain.found(after)[0] == winner
            assert longest >= moves
    assert told > 0


def test_a_won_root_is_proved_by_two_playouts() -> None:
    """A search of a few playouts plays the move that is told to win, and knows that it does."""
    played = 0
    for instance, state in late_positions(6, 11, 12, size=5):
        found = analyse(NOGO, instance, Mcps(proofs=True), Budget(2), state=state)
        move, _ = solved_move(instance, state)
        assert found.proved == (1.0 if move >= 0 else None)
        if move >= 0:
            played += found.chosen == move
            assert found.candidates[0].proved == 1.0
            assert found.moves_to_end is not None
    assert played > 0


def test_a_winner_keeps_winning() -> None:
    """A winner has a move after which he is told to win, a loser none."""
    told = 0
    for instance, state in late_positions(8, 6, 8, size=5):
        winner, longest = won_by_force(instance, state)
        if winner < 0:
            continue
        told += 1
        after, mover = NOGO.new_state(instance), int(state.board.counters[TURN])
        winners = set()
        for move in moves_by_text(NOGO, instance, state).values():
            copy_state(instance, state, after)
            play(instance, after, move)
            if NOGO.position(instance, after).lost:
                winners.add(mover)
                continue
            next_winner, next_longest = won_by_force(instance, after)
            assert next_longest < longest
            winners.add(next_winner)
        assert (mover in winners) == (winner == mover)
    assert told > 4


def test_a_search_that_is_too_long_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions with many moves, cells or groups have no winner, nor after too many positions."""
    ((instance, state),) = late_positions(1, 7, 7, size=5)
    with monkeypatch.context() as patch:
        patch.setattr(endgame, "POSITIONS", 1)
        assert won_by_force(instance, state) == (-1, 0)
    for name in ("MOVES", "MOST"):
        with monkeypatch.context() as patch:
            patch.setattr(endgame, name, 6)
            assert won_by_force(instance, state) == (-1, 0)
            patch.setattr(endgame, "LONG_MOVES", 6)
            assert solved_move(instance, state) == (-1, 0)
    monkeypatch.setattr(sets, "GROUPS", 1)
    ((instance, state),) = late_positions(1, 7, 7, size=5)
    assert won_by_force(instance, state) == (-1, 0)


@pytest.mark.parametrize("options", [{"players": 3}, {"misere": True}])
def test_other_rules_have_no_told_winners(options: dict[str, Any]) -> None:
    """No winner is told of three players, or if who moves last loses."""
    for instance, state in late_positions(3, 1, FEW, size=4, **options):
        assert won_by_force(instance, state) == solved_move(instance, state) == (-1, 0)
