"""Games that are replayed: what is counted of whom."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from generators.schema import SOLVED_SCHEMA
from generators.self_play import SelfPlay
from generators.solved import solved_table
from pipeline.learning.counts import count_solved
from solver.contract.domain import Game
from solver.contract.rules import play, player, prior_code, reset, rewards
from solver.errors import InputError
from solver.games import load_game
from solver.games.moves import OPENING, moves_by_text

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
