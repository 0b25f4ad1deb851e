"""First word of a command: the name of a domain or benchmark set, or a file with a domain."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from solver.domains import BENCHMARKS, domain_names, load_domain
from solver.errors import InputError, quoted
from solver.games import game_names, load_game

if TYPE_CHECKING:
    from solver.contract.domain import Domain, Game, Puzzle

#: Ending of the name of a file with a domain.
ENDING = ".py"

#: Short options, and what they stand for.
SHORT = {"-o": "--out", "-q": "--quiet", "-t": "--threads"}
HELP = "or a file with a domain of your own, my_puzzle.py"


@dataclass(frozen=True)
class Subject:
    """A domain, and perhaps one of its benchmark sets."""

    domain: Puzzle
    benchmark: str | None = None
    """Name of the set among those of the domain."""

    @property
    def name(self) -> str:
        """Name for `find_subject`; that of the domain if the subject is a file."""
        if self.benchmark is None or self.benchmark in BENCHMARKS:
            return self.benchmark or self.domain.name
        return f"{self.domain.name}:{self.benchmark}"


def long_words(words: Sequence[str]) -> list[str]:
    """Write short options of a command line out, those before `--`: -o FILE, -oFILE, -o=FILE."""
    ends = words.index("--") if "--" in words else len(words)
    long = []
    for word in words[:ends]:
        option, value = word[:2], word[2:].removeprefix("=")
        if option in SHORT:
            word = SHORT[option] + (f"={value}" if value else "")
        long.append(word)
    return [*long, *words[ends:]]


def subject_word(
    words: Sequence[str],
    parsers: Iterable[argparse.ArgumentParser],
    others: Callable[[], Iterable[argparse.ArgumentParser]],
) -> str | None:
    """Return the first positional argument of a command line, the name of a problem or a game.

    Its own options are not known yet. For options that no parser has, as those of a file,
    the next word is the value, unless what follows then names nothing and that word does.

    Parameters
    ----------
    words : sequence of str
        The command line.
    parsers : iterable of ArgumentParser
        Those whose options may stand before it.
    others : callable
        Returns parsers that are slower to make, for options that `parsers` lack.

    Raises
    ------
    InputError
        If the first positional argument names nothing.
    """
    takes_value = _takes_value(parsers)
    guesses: list[str] = []
    todo = list(words)
    while todo:
        word = todo.pop(0)
        if word == "--" or not _is_option(word):
            first = todo[0] if word == "--" and todo else word
            return _subject(first, guesses, words)
        option, equals, _ = word.partition("=")
        if option not in takes_value:
            takes_value = _takes_value(others()) | takes_value
        if not equals and todo and not _is_option(todo[0]) and takes_value.get(option, True):
            value = todo.pop(0)
            guesses += [value] * (option not in takes_value)
    return next(filter(names_subject, guesses), None)


def _takes_value(parsers: Iterable[argparse.ArgumentParser]) -> dict[str, bool]:
    """Options of parsers, and whether a value follows each."""
    return {
        option: action.nargs != 0
        for parser in parsers
        for option, action in parser._option_string_actions.items()
    }


def _is_option(word: str) -> bool:
    """Return whether `word` is an option, neither `-` nor a negative number."""
    return len(word) > 1 and word[0] == "-" and not (word[1].isdigit() or word[1] == ".")


def _subject(word: str, guesses: Sequence[str], words: Sequence[str]) -> str | None:
    if names_subject(word):
        return word
    if not {"-h", "--help", "--version", "--completion"}.isdisjoint(words):
        return None
    guessed = next(filter(names_subject, guesses), None)
    if guessed is None:
        find_subject(word)  # says what is wrong
    return guessed


def names_subject(word: str) -> bool:
    """Return whether `word` names a problem, a set of problems, a game, or a Python file."""
    place, _, _ = word.partition(":")
    return place in {*domain_names(), *BENCHMARKS, *game_names()} or (
        is_file_name(place) and Path(place).is_file()
    )


def is_game(word: str) -> bool:
    """Return whether `word`, which `names_subject`, names a game."""
    return word in game_names() or (is_file_name(word) and _defines_game(Path(word)))


def _defines_game(path: Path) -> bool:
    """Return whether a file defines a game; its errors are reported when it is read as a puzzle."""
    from solver.domains.from_file import load_game_file

    try:
        load_game_file(path)
    except InputError:
        return False
    return True


def is_file_name(word: str) -> bool:
    """Return whether `word` is the name of a Python file, and no option."""
    return word.endswith(ENDING) and not word.startswith("-")


def find_subject(word: str) -> Subject:
    """Return the domain that `word` names, and the benchmark set, as in `DOMAIN:SET`.

    The sets that ship have names of their own.

    Raises
    ------
    InputError
        If there is no such domain, file or set.
    """
    if word in BENCHMARKS:
        return Subject(load_domain(BENCHMARKS[word]), word)
    place, colon, benchmark = word.partition(":")
    if colon and place in BENCHMARKS:
        raise InputError(
            f"{place} is a set of problems itself and has none called {quoted(benchmark)}"
        )
    domain = find_domain(place)
    if not colon:
        return Subject(domain)
    if benchmark not in domain.benchmarks:
        known = ", ".join(domain.benchmarks) or "none"
        called = quoted(benchmark, domain.benchmarks)
        raise InputError(f"{domain.name} has no set called {called}, there are: {known}")
    return Subject(domain, benchmark)


def absolute(word: str) -> str:
    """`word` as another process finds it that stands in another folder."""
    place, colon, benchmark = word.partition(":")
    return f"{Path(place).absolute()}{colon}{benchmark}" if is_file_name(place) else word


def listing() -> str:
    """Return a line for every problem, benchmark set and game that `solve` takes."""
    problems = {name: load_domain(name) for name in domain_names()}
    games = {name: load_game(name) for name in game_names()}
    sets = {
        name: benchmark.description
        for domain in problems.values()
        for name, benchmark in domain.benchmarks.items()
    }
    groups = {
        "problems": {name: _first_line(one) for name, one in problems.items()},
        "benchmark sets": sets,
        "games": {name: _first_line(one) for name, one in games.items()},
    }
    lines = [
        line
        for title, found in groups.items()
        for line in (f"{title}:", *(f"  {name:<17}{text}" for name, text in found.items()))
    ]
    return "\n".join(lines) + "\n"


def _first_line(domain: Domain) -> str:
    return (type(domain).__doc__ or "").strip().partition("\n")[0].partition(";")[0].rstrip(".")


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
        known = [*names, *game_names()]
        called = quoted(word, [*known, *BENCHMARKS])
        order = f"; name one before the file {quoted(word)}" if Path(word).is_file() else ""
        expected = f"expected one of: {', '.join(known)}{order}"
        raise InputError(f"no problem or game called {called}, {expected}")
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
    return find_game(word) if is_game(word) else find_domain(word)
