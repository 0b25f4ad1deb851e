"""Digests of the sources that machine code, shards, runs and tables depend on.

There is one mechanism, for what ships and for what users write: the modules that the functions
concerned import, found by following the import statements of their sources.
"""

from __future__ import annotations

import functools
import hashlib
import io
import secrets
import token
import tokenize
from collections.abc import Callable, Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from solver.compiling.imports import Source, sources_of

if TYPE_CHECKING:
    pass

DIGITS = 12

#: In place of sources that are not known: no other process has it.
UNKNOWN = secrets.token_hex(DIGITS)


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


def modules_digest(names: Iterable[str], *, without: Container[str] = ()) -> str | None:
    """Digest of the modules called `names` and of those that they import.

    Functions that are registered for their classes, with generic functions of theirs, count.

    Parameters
    ----------
    without : container of str
        Installed packages that do not count.

    Returns
    -------
    digest : str or None
        None if it cannot be known what a module was made of: it has no file, as in a notebook, or
        one that was edited since the process began.
    """
    found = modules_of(names)
    if None in found.values():
        return None
    digest = hashlib.sha256()
    for name, source in sorted(found.items()):
        if source and source.installed and name.partition(".")[0] in without:
            continue
        digest.update(f"{name} {source.digest if source else ''}\n".encode())
    return digest.hexdigest()[:DIGITS]


def modules_of(names: Iterable[str]) -> dict[str, Source | None]:
    """Sources of the modules called `names` and of all that code of theirs depends on, by name.

    These are the modules that they import, and those of functions registered for their classes.
    """
    names = set(names)
    while True:
        found = sources_of(names)
        more = registered_beside(set(found)) - set(found) - names
        if not more:
            return found
        names |= more


@functools.cache
def known_digest(modules: frozenset[str]) -> str:
    """Digest of modules as they were when first asked for; `UNKNOWN` where it cannot be known."""
    digest = modules_digest(modules)
    return UNKNOWN if digest is None else digest


def class_digest(cls: type) -> str:
    """Digest of the modules that an algorithm, or another class, is made of."""
    return known_digest(frozenset(homes_of([cls])))


def homes_of(classes: Iterable[type]) -> set[str]:
    """Modules of classes and of their bases."""
    return {base.__module__ for cls in classes for base in cls.__mro__ if base is not object}


def essence(text: bytes) -> str:
    """Digest of the code of a source: its tokens without comments, docstrings and imports.

    White space does not count but for lines and their indentation, so that all versions of
    Python have the same, though they cut formatted texts in different pieces.
    """
    words = (word for line in _lines(text) for word in _said(line))
    return hashlib.sha256("".join(words).encode()).hexdigest()


_MARKS = {token.NEWLINE: "\n", token.INDENT: "\t+", token.DEDENT: "\t-"}
_SILENT = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, token.ENDMARKER)


def _lines(text: bytes) -> Iterator[list[tokenize.TokenInfo]]:
    """Yield the tokens of each logical line."""
    line: list[tokenize.TokenInfo] = []
    for found in tokenize.tokenize(io.BytesIO(text).readline):
        if found.type not in _SILENT:
            line.append(found)
        if found.type == token.NEWLINE:
            yield line
            line = []
    yield line


def _said(line: list[tokenize.TokenInfo]) -> Iterator[str]:
    marks = (token.INDENT, token.DEDENT)
    words = [found for found in line if found.type not in marks]
    is_text = bool(words) and all(found.type in (token.STRING, token.NEWLINE) for found in words)
    is_import = bool(words) and words[0].string in ("import", "from")
    for found in line:
        if found.type in marks or not (is_text or is_import):
            yield _MARKS.get(found.type, "".join(found.string.split()))
