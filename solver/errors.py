"""What can go wrong through no fault of the program."""

from __future__ import annotations

import re

#: What is quoted in a message is cut behind so many characters.
MAX_QUOTED = 80


class InputError(ValueError):
    """Bad input: a file, an option or a table that does not fit.

    The message is one line that names the place (file, line, position) and what
    was expected; the commands print it and exit with status 2.
    """


class UnsolvableError(InputError):
    """A well-formed problem that has no answer; other problems of its file may have one."""


class DownloadError(InputError):
    """A download that failed on the way: the one error worth another try."""


class VerificationError(ValueError):
    """An answer that breaks a rule of its problem; the message names the rule."""


def quoted(found: object) -> str:
    """`found` as a message shows it: its `repr`, cut where it is long."""
    shown = repr(found)
    return shown if len(shown) <= MAX_QUOTED + 2 else f"{shown[: MAX_QUOTED + 1]}..."


def shortened(message: str) -> str:
    """`message` of another library with its long words cut, as `quoted` does."""
    return re.sub(rf"(\S{{{MAX_QUOTED + 1}}})\S{{2,}}", r"\1...", message)
