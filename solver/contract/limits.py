"""Rules held against their own `Limits`, before a search too where NESTOR_CHECK=1 asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from numbers import Integral
from typing import Any

from solver.compiling.parts import CHECKED
from solver.contract.domain import Domain, Limits
from solver.errors import InputError, LimitsError, quoted


def check_limits(domain: Domain, instance: Any) -> None:
    """Raise `InputError` unless all limits of an author's `domain` are whole numbers from 0 on."""
    limits: object = domain.limits(instance)
    if not isinstance(limits, Limits):
        raise InputError(f"{domain.name}: limits returns {quoted(limits)}, expected Limits")
    for name, limit in limits._asdict().items():
        if not isinstance(limit, Integral) or limit < 0:
            expected = "expected a whole number, 0 or more"
            raise InputError(f"{domain.name}: limits has {name} {quoted(limit)}, {expected}")


@contextmanager
def within_limits(domain: Domain, instance: Any, name: str) -> Iterator[None]:
    """Search `instance` in this context; `name` is that of its problem.

    Raises
    ------
    LimitsError
        If what the rules return breaks their `Limits`; the message begins with domain and problem.
    ContractError
        Under NESTOR_CHECK=1, if the rules break their `Limits` or reach beyond an array.
    """
    with limits_named(domain, name), _checked_before(domain, instance, name):
        yield


def _checked_before(domain: Domain, instance: Any, name: str) -> AbstractContextManager[None]:
    if not CHECKED:
        return nullcontext()
    from solver.contract.checks import bounds_checked

    return bounds_checked(domain, instance, name)


@contextmanager
def limits_named(domain: Domain, name: str) -> Iterator[None]:
    """Name `domain`, and `name` where it is another, in a `LimitsError` of the block."""
    try:
        yield
    except LimitsError as error:
        where = domain.name if name == domain.name else f"{domain.name}, {name}"
        raise LimitsError(f"{where}: {error}") from None
