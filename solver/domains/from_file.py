"""A domain from a file of a user's own, as `solve my_puzzle.py` names it."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from solver.compiling.user_files import check_name, class_in, run_file
from solver.contract import rules
from solver.contract.domain import Domain, Game, Puzzle
from solver.domains import DOMAINS, add_domain
from solver.errors import InputError
from solver.games import GAMES, add_game

#: Kinds of the attributes of a class.
_KINDS: dict[str, tuple[Any, str]] = {
    "priors": (Mapping, "a dictionary"),
    "handmade": (Mapping, "a dictionary"),
    "best_parameters": (Mapping, "a dictionary"),
    "target": (Real, "a number, or None"),
    "default_dead_ends": (Integral, "a whole number"),
    "default_level": (Integral, "a whole number"),
    "verification_playouts": (Real, "a number"),
    "designer": ((type, str), "a class, or an import string"),
}
#: Domains that were read, by class.
_read: dict[type, Domain] = {}


def load_domain_file(path: Path) -> Puzzle:
    """Run a file and return the puzzle it defines; from then on it is found by its name.

    Raises
    ------
    InputError
        If it cannot be run, or does not define one whole puzzle.
    """
    domain = _load(path)
    if not isinstance(domain, Puzzle):
        raise InputError(
            f"{path}: {type(domain).__name__} is a game, expected a subclass of "
            "solver.contract.domain.Puzzle"
        )
    add_domain(domain)
    return domain


def load_game_file(path: Path) -> Game:
    """Run a file and return the game it defines; from then on it is found by its name.

    Raises
    ------
    InputError
        If it cannot be run, or does not define one whole game.
    """
    domain = _load(path)
    if not isinstance(domain, Game):
        raise InputError(
            f"{path}: {type(domain).__name__} is a puzzle, expected a subclass of "
            "solver.contract.domain.Game"
        )
    add_game(domain)
    return domain


def _load(path: Path) -> Domain:
    expected = "solver.contract.domain.Puzzle or solver.contract.domain.Game"
    cls = class_in(run_file(path), (Puzzle, Game), path, expected)
    if cls not in _read:
        _check_whole(cls, path)
        _read[cls] = cls()
    return _read[cls]


def _check_whole(cls: Any, path: Path) -> None:
    where = f"{path}: {cls.__name__}"
    if inspect.isabstract(cls):
        raise InputError(f"{where} lacks the methods: {', '.join(sorted(cls.__abstractmethods__))}")
    for attribute in ("name", "instance_class", "priors"):
        if not hasattr(cls, attribute):
            raise InputError(f"{where} lacks the attribute {attribute!r}")
    if issubclass(cls, Puzzle) and cls.target is None and cls.objective is Puzzle.objective:
        raise InputError(f"{where} lacks the methods: objective, as its target is None")
    for attribute, (kind, expected) in _KINDS.items():
        value = getattr(cls, attribute, None)
        is_none = value is None and attribute in ("target", "designer")
        if is_none or isinstance(value, property) or not hasattr(cls, attribute):
            continue
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InputError(f"{where}: {attribute} is {value!r}, expected {expected}")
    if not dataclasses.is_dataclass(cls.options):
        raise InputError(f"{where}: options is no dataclass")
    check_name(cls.name, where, {**DOMAINS, **GAMES}, "a domain that ships")
    if issubclass(cls, Puzzle):  # games are checked before they are played
        for name in ("reset", "legal_moves", "play", "score"):
            if getattr(rules, name).implementation(cls.instance_class) is None:
                missing = f"no {name} is registered for {cls.instance_class.__name__}"
                raise InputError(f"{path}: {cls.name}: {missing}")
