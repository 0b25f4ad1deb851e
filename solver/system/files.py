"""Writing files so that nothing half-written is ever seen, and reading text."""

from __future__ import annotations

import errno
import io
import itertools
import os
import platform
import re
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from solver.errors import InputError, WriteError
from solver.system.file_kinds import is_utf_16, kind_of
from solver.system.forks import keep_from_forks

#: Ending of the names of files that are being written.
PARTIAL = ".part"
#: A file of another machine's process that was not written to for so long is given up.
PARTIAL_SECONDS = 24 * 3600.0

#: Longer names of files some systems refuse.
MOST_STEM = 100

_serial = itertools.count()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside `path` that takes its place if the block succeeds.

    A link is followed, and a file keeps its mode. A target that is no regular file, a device or
    a pipe, is not replaced, but gets the content of a temporary file, as not all that is written
    can be written from front to back, and some libraries remove what they could not write.

    Raises
    ------
    WriteError
        If the folder cannot be written to.
    """
    if is_special(path):
        with tempfile.TemporaryDirectory() as folder:
            temporary = Path(folder) / path.name
            try:
                yield temporary
                with temporary.open("rb") as source, path.open("wb") as target:
                    shutil.copyfileobj(source, target)
            except OSError as error:
                raise WriteError(path, error) from error
        return
    path = behind_links(path)
    # Threads, processes and machines may write the same file: each under a name of its own.
    owner = f"{_host()}-{os.getpid()}-{next(_serial)}"
    temporary = path.with_name(f".{path.name}.{owner}{PARTIAL}")
    try:
        make_folder(path.parent)
        yield temporary
        put_in_place(temporary, path)
    except OSError as error:
        raise WriteError(path, error) from error
    finally:
        with suppress(OSError):  # most often it is not there
            temporary.unlink()


def copy_file(source: Path, target: Path) -> None:
    """Copy the content of `source` to `target`, all of it or nothing.

    Raises
    ------
    WriteError
        If one cannot be read, or the other not written.
    """
    with replacing(target) as temporary:
        temporary.write_bytes(source.read_bytes())


def behind_links(path: Path) -> Path:
    """Return the path that `path` leads to.

    Raises
    ------
    WriteError
        If it leads in a circle.
    """
    end = Path(os.path.realpath(path))
    if end.is_symlink():
        raise WriteError(path, OSError(errno.ELOOP, os.strerror(errno.ELOOP)))
    return end


def is_special(path: Path) -> bool:
    """Return whether `path` exists and is neither a regular file nor a folder."""
    return path.exists() and not (path.is_file() or path.is_dir())


def put_in_place(temporary: Path, path: Path) -> None:
    """Rename `temporary` to `path`, with the mode of the file that was there."""
    if path.exists():
        shutil.copymode(path, temporary)
    temporary.replace(path)


def make_folder(folder: Path) -> None:
    """Make `folder` and those it lies in, but none at the root of the file system.

    Raises
    ------
    InputError
        If the first that is missing would lie at the root: most often a slip of the fingers.
    """
    folder = folder.absolute()
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    if missing and missing[-1].parent == missing[-1].parent.parent:
        raise InputError(f"there is no folder {missing[-1]}: make it first if it is meant")
    folder.mkdir(parents=True, exist_ok=True)


def refuse_file_in_way(path: Path, *, is_folder: bool = False) -> None:
    """Raise an `InputError` if a file is where a folder must be: above `path`, or in its place."""
    for folder in [path, *path.parents] if is_folder else path.parents:
        with suppress(OSError):
            if folder.exists():
                if not folder.is_dir():
                    raise InputError(f"cannot write {path}: {folder} is a file, expected a folder")
                return


def refuse_foreign(folder: Path, option: str, *marks: str) -> None:
    """Refuse to write into a folder of files that are somebody else's.

    Parameters
    ----------
    option : str
        Option that names the folder on the command line.
    *marks : str
        Patterns of names: one file like that makes it a folder of an earlier command.

    Raises
    ------
    InputError
        If the folder has files, none of them like `marks`.
    """
    try:
        found = next(folder.iterdir(), None)
    except OSError:  # not there, or no folder: who writes to it says so
        return
    if found is not None and not any(any(folder.glob(mark)) for mark in marks):
        raise InputError(
            f"{option} is {folder}, which has other files ({found.name}): expected a new or "
            "an empty folder, or that of an earlier command"
        )


def _host() -> str:
    return platform.node().replace(".", "_").replace("-", "_")


def file_stem(name: str) -> str:
    """`name` with letters, digits, `-`, `+` and `_` alone, as any system takes them in a file's."""
    return re.sub(r"[^\w+-]+", "_", name, flags=re.ASCII).strip("_")[:MOST_STEM] or "answer"


def remove_partial(folder: Path) -> int:
    """Remove half-written files of killed processes from `folder`; returns their number."""
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
    with _open_to_append(path) as file:
        keep_from_forks(file)
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        with _given_up(file):
            yield


@contextmanager
def _given_up(file: IO[Any]) -> Iterator[None]:
    """Give the lock on `file` up after the block: a process that was just forked has the file."""
    try:
        yield
    finally:
        if sys.platform != "win32":
            import fcntl

            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_UN)


def claim(file: IO[Any], path: Path) -> None:
    """Hold the open `file`, called `path`, for this process alone, until it is closed.

    Raises
    ------
    InputError
        If another command holds it.
    """
    keep_from_forks(file)
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"another command is writing {path}") from None
        except OSError:  # a file system without locks: no reason to refuse
            pass


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Hold the file `path`, which is made where there is none; a killed process gives it up.

    Raises
    ------
    InputError
        If it cannot be written, or another command is writing it.
    """
    with _open_to_append(path) as file:
        claim(file, path)
        with _given_up(file):
            yield


def journal_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a journal with their numbers, from 1.

    One that was cut short, where a process was killed, is none of them, and is cut off once all
    others have been taken: a file that turns out to be no journal stays as it is.
    """
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    yield from enumerate(whole.splitlines(), start=1)
    if len(whole) < len(content):
        os.truncate(path, len(whole))


def _open_to_append(path: Path) -> IO[bytes]:
    try:
        make_folder(path.parent)
        return path.open("ab")
    except OSError as error:
        raise WriteError(path, error) from error


def read_text(path: Path) -> str:
    """Content of a text file, without a byte order mark.

    Raises
    ------
    InputError
        If it cannot be read or is neither UTF-8, nor UTF-16 with its mark.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    return _decoded(content, str(path))


def _decoded(content: bytes, source: str) -> str:
    """Decode the bytes of a file, its lines ended alike; name the kind of a file without text."""
    if what := kind_of(content):
        raise InputError(f"{source}: not text in UTF-8, but {what}")
    encoding, name = ("utf-16", "UTF-16") if is_utf_16(content) else ("utf-8-sig", "UTF-8")
    try:
        return io.StringIO(content.decode(encoding), newline=None).getvalue()
    except UnicodeDecodeError as error:
        place = error.start + 1
        raise InputError(f"{source}: not a text file (byte {place} is not {name})") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Content of a TOML file.

    Raises
    ------
    InputError
        If it cannot be read or is no TOML.
    """
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except ValueError as error:  # a number of too many digits, too
        raise InputError(f"{path}: {error}") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deep") from None


def read_standard_input() -> str:
    """Content of standard input, without a byte order mark.

    Raises
    ------
    InputError
        If it is closed or not UTF-8.
    """
    if sys.stdin is None:
        raise InputError("standard input is closed")
    try:
        if isinstance(sys.stdin, io.TextIOWrapper):  # whatever the encoding of the terminal
            return _decoded(sys.stdin.buffer.read(), "standard input")
        return sys.stdin.read().removeprefix("\ufeff")
    except OSError as error:
        raise InputError(f"cannot read standard input: {error.strerror}") from error


#: Seconds that a pipe has for its first byte where no file is named.
PIPE_SECONDS = 0.2


def has_redirected_input() -> bool:
    """Return whether standard input is a file that is not empty, or a pipe with bytes in it."""
    import fcntl
    import select
    import stat
    import termios

    try:
        descriptor = sys.stdin.fileno()
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            return status.st_size > 0
        if not stat.S_ISFIFO(status.st_mode) and not stat.S_ISSOCK(status.st_mode):
            return False
        select.select([descriptor], [], [], PIPE_SECONDS)
        waiting = fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))
    except (AttributeError, OSError, ValueError):  # closed, or no file of the system at all
        return False
    return int.from_bytes(waiting, sys.byteorder) > 0


def standard_input_lines() -> Iterator[str]:
    """Yield the lines of standard input as they come, without a byte order mark.

    Bytes that are not UTF-8 are escaped, which has to be said before the first is read.
    """
    if sys.stdin is None:
        return
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    while line := sys.stdin.readline():
        yield line.removeprefix("\ufeff")
