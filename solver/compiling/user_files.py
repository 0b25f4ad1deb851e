"""Files of users' own, as the command line names them: run as modules, for a class in them."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
import sys
import traceback
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from solver.compiling.compile_errors import compile_message
from solver.compiling.imports import PACKAGES, ROOT, run_source
from solver.errors import InputError, VerificationError, cut, quoted
from solver.system.forks import lock_over_forks

#: Longest part of what a file raises that is shown: names of parameters must be seen.
MAX_ERROR = 300

#: Modules that were run, by path: a file is run once in a process, as a module is.
_ran: dict[Path, ModuleType] = {}
_lock = lock_over_forks()


def run_file(path: Path) -> ModuleType:
    """Run a file as a module of its name; others beside it can be imported, too.

    Raises
    ------
    InputError
        If it cannot be run.
    """
    place = path.resolve()
    with _lock:
        if place not in _ran:
            _ran[place] = _run(path, place)
        return _ran[place]


def _run(path: Path, place: Path) -> ModuleType:
    try:
        source = place.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    name = place.stem
    if "." in name or name in sys.modules or _is_elsewhere(name, place):
        raise InputError(f"{path}: {quoted(name)} names another module, rename the file")
    spec = importlib.machinery.ModuleSpec(name, None, origin=str(place))
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(place)
    # At the end: no file beside it may take the place of a module that others import.
    if _Here not in sys.meta_path:
        sys.meta_path.insert(0, _Here)
    if str(place.parent) not in sys.path:
        sys.path.append(str(place.parent))
    sys.modules[name] = module
    try:
        run_source(source, module)
    except InputError:
        del sys.modules[name]
        raise
    except (Exception, SystemExit) as error:  # whatever a user's file raises
        del sys.modules[name]
        wrong = _named_as_ours(error, place)
        raise InputError(f"{path}: {_where(error, place)}{wrong}") from error
    return module


class _Here:
    """Finder of the packages of this repository, wherever files of users lie on the path."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> Any:
        """Find a package that was not imported yet."""
        if name not in PACKAGES:
            return None
        return importlib.machinery.PathFinder.find_spec(name, [str(ROOT)])


def _named_as_ours(error: BaseException, place: Path) -> str:
    """Say which file beside a user's is called as one of our packages, if that is the error."""
    module = getattr(getattr(error, "obj", None), "__name__", getattr(error, "name", None))
    name = str(module).partition(".")[0]
    others = (place.with_name(f"{name}.py"), place.with_name(name) / "__init__.py")
    found = [other for other in others if other.is_file()]
    if name not in PACKAGES or not found or place.parent == ROOT:
        return ""
    return f"; {quoted(name)} is a package of Nestor: rename {found[0]}"


def _is_elsewhere(name: str, place: Path) -> bool:
    """Return whether `import name` finds a module other than the file."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin != str(place)


def _where(error: BaseException, place: Path) -> str:
    """Line of the file that an error comes from, and its message."""
    if isinstance(error, SyntaxError):
        return error.msg if error.lineno is None else f"line {error.lineno}: {error.msg}"
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(place)
    ]  # fmt: skip
    text = cut(f"{type(error).__name__}: {error}", MAX_ERROR)
    return f"line {lines[-1]}: {text}" if lines else text


def is_of_users(error: BaseException) -> bool:
    """Return whether a file of a user's own, or one beside it, was running when `error` came."""
    return _place_of(error) is not None


def in_a_line(error: Exception) -> str:
    """Return `error`, which is no message for people, as one: place, type and text.

    The place is that of the innermost line of a user's own, else of the line that raised it.
    """
    message = compile_message(error)
    if message is not None:
        return message
    frame = _place_of(error) or traceback.extract_tb(error.__traceback__)[-1]
    text = cut(f"{type(error).__name__}: {error}", MAX_ERROR)
    return f"{frame.filename}, line {frame.lineno}: {text}"


@contextmanager
def errors_in_a_line(where: str) -> Iterator[None]:
    """Raise what code of users raises in the block as an `InputError` that begins with `where`.

    Errors that are messages already stay as they are.
    """
    try:
        yield
    except (InputError, VerificationError, OSError):
        raise
    except Exception as error:
        raise InputError(f"{where}: {in_a_line(error)}") from error


@contextmanager
def errors_told_later() -> Iterator[None]:
    """End the block where it raises what a later run says: an `InputError`, or code of users.

    Code of users that cannot be compiled is said at once.
    """
    try:
        yield
    except InputError:
        return
    except Exception as error:
        if not recurs_in_runs(error):
            raise


def recurs_in_runs(error: Exception) -> bool:
    """Return whether a later run says `error` again: code of users, but none to be compiled."""
    return is_of_users(error) and compile_message(error) is None


def _place_of(error: BaseException) -> traceback.FrameSummary | None:
    """Return the innermost frame of `error` in a file of a user's own, or beside one."""
    folders = {place.parent for place in _ran}
    frames = reversed(traceback.extract_tb(error.__traceback__))
    return next((one for one in frames if Path(one.filename).parent in folders), None)


def class_in(module: ModuleType, bases: tuple[type, ...], path: Path, expected: str) -> Any:
    """Return the one subclass of `bases` that a module defines.

    Raises
    ------
    InputError
        If there is none, or more; `expected` says of what.
    """
    found = [
        cls
        for cls in vars(module).values()
        if isinstance(cls, type)
        and cls.__module__ == module.__name__
        and not set(bases).isdisjoint(cls.__mro__)
    ]
    # A class that others build on is not what is meant.
    found = [cls for cls in found if not any(other is not cls and issubclass(other, cls)
                                             for other in found)]  # fmt: skip
    if len(found) != 1:
        names = ", ".join(cls.__name__ for cls in found) or "none"
        raise InputError(f"{path}: expected one subclass of {expected}, found: {names}")
    return found[0]


def check_name(name: object, where: str, known: Container[str], kind: str) -> None:
    """Raise an `InputError` unless a class can be called `name` on the command line."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise InputError(
            f"{where} is called {quoted(name)}, expected small letters, digits and '-'"
        )
    if name in known:
        raise InputError(f"{where} is called {quoted(name)}, as {kind}")
