"""Output of answers as the search finds them, so that no accident loses earlier answers."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from solver.commands.options import file_name
from solver.commands.progress import say
from solver.errors import FieldError, InputError, WriteError
from solver.system.files import (
    PARTIAL,
    behind_links,
    claim,
    is_special,
    make_folder,
    put_in_place,
    replacing,
)

if TYPE_CHECKING:
    from solver.commands.answers import Attempt
    from solver.commands.kept import AttemptJournal
    from solver.commands.solutions.kept import SolutionJournal

    Journal = AttemptJournal | SolutionJournal

Write = Callable[[str], None]


def answers_file(text: str) -> Path:
    """Convert the word behind `--out` to the path of the file for answers."""
    if text == "-":
        hint = "without --out results go to standard output"
        raise FieldError("out", f"is '-', expected the name of a file; {hint}")
    return file_name(text)


def print_answer(text: str) -> None:
    """Write `text` to standard output at once.

    Raises
    ------
    InputError
        If it cannot be written.
    BrokenPipeError
        If nobody reads it.
    """
    if sys.stdout is None:
        raise InputError("standard output is closed, name a file with --out")
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"cannot write to standard output: {error.strerror}") from error


@contextmanager
def answers_to(out: Path | None, journal: Journal | None = None) -> Iterator[Write]:
    """Yield a function that writes the text of an answer to `out`, or to standard output.

    A regular file grows under the name `out` with `.part` behind it, which it loses when the
    block succeeds; after an exception, which says so, and `kill -9` the answers found are there.
    The next command goes on from them if they are its own, as `journal` says; it has to write them
    again first, which changes nothing. Those of any other command it sets aside.
    A pipe or device at `out` is written to directly. When the file can no longer be
    written to, what is there stays, the rest goes to standard output, and the end is an
    `InputError` that says so.

    Raises
    ------
    InputError
        If `out` cannot be written to, or another command is writing it.
    """
    if out is None:
        yield print_answer
        return
    if out.is_dir():
        raise InputError(f"cannot write {out}: a folder, expected the name of a file")
    if is_special(out):
        try:
            file = out.open("w", encoding="utf-8")
        except OSError as error:
            raise WriteError(out, error) from error
        with file:
            answers = _Answers(file, out, out)
            yield answers.write
        answers.check()
        return
    path = behind_links(out)
    growing = path.with_name(path.name + PARTIAL)
    with _open_growing(growing, out, journal) as growing_file:
        answers = _Answers(growing_file, growing, out, growing.read_bytes())
        if journal is not None and len(journal):
            say(f"going on from {journal.path}, {journal.describe()}")
        try:
            yield answers.write
        except BaseException as error:
            if answers.nothing_there:
                if not (journal is not None and len(journal)):
                    growing.unlink(missing_ok=True)
            elif isinstance(error, KeyboardInterrupt):
                raise KeyboardInterrupt(answers.where()) from error
            elif isinstance(error, InputError):
                raise InputError(f"{error}; {answers.where()}") from error
            raise
        answers.check()
        if sys.platform == "win32":  # which renames nothing that is open, and has no locks
            growing_file.close()
        try:  # while it is held: nobody else may write it before
            put_in_place(growing, path)
        except OSError as error:
            raise InputError(f"{WriteError(out, error)}; the answers are in {growing}") from error
        if journal is not None:
            journal.close()


def _open_growing(growing: Path, out: Path, journal: Journal | None) -> IO[str]:
    """Open the file that `out` grows in, for this command alone, behind its own answers."""
    try:
        make_folder(growing.parent)
        if os.path.lexists(growing) and (growing.is_symlink() or not growing.is_file()):
            raise InputError(f"cannot write {out}: {growing} exists and is not a regular file")
        while True:
            file = growing.open("a", encoding="utf-8")
            try:
                claim(file, out)
                # Another command may have finished, and this be its answers by now.
                if growing.exists() and os.path.samestat(growing.stat(), os.fstat(file.fileno())):
                    others = _of_another_command(growing, journal)
                    if not others:
                        return file
                    _set_aside(others)
            except BaseException:
                file.close()
                raise
            file.close()
    except OSError as error:
        raise WriteError(out, error) from error


def _of_another_command(growing: Path, journal: Journal | None) -> list[Path]:
    """Return the files beside `growing`, and this itself, that this command does not go on from."""
    is_own = journal is None or journal.load()
    others = [] if is_own or journal is None or journal.path is None else [journal.path]
    if growing.stat().st_size and (others or journal is None or not len(journal)):
        others.insert(0, growing)
    return others


def _set_aside(paths: Sequence[Path]) -> None:
    """Give files names of their own, with the same free number behind each, and say so."""
    for path, aside in zip(paths, _free_names(paths), strict=True):
        path.rename(aside)
        say(f"{path} belongs to another command, and is now called {aside}")


def _free_names(paths: Sequence[Path]) -> list[Path]:
    """Return `paths` with the least number behind each that makes all of them free names."""
    for number in itertools.count(1):
        names = [path.with_name(f"{path.name}-{number}") for path in paths]
        if not any(map(os.path.lexists, names)):
            break
    return names


class _Answers:
    """Texts written one by one, on standard output once the file takes no more.

    `there` is what the file holds: the same texts, as far as they are there, are not written again.
    """

    def __init__(self, file: IO[str], path: Path, out: Path, there: bytes = b"") -> None:
        self._file = file
        self._path = path
        self._out = out
        self._ahead = there
        self._written = 0
        self._failure: OSError | None = None

    @property
    def nothing_there(self) -> bool:
        """True if the file has no answer."""
        return not (self._written or self._ahead)

    def write(self, text: str) -> None:
        if self._ahead:
            content = text.replace("\n", os.linesep).encode()
            if self._ahead.startswith(content):
                self._ahead = self._ahead[len(content) :]
                self._written += 1
                return
            self._replace_ahead(content)
        if self._failure is None:
            whole = self._size()
            try:
                self._file.write(text)
                self._file.flush()
                self._written += 1
                return
            except BrokenPipeError:
                raise
            except OSError as error:
                self._failure = error
                self._cut(whole)
            except KeyboardInterrupt:
                self._cut(whole)
                raise
        print_answer(text)

    def _replace_ahead(self, content: bytes) -> None:
        """Make room for `content`; other content in its place is kept, unless it begins it."""
        if not content.startswith(self._ahead):
            (aside,) = _free_names([self._path])
            shutil.copyfile(self._path, aside)
            say(f"{self._path} had more or other answers, which are kept in {aside}")
        os.truncate(self._path, self._size() - len(self._ahead))
        self._ahead = b""

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def _cut(self, size: int) -> None:
        """Leave whole answers, and nothing in the buffer to be written later."""
        with suppress(OSError):
            os.ftruncate(self._file.fileno(), size)
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._file.fileno())

    def check(self) -> None:
        """End the file with what was written last; raise if not all could be written."""
        if self._ahead:
            self._replace_ahead(b"")
        if self._failure is not None:
            kept = f"; {self.where()}" if self._written else ""
            raise InputError(
                f"{WriteError(self._out, self._failure)}{kept}, those found later were printed"
            )

    def where(self) -> str:
        """Say where the answers are that were written."""
        if self._ahead:
            return f"the answers found before are in {self._path}"
        return f"{self._written} of the answers are in {self._path}"


def refuse_input(option: str, path: Path | None, source: str | None) -> None:
    """Raise `InputError` if the file of `option`, to be written, is that of the problems.

    `source` may be a problem itself, as long as no name of a file is.
    """
    if path is None or source is None:
        return
    with suppress(OSError):
        if Path(source).is_file() and behind_links(path) == behind_links(Path(source)):
            raise InputError(f"{option} is {path}, the file of the problems, expected another")


def check_order(path: Path, out: Path | None) -> None:
    """Raise `InputError` if the table could not be written to `path`, before the search.

    `out` is the file of the answers.
    """
    if out is not None and behind_links(path) == behind_links(out):
        raise InputError(f"--order is {path}, the file of --out, expected another")
    if path.is_dir():
        raise InputError(f"--order is {path}, a folder, expected the name of a file")
    try:
        make_folder(path.parent)
    except OSError as error:
        raise WriteError(path, error) from error


def write_order(
    path: Path,
    table_of: Callable[[Iterable[tuple[str, Mapping[str, Any]]]], str],
    attempts: Sequence[Attempt],
) -> None:
    """Write the table of all solved answers, numbered where a problem has several."""
    solved = [attempt for attempt in attempts if attempt.solved]
    names = [attempt.problem.name for attempt in solved]
    rows = []
    for place, attempt in enumerate(solved):
        name, number = names[place], names[:place].count(names[place]) + 1
        several = names.count(name) > 1
        rows.append((f"{name}_{number}" if several else name, attempt.facts))
    with replacing(path) as temporary:
        temporary.write_text(table_of(rows), encoding="utf-8")
