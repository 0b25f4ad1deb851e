"""Options of a search as the commands give them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace

import pytest

from solver.algorithms import Gnrpa, Nrpa, Sampling
from solver.domains import load_domain
from solver.errors import InputError
from solver.method import add_nested_options, best_algorithm, new_algorithm


def given(*words: str) -> Namespace:
    """The options of a command line."""
    parser = ArgumentParser()
    add_nested_options(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize(
    ("domain", "level", "dead_ends", "shaping"),
    [("samegame", 3, 0, True), ("tsptw", 2, 0, False), ("kakuro", 2, 100, False)],
)
def test_defaults_are_the_domains(domain: str, level: int, dead_ends: int, shaping: bool) -> None:
    """Level and dead ends are those that suit the problem; NRPA is plain."""
    for name, plain in (("gnrpa", Gnrpa(shaping=shaping)), ("nrpa", Nrpa())):
        made = new_algorithm(name, given(), load_domain(domain))
        assert made == replace(plain, level=level, dead_ends=dead_ends)
    assert new_algorithm("sampling", given(), load_domain(domain)) == Sampling(dead_ends)


def test_what_is_given_comes_first() -> None:
    """Options replace defaults; those of nested searches do not fit sampling."""
    samegame = load_domain("samegame")
    words = given("--level", "1", "--temperature", "1.4", "--no-shaping")
    assert new_algorithm("gnrpa", words, samegame) == Gnrpa(level=1, temperature=1.4)
    assert new_algorithm("nrpa", given("--shaping"), samegame) == Nrpa(level=3, shaping=True)
    with pytest.raises(InputError, match="--level is for nested searches, not for sampling"):
        new_algorithm("sampling", given("--level", "1"), samegame)
    assert new_algorithm("sampling", given("--level", "1"), samegame, strict=False) == Sampling()
    with pytest.raises(InputError, match="no algorithm called 'uct'"):
        new_algorithm("uct", given(), samegame)


def test_the_best_parameters_belong_together() -> None:
    """`solve` takes them where nothing else is asked for; without their local search, none."""
    tsptw = load_domain("tsptw")
    best = replace(Gnrpa(), **tsptw.best_parameters)
    assert best.local_search
    assert best_algorithm("gnrpa", given(), tsptw) == best
    assert best_algorithm("gnrpa", given("--level", "1"), tsptw) == replace(best, level=1)
    assert best_algorithm("gnrpa", given("--no-local-search"), tsptw) == Gnrpa()
    assert best_algorithm("nrpa", given(), tsptw) == Nrpa()
    kakuro = load_domain("kakuro")
    assert best_algorithm("gnrpa", given(), kakuro) == new_algorithm("gnrpa", given(), kakuro)
