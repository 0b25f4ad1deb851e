"""Where answers go as they are found, so that no accident loses those that are there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from solver.errors import InputError, WriteError
from solver.system.files import PARTIAL, claim, is_special, make_folder, put_in_place

Write = Callable[[str], None]


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
def answers_to(out: Path | None) -> Iterator[Write]:
    """Yield a function that writes the text of an answer to `out`, or to standard output.

    A regular file grows under the name `out` with `.part` behind it, which it loses when the
    block succeeds; after `kill -9` the answers found are there. An exception in the block
    removes it. What is there and no regular file is written to directly. When the file can
    no longer be written to, what is there stays, the rest goes to standard output, and the end
    is an `InputError` that says so.

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
    special = is_special(out)
    path = out if special else Path(os.path.realpath(out))
    growing = path if special else path.with_name(path.name + PARTIAL)
    try:
        if not special:
            make_folder(path.parent)
        file = growing.open("w" if special else "a", encoding="utf-8")
    except OSError as error:
        raise WriteError(out, error) from error
    answers = _Answers(file, growing, out)
    if special:
        with file:
            yield answers.write
        answers.check()
        return
    with file:
        claim(file, out)
        file.truncate(0)  # what a killed command has left
        try:
            yield answers.write
        except BaseException:
            growing.unlink(missing_ok=True)
            raise
    answers.check()
    try:
        put_in_place(growing, path)
    except OSError as error:
        raise InputError(f"{WriteError(out, error)}; the answers are in {growing}") from error


class _Answers:
    """Texts written one by one, on standard output once the file takes no more."""

    def __init__(self, file: IO[str], path: Path, out: Path) -> None:
        self._file = file
        self._path = path
        self._out = out
        self._written = 0
        self._failure: OSError | None = None

    def write(self, text: str) -> None:
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
        print_answer(text)

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def _cut(self, size: int) -> None:
        """Leave whole answers, and nothing in the buffer to be written later."""
        with suppress(OSError):
            os.ftruncate(self._file.fileno(), size)
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._file.fileno())

    def check(self) -> None:
        """Raise if not all could be written."""
        if self._failure is not None:
            kept = f"; {self._written} of the answers are in {self._path}" if self._written else ""
            raise InputError(
                f"{WriteError(self._out, self._failure)}{kept}, those found later were printed"
            )
