"""`solve GAME --gtp`: sessions of the Go Text Protocol, as viewers have them."""

from __future__ import annotations

import math
import re
import signal
import subprocess
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver.commands.games.clock import Clock, for_search, moves_expected
from solver.commands.games.gtp import COMMANDS, Engine, answer
from solver.commands.games.settings import read_settings
from solver.commands.games.solve import build_parser
from solver.contract.rules import play, reset, rewards
from solver.errors import InputError
from solver.games import load_game
from solver.games.boards.placement import FREE
from solver.games.moves import moves_by_text
from solver.games.playouts import random_playouts
from tests.commands.shell import Run, ended, launched, processor_seconds, wait_until

WORDS = ["--gtp", "--playouts", 50]


def talk(run: Run, game: str, *lines: str, words: tuple[object, ...] = ()) -> list[str]:
    """Answers to the commands in `lines`."""
    finished = run("solve", game, *WORDS, *words, stdin="\n".join(lines) + "\n")
    assert (finished.status, finished.err) == (0, "")
    assert finished.out.endswith("\n\n")
    return finished.out[:-2].split("\n\n")


def test_a_session(run: Run) -> None:
    """Ids are echoed, comments, control characters and empty lines skipped, errors named."""
    script = {
        "1 protocol_version": "=1 2",
        "name": "= Nestor hex mcps",
        "2\tboardsize 3 3 # as viewers of Hex say": "=2",
        "clear_board": "=",
        "komi 6.5": "=",
        "play black b\x012": "=",
        "play BLACK B2": "? illegal move: 'B2'",
        "play w d4": "? illegal move: 'd4'",
        "play w pass": "? illegal move: 'pass'",
        "play w a1": "=",
        "final_score": "? cannot score: the game is not over",
        "known_command genmove": "= true",
        "known_command gen": "= false",
        "showboard": "= \n   a b c\n 1 o . .\n 2 . x .\n 3 . . .\n   a b c\nblack (x) to move",
        "undo": "=",
        "time_left w -3 0": "=",
        "3 undo": "=3",
        "4 undo": "?4 cannot undo",
        "5": "?5 unknown command: ''",
        "boardsize 20": "? unacceptable size",
        "boardsize 1": "? unacceptable size",
        "boardsize 3 4": "? unacceptable size",
        "boardsize 3.5": "? syntax error: '3.5' is no whole number",
        "play red a1": "? syntax error: color 'red', expected black or white",
        "play b": "? syntax error, expected play COLOR VERTEX",
        "komi nan": "? syntax error: 'nan' is no number",
        "loadsgf x": "? unknown command: 'loadsgf'",
        "quit": "=",
    }
    assert talk(run, "hex", "# a comment", "", *script, "name") == list(script.values())
    # Where the first stone of Hex would be is not on such a board; a mark of the order of bytes.
    small = ["\ufeff1 showboard", "quit now", "name"]
    assert talk(run, "hex", *small, words=("--size", 2)) == [
        "=1 \n   a b\n 1 . .\n 2 . .\n   a b\nblack (x) to move",
        "? syntax error, expected quit",
        "= Nestor hex mcps",
    ]


def test_the_end_of_a_game(run: Run) -> None:
    """The loser resigns, the winner passes, passes can be undone, and the score is a point."""
    moves = ["play b a1", "play b a2"]
    over = ["play w c1", "genmove w", "genmove b", "play w pass", "final_score", *["undo"] * 3]
    lines = ["boardsize 3", *moves, "reg_genmove b", "play b a3", *over, "final_score"]
    *_, best, three, illegal, resigned, passed, accepted, score, _, _, undone, open_ = talk(
        run, "hex", *lines
    )
    assert (best, three, illegal) == ("= a3", "=", "? illegal move: 'c1'")
    assert (resigned, passed, accepted, score) == ("= resign", "= pass", "=", "= B+1")
    assert (undone, open_) == ("=", "? cannot score: the game is not over")


@pytest.mark.parametrize(("game", "size"), [("hex", 4), ("gomoku", 5), ("atarigo", 4), ("nogo", 4)])
def test_a_game_with_itself(run: Run, game: str, size: int) -> None:
    """All moves are possible by the rules, and the score is what they say of the end."""
    turns = [f"genmove {'bw'[number % 2]}" for number in range(size * size + 1)]
    found = talk(run, game, f"boardsize {size}", *turns, "final_score")
    vertices = [text[2:] for text in found[1:-1]]
    rules = load_game(game)
    options = rules.options(size=size, first="none") if game == "hex" else rules.options(size=size)
    instance = rules.instance(rules.start(options), options)
    state = rules.new_state(instance)
    reset(instance, state)
    while moves := moves_by_text(rules, instance, state):
        play(instance, state, moves[vertices.pop(0)])
    assert {*vertices} <= {"pass", "resign"}
    worth = np.zeros(2)
    rewards(instance, state, worth)
    assert found[-1] == {1.0: "= B+1", 0.0: "= W+1", 0.5: "= 0"}[worth[0]]


def test_a_position_has_the_moves_that_led_to_it() -> None:
    """A prior knows the last stones, also after one was taken back."""
    game = load_game("hex")
    arguments = build_parser(game).parse_args(["hex", "--gtp", "--playouts", "1"])
    engine = Engine(read_settings(game, arguments))
    vertices = ["b2", "d4", "d1"]
    words = ["boardsize 5", *(f"play {'bw'[n % 2]} {v}" for n, v in enumerate(vertices))]
    for line in (*words, "play w a1", "undo"):
        answer(engine, line.split())
    instance, state = engine.place(1)[:2]
    placed = cast(Any, state).board
    first = int(placed.counters[FREE])
    assert [engine.vertex(instance, int(n)) for n in placed.free[first:]] == vertices[::-1]
    answer(engine, ["play", "b", "e5"])  # once more the same player: the board alone is known
    assert cast(Any, engine.place().state).board.counters[FREE] == first - 1
    answer(engine, ["clear_board"])
    assert len(engine.place().moves) == 25


def test_the_first_stone_of_hex_is_taken_over(run: Run) -> None:
    """Viewers say swap-pieces; the engine takes a strong stone over, as b2 of 3 x 3 is."""
    board = ["boardsize 3", "play b b1", "play w swap-pieces", "showboard", "genmove b"]
    _, _, swapped, shown, reply = talk(run, "hex", *board, words=("--swap",))
    assert swapped == "="
    assert " 1 . . .\n 2 o . .\n 3 . . ." in shown
    assert reply[2:] in {f"{column}{row}" for column in "abc" for row in "123"} - {"a2"}
    *_, taken = talk(run, "hex", "boardsize 3", "play b b2", "genmove w", words=("--swap",))
    assert taken == "= swap-pieces"
    *_, refused = talk(run, "hex", "boardsize 3", "play b b2", "play w swap-pieces")
    assert refused == "? illegal move: 'swap-pieces'"


def test_vertices_of_go_boards(run: Run) -> None:
    """The letter i is left out, whatever the game calls its cells, and rows begin below."""
    found = talk(run, "gomoku", "boardsize 9", "play b j1", "play w i2", "showboard")
    assert found[1:3] == ["=", "? illegal move: 'i2'"]
    assert found[3].splitlines()[1].split() == list("abcdefghj")
    assert found[3].splitlines()[-3].split() == ["1", *".." * 4, "x"]


SOUP = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=20)
WORD = st.sampled_from(
    [*COMMANDS, "b", "white", "a1", "pass", "4", "-1", "1e9", "0", "#", "9" * 99]
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.lists(WORD | SOUP, max_size=4).map(" ".join), max_size=20))
def test_whatever_is_typed(run: Run, lines: list[str]) -> None:
    """Each line with a command gets = or ?, until one quits."""
    script = ["boardsize 2", *(line for line in lines if "quit" not in line), "name", "quit"]
    found = talk(run, "hex", *script, words=("--algorithm", "flat"))
    assert all(re.match(r"[=?][0-9]*( |$)", text.splitlines()[0]) for text in found)
    assert found[-2:] == ["= Nestor hex flat", "="]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["breakthrough"], "--gtp is for games of two who set stones, such as hex and gomoku"),
        (["nogo", "--players", 3], "--gtp is for games of two who set stones"),
        (["hex", "position.txt"], "--gtp begins with an empty board and takes no file"),
        (["hex", "--first", "b2"], "--first has no effect with --gtp, which begins with an empty"),
        (["hex", "--play"], "not allowed with argument"),
    ],
)
def test_bad_words(run: Run, words: list[str], message: str) -> None:
    """They are refused in a line."""
    finished = run("solve", *words, "--gtp")
    assert finished.status == 2
    assert message in finished.err.splitlines()[-1]


def test_the_clock() -> None:
    """Time is shared among the moves that may be left, then among the stones of a period.

    A twentieth, or 0.05 s, is for what is no search.
    """
    clock = Clock()
    assert clock.share(0, 10) is None
    clock.set(100.0, 30.0, 5)
    assert clock.share(0, 10) == 9.5
    clock.spend(0, 60.0)
    assert clock.share(0, 6) == pytest.approx(for_search(40 / 6))
    assert clock.share(1, 10) == 9.5
    assert clock.share(0, 8) == pytest.approx(5.7)  # no less than in the period
    clock.spend(0, 40.0)
    assert clock.share(0, 8) == pytest.approx(5.7)
    for _ in range(5):
        clock.spend(0, 5.0)
    assert clock.share(0, 3) == pytest.approx(5.7)  # the next period
    clock.tell(0, 0.0, 0)
    assert clock.share(0, 8) == pytest.approx(5.7)  # main time is over, as controllers tell it
    clock.tell(0, 0.5, 1)
    assert clock.share(0, 8) == pytest.approx(0.45)
    clock.set(0.0, 10.0, 0)
    assert clock.share(0, 8) is None


def test_main_time_before_a_period() -> None:
    """It is spent at the pace of the period, which begins within a move. A game restores it."""
    clock = Clock()
    clock.set(3.0, 30.0, 1)
    assert clock.share(0, 40) == pytest.approx(28.5)
    clock.spend(0, 28.5)
    assert clock.share(0, 39) == pytest.approx(28.5)
    clock.set(3.0, 30.0, 3)
    clock.spend(0, 8.0)
    assert clock.share(0, 39) == pytest.approx(for_search(12.5))
    clock.restart()
    assert clock.share(0, 40) == pytest.approx(9.5)
    clock.set(100.0, 0.0, 0)
    assert clock.share(0, 10) == 9.5
    clock.tell(0, 0.0, 0)
    assert clock.share(0, 8) == 0.01
    clock.spend(0, 50.0)
    clock.restart()
    assert clock.share(0, 10) == 9.5
    clock.tell(0, 7.0, 0)
    told = Clock()
    told.tell(0, 7.0, 0)
    told.restart()
    assert told.share(0, 7) == clock.share(0, 7)


def test_a_new_game_has_all_its_time() -> None:
    """An empty board restarts the clocks; a size that is refused does not."""
    game = load_game("hex")
    arguments = build_parser(game).parse_args(["hex", "--gtp", "--playouts", "1"])
    engine = Engine(read_settings(game, arguments))
    answer(engine, ["time_settings", "100", "0", "0"])
    for line in ("clear_board", "boardsize 6"):
        engine.clock.spend(0, 50.0)
        answer(engine, line.split())
        assert engine.clock.share(0, 10) == 9.5
    engine.clock.spend(0, 50.0)
    with pytest.raises(InputError, match="unacceptable size"):
        answer(engine, ["boardsize", "99"])
    assert engine.clock.share(0, 10) == 4.75


def test_expected_moves() -> None:
    """Half of the moves of random games are expected, and no more than possible."""
    game = load_game("gomoku")
    options = game.options(size=15)
    instance = game.instance(game.start(options), options)
    state = game.new_state(instance)
    reset(instance, state)
    mean = random_playouts(game, instance, 32, state=state).steps.mean()
    expected = moves_expected(game, instance, state, 113)
    assert expected == math.ceil(mean / 4)
    assert 20 < expected < 60
    assert moves_expected(game, instance, state, 2) == 2


def test_resigning_and_rules_for_gogui(run: Run) -> None:
    """Resigning loses, which can be undone; viewers are told the rules."""
    script = {
        "boardsize 3": "=",
        "gogui-rules_game_id": "= Hex",
        "gogui-rules_board_size": "= 3",
        "play b b2": "=",
        "gogui-rules_side_to_move": "= white",
        "gogui-rules_board": "= . . .\n. X .\n. . .",
        "gogui-rules_final_result": "= the game is not over",
        "play w resign": "=",
        "final_score": "= B+1",
        "gogui-rules_legal_moves": "=",
        "play w a1": "? illegal move: 'a1'",
        "genmove w": "= resign",
        "undo": "=",
        "1 gogui-rules_final_result": "=1 the game is not over",
    }
    found = talk(run, "hex", *script, "gogui-rules_legal_moves")
    assert found[:-1] == list(script.values())
    assert set(found[-1].split()) == {"=", *["a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3"]}


def test_time_in_place_of_seconds(run: Run) -> None:
    """Time settings of a viewer end a search that would take ten minutes."""
    finished = run(
        "solve", "hex", "--gtp", "--seconds", 600, stdin="time_settings 0 1 50\ngenmove b\n"
    )
    assert re.fullmatch(r"=\n\n= [a-g][1-7]\n\n", finished.out)


@pytest.mark.parametrize("searching", [False, True])
def test_interrupted(searching: bool) -> None:
    """Ctrl-C ends a search with the best move found, and waiting with nothing."""
    words = ["--gtp", "--seconds", 600]
    with launched("solve", "hex", *words, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("name\ngenmove b\n" if searching else "name\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.readline()
        if searching:
            before = processor_seconds(process)
            wait_until(lambda: processor_seconds(process) > before + 0.3, process)
        process.send_signal(signal.SIGINT)
        finished = ended(process)
    assert finished.status == 130
    assert re.fullmatch(r"= [a-g][1-7]\n\n" if searching else "", finished.out)
