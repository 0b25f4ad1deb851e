"""Searches as comparisons name them."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import pytest

from solver.algorithms import Gnrpa, Sampling
from solver.algorithms.words import name_in, settings_in, words_in
from solver.commands.method import add_algorithm_options, best_algorithm, new_algorithm
from solver.commands.options import new_parser
from solver.domains import load_domain
from solver.errors import InputError

SAMEGAME = load_domain("samegame")


def given(*words: str) -> Namespace:
    """The options of a command line."""
    parser = new_parser("solve", "", "")
    add_algorithm_options(parser)
    return parser.parse_args(words)


def test_a_word_has_a_name_and_settings() -> None:
    """Each setting once, by its name."""
    assert name_in("gnrpa:level=2:alpha=0.5") == "gnrpa"
    known = ["level", "alpha"]
    assert settings_in("gnrpa:level=2:alpha=0.5", known) == {"level": "2", "alpha": "0.5"}
    assert settings_in("gnrpa", known) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("uct,gnrpa", ["uct", "gnrpa"]),
        ("gnrpa:level=2,3", ["gnrpa:level=2", "gnrpa:level=3"]),
        (
            "gnrpa:level=2,3:iterations=50,100,nmcs",
            [
                "gnrpa:level=2:iterations=50",
                "gnrpa:level=2:iterations=100",
                "gnrpa:level=3:iterations=50",
                "gnrpa:level=3:iterations=100",
                "nmcs",
            ],
        ),
        (
            "gnrpa:alpha=.5,1e-1:shaping=yes,no",
            [
                "gnrpa:alpha=.5:shaping=yes",
                "gnrpa:alpha=.5:shaping=no",
                "gnrpa:alpha=1e-1:shaping=yes",
                "gnrpa:alpha=1e-1:shaping=no",
            ],
        ),
        ("gnrpa:level=2,gnrpa:level=2", ["gnrpa:level=2"]),
        # Words are names of searches, whatever stands before them.
        ("beam-nrpa:diversity=none,scores", ["beam-nrpa:diversity=none", "scores"]),
        ("gnrpa,2", ["gnrpa", "2"]),
        ("", [""]),
    ],
)
def test_several_values_of_a_parameter(text: str, words: list[str]) -> None:
    """Numbers, yes and no behind a parameter are more values of it: all combinations."""
    assert words_in(text) == words


def test_settings_of_a_word_go_before_options() -> None:
    """Options are for all searches that have them, a word is for one."""
    words = given("--level", "3", "--iterations", "7")
    made: Any = new_algorithm("gnrpa:level=1:warm_start=true", words, SAMEGAME)
    assert (made.level, made.iterations, made.warm_start) == (1, 7, True)
    assert new_algorithm("sampling:dead_ends=0", words, SAMEGAME, strict=False) == Sampling(0)


def test_settings_of_a_word_go_before_the_best_parameters() -> None:
    """Settings of a word override the best parameters, as options do."""
    tours = load_domain("tsptw")
    best: Any = best_algorithm("gnrpa", given(), tours)
    own: Any = best_algorithm("gnrpa:temperature=3", given(), tours)
    assert isinstance(own, Gnrpa)
    assert (own.temperature, own.local_search) == (3.0, best.local_search)
    plain: Any = best_algorithm("gnrpa:local_search=false", given(), tours)
    assert plain.temperature == 1.0


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("gnrpa:level", "gnrpa:level: 'level', expected NAME=VALUE of: level, iterations, "),
        ("gnrpa:depth=2", "gnrpa:depth=2: 'depth=2', expected NAME=VALUE of: level, "),
        ("gnrpa:level=0", "gnrpa:level=0: level is 0, expected 1 ... 10"),
        ("gnrpa:level=x", "gnrpa:level=x: level is 'x', expected a whole number, 1 ... 10"),
        ("gnrpa:level=1:level=2", "gnrpa:level=1:level=2: level is given twice, expected once"),
        (
            "nrpa:temperature=2",
            "nrpa:temperature=2: 'temperature=2', expected NAME=VALUE of: level, ",
        ),
        ("gnrap:level=2", "no algorithm called 'gnrap' (did you mean gnrpa?)"),
    ],
)
def test_settings_that_do_not_fit(word: str, message: str) -> None:
    """The message begins with the word."""
    with pytest.raises(InputError) as caught:
        new_algorithm(word, given(), SAMEGAME)
    assert str(caught.value).startswith(message)
