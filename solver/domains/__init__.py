"""The list of domains: one that ships is a file here and a line below."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.errors import InputError, quoted
from solver.games import game_names, load_game
from solver.system.installed import installed, load_installed

if TYPE_CHECKING:
    from solver.contract.domain import Domain, Puzzle

#: Group of entry points by which installed packages add domains: a name and its class.
GROUP = "nestor.domains"


@dataclass(frozen=True)
class Listed:
    """Facts about a domain that are known before its import."""

    reference: str
    """Module and class."""
    sets: tuple[str, ...] = ()
    """Names of its benchmark sets."""


#: The domains that ship. Whatever else belongs to one is an attribute of its class.
DOMAINS = {
    "latin-square": Listed("solver.domains.latin_square.domain:LatinSquareDomain"),
    "kakuro": Listed("solver.domains.kakuro.domain:KakuroDomain"),
    "sudoku": Listed("solver.domains.sudoku.domain:SudokuDomain"),
    "rna": Listed(
        "solver.domains.rna.domain:RnaDomain",
        ("eterna100", "eterna100-v2", "hard-folds", "hardened-folds"),
    ),
    "morpion": Listed("solver.domains.morpion.domain:MorpionDomain"),
    "samegame": Listed(
        "solver.domains.samegame.domain:SameGameDomain", ("samegame-board1", "samegame20")
    ),
    "tsptw": Listed("solver.domains.tsptw.domain:TsptwDomain", ("potvin-bengio", "rc204.1")),
}

#: Domain of each benchmark set that ships.
BENCHMARKS = {name: domain for domain, listed in DOMAINS.items() for name in listed.sets}

#: Domains of users' files, by name: known for as long as the process lives.
_from_files: dict[str, Puzzle] = {}


def domain_names() -> list[str]:
    """Names of all domains: those that ship, installed ones, and those of files that were read."""
    return list(dict.fromkeys([*DOMAINS, *installed(GROUP), *_from_files]))


def load_domain(name: str) -> Puzzle:
    """Return the domain called `name`.

    Parameters
    ----------
    name : str
        Name of a domain that ships, of an installed one, or of one from a file that was read.

    Raises
    ------
    InputError
        If there is none of that name, or an installed one cannot be imported.
    """
    if name in _from_files:
        return _from_files[name]
    if name in DOMAINS:
        module, _, class_name = DOMAINS[name].reference.partition(":")
        return getattr(importlib.import_module(module), class_name)()
    if name in installed(GROUP):
        from solver.contract.domain import Puzzle

        puzzle: Puzzle = load_installed(installed(GROUP)[name], "domain", Puzzle)
        return puzzle
    expected = ", ".join(domain_names())
    raise InputError(
        f"no domain called {quoted(name, domain_names())}, expected one of: {expected}"
    )


def is_domain(name: str) -> bool:
    """Return whether there is a domain called `name`."""
    return name in domain_names()


def load_rules(name: str) -> Domain:
    """Return the domain or the game called `name`.

    Raises
    ------
    InputError
        If there is none.
    """
    return load_game(name) if name in game_names() else load_domain(name)


def add_domain(domain: Puzzle) -> None:
    """Let `domain`, which comes from a file, be found by its name."""
    _from_files[domain.name] = domain
