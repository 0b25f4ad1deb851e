"""Games in one file that show how: their rules against published counts of games."""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver import Budget, Mcps, analyse
from solver.commands.subjects import find_game
from solver.contract.domain import Game
from solver.contract.rules import (
    copy_state,
    estimate,
    legal_moves,
    odds,
    play,
    player,
    prior_code,
    reset,
    rewards,
)
from solver.games.moves import moves_by_text
from solver.priors.priors import NO_PRIOR, default_prior
from solver.testing import check_game

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
#: Games of so many moves: 7 columns that are full after six stones; for Othello those of every
#: program that generates moves (OEIS A124004).
COUNTS = {"connect_four": [7, 49, 343, 2401], "othello": [4, 12, 56, 244, 1396]}
#: Who moves, o, is passed over: x alone can move.
PASS = "xxxxxxxx\n" * 6 + "xxxxxxx.\nxxxxxxo.\no to move\n"
#: x may take the corner a1, or open h8 to o by g7.
CORNERED = ".oox....\n" + "........\n" * 5 + "....xo..\n........\nx to move\n"
#: x wins in column d at once; o must play there.
THREE = ".......\n.......\n.......\n.......\noo.....\nxxx.o..\n"


def example(name: str) -> Game:
    """Load a game."""
    return find_game(str(EXAMPLES / f"{name}.py"))


def opened(game: Game, text: str | None = None) -> tuple[Any, Any]:
    """Return instance and state of a position, or of the start."""
    options = game.options()
    problem = game.start(options) if text is None else game.parse(text, "p")[0]
    instance = game.instance(problem, options)
    state = game.new_state(instance)
    reset(instance, state)
    return instance, state


def count(game: Game, instance: Any, state: Any, depth: int) -> int:
    """Games of `depth` moves from a state."""
    moves = np.zeros(64, np.int64)
    n = int(legal_moves(instance, state, np.zeros(4, np.uint64), moves))
    if depth == 1:
        return n
    below, total = game.new_state(instance), 0
    for move in moves[:n]:
        copy_state(instance, state, below)
        play(instance, below, int(move))
        total += count(game, instance, below, depth - 1)
    return total


@pytest.mark.parametrize("name", COUNTS)
def test_rules(name: str) -> None:
    """There are as many games as others count, and the contract is kept."""
    game = example(name)
    instance, state = opened(game)
    depths = range(1, len(COUNTS[name]) + 1)
    assert [count(game, instance, state, depth) for depth in depths] == COUNTS[name]
    check_game(game, [])


def test_passes() -> None:
    """A player without a move is passed over, and the end counts discs."""
    game = example("othello")
    instance, state = opened(game, PASS)
    assert player(instance, state) == 0
    assert list(moves_by_text(game, instance, state)) == ["h8"]
    play(instance, state, moves_by_text(game, instance, state)["h8"])
    assert not moves_by_text(game, instance, state)
    worth = np.zeros(2)
    rewards(instance, state, worth)
    assert worth.tolist() == [1.0, 0.0]


def test_a_win_is_seen_at_once() -> None:
    """A threat of Connect Four is carried out, or stopped."""
    game = example("connect_four")
    instance, _ = opened(game, THREE)
    found = analyse(game, instance, Mcps(proofs=True, decisive=True), Budget(playouts=50))
    assert (found.player, found.candidates[0].move, found.proved) == (0, "d", 1.0)
    threatened, _ = opened(game, "\n".join(["......."] * 3 + ["x......", "x..o...", "x..o..."]))
    found = analyse(game, threatened, Mcps(proofs=True, decisive=True), Budget(playouts=50))
    assert (found.player, [one.move for one in found.candidates]) == (1, ["a"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("connect_four", "x", "p: expected 6 lines of 7, each of . x o"),
        ("connect_four", ("x......\n" + ".......\n" * 5), "p: a stone hangs in the air"),
        ("connect_four", THREE.replace("oo", "xx"), "p: x begins, and stones are set in turns"),
        ("othello", "x to move", "p: expected 8 lines of 8, each of . x o"),
        ("othello", PASS.replace("o to", "z to"), "p: expected a last line, 'x to move' or 'o to"),
    ],
)
def test_bad_positions(name: str, text: str, message: str) -> None:
    """They are refused in a line."""
    from solver.errors import InputError

    with pytest.raises(InputError) as raised:
        example(name).parse(text, "p")
    assert str(raised.value).startswith(message)


def test_codes_of_othello_are_those_of_the_turned_board() -> None:
    """Turns and mirrors leave the code of a move, and corners tell it from others."""
    game = example("othello")
    prior = game.priors["place"].new_table(np.ones(game.priors["place"].rows))
    drawn, seen = np.random.default_rng(3), set()
    for _ in range(50):
        cells = drawn.integers(0, 3, (8, 8)) * drawn.integers(0, 2, (8, 8))
        found = []
        for turns, mirrored in itertools.product(range(4), (False, True)):
            boards = [cells, np.arange(64).reshape(8, 8)]
            turned, numbers = (np.rot90(one.T if mirrored else one, turns) for one in boards)
            text = "".join("".join(".xo"[mark] for mark in row) + "\n" for row in turned)
            instance, state = opened(game, text + "x to move\n")
            moves = moves_by_text(game, instance, state).values()
            codes = [int(prior_code(prior, instance, state, move)) for move in moves]
            cells_before = (int(numbers.flat[move]) for move in moves)
            found.append(dict(zip(cells_before, codes, strict=True)))
        assert all(codes == found[0] for codes in found)
        seen |= {*found[0].values()}
    assert len(seen) > 60


def chance_of(cells: np.ndarray, moves: int, their_moves: int) -> float:
    """Chance of the player with 1s, looked up cell by cell."""
    logit, worth = 0.12 * (moves - their_moves), {1: 1.0, 2: -1.0}
    for row, column in itertools.product((0, 7), (0, 7)):
        if cells[row, column] != 0:
            logit += worth[int(cells[row, column])]
            continue
        inner, beside = abs(row - 1), abs(column - 1)
        for at, weight in (((inner, beside), -0.6), ((inner, column), -0.2), ((row, beside), -0.2)):
            logit += weight * worth.get(int(cells[at]), 0.0)
    return 1 / (1 + math.exp(-logit))


def test_chances_of_othello_are_those_of_plain_python() -> None:
    """Moves, corners and discs beside free corners count; nobody has any late in the game."""
    game, known = example("othello"), 0
    drawn = np.random.default_rng(4)
    for free in drawn.choice([2, 10, 20, 40], 200):
        cells = drawn.integers(1, 3, 64)
        cells[drawn.permutation(64)[:free]] = 0
        cells = cells.reshape(8, 8)
        text = "".join("".join(".xo"[mark] for mark in row) + "\n" for row in cells)
        (instance, state), (other, their) = (opened(game, f"{text}{who} to move\n") for who in "xo")
        if (player(instance, state), player(other, their)) != (0, 1):  # who cannot move is passed
            continue
        worth, moves = np.zeros(2), len(moves_by_text(game, instance, state))
        expected = chance_of(cells, moves, len(moves_by_text(game, other, their)))
        assert estimate(instance, state, worth) == (free > 12)
        if free > 12:
            known += 1
            assert worth.tolist() == pytest.approx([expected, 1 - expected], abs=1e-12)
    assert known > 60


def test_othello_takes_the_table_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was learned by these rules, and likes a corner better than a cell aslant of one."""
    game = example("othello")
    prior = default_prior(game, game.prior_temperature)
    assert (prior.name, prior.temperature, game.prior_in) == ("othello", 2.0, "tree")
    instance, state = opened(game, CORNERED)
    moves = moves_by_text(game, instance, state)
    chances = {word: odds(prior.table, instance, state, move) for word, move in moves.items()}
    assert chances["a1"] > 20 * chances["g7"]
    monkeypatch.setattr(sys.modules[type(game).__module__], "__file__", str(tmp_path / "o.py"))
    assert default_prior(game) is NO_PRIOR
