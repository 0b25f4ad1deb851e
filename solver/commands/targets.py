"""What the first word of a command names: a domain, a benchmark set, or a file with a domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solver.domains import BENCHMARKS, domain_names, load_domain
from solver.errors import InputError, quoted
from solver.games import game_names, load_game

if TYPE_CHECKING:  # Numba, which `--help` does not need, would take seconds to import
    from solver.domain import Domain, Game, Puzzle

#: How the name of a file with a domain ends.
ENDING = ".py"

HELP = "or a file with a domain of your own, my_puzzle.py"


@dataclass(frozen=True)
class Target:
    """A domain, and perhaps one of its benchmark sets."""

    domain: Puzzle
    benchmark: str | None = None
    """Name of the set among those of the domain."""

    @property
    def name(self) -> str:
        """What `find_target` finds it by from now on; of a file, its domain's name."""
        if self.benchmark is None or self.benchmark in BENCHMARKS:
            return self.benchmark or self.domain.name
        return f"{self.domain.name}:{self.benchmark}"


def target_word(arguments: Sequence[str]) -> str | None:
    """Return the first of `arguments` that names a target: options depend on it.

    Raises
    ------
    InputError
        If there is none, and the first is no option: a slip of the fingers, most often.
    """
    names = {*domain_names(), *BENCHMARKS}
    found = next((word for word in arguments if _names_target(word, names)), None)
    if found is None and arguments and not arguments[0].startswith("-"):
        find_target(arguments[0])
    return found


def game_word(arguments: Sequence[str]) -> str | None:
    """Return the first of `arguments` that names a problem or a file with one, if it is a game."""
    games, problems = game_names(), {*domain_names(), *BENCHMARKS}
    for word in arguments:
        if word in games:
            return word
        if _names_target(word, problems):
            return word if is_file_name(word) and _defines_game(Path(word)) else None
    return None


def _defines_game(path: Path) -> bool:
    """Whether a file defines a game; any error in it is said when it is read as a puzzle."""
    from solver.domains.from_file import load_game_file

    try:
        load_game_file(path)
    except InputError:
        return False
    return True


def _names_target(word: str, names: set[str]) -> bool:
    place, _, _ = word.partition(":")
    return word in names or place in names or (is_file_name(place) and Path(place).is_file())


def is_file_name(word: str) -> bool:
    """Whether `word` is the name of a Python file, and no option."""
    return word.endswith(ENDING) and not word.startswith("-")


def find_target(word: str) -> Target:
    """Return the domain that `word` names, and the benchmark set, as in `DOMAIN:SET`.

    The sets that ship have names of their own.

    Raises
    ------
    InputError
        If there is no such domain, file or set.
    """
    if word in BENCHMARKS:
        return Target(load_domain(BENCHMARKS[word]), word)
    place, colon, benchmark = word.partition(":")
    if colon and place in BENCHMARKS:
        raise InputError(
            f"{place} is a set of problems itself and has none called {quoted(benchmark)}"
        )
    domain = find_domain(place)
    if not colon:
        return Target(domain)
    if benchmark not in domain.benchmarks:
        known = ", ".join(domain.benchmarks) or "none"
        raise InputError(f"{domain.name} has no set called {quoted(benchmark)}, there are: {known}")
    return Target(domain, benchmark)


def absolute(word: str) -> str:
    """`word` as another process finds it that stands in another folder."""
    place, colon, benchmark = word.partition(":")
    return f"{Path(place).absolute()}{colon}{benchmark}" if is_file_name(place) else word


def find_domain(word: str) -> Puzzle:
    """Return the domain that is called `word`, or that the file `word` defines.

    Raises
    ------
    InputError
        If there is none.
    """
    if is_file_name(word):
        from solver.domains.from_file import load_domain_file

        return load_domain_file(Path(word))
    if word not in (names := domain_names()):
        known = ", ".join([*names, *game_names()])
        raise InputError(f"no problem or game called {quoted(word)}, expected one of: {known}")
    return load_domain(word)


def find_game(word: str) -> Game:
    """Return the game that is called `word`, or that the file `word` defines.

    Raises
    ------
    InputError
        If there is none.
    """
    if is_file_name(word):
        from solver.domains.from_file import load_game_file

        return load_game_file(Path(word))
    return load_game(word)


def find_rules(word: str) -> Domain:
    """Return the domain or the game that is called `word`, or that the file `word` defines.

    Raises
    ------
    InputError
        If there is none.
    """
    return find_domain(word) if game_word([word]) is None else find_game(word)
