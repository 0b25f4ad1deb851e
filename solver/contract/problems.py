"""Problems as a person states them, and those of a file that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from solver.errors import InputError

Data = TypeVar("Data")
Pieces = Iterable[tuple[str, Callable[[], Data]]]
"""Problems of a file: the name of each, and a function that reads it or raises `InputError`."""


@dataclass(frozen=True)
class Problem:
    """A problem as a person states it: a name and the domain's own data."""

    name: str
    """Name in messages and reports."""
    data: Any
    """Data of the domain's own kind, as its `parse` makes it."""


@dataclass(frozen=True)
class UnreadableProblem(Problem):
    """A problem of a file that cannot be read, where others of the file can: it costs only itself.

    Whoever is to solve it raises its message; it has no data.
    """

    data: Any = None
    message: str = ""
    """Message of the error: file, line or position, and the expected text."""


def read_all(pieces: Pieces[Data]) -> list[tuple[str, Data]]:
    """Read every piece of a text: the name and the data of each.

    Raises
    ------
    InputError
        If a problem cannot be read: the error of the first such problem.
    """
    return [(name, read()) for name, read in pieces]


def read_each(pieces: Pieces[Any]) -> list[Problem]:
    """Read every piece of a text that can be read; the others are `UnreadableProblem`s.

    Raises
    ------
    InputError
        If none can be read: the error of the first; and errors that `pieces` raises, where
        one problem cannot be told from the next.
    """
    problems: list[Problem] = []
    first: InputError | None = None
    for name, read in pieces:
        try:
            problems.append(Problem(name, read()))
        except InputError as error:
            first = first or error
            problems.append(UnreadableProblem(name, message=str(error)))
    if first is not None and all(isinstance(one, UnreadableProblem) for one in problems):
        raise first
    return problems


def refuse_unreadable(problem: Problem) -> None:
    """Raise the `InputError` of a problem that cannot be read."""
    if isinstance(problem, UnreadableProblem):
        raise InputError(problem.message)
