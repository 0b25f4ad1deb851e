"""Makers of solved instances, one module per domain, which names its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import solver

if "load_domain" not in dir(solver):
    raise ImportError(
        f"'solver' is {solver.__file__}, which is not Nestor's: rename it, or start elsewhere"
    )

from solver.contract import references
from solver.domains import load_domain

if TYPE_CHECKING:
    from generators.solved import Generator


def generator_named(domain: str) -> type[Generator]:
    """Return the class of the generator of `domain`.

    Raises
    ------
    InputError
        If there is no such domain, or solved instances of it cannot be generated.
    """
    generator: type[Generator] = references.load_generator(load_domain(domain))
    return generator
