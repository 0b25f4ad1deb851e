"""Games that are replayed: what is counted of whom."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from generators.schema import SOLVED_SCHEMA
from generators.self_play import SelfPlay, visits_of
from generators.solved import solved_table
from pipeline.learning.counts import count_solved
from pipeline.learning.decisions import counts_of_decisions, decide_solved
from solver.algorithms.tree import Mcps
from solver.contract.domain import Game
from solver.contract.rules import play, player, prior_code, reset, rewards
from solver.errors import InputError
from solver.games import load_game
from solver.games.moves import moves_by_text
from solver.games.records import BEGIN, OPENING, apportioned, read_record, written_visits
from solver.searching.analysis import Analyst
from solver.searching.driver import Budget

GAMES = [("atarigo", {"size": 3}), ("nogo", {"size": 3, "players": 3})]


def table(game: Game, options: Any, words: str) -> pa.Table:
    """A table of one game from the start."""
    row = {"name": "game", "problem": game.format_problem(game.start(options)), "answer": words}
    return pa.Table.from_pylist([row], schema=SOLVED_SCHEMA)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_the_moves_of_who_has_won_are_counted(name: str, options: dict[str, Any]) -> None:
    """Counts are those of a plain replay of self-play, of moves with alternatives."""
    game = load_game(name)
    chosen = game.options(**options)
    generator = SelfPlay(game=name, options=options, playouts=20)
    solved = solved_table(game, generator, 1, range(8))
    code = next(iter(game.priors.values()))
    counts = count_solved(game, chosen, code, solved)
    instance = game.instance(game.start(chosen), chosen)
    state, prior = game.new_state(instance), code.table_class(np.ones(code.rows))
    count, nb = np.zeros(code.rows, np.int64), np.zeros(code.rows, np.int64)
    for answer in solved["answer"].to_pylist():
        reset(instance, state)
        decisions, worth = [], np.zeros(game.players(instance))
        for word in answer.split():
            possible = moves_by_text(game, instance, state)
            rows = {w: prior_code(prior, instance, state, m) for w, m in possible.items()}
            decisions.append((player(instance, state), word, rows))
            play(instance, state, possible[word])
        rewards(instance, state, worth)
        for mover, word, rows in decisions:
            if worth[mover] == 1.0 and len(rows) > 1:
                count[rows[word]] += 1
                np.add.at(nb, list(rows.values()), 1)
    assert counts.instances == 8
    assert counts.count.tolist() == count.tolist()
    assert counts.nb.tolist() == nb.tolist()
    assert count.sum() > 8


@pytest.mark.parametrize(
    ("name", "options", "words", "accepted"),
    [
        ("gomoku", {"size": 2}, "a1 a2 b1 b2", True),  # drawn
        ("gomoku", {"size": 2}, "a1 a2 b1", False),  # not over
        ("gomoku", {"size": 2}, "a1 a1 b1 b2", False),  # no such move
        ("gomoku", {"size": 2}, "a1 a2 b1 b2 a1", False),  # beyond the end
    ],
)
def test_games_without_a_winner_count_nothing(
    name: str, options: dict[str, Any], words: str, accepted: bool
) -> None:
    """A draw is replayed, what is no game is rejected."""
    game = load_game(name)
    chosen = game.options(**options)
    code = next(iter(game.priors.values()))
    counts = count_solved(game, chosen, code, table(game, chosen, words))
    assert (counts.instances, counts.n_rejected) == ((1, 0) if accepted else (0, 1))
    assert not counts.nb.any()


def test_openings_are_played_and_not_learned_from() -> None:
    """Decisions of a game with an opening are those of the same game without, but for its first."""
    game = load_game("atarigo")
    chosen = game.options(size=3)
    code = next(iter(game.priors.values()))
    generator = SelfPlay(game="atarigo", options={"size": 3}, playouts=20, openings=4)
    answers = [generator.generate(5, number)[1] for number in range(12)]
    openings = [answer.index(OPENING) if OPENING in answer else 0 for answer in answers]
    assert set(openings) == {0, 1, 2, 3, 4}
    for answer, begin in zip(answers, openings, strict=True):
        words = [word for word in answer if word != OPENING]
        counts = count_solved(game, chosen, code, table(game, chosen, " ".join(answer)))
        nb = np.zeros(code.rows, np.int64)
        instance = game.instance(game.start(chosen), chosen)
        state, prior = game.new_state(instance), code.table_class(np.ones(code.rows))
        reset(instance, state)
        last = (len(words) - 1) % 2  # who captures, or moves last, wins
        for number, word in enumerate(words):
            possible = moves_by_text(game, instance, state)
            if number >= begin and number % 2 == last and len(possible) > 1:
                rows = [prior_code(prior, instance, state, move) for move in possible.values()]
                np.add.at(nb, rows, 1)
            play(instance, state, possible[word])
        assert counts.instances == 1
        assert counts.nb.tolist() == nb.tolist()


def test_a_game_that_is_over_in_its_opening_teaches_nothing() -> None:
    """All of its moves were made at random."""
    generator = SelfPlay(game="gomoku", options={"size": 2}, playouts=5, openings=1000)
    words = generator.generate(1, 0)[1]
    assert (len(words), words[-1]) == (5, OPENING)


def test_self_play_repeats_itself() -> None:
    """A game depends on seed and number alone."""
    generator = SelfPlay(game="hex", options={"size": 3, "first": "none"}, playouts=30)
    games = [generator.generate(seed, number)[1] for seed in (1, 2) for number in range(6)]
    assert generator.generate(2, 5)[1] == games[-1]
    assert len({tuple(game) for game in games}) > 1


def test_bad_searches() -> None:
    """The players are checked when the generator is made."""
    with pytest.raises(InputError, match=r"^gnrpa is an algorithm, but no tree search"):
        SelfPlay(game="hex", options={}, algorithm="gnrpa")


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_visits_of_all_players_are_learned(name: str, options: dict[str, Any]) -> None:
    """Counts are those of eight votes a position, shared out among the moves as its visits are."""
    game = load_game(name)
    chosen = game.options(**options)
    generator = SelfPlay(game=name, options=options, playouts=20, openings=2, learn_from="visits")
    solved = solved_table(game, generator, 1, range(4))
    code = next(iter(game.priors.values()))
    counts = count_solved(game, chosen, code, solved)
    instance = game.instance(game.start(chosen), chosen)
    state, prior = game.new_state(instance), code.table_class(np.ones(code.rows))
    count, nb = np.zeros(code.rows, np.int64), np.zeros(code.rows, np.int64)
    several = 0
    for answer in solved["answer"].to_pylist():
        reset(instance, state)
        assert OPENING in answer or BEGIN in answer
        visits: list[str] = []
        for word in re.findall(r"\[.*?\]|\S+", answer):
            if word == OPENING or word.startswith(BEGIN):
                visits = word.split()[1:-1]
                continue
            possible = moves_by_text(game, instance, state)
            rows = {w: prior_code(prior, instance, state, m) for w, m in possible.items()}
            total = sum(map(int, visits[::2]))
            shares = {
                w: Fraction(int(n) * 8, total) for n, w in zip(*[iter(visits)] * 2, strict=True)
            }
            votes = {w: int(share) for w, share in shares.items()}
            for w in sorted(shares, key=lambda w: int(shares[w]) - shares[w]):
                votes[w] += sum(votes.values()) < 8
            for w, vote in votes.items():
                count[rows[w]] += vote
                np.add.at(nb, list(rows.values()), vote)
            several += len(votes) > 1
            visits = []
            play(instance, state, possible[word])
    assert counts.instances == 4
    assert counts.count.tolist() == count.tolist()
    assert counts.nb.tolist() == nb.tolist()
    assert several > 4


def test_decisions_and_counts_of_visits_are_the_same() -> None:
    """Counts of the decisions kept of games with visits are those that were counted."""
    game = load_game("nogo")
    options = {"size": 4}
    generator = SelfPlay(game="nogo", options=options, playouts=30, learn_from="visits")
    solved = solved_table(game, generator, 7, range(3))
    code = next(iter(game.priors.values()))
    chosen = game.options(**options)
    counted = count_solved(game, chosen, code, solved)
    table = decide_solved(game, chosen, code, solved)
    kept = counts_of_decisions(table, game, "here")
    assert kept.count.tolist() == counted.count.tolist()
    assert kept.nb.tolist() == counted.nb.tolist()
    assert kept.count.sum() % 8 == 0 < kept.count.sum()


def test_proved_moves_have_the_visits() -> None:
    """A move that is proved to win has all visits, one that is proved to lose has none."""
    game = load_game("hex")
    instance = game.instance(game.start(options := game.options(size=4)), options)
    state = game.new_state(instance)
    analyst = Analyst(game, instance, Mcps(proofs=True), memory=1 << 26)
    found: set[bool | str] = set()
    for words, playouts in (("", 9), ("b2 c2", 9), ("b2 c2", 200)):
        reset(instance, state)
        for word in words.split():
            play(instance, state, moves_by_text(game, instance, state)[word])
        chosen = analyst.choose(state, Budget(playouts), 1)
        moves = analyst.run.moves_of()
        visits = visits_of(game, instance, state, analyst, chosen)
        names = [game.format_move(instance, state, int(move)) for move in moves.move]
        if analyst.run.is_over:
            assert visits == {names[analyst.run.best()]: 1}
        else:
            rest = {name: n for name, n in zip(names, moves.visits, strict=True) if n}
            lost = {name for name, most in zip(names, moves.most, strict=True) if most < 0.5}
            assert visits == {name: n for name, n in rest.items() if name not in lost}
            found.add("some lose" if lost & rest.keys() else "open")
        found.add(bool(analyst.run.is_over))
    assert found == {False, True, "some lose", "open"}


@pytest.mark.parametrize("words", ["[ 3 a1", "[ x a1 ] a1", "[ 3 z9 ] a1", "[ 3 ] a1"])
def test_damaged_visits_are_rejected(words: str) -> None:
    """A game whose visits cannot be read is counted as rejected."""
    game = load_game("gomoku")
    chosen = game.options(size=2)
    code = next(iter(game.priors.values()))
    counts = count_solved(game, chosen, code, table(game, chosen, f"{words} a2 b1 b2"))
    assert (counts.instances, counts.n_rejected) == (0, 1)


def test_flat_visits_teach_nothing() -> None:
    """A search that visits all moves alike is refused."""
    with pytest.raises(InputError, match=r"^flat visits all moves alike"):
        SelfPlay(game="hex", options={}, algorithm="flat", learn_from="visits")


def test_records_are_read_as_written() -> None:
    """Visits stand before the move of their search, the most visited move first."""
    visits = {"a1": 3, "b2": 9}
    words = ["c3", OPENING, *written_visits(visits), "b2", "a1"]
    assert words[2:7] == [BEGIN, "9", "b2", "3", "a1"]
    record = read_record(words)
    assert record.moves == ["c3", "b2", "a1"]
    assert record.opening == 1
    assert record.visits == [{}, visits, {}]


def test_votes_are_shared_out_by_largest_remainders() -> None:
    """All votes are given, and none to moves with too few visits."""
    assert apportioned({"a": 500, "b": 300, "c": 200}, 8) == {"a": 4, "b": 2, "c": 2}
    assert apportioned({"a": 1, "b": 1, "c": 1}, 8) == {"a": 3, "b": 3, "c": 2}
    assert apportioned({"a": 990, "b": 10}, 8) == {"a": 8}
