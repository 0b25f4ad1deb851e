"""Errors that are no fault of the program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

#: Characters behind which messages cut their quotations.
MAX_QUOTED = 80


class InputError(ValueError):
    """Bad input: a file, an option or a table that does not fit.

    The message is one line that names the place (file, line, position) and what
    was expected; the commands print it and exit with status 2.
    """


class FieldError(InputError):
    """A value that does not fit a field of a dataclass.

    Commands name the option in place of the field.
    """

    def __init__(self, field: str, complaint: str) -> None:
        super().__init__(f"{field} {complaint}")
        self.field = field
        self.complaint = complaint


def option_word(name: str) -> str:
    """Return the name of a parameter on the command line."""
    return f"--{name.replace('_', '-')}"


def message_of(error: Exception) -> str:
    """Return the text of an error; of a field, with the option in its place."""
    if isinstance(error, FieldError):
        return f"{option_word(error.field)} {error.complaint}"
    return str(error)


class LimitsError(InputError):
    """Rules of a domain that return more than its `Limits` allow.

    `solver.contract.limits` names domain and problem before it.
    """


class UnsolvableError(InputError):
    """A well-formed problem that has no answer; other problems of its file may have one."""


@contextmanager
def contradictions() -> Iterator[None]:
    """Raise an `InputError` of the block, which checks a well-formed problem, as unsolvable."""
    try:
        yield
    except InputError as error:
        raise UnsolvableError(str(error)) from None


class WriteError(InputError):
    """A file that cannot be written: no room, no right, no such folder."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"cannot write {path}: {error.strerror or error}")
        self.path = path


class DownloadError(InputError):
    """A download that failed on the way: the one error worth another try."""


class VerificationError(ValueError):
    """An answer that breaks a rule of its problem; the message names the rule."""


class UncheckedError(ValueError):
    """An answer that may be right, but could not be checked in time."""


def quoted(found: object, known: Iterable[object] = ()) -> str:
    """`found` as a message shows it: its `repr`, cut where it is long.

    If it is a slip for one of the names `known`, that is asked behind it.
    """
    try:
        shown = repr(found)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or deep nesting
        shown = f"a {type(found).__name__}"
    shown = shown if len(shown) <= MAX_QUOTED + 2 else f"{shown[: MAX_QUOTED + 1]}..."
    return f"{shown}{_did_you_mean(found, known)}"


def quoted_entry(entry: str) -> str:
    """`entry` as `quoted` shows it, for notations with backslashes: they are not doubled."""
    return quoted(entry).replace("\\\\", "\\")


def _did_you_mean(word: object, known: Iterable[object]) -> str:
    """Question, in brackets, whether one of the names `known` was meant."""
    import difflib  # seldom needed

    names = {str(name).lower(): str(name) for name in known}
    if not names or not isinstance(word, str):
        return ""
    close = difflib.get_close_matches(word[:MAX_QUOTED].lower(), names, n=1)
    return f" (did you mean {names[close[0]]}?)" if close else ""


def cut(text: str, most: int = MAX_QUOTED) -> str:
    """`text` in one line of at most `most` characters."""
    line = " ".join(text[: 2 * most].split())
    return line if len(line) <= most else f"{line[: most - 3]}..."


def shortened(message: str) -> str:
    """`message` of another library with its long words cut, as `quoted` does."""
    return re.sub(rf"(\S{{{MAX_QUOTED + 1}}})\S{{2,}}", r"\1...", message)
