"""A domain from a file of a user's own, as `solve my_puzzle.py` names it."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import inspect
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from solver.domain import Domain
from solver.domains import DOMAINS, add_domain
from solver.errors import InputError, cut, quoted
from solver.sources import run_source

#: Domains that were read, by path: a file is run once in a process, as a module is.
_read: dict[Path, Domain] = {}


def load_domain_file(path: Path) -> Domain:
    """Run a file and return the domain it defines; from then on it is found by its name.

    The file is imported as a module of its name, and others beside it can be imported, too.

    Raises
    ------
    InputError
        If it cannot be run, or does not define one whole domain.
    """
    place = path.resolve()
    if place not in _read:
        module = _run(path, place)
        domain = _domain_in(module, path)
        add_domain(domain)
        _read[place] = domain
    return _read[place]


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
    if str(place.parent) not in sys.path:
        sys.path.append(str(place.parent))
    sys.modules[name] = module
    try:
        run_source(source, module)
    except InputError:
        del sys.modules[name]
        raise
    except Exception as error:  # whatever a user's file raises
        del sys.modules[name]
        raise InputError(f"{path}: {_where(error, place)}") from error
    return module


def _is_elsewhere(name: str, place: Path) -> bool:
    """Whether `import name` finds something else than the file."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin != str(place)


def _where(error: Exception, place: Path) -> str:
    """Line of the file that an error comes from, and what it says."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(place)
    ]  # fmt: skip
    text = cut(f"{type(error).__name__}: {error}")
    return f"line {lines[-1]}: {text}" if lines else text


def _domain_in(module: ModuleType, path: Path) -> Domain:
    """Return the one domain that a module defines."""
    found = [
        cls
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Domain) and cls.__module__ == module.__name__
    ]
    # A class that others build on is not what is meant.
    found = [cls for cls in found if not any(other is not cls and issubclass(other, cls)
                                             for other in found)]  # fmt: skip
    if len(found) != 1:
        names = ", ".join(cls.__name__ for cls in found) or "none"
        raise InputError(f"{path}: expected one subclass of solver.domain.Domain, found: {names}")
    cls: Any = found[0]
    _check_whole(cls, path)
    domain: Domain = cls()
    return domain


def _check_whole(cls: Any, path: Path) -> None:
    where = f"{path}: {cls.__name__}"
    if inspect.isabstract(cls):
        raise InputError(f"{where} lacks the methods: {', '.join(sorted(cls.__abstractmethods__))}")
    for attribute in ("name", "priors"):
        if not hasattr(cls, attribute):
            raise InputError(f"{where} lacks the attribute {attribute!r}")
    if not isinstance(cls.name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9-]*", cls.name):
        raise InputError(
            f"{where} is called {quoted(cls.name)}, expected small letters, digits and '-'"
        )
    if cls.name in DOMAINS:
        raise InputError(f"{where} is called {quoted(cls.name)}, as a domain that ships")
