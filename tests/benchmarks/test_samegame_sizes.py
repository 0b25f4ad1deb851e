"""Scores of SameGame by size and seconds: rows that are kept, and their table."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import samegame_sizes
from benchmarks.samegame_sizes import (
    COLUMNS,
    METHODS,
    PAIRS,
    SIZES,
    Course,
    make_rows,
    read_rows,
    scores_of,
    searches,
    table,
)
from solver.searching.solution import solve
from tests.commands.shell import ROOT


def test_every_prefix_is_balanced() -> None:
    """Two methods have been on equally many boards of two sizes, but for the one under way."""
    counts = {(size.family, method): 0 for size in SIZES for method in METHODS}
    for size, _, method in searches(3):
        counts[size.family, method] += 1
        assert max(counts.values()) - min(counts.values()) <= 1
    assert set(counts.values()) == {3}


def test_rows_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same command makes what is missing, and what was cut off, and nothing twice."""
    monkeypatch.setattr(samegame_sizes, "SIZES", SIZES[:1])
    path = tmp_path / "new" / "rows.csv"
    make_rows(path, 1, 0.06)
    first = path.read_text()
    rows = read_rows(path)
    assert [row["method"] for row in rows] == list(METHODS)
    assert all(list(row) == list(COLUMNS) for row in rows)
    assert all(int(row["playouts"]) > 0 and float(row["score_60"]) > 0 for row in rows)
    make_rows(path, 1, 0.06)
    assert path.read_text() == first
    path.write_text(first[:-3])
    make_rows(path, 1, 0.06)
    assert path.read_text().startswith(first[: first[:-1].rfind("\n") + 1])
    assert len(read_rows(path)) == len(METHODS)


def test_an_interrupted_search_leaves_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores of a part of the time are not kept as those of all of it."""

    def interrupted(*arguments: Any, **options: Any) -> Any:
        stop = threading.Event()
        stop.set()
        return solve(*arguments, **{**options, "stop": stop})

    monkeypatch.setattr(samegame_sizes, "solve", interrupted)
    path = tmp_path / "rows.csv"
    with pytest.raises(KeyboardInterrupt):
        make_rows(path, 1)
    assert read_rows(path) == []


def test_a_board_that_not_all_methods_were_on_counts_for_none() -> None:
    """Differences are paired by board, whatever the order of the rows."""
    size = SIZES[1].family
    rows = [
        dict(zip(COLUMNS, (size, str(board), method, "1", *values), strict=True))
        for board in (2, 0, 1)
        for number, method in enumerate(METHODS)
        if (board, number) != (1, 3)
        for values in [[f"{1000 * board + 10 * at - number}" for at in range(4)]]
    ]
    scores = scores_of(rows, size)
    assert scores["GNRPA"].tolist() == [[-3, 7, 17, 27], [1997, 2007, 2017, 2027]]
    cells = table(rows)
    assert len(cells) == len(METHODS) + len(PAIRS)
    assert cells[0][:4] == [size, "solve", "2", "1,000 (0 to 2,000)"]
    assert cells[5] == [size, "solve less GNRPA + samegame", "2", *["+2"] * 4]
    assert table(rows[:3]) == []


def test_seconds_are_those_of_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """They count from the moment at which the search asks first whether they are over."""
    shown = iter([3.0, 3.0, 3.125, 3.25, 3.375, 3.5, 3.75])
    clock = SimpleNamespace(process_time=lambda: next(shown))
    monkeypatch.setattr(samegame_sizes, "time", clock)
    course = Course(0.5)
    assert not course.is_set()
    course.note(1, -np.inf)
    course.note(2, 5.0)
    course.note(3, 5.0)
    course.note(4, 7.0)
    assert [course.is_set(), course.is_set()] == [False, True]
    course.note(5, 9.0)
    assert course.score == [5.0, 7.0, 9.0]
    assert course.seconds == [0.125, 0.25, 0.75]
    assert next(shown, None) is None


def test_the_page_has_numbers_of_the_kept_rows() -> None:
    """Differences at the first and the last time, of the default and of the learned prior."""
    words = re.sub(r"\s+", " ", (ROOT / "docs/results/samegame.md").read_text(encoding="utf-8"))
    cells = table(read_rows(ROOT / "docs/results/boards/samegame-sizes.csv"))
    shown = [row for row in cells if " less " in row[1] and not row[1].startswith("tempering")]
    assert {row[2] for row in shown} == {"20"}
    for size, what, _, first, *_, last in shown:
        if size.startswith("5 x 5"):
            assert first == last == "+0"
        elif size.startswith("25") or what.startswith("solve"):
            for cell in (first, last):
                assert cell.replace("+", "") in words, (size, what, cell)
