"""Options of a search as the commands give them."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import pytest

from solver import algorithms
from solver.algorithms import (
    ALGORITHMS,
    AS_PUBLISHED,
    Gnrpa,
    ListedAlgorithm,
    Nmcs,
    Nrpa,
    Sampling,
    algorithm_named,
    known_algorithms,
)
from solver.commands.method import (
    add_algorithm_options,
    best_algorithm,
    new_algorithm,
    usual_algorithm,
)
from solver.commands.options import new_parser
from solver.domains import load_domain
from solver.errors import InputError


@dataclass(frozen=True)
class Vague(ListedAlgorithm):
    """An algorithm that does nothing."""

    name: ClassVar[str] = "mine"
    label: ClassVar[str] = "Mine"


@dataclass(frozen=True)
class Mine(Vague):
    """One that has what the commands look for.

    Parameters
    ----------
    width : int
        A number.
    """

    width: int = 1

    playouts_per_run = 1024

    def new_run(self, domain: Any, instance: Any, prior: Any) -> Any:
        """Nobody calls it."""


def given(*words: str) -> Namespace:
    """The options of a command line."""
    parser = new_parser("solve", "", "")
    add_algorithm_options(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize(
    ("domain", "level", "dead_ends", "shaping"),
    [("samegame", 3, 0, True), ("tsptw", 2, 0, False), ("kakuro", 2, 100, False)],
)
def test_defaults_are_the_domains(domain: str, level: int, dead_ends: int, shaping: bool) -> None:
    """Level and dead ends are those that suit the problem; NRPA is plain."""
    for name, plain in (("gnrpa", Gnrpa(shaping=shaping)), ("nrpa", Nrpa(shaping=False))):
        made = new_algorithm(name, given(), load_domain(domain))
        assert made == replace(plain, level=level, dead_ends=dead_ends)
    assert new_algorithm("sampling", given(), load_domain(domain)) == Sampling(dead_ends)
    nmcs = Nmcs(level, dead_ends=dead_ends, shaping=shaping)
    assert new_algorithm("nmcs", given(), load_domain(domain)) == nmcs
    follows = new_algorithm("nmcs", given("--no-memorise"), load_domain(domain))
    assert follows == replace(nmcs, memorise=False)


def test_what_is_given_comes_first() -> None:
    """Options replace defaults; those of nested searches do not fit sampling."""
    samegame = load_domain("samegame")
    words = given("--level", "1", "--temperature", "1.4", "--no-shaping")
    assert new_algorithm("gnrpa", words, samegame) == Gnrpa(
        level=1, temperature=1.4, **AS_PUBLISHED
    )
    assert new_algorithm("nrpa", given("--shaping"), samegame) == Nrpa(
        level=3, dead_ends=0, shaping=True
    )
    with pytest.raises(InputError, match="--level is for nested searches, not for sampling"):
        new_algorithm("sampling", given("--level", "1"), samegame)
    assert new_algorithm("sampling", given("--level", "1"), samegame, strict=False) == Sampling(
        dead_ends=0
    )
    with pytest.raises(InputError, match="--memorise is for nested Monte Carlo searches"):
        new_algorithm("gnrpa", given("--memorise"), samegame)
    with pytest.raises(InputError, match="no algorithm called 'utc'"):
        new_algorithm("utc", given(), samegame)


def test_the_best_parameters_belong_together() -> None:
    """`solve` takes them where nothing else is asked for; without their local search, none."""
    tsptw = load_domain("tsptw")
    plain = Gnrpa(level=2, **AS_PUBLISHED)
    best = replace(plain, **tsptw.best_parameters)
    assert best.local_search
    assert best_algorithm("gnrpa", given(), tsptw) == best
    assert best_algorithm("gnrpa", given("--level", "1"), tsptw) == replace(best, level=1)
    assert best_algorithm("gnrpa", given("--no-local-search"), tsptw) == plain
    assert best_algorithm("nrpa", given(), tsptw) == Nrpa(level=2, **AS_PUBLISHED)
    kakuro = load_domain("kakuro")
    assert best_algorithm("gnrpa", given(), kakuro) == new_algorithm("gnrpa", given(), kakuro)


def test_the_usual_algorithm_fits_what_is_asked() -> None:
    """SameGame has a relay, with any prior, unless an option of another search is asked for."""
    samegame = load_domain("samegame")
    for words, prior, name in (
        ((), None, "relay"), ((), "none", "relay"), (("--cold", "3"), None, "relay"),
        ((), "samegame", "relay"), (("--level", "2"), None, "gnrpa"),
    ):  # fmt: skip
        arguments = given(*words)
        arguments.prior = prior
        assert usual_algorithm(arguments, samegame, samegame.options()) == name


def installed_in(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Let an installed package name `value` as the algorithm `mine`."""
    found = {"nestor.algorithms": {"mine": EntryPoint("mine", value, "nestor.algorithms")}}
    monkeypatch.setattr(algorithms, "installed", lambda group: found[group])
    monkeypatch.setattr(algorithms, "_others", {})


def test_packages_add_algorithms(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are listed behind those that ship, and their fields are options."""
    installed_in(monkeypatch, f"{__name__}:Mine")
    assert list(known_algorithms()) == [*ALGORITHMS, "mine"]
    samegame = load_domain("samegame")
    assert new_algorithm("mine", given("--width", "3"), samegame) == Mine(3)
    with pytest.raises(InputError, match="--width is for other searches, not for nrpa"):
        new_algorithm("nrpa", given("--width", "3"), samegame)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("nowhere:Mine", r"^the installed algorithm 'mine' \(nowhere:Mine\) cannot be imported: M"),
        ("solver.algorithms:Nmcs", "has the name 'nmcs', expected the same name"),
        (f"{__name__}:Vague", "Vague lacks the method 'playouts_per_run'"),
    ],
)
def test_packages_that_do_not_fit(
    monkeypatch: pytest.MonkeyPatch, value: str, message: str
) -> None:
    """They cost a line where they are asked for, and nothing elsewhere."""
    installed_in(monkeypatch, value)
    assert list(known_algorithms()) == list(ALGORITHMS)
    assert algorithm_named("nmcs") is Nmcs
    with pytest.raises(InputError, match=message):
        algorithm_named("mine")
