"""Rows of games: what is written is read again, and what is damaged is named."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import pytest

from pipeline.matches.rows import GameRow, read_row
from solver.errors import InputError

ROW = GameRow(
    game="hex", options='{"position": "start", "size": 3}', match="mcps uct 30", one="mcps",
    other="uct", playouts=30, seconds=None, number=1, seed=0, seat=1, players=2, score=0.5,
    moves="a1 b2 c3", length=3, playouts_one=60, seconds_one=0.25, playouts_other=30,
    seconds_other=0.125,
)  # fmt: skip


def line_of(**changed: Any) -> bytes:
    return json.dumps(dataclasses.asdict(ROW) | changed).encode()


def test_rows_are_read_as_they_were_written() -> None:
    """With budgets of either kind and any size, and those of versions with fewer fields."""
    assert read_row(line_of(), "here") == ROW
    timed = dataclasses.replace(ROW, playouts=None, seconds=0.1)
    assert read_row(line_of(playouts=None, seconds=0.1), "here") == timed
    asked: dict[str, Any] = {"playouts": None, "seconds": math.inf, "seed": 10**30}
    assert read_row(line_of(**asked), "here") == dataclasses.replace(ROW, **asked)
    old = {k: v for k, v in json.loads(line_of()).items() if k not in ("full", "memory")}
    assert read_row(json.dumps(old).encode(), "here") == ROW


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("game", [1], "a text"),
        ("one", "\ud800", "a text"),
        ("moves", 5, "a text"),
        ("sources", 5, "a text"),
        ("options", "x", "a JSON object"),
        ("options", "[]", "a JSON object"),
        ("options", '{"position": "\\ud800"}', "a JSON object"),
        ("options", "[" * 100_000, "a JSON object"),
        ("length", "x", "a whole number, 0 or more"),
        ("number", True, "a whole number, 0 or more"),
        ("memory", 10**20, "9,223,372,036,854,775,808 at most"),
        ("full", -1, "0 or more"),
        ("playouts", 0, "1 or more, or none"),
        ("seconds", "x", "a number, more than 0, or none"),
        ("seconds_one", float("inf"), "9,223,372,036,854,775,808 at most"),
        ("score", "a", "a number, 0 ... 1"),
        ("score", float("nan"), "a number, 0 ... 1"),
        ("score", 1.5, "0 ... 1"),
        ("players", 10**9, "1 ... 100"),
        ("seat", 9, "0 ... 1"),
        ("length", 4, "that of the moves, 3"),
    ],
)
def test_a_damaged_field_is_named(name: str, value: Any, expected: str) -> None:
    """With its place and what it should be, in one line."""
    with pytest.raises(InputError, match=rf"^here: {name} is .*, expected {expected}$"):
        read_row(line_of(**{name: value}), "here")


@pytest.mark.parametrize("budget", [{"seconds": 0.1}, {"playouts": None}], ids=["both", "none"])
def test_a_budget_is_of_one_kind(budget: dict[str, Any]) -> None:
    """Playouts or seconds."""
    with pytest.raises(InputError, match=r"^here: playouts is \w+ and seconds is .*, expected one"):
        read_row(line_of(**budget), "here")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "no row of a game, expected a JSON object"),
        (b"[1]", "no row of a game, expected a JSON object"),
        (b"[" * 100_000, "no row of a game, expected a JSON object"),
        (b'{"game": "\xff"}', "no row of a game, expected a JSON object"),
        (b'{"game": "hex"}', "no row of a game, expected a field options"),
        (line_of(moved=1), "no field 'moved', expected one of: game, options, match, "),
    ],
)
def test_what_is_no_row(line: bytes, message: str) -> None:
    """Anything else than an object with the fields of a row."""
    with pytest.raises(InputError, match=rf"^here: {message}"):
        read_row(line, "here")
