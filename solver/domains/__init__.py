"""The list of domains: a new problem is a file here and a line below."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from solver.errors import InputError, quoted

if TYPE_CHECKING:  # Numba, which `--help` does not need, would take seconds to import
    from solver.domain import Domain

#: Module and class of each domain, imported when first asked for.
DOMAINS = {
    "latin-square": "solver.domains.latin_square:LatinSquareDomain",
    "kakuro": "solver.domains.kakuro:KakuroDomain",
    "rna": "solver.domains.rna:RnaDomain",
    "samegame": "solver.domains.samegame:SameGameDomain",
    "tsptw": "solver.domains.tsptw:TsptwDomain",
}

#: Benchmark sets that ship, and the domain that reads them.
BENCHMARKS = {
    "eterna100": "rna",
    "eterna100-v2": "rna",
    "samegame-board1": "samegame",
    "samegame20": "samegame",
    "potvin-bengio": "tsptw",
    "rc204.1": "tsptw",
}


def load_domain(name: str) -> Domain:
    """Return the domain called `name`.

    Raises
    ------
    InputError
        If there is none of that name.
    """
    if name not in DOMAINS:
        raise InputError(f"no domain called {quoted(name)}, expected one of: {', '.join(DOMAINS)}")
    module, _, class_name = DOMAINS[name].partition(":")
    return getattr(importlib.import_module(module), class_name)()
