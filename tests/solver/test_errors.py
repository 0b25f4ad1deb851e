"""Quotations in messages."""

from __future__ import annotations

import pytest

from solver.errors import MAX_QUOTED, quoted, shortened


def test_quoted_words_are_cut() -> None:
    """A word of 80 characters is quoted in full, a longer one up to there."""
    assert quoted("a b") == "'a b'"
    assert quoted("x" * MAX_QUOTED) == f"'{'x' * MAX_QUOTED}'"
    assert quoted("x" * (MAX_QUOTED + 1)) == f"'{'x' * MAX_QUOTED}..."
    assert quoted("9" * 10**6) == f"'{'9' * MAX_QUOTED}..."
    assert quoted(17) == "17"
    assert quoted(["a"]) == "['a']"


def test_messages_of_others_are_shortened() -> None:
    """Long words are cut, the others and the rest of the message stay."""
    assert shortened("argument --level: invalid int value: 'two'").endswith(": 'two'")
    message = f"argument --level: invalid int value: '{'9' * 5000}'"
    assert shortened(message) == f"argument --level: invalid int value: '{'9' * 80}..."
    word = "x" * MAX_QUOTED
    assert shortened(f"'{word}' is wrong") == f"'{word}' is wrong"


@pytest.mark.parametrize(
    ("word", "meant"),
    [("grnpa", "gnrpa"), ("GNRPA", "gnrpa"), ("latinsquare", "latin-square"), ("isl", "ils")],
)
def test_names_that_are_nearly_right(word: str, meant: str) -> None:
    """A slip is quoted with the question what was meant."""
    known = ("gnrpa", "latin-square", "ils", "rna")
    assert quoted(word, known) == f"{word!r} (did you mean {meant}?)"


def test_names_that_are_like_no_other() -> None:
    """Nothing is asked where nothing is near, or what was found is no word."""
    for found in ("sudoku", "", 3, "x" * 10**6):
        assert quoted(found, ("gnrpa", "ils")) == quoted(found)
