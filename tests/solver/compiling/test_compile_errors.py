"""Tests of the one line that is made of Numba's errors."""

from __future__ import annotations

from typing import Any

import numba
import pytest

from solver.compiling.compile_errors import compile_message
from tests.helpers import needs_jit


def score_of_text(x: float) -> Any:
    return "a text"


def score_of_nothing(x: float) -> Any:
    return None


def score_of_a_pair(x: float) -> Any:
    return x, x


def message_of(rule: Any) -> str | None:
    """Return the line for a kernel that makes a number of what `rule` returns."""
    score: Any = numba.njit(rule)

    def number(x: float) -> Any:
        return float(score(x))

    kernel: Any = numba.njit(number)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        kernel(1.0)
    return compile_message(caught.value)


@needs_jit
@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (score_of_text, "Numba cannot compile: could not convert string to float: 'a text'; "),
        (score_of_nothing, "Numba cannot compile: score returns none, expected a number; "),
        (
            score_of_a_pair,
            "Numba cannot compile: score returns UniTuple(float64 x 2), expected a number; ",
        ),
    ],
)
def test_a_score_that_is_no_number_is_told(rule: Any, expected: str) -> None:
    """The kind of it is named, and that a number is expected."""
    line = message_of(rule)
    assert line is not None
    assert expected in line
    assert "\n" not in line


def test_an_error_of_anything_else_is_not_numbas() -> None:
    """It has no line, though its class is one that Numba raises, too."""
    with pytest.raises(ValueError, match="could not convert") as caught:
        float("a text")
    assert compile_message(caught.value) is None


@needs_jit
def test_an_error_of_numba_that_does_not_compile_is_not_told_as_one() -> None:
    """It is one of the code that calls Numba."""
    with pytest.raises(TypeError, match="must be iterable") as caught:
        numba.typed.List(5)
    assert compile_message(caught.value) is None
