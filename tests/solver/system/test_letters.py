"""Tests of letters that a text can be written with."""

from __future__ import annotations

import os

import pytest

from solver.system.letters import printable_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a.txt", "a.txt"),
        ("\u00e9 \U0001f600.txt", "\u00e9 \U0001f600.txt"),
        (os.fsdecode(b"c\xe9.txt"), "c\\xe9.txt"),
        ("half \ud800", "half \\ud800"),
    ],
)
def test_names_are_printable(name: str, shown: str) -> None:
    """Names in UTF-8 stay as they are; of others the bytes, or halves of characters, are shown."""
    assert printable_name(name) == shown
    assert shown.encode()
