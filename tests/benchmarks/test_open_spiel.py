"""The games under the rules of OpenSpiel, with which `benchmarks.open_spiel` plays."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.open_spiel import THEIRS, Both, default_word, their_word
from solver.errors import VerificationError
from solver.games.boards.breakthrough import Breakthrough

GAMES = 20


@pytest.mark.parametrize("name", THEIRS)
def test_rules_are_those_of_open_spiel(name: str) -> None:
    """Moves, movers and winners of random games are those of OpenSpiel at every step."""
    pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    both, winners = Both(name), set()
    random = np.random.default_rng(0)
    for _ in range(GAMES):
        both.begin()
        while both.moves:
            both.play(str(random.choice(list(both.moves))))
        winners.add(both.score(0))
    assert winners - {0.5} == {0.0, 1.0}


def test_a_difference_is_an_error() -> None:
    """A move that one of both does not have, and an end that only one sees."""
    pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    both = Both("hex")
    with pytest.raises(VerificationError, match=r"^hex after '': no move c3$"):
        both.play("c3")
    both.theirs.apply_action(both.actions["a1"])
    with pytest.raises(VerificationError, match=r"^hex after '': rewards"):
        both.score(0)
    with pytest.raises(VerificationError, match=r"^hex after 'a2': moves of one only: \['a1'\]$"):
        both.play("a2")


def test_words_of_open_spiel() -> None:
    """Breakthrough counts rows from the other side, Connect Four columns from 0."""
    assert their_word("hex", "d4") == their_word("othello", "d4") == "d4"
    assert their_word("connect-four", "c", 1) == "o2"
    assert their_word("breakthrough", "b2-b3") == "b7b6"
    assert their_word("breakthrough", "b2xc3") == "b7c6*"


def test_default_searches_are_those_of_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their words have the search, its parameters, the prior, its place and its temperature."""
    usual = "proofs=true:decisive=true:keep=true"
    assert default_word("connect-four") == f"mcps:{usual}"
    assert default_word("breakthrough") == f"mcps:{usual}:prior=breakthrough:in=both"
    table = "docs/examples/othello.parquet"
    assert default_word("othello") == f"puct:{usual}:exploration=0.4:estimates=true:prior={table}"
    monkeypatch.setattr(Breakthrough, "prior_temperature", 4.0)
    assert default_word("breakthrough").endswith(":in=both:temperature=4")
