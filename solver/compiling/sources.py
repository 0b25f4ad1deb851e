"""Digests of sources: what machine code, shards, runs and tables depend on.

There is one mechanism, for what ships and for what users write: the modules that the functions
concerned import, found by following the import statements of their sources.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import io
import secrets
import textwrap
import token
import tokenize
from collections.abc import Callable, Container, Iterable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any

from solver.compiling.imports import Source, sources_of

if TYPE_CHECKING:
    from solver.contract.codes import PriorCode
    from solver.contract.domain import Domain

DIGITS = 12

#: In place of sources that are not known: no other process has it.
_UNKNOWN = secrets.token_hex(DIGITS)
#: What all rules are written with. It computes no code of theirs: tables outlive its changes.
_CONTRACT = (
    "solver.contract.domain", "solver.contract.rules", "solver.contract.orders",
    "solver.contract.constraints", "solver.domains", "solver.games", "solver.priors.priors",
    "solver.compiling.jit",
)  # fmt: skip


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


def modules_digest(names: Iterable[str]) -> str | None:
    """Digest of the modules called `names` and of those that they import.

    Functions that are registered for their classes, with generic functions of theirs, count.

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


@functools.cache  # what they are of is in memory, whatever is edited
def _known_digest(modules: frozenset[str]) -> str:
    digest = modules_digest(modules)
    return _UNKNOWN if digest is None else digest


def class_digest(cls: type) -> str:
    """Digest of the modules that an algorithm, or another class, is made of."""
    return _known_digest(frozenset(_homes_of([cls])))


def domain_digest(domain: Domain, *others: type | str) -> str:
    """Digest of the modules that `domain` is made of: what its runs and shards depend on.

    That is its class, its generator and peers, the functions registered for its instances and
    priors, and whatever these import. `others` are further classes, or names of modules.
    """
    from solver.contract.references import class_of_generator, peers_of, resolve

    classes: list[Any] = [type(domain), domain.options, domain.instance_class]
    classes += [code.table_class for code in domain.priors.values()]
    classes += [type(prior) for prior in domain.handmade.values()]
    classes += [other for other in others if not isinstance(other, str)]
    classes += filter(None, [class_of_generator(domain)])
    modules = _homes_of(classes) | {other for other in others if isinstance(other, str)}
    modules |= {resolve(domain.samples).__module__} if domain.samples is not None else set()
    modules |= {peer.solve.__module__ for peer in peers_of(domain).values()}
    return _known_digest(frozenset(modules))


def _homes_of(classes: Iterable[type]) -> set[str]:
    """Modules of classes and of their bases."""
    return {base.__module__ for cls in classes for base in cls.__mro__ if base is not object}


def rules_digest(domain: Domain, code: PriorCode | None = None) -> str:
    """Digest of the functions that are the rules of `domain`, and that compute `code`.

    It is that of the modules of the functions that play, and of those that they import, and of the
    functions that make instances and states: without comments, docstrings, import statements and
    names of modules, so that tables outlive them, and without what all rules are written with.
    """
    from solver.contract import rules as contract

    classes = [domain.instance_class, *([code.table_class] if code is not None else [])]
    playing = (
        contract.reset, contract.legal_moves, contract.draw_move, contract.play, contract.mark,
        contract.undo, contract.copy_state, contract.prior_code,
    )  # fmt: skip
    registered = [function.implementation(cls) for function in playing for cls in classes]
    modules = {thing.__module__ for thing in (*classes, *registered) if thing is not None}
    return _known_rules(frozenset(modules), (type(domain).instance, type(domain).new_state))


@functools.cache
def _known_rules(modules: frozenset[str], makers: tuple[Callable[..., Any], ...]) -> str:
    found = modules_of(modules)
    if None in found.values():
        return _UNKNOWN
    contract = sources_of(_CONTRACT)
    packages = {name.partition(".")[0] for name in modules}
    essences = [
        essence(source.text)
        for name, source in found.items()
        if source is not None
        and name not in contract
        and (not source.installed or name.partition(".")[0] in packages)
    ]
    try:
        for function in _called_by(makers, {*found, *contract}):
            essences.append(essence(textwrap.dedent(inspect.getsource(function)).encode()))
    except (OSError, TypeError):  # typed at a prompt
        return _UNKNOWN
    return hashlib.sha256("\n".join(sorted(essences)).encode()).hexdigest()[:DIGITS]


def _called_by(
    makers: Iterable[Callable[..., Any]], known: Container[str]
) -> list[Callable[..., Any]]:
    """Functions of the same package that `makers` call by name, those of `known` modules apart."""
    found: list[Callable[..., Any]] = []
    todo = list(makers)
    while todo:
        function = todo.pop()
        if function in found or function.__module__ in known:
            continue
        found.append(function)
        for name in function.__code__.co_names:
            used = getattr(function.__globals__.get(name), "py_func", None)
            used = used or function.__globals__.get(name)
            if isinstance(used, FunctionType) and _are_beside(used, function):
                todo.append(used)
    return found


def _are_beside(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    return one.__module__.partition(".")[0] == other.__module__.partition(".")[0]


def essence(text: bytes) -> str:
    """Digest of what a source does: its tokens, comments, docstrings and imports apart.

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
