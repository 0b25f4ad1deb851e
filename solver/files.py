"""Writing files so that nothing half-written is ever seen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from solver.errors import InputError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside `path` that takes its place if the block succeeds.

    Raises
    ------
    InputError
        If the folder cannot be written to.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    finally:
        with suppress(OSError):  # most often it is not there
            temporary.unlink()


def read_text(path: Path) -> str:
    """Content of a text file.

    Raises
    ------
    InputError
        If it cannot be read or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a text file (byte {error.start} is not UTF-8)") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
