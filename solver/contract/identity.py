"""Identity of a domain: digests of the functions that its runs, shards and tables depend on."""

from __future__ import annotations

import functools
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Container, Iterable
from types import FunctionType
from typing import Any

from solver.compiling.imports import PACKAGES, sources_of
from solver.compiling.sources import (
    DIGITS,
    UNKNOWN,
    essence,
    homes_of,
    known_digest,
    modules_of,
)
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Domain
from solver.contract.references import class_of_generator, peers_of, resolve

#: Modules that all rules use. They compute no codes: tables outlive their changes.
_CONTRACT = (
    "solver.contract.domain", "solver.contract.rules", "solver.contract.orders",
    "solver.contract.constraints", "solver.domains", "solver.games", "solver.priors.priors",
    "solver.compiling.jit", "solver.system.fields",
)  # fmt: skip

#: What files of users' own import, and so all of the searches.
_DOOR = "solver.extend"


def domain_digest(domain: Domain, *others: type | str) -> str:
    """Digest of the modules that `domain` is made of: what its runs and shards depend on.

    That is its class, its generator and peers, the functions registered for its instances and
    priors, and whatever these import. `others` are further classes, or names of modules.
    """
    classes: list[Any] = [type(domain), domain.options, domain.instance_class]
    classes += [code.table_class for code in domain.priors.values()]
    classes += [type(prior) for prior in domain.handmade.values()]
    classes += [other for other in others if not isinstance(other, str)]
    classes += filter(None, [class_of_generator(domain)])
    modules = homes_of(classes) | {other for other in others if isinstance(other, str)}
    modules |= {resolve(domain.samples).__module__} if domain.samples is not None else set()
    modules |= {peer.solve.__module__ for peer in peers_of(domain).values()}
    return known_digest(frozenset(modules))


def rules_digest(domain: Domain, code: PriorCode | None = None) -> str:
    """Digest of the functions that are the rules of `domain`, and that compute `code`.

    It is that of the modules of the functions that play, and of those that they import, and of the
    functions that make instances and states: without comments, docstrings, import statements and
    names of modules, so that tables outlive them, and without what all rules are written with. Of a
    domain from elsewhere only those modules of ours count that have a function registered for it.
    """
    classes = [domain.instance_class, *(one.table_class for one in (code.singles if code else ()))]
    playing = (
        rules.reset, rules.legal_moves, rules.draw_move, rules.play, rules.mark,
        rules.undo, rules.copy_state, rules.prior_code,
    )  # fmt: skip
    registered = [function.implementation(cls) for function in playing for cls in classes]
    modules = {thing.__module__ for thing in (*classes, *registered) if thing is not None}
    return _known_rules(frozenset(modules), (type(domain).instance, type(domain).new_state))


@functools.cache
def _known_rules(modules: frozenset[str], makers: tuple[Callable[..., Any], ...]) -> str:
    found = modules_of(modules)
    if None in found.values():
        return UNKNOWN
    contract = {*sources_of(_CONTRACT)} | _door_of(modules)
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
        return UNKNOWN
    return hashlib.sha256("\n".join(sorted(essences)).encode()).hexdigest()[:DIGITS]


def _door_of(modules: frozenset[str]) -> set[str]:
    """Modules of ours that rules in `modules`, some of them from elsewhere, do not depend on."""
    ours = {name for name in modules if name.partition(".")[0] in PACKAGES}
    return set() if ours == modules else {*sources_of((_DOOR,))} - {*modules_of(ours)}


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
