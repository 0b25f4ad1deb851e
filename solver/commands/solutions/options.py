"""Options of `solve` that ask for solutions other than the first."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from solver.errors import FieldError, InputError, quoted
from solver.system.text_blocks import whole_number

#: The algorithm that finds all solutions.
ALGORITHM = "complete"
ALL = "all"
#: Solutions that can be counted.
MOST_SOLUTIONS = 2**62


@dataclass(frozen=True)
class Wanted:
    """Solutions that the command line asks for."""

    limit: int | None
    """Solutions after which a search ends, None for no limit."""
    listed: bool
    """True if the solutions are written, not just counted."""
    unique: bool = False
    """True if all that matters is whether there is just one."""


def solutions_number(word: str) -> int | None:
    """Number of solutions that `word` asks for, None for all.

    Raises
    ------
    FieldError
        If it is neither a number from 1 nor "all".
    """
    if word == ALL:
        return None
    number = whole_number(word, 1, MOST_SOLUTIONS)
    if number is None:
        raise FieldError("solutions", f"is {quoted(word)}, expected a number from 1, or all")
    return number


def add_solutions(parser: argparse.ArgumentParser) -> None:
    """Add the options that ask for solutions other than the first."""
    group = parser.add_argument_group(
        "solutions, by complete search (latin-square, sudoku, kakuro)"
    )
    either = group.add_mutually_exclusive_group()
    either.add_argument(
        "--solutions",
        type=solutions_number,
        default=0,
        metavar="N|all",
        help="write so many different solutions of each problem, as they are found",
    )
    either.add_argument(
        "--unique", action="store_true", help="say of each problem whether it has just one solution"
    )
    either.add_argument(
        "--count",
        type=solutions_number,
        default=0,
        metavar="LIMIT|all",
        help="count the solutions of each problem, up to LIMIT",
    )


def solutions_wanted(arguments: argparse.Namespace) -> Wanted | None:
    """Return what the arguments ask for; None for the usual answer.

    Raises
    ------
    InputError
        If other arguments do not fit it.
    """
    if arguments.unique:
        wanted = Wanted(2, listed=False, unique=True)
    elif arguments.count != 0:
        wanted = Wanted(arguments.count, listed=False)
    elif arguments.solutions != 0:
        wanted = Wanted(arguments.solutions, listed=True)
    else:
        return None
    option = "--unique" if arguments.unique else "--solutions" if wanted.listed else "--count"
    for name in ("csv", "tsv", "draw"):
        if getattr(arguments, name, None):
            raise InputError(f"--{name} does not go with {option}, expected text or --json")
    if arguments.algorithm not in (None, ALGORITHM):
        raise InputError(f"{option} is for {ALGORITHM}, not for {arguments.algorithm}")
    arguments.algorithm = ALGORITHM
    return wanted
