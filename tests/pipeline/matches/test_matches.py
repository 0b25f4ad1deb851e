"""Matches: the games are those of their moves, whatever interrupts them, and rated as they went."""

from __future__ import annotations

import dataclasses
import json
import math
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.matches.methods import Match, Method, matches_of
from pipeline.matches.play import play_games, share_of_win
from pipeline.matches.rating import bradley_terry
from pipeline.matches.report import summary
from pipeline.matches.rows import GameRow
from pipeline.matches.tournament import Tournament, game_journal
from solver.contract.rules import play, player, reset, rewards
from solver.errors import InputError
from solver.games import load_game
from solver.games.moves import moves_by_text
from solver.priors.priors import NoPrior


def tournament(
    name: str, options: dict[str, Any], words: list[str], games: int, playouts: int = 30
) -> Tournament:
    game = load_game(name)
    chosen = game.options(**options)
    problem = game.start(chosen)
    players = game.players(game.instance(problem, chosen))
    matches = matches_of([Method.parse(word) for word in words], [playouts], [], players)
    return Tournament(game, problem, chosen, matches, games)


HEX = ("hex", {"size": 3, "first": "none"}, ["mcps:ref=5", "uct"])
THREE = ("investment", {"units": 2, "players": 3}, ["grave:codes=exact", "flat"])


def played(folder: Path, planned: Tournament, **options: Any) -> list[GameRow]:
    journal = game_journal(folder)
    assert play_games(planned.jobs, journal, **options)
    return list(journal.rows.values())


def without_times(rows: list[GameRow]) -> list[GameRow]:
    rows = sorted(rows, key=lambda row: row.key)
    return [dataclasses.replace(row, seconds_one=0.0, seconds_other=0.0) for row in rows]


@pytest.mark.parametrize("case", [HEX, THREE], ids=["two", "three"])
def test_rows_are_those_of_their_moves(
    tmp_path: Path, case: tuple[str, dict[str, Any], list[str]]
) -> None:
    """Played again, the moves of a row end the game, with its score; seats go in turn."""
    planned = tournament(*case, 6)
    game, instance = planned.game, planned.game.instance(planned.problem, planned.options)
    state, players = game.new_state(instance), game.players(instance)
    rows = played(tmp_path, planned)
    assert len(rows) == 6 * (1 if players == 2 else 2)
    for row in rows:
        assert row.seat == row.number % players
        worth, ours = np.zeros(players), 0
        reset(instance, state)
        for word in row.moves.split():
            ours += player(instance, state) == row.seat
            play(instance, state, moves_by_text(game, instance, state)[word])
        assert not moves_by_text(game, instance, state)
        rewards(instance, state, worth)
        assert row.score == worth[row.seat]
        assert row.length == len(row.moves.split())
        assert row.playouts_one == 30 * ours
        assert row.playouts_other == 30 * (row.length - ours)


@pytest.mark.slow
def test_threads_and_interruptions_do_not_matter(tmp_path: Path) -> None:
    """Games are the same on two threads, and when the match goes on after it was stopped."""
    planned = tournament(*HEX, 300)
    rows = without_times(played(tmp_path / "one", planned))
    assert without_times(played(tmp_path / "two", planned, threads=2)) == rows
    journal, stop = game_journal(tmp_path / "cut"), threading.Event()

    def progress(done: int) -> None:
        if done == 3:
            stop.set()

    assert not play_games(planned.jobs, journal, stop=stop, progress=progress)
    with journal.path.open("a") as file:
        file.write('{"game": "hex", "cut":')  # killed in the middle of a line
    again = game_journal(tmp_path / "cut")
    assert 3 <= len(again.rows) < 300
    assert without_times(played(tmp_path / "cut", planned)) == rows
    assert len(game_journal(tmp_path / "cut").rows) == 300
    assert len({row.moves for row in rows}) > 1


@pytest.mark.parametrize(("mark", "end"), [("\ufeff", "\n"), ("", "\r\n"), ("\ufeff", "\r\n")])
def test_a_line_cut_short_goes_and_no_other(tmp_path: Path, mark: str, end: str) -> None:
    """Also where an editor has put a byte order mark, or other ends of lines."""
    rows = played(tmp_path, tournament(*HEX, 3))
    path = tmp_path / "games.jsonl"
    whole = (mark + path.read_text().replace("\n", end)).encode()
    path.write_bytes(whole + b'{"game": "hex", "cut":')
    journal = game_journal(tmp_path)
    assert path.read_bytes() == whole
    assert list(journal.rows.values()) == rows
    journal.append(dataclasses.replace(rows[0], number=7))
    assert path.read_bytes().startswith(whole + b'{"game"')
    assert len(game_journal(tmp_path).rows) == 4


def test_a_file_of_another_kind_is_left_as_it_is(tmp_path: Path) -> None:
    """A file that is no journal is refused and left as it is."""
    path = tmp_path / "games.jsonl"
    path.write_text("one\ntwo")
    with pytest.raises(InputError, match=r"games.jsonl, line 1: no row of a game"):
        game_journal(tmp_path)
    assert path.read_text() == "one\ntwo"


def test_a_damaged_row_is_named(tmp_path: Path) -> None:
    """With its file and line, before a game is played; so is one of more or fewer players."""
    planned, path = tournament(*HEX, 3), tmp_path / "games.jsonl"
    played(tmp_path, planned)
    first, second, third = path.read_text().splitlines(keepends=True)
    path.write_text(first + third.replace('"players": 2', '"players": 3') + second[:9])
    journal = game_journal(tmp_path)
    with pytest.raises(InputError, match=r"games.jsonl, line 2: players is 3, expected 2$"):
        play_games(planned.jobs, journal)
    path.write_text(damaged := first + second.replace('"seat": 1', '"seat": 9') + third)
    with pytest.raises(InputError, match=r"games.jsonl, line 2: seat is 9, expected 0 ... 1$"):
        game_journal(tmp_path)
    assert path.read_text() == damaged


def test_trees_that_are_kept(tmp_path: Path) -> None:
    """Games depend on the seed alone: no tree of a game is left in the next."""
    words = ["uct:keep=true", "uct"]
    kept = [Method.of(Method.parse(word).request).means.keep for word in words]
    assert kept == [True, False]
    planned = tournament("hex", {"size": 4}, words, 4)
    first = played(tmp_path / "one", planned, threads=1)
    second = played(tmp_path / "two", planned, threads=3)
    assert without_times(first) == without_times(second)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("mpcs", r"^no tree search called 'mpcs'"),
        (
            "mcps:bias=1",
            r"^mcps:bias=1: 'bias=1', expected NAME=VALUE of: decisive, estimates, guidance, ",
        ),
        ("mcps:ref", r"^mcps:ref: 'ref', expected NAME=VALUE"),
        ("mcps:ref=x", r"^mcps:ref=x: ref is 'x', expected a whole number, 0 or more$"),
        ("mcps:ref=5:ref=7", r"^mcps:ref=5:ref=7: ref is given twice, expected once$"),
        ("mcps:codes=a:codes=b", r"^mcps:codes=a:codes=b: codes is given twice, expected once$"),
        (
            "mcps:temperature=2",
            r"^mcps:temperature=2: temperature has no effect, expected a prior be",
        ),
        ("mcps:in=both", r"^mcps:in=both: in has no effect, expected a prior beside it$"),
        ("mcps:prior=none:in=tree", r": in has no effect, expected a prior beside it$"),
        ("flat:prior=hex", r": a prior in the tree does nothing there, expected in=playouts$"),
        ("puct:estimates=true:policy=mast", r"policy has no effect with estimates in place of pl"),
        ("uct:weight=0.3", r": weight has no effect, expected a prior in the tree beside it$"),
        (
            "rave:prior=hex:in=playouts:guidance=1",
            r": guidance has no effect, expected a prior in ",
        ),
        ("uct:threads=0", r"^uct:threads=0: threads is 0, expected 1 ... 256$"),
        ("uct:exploration=-1", r"^uct:exploration=-1: exploration is -1.0, expected 0 or more$"),
    ],
)
def test_bad_methods(word: str, message: str) -> None:
    """Errors in the word of a method are named."""
    with pytest.raises(InputError, match=message):
        Method.parse(word)


def test_a_prior_made_by_hand_has_no_temperature(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is refused: nothing would come of it."""
    game = load_game("hex")
    monkeypatch.setattr(type(game), "handmade", {"even": NoPrior()})
    assert Method.parse("puct:prior=even").checked(game).digest == ""
    with pytest.raises(InputError, match=r"^temperature has no effect on even, expected a prior"):
        Method.parse("puct:prior=even:temperature=2").checked(game)


def test_codes_that_a_game_does_not_have() -> None:
    """They are refused."""
    with pytest.raises(InputError, match=r"^mcps:codes=exact: the game has no option codes$"):
        Method.parse("mcps:codes=exact").options_of(load_game("hex").options())


def test_who_meets_whom() -> None:
    """Each pair once for each budget; of three players both ways round."""
    methods = [Method.parse(word) for word in ("mcps", "grave", "uct")]
    assert len(matches_of(methods, [10, 20], [0.5], 2)) == 9
    assert len(matches_of(methods, [10], [], 3)) == 6
    with pytest.raises(InputError, match=r"^expected two methods"):
        matches_of(methods[:1], [10], [], 2)
    with pytest.raises(InputError, match=r"^a budget is 0"):
        matches_of(methods, [0], [], 2)


def test_ratings_of_two() -> None:
    """The difference of two is that of their odds, and its error that of a binomial."""
    one, other = bradley_terry(np.array([[0.0, 75.0], [25.0, 0.0]]))
    odds = 75.5 / 25.5
    assert one.points - other.points == pytest.approx(400 * math.log10(odds))
    assert one.points + other.points == pytest.approx(0.0)
    error = 400 / math.log(10) / math.sqrt(101 * 0.7475 * 0.2525)
    assert one.half == pytest.approx(1.95996 * error / 2, rel=1e-3)


def test_ratings_make_the_scores_expected() -> None:
    """At the fitted strengths expected scores equal scores; all wins give finite ratings."""
    wins = np.array([[0.0, 30.0, 50.0], [10.0, 0.0, 28.0], [0.0, 12.0, 0.0]])
    points = np.array([rating.points for rating in bradley_terry(wins)])
    chance = 1 / (1 + 10 ** ((points - points[:, None]) / 400))
    won = wins + 0.5 * (1 - np.eye(3))
    expected = ((won + won.T) * chance).sum(axis=1)
    assert won.sum(axis=1) == pytest.approx(expected)


def test_summary(tmp_path: Path) -> None:
    """Scores with intervals, ratings of two players, and rows of other sources."""
    rows = played(tmp_path, tournament(*HEX, 6))
    text = summary(rows)
    share = 100 * np.mean([row.score for row in rows])
    assert f"| mcps:ref=5 | uct | 6 | {share:.1f} (" in text
    assert "## hex, 30 playouts a move\n\nposition start, size 3, first none" in text
    assert "Elo" in text
    assert " – | " in summary(rows[:1])  # nobody had the other seat
    old = [dataclasses.replace(row, number=9, sources="0") for row in rows[:1]]
    assert "Played with 2 versions of the sources." in summary([*rows, *old])
    three = played(tmp_path / "three", tournament(*THREE, 3))
    assert "| grave:codes=exact | 2 flat | 3 |" in summary(three)
    assert "Elo" not in summary(three)
    line = json.loads((tmp_path / "games.jsonl").read_text().splitlines()[0])
    assert GameRow(**line) == rows[0]


def test_methods_are_told_apart_by_their_priors(tmp_path: Path) -> None:
    """A prior learned anew under the same name is another method."""
    rows = played(tmp_path, tournament(*HEX, 4))
    old = [dataclasses.replace(row, match="mcps:ref=5@12ab uct 30", score=1.0) for row in rows]
    new = [dataclasses.replace(row, match="mcps:ref=5@34cd uct 30", score=0.0) for row in rows]
    lines = summary([*old, *new]).splitlines()
    assert sum(line.startswith("| mcps:ref=5@12ab |") for line in lines) == 2
    assert any(line.startswith("| mcps:ref=5@34cd | -") for line in lines)
    assert "mcps:ref=5 |" in summary(old)


def test_methods_without_games_between_them_are_rated_apart(tmp_path: Path) -> None:
    """Nothing says who of two is stronger that have met nobody in common."""
    rows = played(tmp_path, tournament(*HEX, 4))
    others = [dataclasses.replace(row, one="rave", other="flat", match="m") for row in rows]
    assert summary(rows).count("Elo") == 1
    assert summary([*rows, *others]).count("Elo") == 2


def test_games_from_the_start_are_found_under_what_they_always_were() -> None:
    """Journals of any version go on: position and options are part of what a game is known by."""
    planned = tournament(*HEX, 1)
    start = '{"position": "start", "size": 3, "first": "none"}'
    assert planned.key(planned.matches[0], 0) == ("hex", start, "mcps:ref=5 uct 30", 0, 0)


def test_a_win_is_that_whatever_rewards_are() -> None:
    """Matches count who has most."""
    assert share_of_win(np.array([-20.0, 300.0]), 1) == 1.0
    assert share_of_win(np.array([-20.0, 300.0]), 0) == 0.0
    assert share_of_win(np.array([5.0, 5.0, 1.0]), 0) == 0.5


@pytest.mark.slow
def test_games_with_too_little_memory_are_played_again_with_more(tmp_path: Path) -> None:
    """They say so; whatever the number of threads they are the same."""
    planned = tournament("hex", {"size": 5}, ["mcps", "uct"], 4, playouts=3000)
    little = dataclasses.replace(planned, memory=1 << 18)
    rows = played(tmp_path / "one", little)
    assert all(row.full and row.memory == 1 << 18 for row in rows)
    assert "In 4 games a tree had too little memory for all states (--memory)." in summary(rows)
    two = played(tmp_path / "two", little, threads=2)
    assert without_times(two) == without_times(rows)
    again = played(tmp_path / "one", planned)
    assert [row.full for row in again] == [0] * 4
    assert played(tmp_path / "one", dataclasses.replace(planned, memory=1 << 27)) == again


def test_games_of_other_rules_are_refused(tmp_path: Path) -> None:
    """A game from a file that was changed is another one."""
    planned = tournament(*HEX, 1)
    (row,) = played(tmp_path, planned)
    journal = game_journal(tmp_path)
    journal.append(dataclasses.replace(row, number=7, sources="0 12ab"))
    with pytest.raises(InputError, match=r"games.jsonl: games of other rules of hex, expected"):
        play_games(planned.jobs, journal)


def test_a_move_is_not_waited_for(tmp_path: Path) -> None:
    """An interruption ends the search of a move, however long it may take."""
    planned = tournament(*HEX, 1)
    one, other = planned.matches[0].one, planned.matches[0].other
    forever = dataclasses.replace(planned, matches=[Match(one, other, None, 1e9)])
    stop = threading.Event()
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    assert not play_games(forever.jobs, game_journal(tmp_path), stop=stop)


def test_a_budget_in_seconds(tmp_path: Path) -> None:
    """It is that of a move."""
    planned = tournament(*HEX, 1)
    one, other = (planned.matches[0].one, planned.matches[0].other)
    planned = dataclasses.replace(planned, matches=[Match(one, other, None, 0.01)])
    (row,) = played(tmp_path, planned)
    assert row.match == "mcps:ref=5 uct 0.01s"
    assert row.playouts_one > 0
    assert "0.01 s a move" in summary([row])
