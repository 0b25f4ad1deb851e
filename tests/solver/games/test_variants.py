"""Rules that can be asked for: taking the first stone over, exactly five, the winner loses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver import Budget, analyse, load_game
from solver.commands.games.options import tree_algorithm
from solver.contract.rules import decisive_move, play, reset, rewards, saving_move
from solver.games.moves import moves_by_text

ROW_OF_FOUR = """\
.......
.xxxx.x
.......
..oo...
.o.....
.......
.......
x to move
"""


def at(name: str, text: str, **options: Any) -> tuple[Any, Any, Any]:
    """Game, instance and state of a position."""
    game = load_game(name)
    (problem,) = game.parse(text, "p")
    instance = game.instance(problem, game.options(**options))
    state = game.new_state(instance)
    reset(instance, state)
    return game, instance, state


def test_a_swapped_stone_is_mirrored_and_its_cell_is_free() -> None:
    """The stone is of o on the mirrored cell; x moves, cannot swap, and may play where it was."""
    game, instance, state = at("hex", "...\n..x\n...\no to move", swap=True)
    moves = moves_by_text(game, instance, state)
    assert len(moves) == 9
    play(instance, state, moves["swap"])
    position = game.position(instance, state)
    assert position.cells.tolist() == [[0, 0, 0], [0, 0, 0], [0, 2, 0]]
    assert position.turn == 0
    after = moves_by_text(game, instance, state)
    assert "swap" not in after
    assert {"c2", "a1"} <= after.keys()
    assert len(after) == 8


@pytest.mark.parametrize(
    "text",
    [
        "...\n..x\n...\nx to move",
        "...\n..o\n...\nx to move",
        "...\n..o\n...\no to move",
        "...\n..x\n..o\nx to move",
        "...\n...\n...\no to move",
    ],
)
def test_only_the_first_stone_of_x_is_taken_over(text: str) -> None:
    """Nobody swaps later, earlier, or the stone of o."""
    game, instance, state = at("hex", text, swap=True)
    assert "swap" not in moves_by_text(game, instance, state)


def test_whoever_may_swap_wins_small_hex() -> None:
    """With the swap the second player wins from any first stone of 3 x 3, as proofs say."""
    game = load_game("hex")
    for cell in ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"):
        options = game.options(size=3, first=cell, swap=True)
        instance = game.instance(game.start(options), options)
        found = analyse(game, instance, tree_algorithm("uct", {}), Budget(playouts=20_000))
        assert found.proved is not None
        assert (found.player, found.proved) == (1, 1.0)


def test_six_in_a_row_wins_where_five_or_more_do() -> None:
    """The gap of a row of four and one more wins by six stones, and not by exactly five."""
    for exactly, winner in ((False, [1.0, 0.0]), (True, [0.0, 0.0])):
        game, instance, state = at("gomoku", ROW_OF_FOUR, exactly_five=exactly)
        moves, worth = moves_by_text(game, instance, state), np.zeros(2)
        play(instance, state, moves["f6"])
        rewards(instance, state, worth)
        assert (worth.tolist() == winner) is not exactly
        assert (moves_by_text(game, instance, state) == {}) is not exactly


def test_the_decisive_move_makes_exactly_five() -> None:
    """An end of a row that makes six is none."""
    for exactly, found in ((False, {"a6", "f6"}), (True, {"a6"})):
        game, instance, state = at("gomoku", ROW_OF_FOUR, exactly_five=exactly)
        move = decisive_move(instance, state)
        assert game.format_move(instance, state, move) in found


def test_six_in_a_row_on_a_position_that_is_given_win_nothing() -> None:
    """With exactly five the game goes on, as it would had the last stone been set between."""
    text = ROW_OF_FOUR.replace(".xxxx.x", "xxxxxx.")
    for exactly, over in ((True, False), (False, True)):
        game, instance, state = at("gomoku", text, exactly_five=exactly)
        assert (not moves_by_text(game, instance, state)) is over


def test_no_move_is_decisive_where_five_lose() -> None:
    """Nobody is forced to stop a row, and who completes it has lost."""
    game, instance, state = at("gomoku", ROW_OF_FOUR, misere=True)
    assert decisive_move(instance, state) == -1
    assert saving_move(instance, state) == -1
    worth = np.zeros(2)
    play(instance, state, moves_by_text(game, instance, state)["f6"])
    rewards(instance, state, worth)
    assert worth.tolist() == [0.0, 1.0]


def test_both_may_have_long_rows_where_exactly_five_win() -> None:
    """A position with six of x and five of o is one that o has won."""
    text = "xo....\n" * 5 + "x.....\nx to move"
    _, instance, state = at("gomoku", text, exactly_five=True)
    worth = np.zeros(2)
    rewards(instance, state, worth)
    assert worth.tolist() == [0.0, 1.0]


def test_nogo_of_three_has_no_misere() -> None:
    """The last of three to move is not defined to lose."""
    with pytest.raises(ValueError, match="misere is of two players, expected players 2"):
        load_game("nogo").options(players=3, misere=True)
