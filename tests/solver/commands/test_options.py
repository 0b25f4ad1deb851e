"""Options made of fields."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Literal

import pytest

from solver.commands.options import add_dataclass, from_arguments, new_parser
from solver.errors import InputError


@dataclass(frozen=True)
class Grid:
    """Options of a user's own problem.

    Parameters
    ----------
    wrap : bool
        Whether edges meet.
    """

    wrap: bool = True
    marks: bool = False
    shape: Literal["square", "hex"] = "square"
    limit: int | None = None


def parser(*, many: bool = False) -> argparse.ArgumentParser:
    made = new_parser("test", "", "")
    add_dataclass(made.add_argument_group("options"), Grid, many=many)
    return made


@pytest.mark.parametrize(
    ("words", "grid"),
    [
        ([], Grid()),
        (["--no-wrap", "--marks"], Grid(wrap=False, marks=True)),
        (["--wrap", "--limit", "3"], Grid(limit=3)),
        (["--limit", "3", "--limit", "none"], Grid(limit=None)),
        (["--shape", "hex"], Grid(shape="hex")),
    ],
)
def test_all_kinds_of_options(words: list[str], grid: Grid) -> None:
    """A truth has two words, a choice those of its `Literal`, None the word none."""
    assert from_arguments(Grid, parser().parse_args(words)) == grid


def test_lists_of_values() -> None:
    """A list has each value that is given; a truth those of both words."""
    words = ["--no-wrap", "--wrap", "--shape", "hex,square", "--limit=none,4"]
    arguments = parser(many=True).parse_args(words)
    assert (arguments.wrap, arguments.marks) == ([False, True], [False])
    assert (arguments.shape, arguments.limit) == (["hex", "square"], [None, 4])
    assert parser(many=True).parse_args([]).wrap == [True]  # nothing is left of an earlier one


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--wrap", "False"], "unrecognized arguments: False"),
        (["--shape", "round"], "--shape is 'round', expected square or hex"),
        (["--limit", "x"], "--limit is 'x', expected a whole number, or none"),
        (["--completion", "fish"], "--completion is 'fish', expected one of: bash, zsh, tcsh"),
    ],
)
def test_bad_words(words: list[str], message: str) -> None:
    """The option is named as it was typed."""
    with pytest.raises(InputError) as caught:
        parser().parse_args(words)
    assert str(caught.value) == message


def test_help_tells_meaning_choices_and_default() -> None:
    """Help comes from the docstring, the annotation and the class."""
    text = " ".join(parser().format_help().split())
    assert "--wrap, --no-wrap Whether edges meet. (default: yes)" in text
    assert "--shape {square,hex} (default: square)" in text
    assert "--limit INT (default: none)" in text


@dataclass(frozen=True)
class Loops:
    """A truth whose name begins as a denial."""

    no_loops: bool = False


@pytest.mark.parametrize(
    ("words", "value"), [([], False), (["--no-loops"], True), (["--no-no-loops"], False)]
)
def test_a_truth_called_no(words: list[str], value: bool) -> None:
    """The option as named sets it, the other one does not."""
    made = new_parser("test", "", "")
    add_dataclass(made, Loops)
    assert made.parse_args(words).no_loops is value
