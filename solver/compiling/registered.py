"""What is registered for which class, of all generic functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Table = dict[type, Callable[..., Any]]
"""Implementations of a generic function by class."""

_tables: list[Table] = []


def new_table() -> Table:
    """Return the empty table of a new generic function."""
    _tables.append({})
    return _tables[-1]


def registered_for(cls: type) -> Iterator[Callable[..., Any]]:
    """Yield the functions registered for `cls`."""
    return (table[cls] for table in _tables if cls in table)


def registered_beside(modules: set[str]) -> set[str]:
    """Names of the modules of functions that are registered for classes of `modules`."""
    return {
        function.__module__
        for table in _tables
        for cls, function in table.items()
        if cls.__module__ in modules
    }
