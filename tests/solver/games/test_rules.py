"""Rules of the games against plain Python written from their texts, and the contract."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from solver.compiling.jit import kernel
from solver.compiling.random import Stream, new_stream, next_below
from solver.contract.domain import Game, Problem
from solver.contract.rules import Floats, Moves, code, legal_moves, play, reset, rewards
from solver.games import load_game
from solver.games.moves import moves_by_text
from solver.games.playouts import random_playouts
from solver.kernels.bounds import new_moves
from solver.testing import check_game
from tests.solver.games.plain_rules import (
    atarigo_rules,
    gomoku_rules,
    hex_rules,
    investment_rules,
    misere,
    nogo_rules,
    runner_rules,
    swap_rules,
    video_rules,
    wargame_rules,
)

#: Games with small boards, where what is rare happens soon.
PLAYED: list[tuple[str, dict[str, Any], Callable[[Any], Any]]] = [
    ("hex", {"size": 4, "first": "none"}, hex_rules),
    ("hex", {"size": 3, "first": "none", "swap": True}, swap_rules),
    ("hex", {"size": 4, "misere": True}, misere(hex_rules)),
    ("gomoku", {"size": 5}, gomoku_rules),
    ("gomoku", {"size": 7, "rows": 5}, gomoku_rules),
    ("gomoku", {"size": 6, "exactly_five": True}, partial(gomoku_rules, exactly=True)),
    ("gomoku", {"size": 6, "misere": True}, misere(gomoku_rules)),
    ("atarigo", {"size": 4}, atarigo_rules),
    ("nogo", {"size": 4}, nogo_rules(2)),
    ("nogo", {"size": 3, "rows": 4, "misere": True}, misere(nogo_rules(2))),
    ("nogo", {"size": 4, "players": 3}, nogo_rules(3)),
    ("breakthrough", {"rows": 5, "columns": 4}, runner_rules("breakthrough")),
    ("knightthrough", {"rows": 6, "columns": 3}, runner_rules("knightthrough")),
    ("wargame", {"units": 3}, wargame_rules),
    ("wargame", {"units": 2, "players": 3}, wargame_rules),
    ("investment", {"units": 3}, investment_rules),
    ("investment", {"units": 4, "players": 3}, investment_rules),
    ("video-game", {"rows": 4, "columns": 2}, video_rules),
]
GAMES = 12


@pytest.mark.parametrize(("name", "options", "rules"), PLAYED)
def test_moves_and_ends_are_those_of_the_text(
    name: str, options: dict[str, Any], rules: Callable[[Any], Any]
) -> None:
    """Moves and rewards of random games are those of the text of the position."""
    game = load_game(name)
    instance = game.instance(game.start(game.options(**options)), game.options(**options))
    state, players = game.new_state(instance), game.players(instance)
    found: Floats = np.zeros(players)
    for seed in range(GAMES):
        stream = new_stream(seed)
        reset(instance, state)
        while True:
            moves, ends = rules(game.position(instance, state))
            possible = moves_by_text(game, instance, state)
            assert possible.keys() == moves
            if ends is not None:
                break
            with np.errstate(over="ignore"):
                chosen = next_below(stream, len(possible))
            play(instance, state, list(possible.values())[chosen])
        rewards(instance, state, found)
        assert found.tolist() == ends


@pytest.mark.parametrize(("name", "options"), [(name, options) for name, options, _ in PLAYED])
def test_a_game_goes_on_from_the_text_of_any_position(name: str, options: dict[str, Any]) -> None:
    """The text of a position determines who is left and which cells are free."""
    game = load_game(name)
    chosen = game.options(**options)
    instance = game.instance(game.start(chosen), chosen)
    state = game.new_state(instance)
    both: Floats = np.zeros((2, game.players(instance)))
    for seed in range(GAMES):
        stream, steps = new_stream(seed), 0
        reset(instance, state)
        other, follower = instance, state
        while possible := moves_by_text(game, instance, state):
            if steps == seed:
                text = game.format_problem(Problem("start", game.position(instance, state)))
                (problem,) = game.parse(text, "position")
                other = game.instance(problem, chosen)
                follower = game.new_state(other)
                reset(other, follower)
            with np.errstate(over="ignore"):
                text = list(possible)[next_below(stream, len(possible))]
            if steps >= seed:
                followed = moves_by_text(game, other, follower)
                assert followed.keys() == possible.keys()
                play(other, follower, followed[text])
            play(instance, state, possible[text])
            steps += 1
        if steps > seed:
            rewards(instance, state, both[0])
            rewards(other, follower, both[1])
            assert both[0].tolist() == both[1].tolist()


@pytest.mark.parametrize(("name", "options"), [(name, options) for name, options, _ in PLAYED])
def test_games_keep_the_contract(name: str, options: dict[str, Any]) -> None:
    """Texts, copies, limits and codes, compiled and not."""
    check_game(load_game(name), (), load_game(name).options(**options))


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("wargame", "exact"),
        ("investment", "exact"),
        ("investment", "target"),
        ("video-game", "exact"),
        ("video-game", "specific"),
    ],
)
def test_other_codes_keep_the_contract(name: str, codes: str) -> None:
    """Their numbers are within the limits."""
    check_game(load_game(name), (), load_game(name).options(codes=codes))


def moves_in(name: str, text: str, **options: Any) -> set[str]:
    """Moves of the position that is written `text`."""
    game = load_game(name)
    (problem,) = game.parse(text, "position")
    instance = game.instance(problem, game.options(**options))
    state = game.new_state(instance)
    reset(instance, state)
    return {*moves_by_text(game, instance, state)}


#: A position with eyes of x in two corners.
CORNER = ".x.\nxx.\n.xo\n"


@pytest.mark.parametrize(
    ("name", "mover", "moves"),
    [
        ("atarigo", "o", {"c3", "c2"}),  # a3 and a1 are suicide
        ("nogo", "o", {"c3", "c2"}),
        ("nogo", "x", {"a3", "a1", "c3"}),  # c2 would capture the stone at c1
        ("atarigo", "x", {"a3", "a1", "c3", "c2"}),
    ],
)
def test_suicide_and_capture(name: str, mover: str, moves: set[str]) -> None:
    """Both go by the group that a stone joins, and by who takes the last liberty."""
    found = moves_in(name, f"{CORNER}{mover} to move\n")
    assert found == moves


def test_a_capture_comes_before_suicide() -> None:
    """A stone without a liberty may capture in Atarigo: that wins."""
    text = "ox.\n.ox\nox.\no to move\n"
    assert "c3" in moves_in("atarigo", text)
    assert "c3" not in moves_in("nogo", text)


def test_six_in_a_row_win() -> None:
    """Five or more."""
    row = "xxx.xx\n" + 5 * "......\n"
    game = load_game("gomoku")
    (problem,) = game.parse(f"{row}x to move", "position")
    instance = game.instance(problem, game.options())
    state = game.new_state(instance)
    reset(instance, state)
    play(instance, state, moves_by_text(game, instance, state)["d6"])
    assert legal_moves(instance, state, new_stream(0), np.zeros(36, np.int64)) == 0


#: Moves at the start, mean length of random playouts, and how often a code of a move of the start
#: occurs in one: paper 'mcps', table 7.
TABLE_7: list[tuple[str, dict[str, Any], int, float, dict[str, float]]] = [
    ("atarigo", {}, 36, 24.165, {"": 0.343}),
    ("breakthrough", {}, 22, 64.100, {"": 0.423}),
    ("gomoku", {}, 81, 53.426, {"": 0.333}),
    ("hex", {"first": "b2"}, 48, 41.300, {"": 0.435}),
    ("knightthrough", {}, 40, 33.624, {"": 0.210}),
    ("nogo", {}, 25, 22.023, {"": 0.450}),
    ("wargame", {}, 10, 54.448, {"exact": 0.116, "abstract": 0.297}),
    ("wargame", {"units": 20}, 20, 110.525, {"exact": 0.059, "abstract": 0.157}),
    ("video-game", {}, 17, 55.353, {"exact": 0.060, "abstract": 0.256, "specific": 0.131}),
    ("investment", {}, 11, 46.212, {"exact": 0.372, "target": 0.901}),
    ("investment", {"units": 21}, 21, 87.559, {"exact": 0.353, "target": 0.890}),
    ("nogo", {"players": 3}, 25, 20.844, {"": 0.292}),
    ("wargame", {"players": 3}, 20, 84.520, {"exact": 0.058, "abstract": 0.159}),
    ("investment", {"units": 10, "players": 3}, 10, 52.254, {"exact": 0.295, "target": 0.847}),
]
#: Playouts of the paper, and ours.
THEIRS, OURS = 10_000, 20_000
#: Three standard errors of a share of codes, of which the paper has three digits.
SHARE = 0.003


@kernel
def count_codes(
    instance: Any, state: Any, stream: Stream, moves: Moves, counts: npt.NDArray[np.int64]
) -> bool:
    """Count in how many of `OURS` random games each code occurs; False if a bound is broken.

    `counts` is int64[2, codes]: the counts, and the number of the last game with the code.
    """
    for playout in range(1, OURS + 1):
        reset(instance, state)
        n = legal_moves(instance, state, stream, moves)
        while n != 0:
            if not 0 <= n <= len(moves):
                return False
            move = moves[next_below(stream, n)]
            played = code(instance, state, move)
            if not 0 <= played < counts.shape[1]:
                return False
            if counts[1, played] != playout:
                counts[1, played] = playout
                counts[0, played] += 1
            play(instance, state, move)
            n = legal_moves(instance, state, stream, moves)
    return True


def share_of_codes(game: Game, instance: Any) -> float:
    """Mean frequency, in random games, of the codes of the moves at the start."""
    state, stream, limits = game.new_state(instance), new_stream(0), game.limits(instance)
    moves, counts = new_moves(limits), np.zeros((2, limits.codes), np.int64)
    assert count_codes(instance, state, stream, moves, counts)
    reset(instance, state)
    with np.errstate(over="ignore"):
        n = legal_moves(instance, state, stream, moves)
    return float(np.mean([counts[0, code(instance, state, move)] for move in moves[:n]])) / OURS


@pytest.mark.parametrize(("name", "options", "moves", "length", "shares"), TABLE_7)
def test_table_7(
    name: str, options: dict[str, Any], moves: int, length: float, shares: dict[str, float]
) -> None:
    """Moves at the root are as many, and playouts as long, within three standard errors."""
    game = load_game(name)
    chosen = game.options(**options)
    instance = game.instance(game.start(chosen), chosen)
    state = game.new_state(instance)
    reset(instance, state)
    assert len(moves_by_text(game, instance, state)) == moves
    steps = random_playouts(game, instance, OURS).steps
    error = steps.std() * (1 / THEIRS + 1 / OURS) ** 0.5
    assert abs(steps.mean() - length) < 3 * error
    for codes, share in shares.items():
        chosen = game.options(**options, codes=codes) if codes else chosen
        instance = game.instance(game.start(chosen), chosen)
        found = share_of_codes(game, instance)
        assert found == pytest.approx(share, abs=SHARE)
