"""Entry points of installed packages: domains, games and algorithms."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from solver.errors import InputError, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@functools.cache
def installed(group: str) -> dict[str, EntryPoint]:
    """Entry points of a group, by name."""
    from importlib.metadata import entry_points

    return {found.name: found for found in entry_points(group=group)}


def load_installed(found: EntryPoint, kind: str, base: type | None = None) -> Any:
    """Return the class that an entry point names, which is a `kind` of the same name.

    For a subclass of `base` an instance is returned.

    Raises
    ------
    InputError
        If it cannot be imported, is no such subclass, or calls itself otherwise.
    """
    where = f"the installed {kind} {quoted(found.name)} ({found.value})"
    try:
        loaded = found.load() if base is None else found.load()()
        name = loaded.name
    except (Exception, SystemExit) as error:  # whatever importing a package of others raises
        raise InputError(f"{where} cannot be imported: {type(error).__name__}: {error}") from error
    if base is not None and not isinstance(loaded, base):
        expected = f"{base.__module__}.{base.__name__}"
        raise InputError(f"{where} is no subclass of {expected}")
    if name != found.name:
        raise InputError(f"{where} has the name {quoted(name)}, expected the same name")
    return loaded
