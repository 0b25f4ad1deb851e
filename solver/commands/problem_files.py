"""Problems that a command line names: files, or for some domains the problem itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from solver.commands.progress import say
from solver.compiling.user_files import errors_in_a_line
from solver.contract.problems import Problem, UnreadableProblem
from solver.errors import InputError
from solver.system.files import has_redirected_input, read_text
from solver.system.letters import printable_name

if TYPE_CHECKING:
    from solver.contract.domain import Domain


def read_problem_file(
    domain: Domain, source: str, *, is_one_of_several: bool = False
) -> list[Problem]:
    """Read the problems of the file `source`, or `source` itself if it is one.

    Problems named after their file have its name without folders: only errors need them.

    Parameters
    ----------
    is_one_of_several : bool
        If nothing in it can be read, it is one `UnreadableProblem`, so that it costs no other file.

    Raises
    ------
    InputError
        If there is no such text file, or nothing in it can be read.
    """
    if not source:
        raise InputError("an empty name, expected that of a file")
    is_text = domain.is_problem_text(source)
    text = source if is_text else read_text(Path(source))
    source = printable_name(source)
    try:
        problems = parsed(domain, text, domain.name if is_text else source)
    except InputError as error:
        if not is_one_of_several:
            raise
        problems = [UnreadableProblem(domain.name if is_text else source, message=str(error))]
    if is_text:
        return problems
    return [replace(one, name=without_folder(one.name, source)) for one in problems]


def parsed(domain: Domain, text: str, source: str) -> list[Problem]:
    """Return the problems in `text`, whatever the code of a user's own makes of it.

    Raises
    ------
    InputError
        If `Domain.parse` raises an error, or returns no list of problems, or an empty one.
    """
    with errors_in_a_line(source):
        found: object = domain.parse(text, source)
        if isinstance(found, Iterable):
            found = list(found)
    if not isinstance(found, list) or not all(isinstance(one, Problem) for one in found):
        kind = type(found).__name__
        raise InputError(f"{domain.name}: parse returns a {kind}, expected a list of Problem")
    if not found:
        raise InputError(f"{source}: no problem found")
    return found


def named_source(source: str | None) -> str | None:
    """Return the source of problems: the one that is named, else standard input if it has any.

    Says so where it is standard input: `-` for it may have been forgotten.
    """
    if source is not None or not has_redirected_input():
        return source
    say("no file is named: reading standard input")
    return "-"


def without_folder(name: str, source: str) -> str:
    """Return the `name` of a problem, less the folders of `source` if it begins with that."""
    return Path(source).name + name.removeprefix(source) if name.startswith(source) else name
