"""Pictures of answers in a folder, `--draw`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from solver.commands.kept import JOURNAL
from solver.commands.progress import say
from solver.errors import WriteError
from solver.system.files import (
    PARTIAL,
    file_stem,
    make_folder,
    refuse_foreign,
    remove_partial,
    replacing,
)

if TYPE_CHECKING:
    from solver.commands.answers import Attempt
    from solver.contract.designer import Pictures


class Gallery:
    """A folder for the pictures of the answers of a command.

    Parameters
    ----------
    folder : Path
        Made where it is missing; what is in it stays, but for pictures of the same names.
    pictures : Pictures
        Drawing functions.

    Raises
    ------
    InputError
        If the folder cannot be made, or has files of others and no picture.
    """

    def __init__(self, folder: Path, pictures: Pictures) -> None:
        self._folder = folder
        self._pictures = pictures
        self._used: set[str] = set()
        self._failure: WriteError | None = None
        # Answers may lie beside their pictures.
        refuse_foreign(folder, "--draw", "*.svg", f"*{PARTIAL}", f"*{JOURNAL}")
        try:
            make_folder(folder)
            remove_partial(folder)
        except OSError as error:
            raise WriteError(folder, error) from error

    def add(self, attempt: Attempt) -> None:
        """Draw the answer of `attempt`, if there is one; after a failure nothing more."""
        solution = attempt.solution
        if solution is None or solution.answer is None or self._failure is not None:
            return
        design = attempt.facts.get("design")
        stem = self._free(attempt.problem.name + (f"_{design}" if design else ""))
        pictures = self._pictures.of(attempt.problem, solution.answer)
        if not pictures:
            say(f"{attempt.problem.name}: not drawn, there is no picture of such an answer")
        for ending, svg in pictures.items():
            try:
                with replacing(self._folder / f"{stem}.{ending}") as path:
                    path.write_text(svg, encoding="utf-8")
            except WriteError as error:  # the search goes on: answers are worth more
                self._failure = error
                return

    def check(self) -> None:
        """Raise `InputError` if not all could be written."""
        if self._failure is not None:
            raise self._failure

    def _free(self, name: str) -> str:
        """`name` as that of a file, unlike all before it, also where case does not count."""
        stem = file_stem(name)
        free, number = stem, 1
        while free.casefold() in self._used:
            number += 1
            free = f"{stem}-{number}"
        self._used.add(free.casefold())
        return free
