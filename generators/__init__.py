"""Makers of solved instances, one module per domain."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from solver.errors import InputError, quoted

if TYPE_CHECKING:  # Numba, which `--help` does not need, would take seconds to import
    from generators.solved import Generator

#: Module and class of each generator, imported when first asked for.
GENERATORS = {
    "latin-square": "generators.latin_square:LatinSquareGenerator",
    "kakuro": "generators.kakuro:KakuroGenerator",
    "rna": "generators.rna:RnaGenerator",
    "samegame": "generators.samegame:SameGameGenerator",
    "tsptw": "generators.tsptw:TsptwGenerator",
}


def load_generator(domain: str) -> type[Generator]:
    """Return the class of the generator of `domain`.

    Raises
    ------
    InputError
        If solved instances of that domain cannot be generated.
    """
    if domain not in GENERATORS:
        raise InputError(
            f"no generator for {quoted(domain)}, expected one of: {', '.join(GENERATORS)}"
        )
    module, _, class_name = GENERATORS[domain].partition(":")
    generator: type[Generator] = getattr(importlib.import_module(module), class_name)
    return generator
