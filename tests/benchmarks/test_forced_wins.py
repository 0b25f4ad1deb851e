"""Exhaustive search for forced wins against one without any order of moves."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.forced_wins import FILE, Exhaustive, short_table
from benchmarks.kept import KeptLines
from solver.contract.rules import player, reset, rewards
from solver.games import load_game
from tests.docs.guide import ROOT

PLIES = 5


def wins(search: Exhaustive, state: Any, move: int, plies: int) -> bool:
    """Return whether a move wins within so many plies."""
    mover, after, worth = player(search.instance, state), search.after(state, move), np.zeros(2)
    replies = search.moves(after)
    if not replies:
        rewards(search.instance, after, worth)
        return bool(worth[mover] == 1.0)
    return plies >= 3 and all(
        any(wins(search, then, answer, plies - 2) for answer in search.moves(then))
        for then in (search.after(after, reply) for reply in replies)
    )


def test_moves_that_win_are_those_of_a_plain_search() -> None:
    """In one, three and five plies, of states of random games; and the moves are confirmed."""
    game, random, found = load_game("knightthrough"), np.random.default_rng(2), [0, 0, 0]
    options = game.options(rows=6, columns=3)
    instance = game.instance(game.start(options), options)
    search = Exhaustive(game, instance, PLIES)
    for _ in range(12):
        state, states = game.new_state(instance), []
        reset(instance, state)
        while moves := search.moves(state):
            states.append(state)
            state = search.after(state, int(random.choice(moves)))
        for state in states[-4:]:
            moves = search.moves(state)
            for number, plies in enumerate((1, 3, PLIES)):
                right = [move for move in moves if wins(search, state, move, plies)]
                assert sorted(search.winning(state, plies)) == sorted(right)
                assert len(search.winning(state, plies, 1)) == min(len(right), 1)
                for move in moves:
                    assert search.wins_with(state, move, plies) == (move in right)
                found[number] += len(right)
    assert found[0] < found[1] < found[2]


def test_a_last_move_need_not_win() -> None:
    """The move that fills a board of Gomoku without a five wins in no number of moves."""
    game, random = load_game("gomoku"), np.random.default_rng(1)
    options = game.options(size=5)
    instance = game.instance(game.start(options), options)
    search, worth, drawn = Exhaustive(game, instance, PLIES), np.zeros(2), 0
    while drawn < 3:
        state, before, last = game.new_state(instance), None, -1
        reset(instance, state)
        while moves := search.moves(state):
            before, last = state, int(random.choice(moves))
            state = search.after(state, last)
        rewards(instance, state, worth)
        is_drawn = worth[0] == worth[1]
        assert search.wins_with(before, last, PLIES) == (not is_drawn)
        drawn += is_drawn


def test_the_page_says_what_its_rows_say() -> None:
    """Each row is of another position or search; all are won, as many as the page says."""
    results = ROOT / "docs" / "results"
    rows = KeptLines(results / "games" / FILE).values
    names = "game", "plies", "search", "playouts", "number"
    assert len({tuple(row[name] for name in names) for row in rows}) == len(rows) > 300
    assert all(row["wins"] and row["search"] == "default" for row in rows)
    assert f"all {len(rows):,} positions" in (results / "games.md").read_text(encoding="utf-8")
    assert short_table(rows).count("\n") == 2 + len({row["game"] for row in rows})
