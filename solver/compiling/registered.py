"""What is registered for which class, of all generic functions."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

Table = dict[type, Callable[..., Any]]
"""Implementations of a generic function by class."""

#: The module of each generic function, and its table.
_tables: list[tuple[str, Table]] = []


def new_table(module: str) -> Table:
    """Return the empty table of a new generic function of `module`."""
    table: Table = {}
    _tables.append((module, table))
    return table


def registered_beside(modules: Container[str]) -> set[str]:
    """Modules of implementations that code of `modules` can call, wherever they are registered.

    It knows a generic function, and a class to call it for, by modules among `modules`.
    """
    return {
        function.__module__
        for module, table in _tables
        if module in modules
        for cls, function in table.items()
        if cls.__module__ in modules
    }
