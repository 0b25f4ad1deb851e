"""Games to click through: which are chosen, and what is drawn of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.matches.methods import Method, matches_of
from pipeline.matches.play import play_games
from pipeline.matches.replay import chosen, replays
from pipeline.matches.report import results
from pipeline.matches.tournament import Tournament, game_journal
from pipeline.reports.replays import write_replays
from solver.contract.rules import play, reset
from solver.errors import InputError
from solver.games import load_game
from solver.games.moves import find_move


@pytest.mark.parametrize(
    ("lengths", "kinds"),
    [
        ([], {}),
        ([7], {"shortest": 0}),
        ([7, 5], {"shortest": 1, "longest": 0}),
        ([9, 5, 7], {"shortest": 1, "median": 2, "longest": 0}),
        ([5, 5, 5, 5], {"shortest": 0, "median": 1, "longest": 3}),
    ],
)
def test_three_games_are_chosen(lengths: list[int], kinds: dict[str, int]) -> None:
    """The shortest, the median and the longest, each but once, in the order of their lengths."""
    rows: list[Any] = [
        SimpleNamespace(length=length, number=number) for number, length in enumerate(lengths)
    ]
    assert {kind: row.number for kind, row in chosen(rows).items()} == kinds


def test_positions_of_a_game(tmp_path: Path) -> None:
    """The frames are those of the moves kept, the last one is the end, all on one page."""
    game = load_game("hex")
    options = game.options(size=3, first="a1")
    methods = [Method.parse("uct"), Method.parse("flat")]
    matches = matches_of(methods, [20], [], 2)
    tournament = Tournament(game, game.start(options), options, matches, 3)
    journal = game_journal(tmp_path)
    assert play_games(tournament.jobs, journal)
    found = replays(tournament, journal)
    row = min(journal.rows.values(), key=lambda row: (row.length, row.number))
    shortest = found[0]
    assert len(shortest.frames) == row.length + 1
    instance = game.instance(tournament.problem, options)
    state = game.new_state(instance)
    reset(instance, state)
    for word in row.moves.split():
        play(instance, state, find_move(game, instance, state, word, "test"))
    end = game.format_problem(tournament.problem.__class__("", game.position(instance, state)))
    assert shortest.frames[-1].text == end
    assert shortest.frames[0].text == game.format_problem(tournament.problem)
    last = row.moves.split()[-1]
    assert shortest.frames[-1].caption.startswith(f"{row.length} of {row.length}: ")
    assert f" {last} (" in shortest.frames[-1].caption
    page = tmp_path / "report.html"
    write_replays(page, "Matches of <hex>", results(journal.rows.values()), found)
    text = page.read_text()
    assert "Matches of &lt;hex&gt;" in text
    assert text.count("<figure") == sum(len(replay.frames) for replay in found)
    assert '<th scope="row" class="word">uct</th><td>flat</td><td>3</td>' in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_moves_that_the_rules_do_not_have(tmp_path: Path) -> None:
    """They are named with file and line, and with their number."""
    game = load_game("hex")
    options = game.options(size=3, first="none")
    matches = matches_of([Method.parse("uct"), Method.parse("flat")], [20], [], 2)
    tournament = Tournament(game, game.start(options), options, matches, 1)
    journal = game_journal(tmp_path)
    assert play_games(tournament.jobs, journal)
    (row,) = journal.rows.values()
    journal.append(dataclasses.replace(row, moves="a1 zz", length=2))
    message = r"games.jsonl, line 2, move 2: no move 'zz' here, expected one of: "
    with pytest.raises(InputError, match=message):
        replays(tournament, journal)
