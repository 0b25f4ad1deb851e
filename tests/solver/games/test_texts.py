"""Positions that cannot be read are said to be so, with the place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.contract.rules import reset, rewards
from solver.errors import InputError
from solver.games import load_game


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("hex", "", "p: no board, expected lines of . x o"),
        ("hex", "..\n..\n", "p: expected a last line, such as 'x' to move"),
        ("hex", "..\n.q\nx to move", "p, line 2, cell 2: 'q', expected one of .xo"),
        ("hex", "..\n.\nx to move", "p, line 2: 1 cells, expected 2"),
        ("hex", "..\n..\nz to move", "p, line 3: no player 'z', expected one of xo"),
        ("hex", "..\n..\nx to move\n..", "p, line 4: expected nothing behind who moves"),
        ("hex", "...\n...\nx to move", "p: 2 rows of 3, expected as many of both"),
        ("gomoku", "." * 21 + "\nx to move", "p: 1 rows of 21, expected 20 at most"),
        ("breakthrough", "x.\no.\nx to move", "p: both players have reached the other side"),
        ("nogo", "z.\n..\nx to move", "p: z plays, expected --players 3"),
        ("nogo", "xo\no.\nx to move", "p: a group of x has no liberty"),
        ("nogo", "..\n..\nx to move, x o lost", "p: all have lost, expected one who has not"),
        ("hex", "..\n..\nx to move, o lost", "p: o cannot have lost yet"),
        ("atarigo", "xo\no.\no to move", "p: a group of x, who moved last, has no liberty"),
        ("gomoku", "x...o\n" * 5 + "x to move", "p: both players have five in a row"),
        ("wargame", "A 3 3\nA1 to move", "p: expected a line for each team, and who is to move"),
        ("wargame", "A 3 4\nB 3 3\nA1 to move", "p, line 1, unit A2: '4', expected 0 ... 3"),
        ("wargame", "A 3 3\nC 3 3\nA1 to move", "p, line 2: 'C', expected B"),
        ("wargame", "A 3 3\nB 3\nA1 to move", "p, line 2: 1 units, expected 2"),
        ("wargame", "A 3\nB 3\nB2 to move", "p, line 3: no unit 'B2', expected one of A1 ... B1"),
        ("wargame", "A 3\nB 3\nsomebody", "p, line 3: expected who is to move, such as A1 to move"),
        ("wargame", "A 0\nB 0\nA1 to move", "p: nobody is alive, expected a unit of some team"),
        ("investment", "A 3\nB 3\nA1 to move", "p: 2 winners of pair 1, expected one"),
        ("video-game", "A1:3 .\n", "p, line 1: expected who is to move, such as A1 of 10 to move"),
        ("video-game", "A1:4 .\nA1 of 2 to move", "p, line 1: 'A1:4', expected . or a unit"),
        ("video-game", "A1:3 A1:3\nA1 of 2 to move", "p: A1 is in two places"),
        ("video-game", "A3:3 .\nA1 of 2 to move", "p, line 1: no unit 'A3', expected one of A1"),
    ],
)
def test_bad_positions(name: str, text: str, message: str) -> None:
    """The message names line and cell, and what was expected."""
    game = load_game(name)

    def read() -> None:
        (problem,) = game.parse(text, "p")
        game.instance(problem, game.options())

    with pytest.raises(InputError) as raised:
        read()
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "text", "winner"),
    [
        ("atarigo", "xo\no.\nx to move", 1),
        ("atarigo", "ox\nxo\nx to move", 1),
        ("gomoku", "x.o.o\nx...o\nx...o\nx.x.o\nx.o..\no to move", 0),
        ("gomoku", "x.o.x\nx..xo\no.x.o\nxxo.o\nx.o.o\no to move", 0),
    ],
)
def test_positions_of_games_that_are_over(name: str, text: str, winner: int) -> None:
    """They can be read, and who has won has."""
    game = load_game(name)
    (problem,) = game.parse(text, "p")
    instance, worth = game.instance(problem, game.options()), np.zeros(2)
    state = game.new_state(instance)
    reset(instance, state)
    rewards(instance, state, worth)
    assert worth.tolist() == [winner == 0, winner == 1]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("hex", {"size": 1}, "size is 1, expected 2 ... 19"),
        ("hex", {"first": "h9"}, "first is 'h9', expected a cell, a1 ... g7"),
        ("breakthrough", {"rows": 3}, "rows is 3, expected 4 ... 19"),
        ("nogo", {"players": 4}, "players is 4, expected 2 or 3"),
        ("wargame", {"units": 0}, "units is 0, expected 1 ... 99"),
        ("wargame", {"codes": "vague"}, "codes is 'vague', expected abstract or exact"),
        ("video-game", {"rows": 20}, "rows is 20, expected 4 ... 19"),
    ],
)
def test_bad_options(name: str, options: dict[str, Any], message: str) -> None:
    """They are refused before anything is played."""
    game = load_game(name)
    with pytest.raises(InputError) as raised:
        game.start(game.options(**options))
    assert str(raised.value) == message
