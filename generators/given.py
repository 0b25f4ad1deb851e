"""Problems of a user's own files, in the place of generated instances."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from solver.commands.problem_files import read_problem_file
from solver.contract.problems import UnreadableProblem, refuse_unreadable
from solver.errors import InputError
from solver.system.letters import printable_name

if TYPE_CHECKING:
    from solver.contract.domain import Problem, Puzzle

#: Letters of the digest that an instance is called by.
KEY_LENGTH = 12


@dataclass(frozen=True)
class GivenProblems:
    """Problems as they were read; known by their content, wherever their files lie."""

    family: str
    problems: tuple[Problem, ...]
    keys: tuple[str, ...]
    """Names of the problems in tables: digests of their contents, repeated ones numbered."""

    @property
    def n_available(self) -> int:
        """Number of problems."""
        return len(self.problems)

    @property
    def family_parameters(self) -> dict[str, str]:
        """Parameters by which a report may compare families."""
        return {"set": self.family}

    def problem(self, seed: int, number: int) -> Problem:
        """Return problem `number`; `seed` has no say.

        Raises
        ------
        InputError
            If it is there, but cannot be read.
        """
        refuse_unreadable(self.problems[number])
        return self.problems[number]


def read_given(domain: Puzzle, sources: Sequence[str]) -> GivenProblems:
    """Read the problems of files, in order.

    Raises
    ------
    InputError
        If there is no such file, or no problem that can be read; the message names file and line.
    """
    problems: list[Problem] = []
    for source in sources:
        if source == "-":
            raise InputError("-: runs go on where they ended, so problems are read from files only")
        found = read_problem_file(domain, source, is_one_of_several=len(sources) > 1)
        folder = printable_name(str(Path(source).parent))
        names = {one.name for one in problems}
        # Files of one name in several folders: there the folder tells them apart.
        again = names & {one.name for one in found}
        problems += [
            replace(one, name=f"{folder}/{one.name}") if one.name in again else one for one in found
        ]
    unreadable = [one for one in problems if isinstance(one, UnreadableProblem)]
    if len(unreadable) == len(problems):
        refuse_unreadable(unreadable[0])
    return GivenProblems(_family(domain, sources), tuple(problems), _keys(domain, problems))


def _family(domain: Puzzle, sources: Sequence[str]) -> str:
    """Name of the file, or of the folder of all files: files added to it join the same family."""
    files = [Path(source) for source in sources if not domain.is_problem_text(source)]
    if len(files) == 1 == len(sources):
        return printable_name(files[0].name)
    folders = {printable_name(path.absolute().parent.name) for path in files}
    return f"files of {folders.pop()}" if len(folders) == 1 else "given problems"


def _content(domain: Puzzle, problem: Problem) -> str:
    """Return the text that identifies a problem, or the error of reading it."""
    if isinstance(problem, UnreadableProblem):
        return problem.message
    return domain.format_problem(replace(problem, name="problem"))


def _keys(domain: Puzzle, problems: Sequence[Problem]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    keys = []
    for one in problems:
        text = _content(domain, one)
        key = hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]
        seen[key] += 1
        keys.append(key if seen[key] == 1 else f"{key}-{seen[key]}")
    return tuple(keys)
