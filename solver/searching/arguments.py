"""Checks of the arguments that searches are called with from Python."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, cast

from solver.contract.domain import Game, Problem, Puzzle
from solver.errors import FieldError, InputError, quoted
from solver.searching.budget import Budget

#: Bytes that a computer counts.
MOST_MEMORY = 1 << 62


def is_whole_number(value: object, least: int, most: float = float("inf")) -> bool:
    """Return whether an argument is a whole number from `least` to `most`."""
    is_number = isinstance(value, Integral) and not isinstance(value, bool)
    return is_number and least <= int(cast("int", value)) <= most


def refuse_other_seeds(seed: object, key: object = ()) -> None:
    """Raise an `InputError` if `seed`, or a number of `key`, is no whole number of 0 or more."""
    if not is_whole_number(seed, 0):
        raise FieldError("seed", f"is {quoted(seed)}, expected 0 or more")
    if not isinstance(key, (tuple, list)) or not all(is_whole_number(part, 0) for part in key):
        raise FieldError("key", f"is {quoted(key)}, expected a tuple of numbers of 0 or more")


def refuse_other_priors(prior: object) -> None:
    """Raise an `InputError` for a name, or a `Prior`, in the place of a table."""
    if prior is not None and not isinstance(prior, tuple):
        raise InputError(f"the prior is a {type(prior).__name__}, expected its table")


def refuse_other_memory(memory: object) -> None:
    """Raise an `InputError` if `memory` is no number of bytes that a computer counts."""
    number: Any = memory
    if not isinstance(memory, Real) or not 1 <= number <= MOST_MEMORY:
        raise InputError(f"memory is {quoted(memory)}, expected bytes, 1 or more")


def refuse_other_budgets(budget: object) -> None:
    """Raise an `InputError` for a number in the place of a `Budget`."""
    if not isinstance(budget, Budget):
        raise InputError(f"the budget is {quoted(budget)}, expected a Budget")


def refuse_other_algorithms(algorithm: object) -> None:
    """Raise an `InputError` for a name, or a class, in the place of an algorithm."""
    if isinstance(algorithm, type):
        expected = f"{algorithm.__name__}()"
        raise InputError(f"the algorithm is the class {algorithm.__name__}, expected {expected}")
    if not hasattr(algorithm, "new_run"):
        found = quoted(algorithm)
        raise InputError(f"the algorithm is {found}, expected one of those of `solver`")


def refuse_other_problems(domain: object, problem: object) -> None:
    """Raise an `InputError` for a game, or for what is no problem."""
    if isinstance(domain, Game):
        raise InputError(f"{domain.name} is a game, expected a puzzle: `analyse` searches games")
    if not isinstance(domain, Puzzle):
        raise InputError(f"the domain is {quoted(domain)}, expected a puzzle")
    if not isinstance(problem, Problem):
        found = quoted(problem)
        raise InputError(f"the problem is {found}, expected a Problem, as {domain.name} parses it")


def refuse_puzzles(game: object) -> None:
    """Raise an `InputError` for a puzzle in the place of a game."""
    if isinstance(game, Puzzle):
        raise InputError(f"{game.name} is a puzzle, expected a game: `solve` searches puzzles")
    if not isinstance(game, Game):
        raise InputError(f"the game is {quoted(game)}, expected one of `load_game`")


def own_options(domain: Puzzle, options: Any) -> Any:
    """Return options of `domain`: its defaults for None.

    Raises
    ------
    InputError
        If they are of another domain.
    """
    if options is None:
        return domain.options()
    if not isinstance(options, domain.options):
        expected = getattr(domain.options, "__name__", domain.name)
        found = type(options).__name__
        raise InputError(f"{domain.name}: the options are {found}, expected {expected}")
    return options
