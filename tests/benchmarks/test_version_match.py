"""Games against the default search of another checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.version_match import Match, play_match, run
from pipeline.matches.tournament import game_journal
from solver.errors import InputError
from tests.docs.scripts import ROOT


def test_games_are_kept(tmp_path: Path) -> None:
    """Both sides move, seats are exchanged, and a second command plays what is missing."""
    if not (ROOT / ".git").exists():
        pytest.skip("commits have no names here")
    for _ in range(2):
        assert play_match(Match("nogo", 0.001, {"size": 4}), ROOT, 2, game_journal(tmp_path))
        rows = list(game_journal(tmp_path).rows.values())
        assert [row.seat for row in rows] == [0, 1]
    for row in rows:
        assert row.length == len(row.moves.split()) > 0
        assert min(row.playouts_one, row.playouts_other) > 0
        assert row.score in (0.0, 1.0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "expected a CHECKOUT, or --show"),
        (["--seconds", "0", "."], "--seconds is 0, expected more than 0"),
        (["--game", "wargame", "--size", "5", "."], "--size: wargame has no rows and columns"),
        (["--table", str(ROOT)], f"{ROOT}: --table expects a checkout of 26 November 2026"),
    ],
)
def test_bad_options_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(InputError) as raised:
        run(words)
    assert str(raised.value) == message
