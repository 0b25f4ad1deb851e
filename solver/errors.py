"""What can go wrong through no fault of the program."""

from __future__ import annotations

from pathlib import Path


class InputError(ValueError):
    """Bad input: a file, an option or a table that does not fit.

    The message is one line that names the place (file, line, position) and what
    was expected; the commands print it and exit with status 2.
    """


class WriteError(InputError):
    """A file that cannot be written: no room, no right, no such folder."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(f"cannot write {path}: {error.strerror or error}")
        self.path = path


class DownloadError(InputError):
    """A download that failed on the way: the one error worth another try."""


class VerificationError(ValueError):
    """An answer that breaks a rule of its problem; the message names the rule."""
