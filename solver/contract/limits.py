"""Rules held against their own `Limits` before a search, where NESTOR_CHECK=1 asks for it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from solver.compiling.jit import CHECKED
from solver.contract.domain import Domain


def within_limits(domain: Domain, instance: Any, name: str) -> AbstractContextManager[None]:
    """Return the context to search `instance` in; `name` is that of its problem.

    Raises
    ------
    ContractError
        Under NESTOR_CHECK=1, if the rules break their `Limits` or reach beyond an array.
    """
    if not CHECKED:
        return nullcontext()
    from solver.contract.checks import bounds_checked

    return bounds_checked(domain, instance, name)
