"""Games of the standard boards of SameGame: rows that are kept, replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import samegame_standard
from benchmarks.kept import KeptLines
from benchmarks.samegame_sizes import DOMAIN
from benchmarks.samegame_standard import AT, HEADER, make_rows, read_rows, table
from generators.samegame import SameGameGenerator
from solver.errors import InputError
from tests.commands.shell import ROOT

KEPT = ROOT / "docs/results/boards/samegame20-600s.jsonl"


def test_rows_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards that are asked for are searched once; a game is worth its score."""
    problems = [SameGameGenerator(width=5, height=5, colours=3).problem(1, n) for n in range(3)]
    monkeypatch.setattr(samegame_standard, "boards", lambda: problems)
    path = tmp_path / "rows.jsonl"
    for first, last in ((3, 3), (2, 3)):
        make_rows(KeptLines(path), first, last, 0.1)
    rows = read_rows(path)
    assert [row["board"] for row in rows] == [2, 3]
    for row in rows:
        problem = problems[row["board"] - 1]
        answer = DOMAIN.parse_answer(problem, row["game"], "kept")
        DOMAIN.verify(problem, answer)
        assert DOMAIN.objective(problem, answer) == row["scores"][-1]
        assert row["scores"] == sorted(row["scores"])
        assert len(row["scores"]) == len(AT)


def test_games_that_are_kept_are_worth_their_scores() -> None:
    """A row for each board, its game replayed."""
    try:
        problems = samegame_standard.boards()
    except InputError:
        pytest.skip("NESTOR_DATA names no folder with the standard boards")
    rows = read_rows(KEPT)
    assert len({row["board"] for row in rows}) == len(rows) > 0
    for row in rows:
        problem = problems[row["board"] - 1]
        answer = DOMAIN.parse_answer(problem, row["game"], "kept")
        DOMAIN.verify(problem, answer)
        assert DOMAIN.objective(problem, answer) == row["scores"][-1]


def test_sums_are_of_the_boards_that_are_kept() -> None:
    """Beside the sum of the web's scores on the same boards."""
    rows = [{"board": n, "scores": [1, 2, 3, 4, 1000]} for n in (1, 2)]
    *_, last = table(rows)
    assert dict(zip(HEADER, last, strict=True)) == {
        "board": "all 2", "1 s": "2", "10 s": "4", "60 s": "6", "300 s": "8", "600 s": "2,000",
        "web": "7,436",
    }  # fmt: skip
