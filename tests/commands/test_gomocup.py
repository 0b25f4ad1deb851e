"""`solve gomoku --gomocup`: sessions of the protocol of tournaments."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from solver.commands.games.gomocup import Player
from solver.commands.games.settings import read_settings
from solver.commands.games.solve import build_parser
from solver.commands.subjects import find_game
from solver.searching.driver import Budget
from tests.commands.shell import Run

WORDS = ["--gomocup", "--playouts", 200]
CELL = re.compile(r"([0-9]+),([0-9]+)")


def talk(run: Run, *lines: str) -> list[str]:
    """Answers to the commands in `lines`."""
    finished = run("solve", "gomoku", *WORDS, stdin="".join(f"{line}\r\n" for line in lines))
    assert (finished.status, finished.err) == (0, "")
    return finished.out.splitlines()


def test_a_session(run: Run) -> None:
    """Our stones lie on free cells of the board; unknown words are told, and limits are not."""
    lines = ["START  6", "INFO timeout_turn 5000", "INFO folder x", "INFO time_left nan", "BEGIN"]
    ok, first, *rest, about = talk(run, *lines, "TURN 9,9", "PASS", "ABOUT", "END", "BEGIN")
    assert ok == "OK"
    found = CELL.fullmatch(first)
    assert found is not None
    assert max(map(int, found.groups())) < 6
    error, unknown = rest
    assert error == "ERROR no free cell '9,9', expected X,Y from 0, such as 7,7"
    assert unknown == "UNKNOWN command 'PASS'"
    assert about.startswith('name="Nestor", version="')


def test_a_board_is_gone_on_with(run: Run) -> None:
    """Four of theirs in a row are stopped, four of ours completed; X counts columns."""
    theirs = [f"{column},2,2" for column in range(4)]
    ours = [f"1,{row},1" for row in (7, 8, 9, 10)]
    board = ["START 15", "BOARD", *theirs, "14,14,1", "12,14,1", "10,14,1", "DONE"]
    assert talk(run, *board) == ["OK", "4,2"]
    *_, found = talk(run, "START 15", "BOARD", *ours, "9,9,2", "3,3,2", "11,3,2", "0,0,2", "DONE")
    assert found in ("1,6", "1,11")
    *_, undone, reply = talk(run, *board, "TAKEBACK 4,2", "TURN 8,8")
    assert undone == "OK"
    assert CELL.fullmatch(reply)


def test_exactly_five(run: Run) -> None:
    """By rule 1 a row of four is not completed where that makes six."""
    ours = [f"1,{row},1" for row in (5, 7, 8, 9, 10)]
    board = ["BOARD", *ours, *(f"{cell},2" for cell in ("9,9", "3,3", "11,3", "0,0", "1,12"))]
    for rule, winning in ((0, {"1,6", "1,11"}), (1, {"1,11"})):
        *_, found = talk(run, "START 15", f"INFO rule {rule}", *board, "DONE")
        assert found in winning


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["START 21"], "ERROR size is 21, expected 1 ... 20"),
        (["START"], "ERROR '' is no size, expected a whole number"),
        (["START 15 15"], "ERROR '15 15' is no size, expected a whole number"),
        (["TURN"], "ERROR no free cell '', expected X,Y from 0, such as 7,7"),
        (["SWAP2BOARD", "7,7", "8,8", "DONE"], "UNKNOWN command 'SWAP2BOARD'"),
        (["START x"], "ERROR 'x' is no size, expected a whole number"),
        (["START " + "1" * 5000], f"ERROR '{'1' * 80}... is no size, expected a whole number"),
        (["INFO rule 5"], "ERROR rule 5 is Renju, expected 0 or 1: exactly five"),
        (["BOARD", "1,1", "1,2,1", "DONE"], "ERROR '1,1', expected X,Y,1 or X,Y,2, or DONE"),
        (["BOARD", "40,1,1", "DONE"], "ERROR '40,1,1', expected a cell of the board, and 1 or 2"),
        (["BOARD", "4,1,1", "4,1,2", "DONE"], "ERROR '4,1,2', expected a cell without a stone"),
        (["TAKEBACK 1,1"], "ERROR cannot undo"),
        (
            ["BOARD", "1,1,1", "2,2,1", "3,3,2", "DONE"],
            "ERROR a board with 2 stones of ours and 1 of theirs, expected no more of ours",
        ),
    ],
)
def test_errors(run: Run, lines: list[str], message: str) -> None:
    """They are told in a line, and the session goes on."""
    found = talk(run, *lines, "RESTART")
    assert found == [message, "OK"]


def test_boards_one_after_another(run: Run) -> None:
    """`RESTART` and a board replace all stones of a board; one that is refused replaces none."""
    board = ["START 10", "BOARD", "5,4,2", "DONE"]
    *_, reply = talk(run, *board, "RESTART", "TURN 5,4")
    assert CELL.fullmatch(reply)
    *_, reply = talk(run, *board, "BOARD", "1,1,2", "DONE", "TURN 5,4")
    assert CELL.fullmatch(reply)
    both = [f"{column},{row},{row + 1}" for row in (0, 1) for column in range(5)]
    _, ours, error, taken, _ = talk(run, *board, "BOARD", *both, "DONE", "TURN 5,4", "TURN 0,0")
    assert CELL.fullmatch(ours)
    assert error == "ERROR board: both players have five in a row"
    assert taken.startswith("ERROR no free cell '5,4'")


def test_a_rule_in_the_middle_keeps_the_stones(run: Run) -> None:
    *_, reply = talk(run, "START 7", "BOARD", "1,1,1", "2,2,2", "DONE", "INFO rule 1", "TURN 1,1")
    assert reply.startswith("ERROR no free cell '1,1'")


def test_the_last_stone_is_taken_back(run: Run) -> None:
    _, cell, refused, taken = talk(run, "START 7", "BEGIN", "TAKEBACK 9,9", "TAKEBACK 9,9")
    assert refused == taken == f"ERROR '9,9', expected the last stone, {cell}"
    assert talk(run, "START 7", "BEGIN", f"TAKEBACK {cell}")[-1] == "OK"


def test_stones_of_a_board_are_taken_back(run: Run) -> None:
    """One by one where they alternate, which tells in which order they came."""
    board = ["START 15", "BOARD", "7,7,1", "8,8,2", "7,8,1", "8,9,2", "DONE"]
    back = ["TAKEBACK", "TAKEBACK 8,9", "TAKEBACK 7,8", "TAKEBACK 9,9"]
    *_, own, second, third, other = talk(run, *board, *back)
    assert (own, second, third) == ("OK", "OK", "OK")
    assert other == "ERROR '9,9', expected the last stone, 8,8"
    apart = ["START 15", "BOARD", "7,7,1", "7,8,1", "8,8,2", "8,9,2", "DONE"]
    assert talk(run, *apart, "TAKEBACK", "TAKEBACK 8,9")[-1] == "ERROR cannot undo"


def test_limits_of_a_turn_and_of_a_match() -> None:
    """The less of a turn's limit and a share of the match counts; 0 lifts that of the match."""
    game = find_game("gomoku")
    words = ["gomoku", "--gomocup", "--algorithm", "flat", "--prior", "none"]
    player = Player(read_settings(game, build_parser(game).parse_args(words)))
    seconds: list[float | None] = []

    def analyse(budget: Budget, **others: Any) -> SimpleNamespace:
        seconds.append(budget.seconds)
        return SimpleNamespace(chosen=next(iter(player.place().moves.values())))

    player.engine.analyst.analyse = analyse  # type: ignore[method-assign, assignment]
    for limit in ("turn 500", "match 100000", "match 30", "match 0"):
        player.info(*f"timeout_{limit}".split())
        player.move()
    turn, both, little, lifted = seconds
    assert turn == both == lifted == pytest.approx(0.45)
    assert little == 0.01
    player.info("timeout_match", "100000")
    for line in ("START 9", "RESTART"):
        player.engine.clock.spend(0, 50.0)
        assert player.answer(line, iter(())) == "OK"
        assert player.engine.clock.share(0, 10) == pytest.approx(9.5)


def test_a_board_without_an_end(run: Run) -> None:
    """No move is made on a part of it."""
    assert talk(run, "BOARD", "4,1,1") == ["ERROR the input ends within a board, expected DONE"]


def test_other_games(run: Run) -> None:
    """The protocol is of Gomoku alone."""
    finished = run("solve", "hex", "--gomocup")
    assert finished.status == 2
    assert "--gomocup is for gomoku" in finished.err
