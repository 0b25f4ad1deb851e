"""Where answers go as they are found, so that no accident loses those that are there."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from solver.errors import InputError, WriteError
from solver.system.files import PARTIAL, behind_links, claim, is_special, make_folder, put_in_place

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
    block succeeds; after an exception, which says so, and `kill -9` the answers found are there.
    What is there and no regular file is written to directly. When the file can no longer be
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
    with _open_growing(growing, out) as growing_file:
        answers = _Answers(growing_file, growing, out)
        try:
            yield answers.write
        except BaseException as error:
            if not answers.written:
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


def _open_growing(growing: Path, out: Path) -> IO[str]:
    """Open the file that `out` grows in, empty, for this command alone."""
    try:
        make_folder(growing.parent)
        if os.path.lexists(growing) and (growing.is_symlink() or not growing.is_file()):
            raise InputError(f"cannot write {out}: {growing} is there, and no regular file")
        while True:
            file = growing.open("a", encoding="utf-8")
            try:
                claim(file, out)
                # Another command may have finished, and this be its answers by now.
                if growing.exists() and os.path.samestat(growing.stat(), os.fstat(file.fileno())):
                    file.truncate(0)  # what a killed command has left
                    return file
            except BaseException:
                file.close()
                raise
            file.close()
    except OSError as error:
        raise WriteError(out, error) from error


class _Answers:
    """Texts written one by one, on standard output once the file takes no more."""

    def __init__(self, file: IO[str], path: Path, out: Path) -> None:
        self._file = file
        self._path = path
        self._out = out
        self.written = 0
        self._failure: OSError | None = None

    def write(self, text: str) -> None:
        if self._failure is None:
            whole = self._size()
            try:
                self._file.write(text)
                self._file.flush()
                self.written += 1
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
            kept = f"; {self.where()}" if self.written else ""
            raise InputError(
                f"{WriteError(self._out, self._failure)}{kept}, those found later were printed"
            )

    def where(self) -> str:
        """Say where the answers are that were written."""
        return f"{self.written} of the answers are in {self._path}"
