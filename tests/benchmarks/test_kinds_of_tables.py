"""Tables of totals and of designs, from rows of which the cells are known."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.results import designs, totals
from benchmarks.results.plan import FOLDER, KeptTable
from pipeline.matches.report import share_of
from pipeline.matches.tournament import game_journal

TOTALS = """table,game,one,games,score,p
a,hex,mcps,4,3,0.04
a,hex,puct,4,1.5,0.06
a,nogo,mcps,4,2,1
b,nogo,puct,4,0,1
"""


def new_table(**options: object) -> KeptTable:
    return KeptTable("table", "page.md", "", [], options)


def test_totals_are_spread_over_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are not asked for and cells without a row stay out; small p-values are bold."""
    monkeypatch.setattr(totals, "FOLDER", tmp_path)
    (tmp_path / "rows.csv").write_text(TOTALS)
    table = new_table(
        rows="rows.csv", where={"table": ["a"]}, heads=["", "game"], by=["{table}", "{game} 7"],
        across="one", bold="p", usual=" 7", names={"hex 7": "Hex"},
        columns={"puct": [["PUCT", "{share:.1f}"]], "mcps": [["MCPS", "{share:.1f}"]]},
    )  # fmt: skip
    header, rows = totals.totals(table, None)
    assert header == ["", "game", "PUCT", "MCPS"]
    assert rows == [["a", "Hex", "37.5", "**75.0**"], ["", "nogo", "", "50.0"]]


def test_totals_of_games_are_those_of_their_matches() -> None:
    """Score and interval of each match are those of the report on its games."""
    path = FOLDER / "games" / "open-spiel"
    games = list(game_journal(path).rows.values())
    found = totals.read_totals(path)
    assert Counter({(row["game"], row["seconds"]): row["games"] for row in found}) == Counter(
        (game.game, f"{game.seconds:g}") for game in games
    )
    for row in found:
        own = [g for g in games if (g.game, f"{g.seconds:g}") == (row["game"], row["seconds"])]
        assert "{share:.1f} ({low:.1f} to {high:.1f})".format_map(row) == share_of(own)


def test_designs_are_paired_by_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Differences are of the same targets in any order; a smaller defect is a gain."""
    monkeypatch.setattr("benchmarks.results.plan.FOLDER", tmp_path)
    monkeypatch.setattr(designs, "FOLDER", tmp_path)
    rows = [
        {"number": n, "probability": p, "defect": d, "solved": n == 1}
        for n, p, d in ((2, 0.75, 0.25), (1, 0.5, 0.125))
    ]
    (tmp_path / "one.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "two.csv").write_text("number,a_probability,a_defect\n1,0.25,0.25\n2,0.5,0.375\n")
    names = [["ours", "one.jsonl"], ["theirs", "two.csv a"]]
    _, lines = designs.mean_worth(new_table(designs=names), None)
    assert lines == [["ours", "0.625", "0.1875", "1 of 2"], ["theirs", "0.375", "0.3125", ""]]
    pairs = [["ours, theirs", "one.jsonl", "two.csv a"]]
    _, lines = designs.differences(new_table(pairs=pairs), None)
    assert lines == [["ours, theirs", "0.2500", "0.1250"]]
