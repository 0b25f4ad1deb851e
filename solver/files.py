"""Writing files so that nothing half-written is ever seen."""

from __future__ import annotations

import itertools
import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from solver.errors import InputError, WriteError

#: How the names of files end that are being written.
PARTIAL = ".part"
#: A file of another machine's process that was not written to for so long is given up.
PARTIAL_SECONDS = 24 * 3600.0

_serial = itertools.count()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside `path` that takes its place if the block succeeds.

    Raises
    ------
    WriteError
        If the folder cannot be written to.
    """
    # Threads, processes and machines may write the same file: each under a name of its own.
    owner = f"{_host()}-{os.getpid()}-{next(_serial)}"
    temporary = path.with_name(f".{path.name}.{owner}{PARTIAL}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise WriteError(path, error) from error
    finally:
        with suppress(OSError):  # most often it is not there
            temporary.unlink()


def _host() -> str:
    return platform.node().replace(".", "_").replace("-", "_")


def remove_partial(folder: Path) -> int:
    """Remove what killed processes left half-written in `folder`; returns the number of files."""
    removed = 0
    for path in folder.glob(f".*{PARTIAL}"):
        with suppress(OSError):  # finished, or removed by another, in this moment
            if _is_abandoned(path):
                path.unlink()
                removed += 1
    return removed


def _is_abandoned(path: Path) -> bool:
    host, _, numbers = path.name.removesuffix(PARTIAL).rpartition(".")[2].partition("-")
    process = numbers.partition("-")[0]
    if host != _host() or not process.isdigit():
        return time.time() - path.stat().st_mtime > PARTIAL_SECONDS
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it lives, as another user
        return False
    return False


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path`: one process at a time; a killed process gives it up.

    Raises
    ------
    WriteError
        If the folder cannot be written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a")
    except OSError as error:
        raise WriteError(path, error) from error
    with file:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


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
