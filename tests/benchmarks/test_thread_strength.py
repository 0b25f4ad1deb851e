"""Matches of threads in one tree against one thread."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks.thread_strength import Side, main, matches_of
from pipeline.matches.tournament import game_journal


def test_both_sides_of_a_match_have_the_same_work_in_one_way() -> None:
    """Seconds a move, threads, or threads times seconds."""
    found = matches_of(2, 0.1)
    assert found["threads"] == (Side(2, 0.1), Side(1, 0.1))
    assert found["longer"] == (Side(1, 0.2), Side(1, 0.1))
    assert found["between"] == (Side(2, 0.1), Side(1, 0.2))


def test_games_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Seats are exchanged, and a second command plays what is missing."""
    words = ["thread_strength", "--seconds", "0.001", "--out", str(tmp_path), "--games"]
    for games in (1, 2):
        monkeypatch.setattr(sys, "argv", [*words, str(games)])
        assert main() == 0
        assert capsys.readouterr().out.count(f" | {games} | ") == 3
        rows = list(game_journal(tmp_path).rows.values())
        assert len(rows) == 3 * games
    assert sorted(row.seat for row in rows) == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("words", [["--threads", "1"], ["--seconds", "0"]])
def test_bad_options_are_refused(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line names the option."""
    monkeypatch.setattr(sys, "argv", ["thread_strength", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert f"{words[0]} is {words[1]}, expected" in capsys.readouterr().err
