"""How the solutions and the codes of each domain are shown: one module each, listed here.

A module has a `TITLE`, and the function `draw(problem, answer)`, which returns an inline SVG. It
may have a `NOTE` to all drawings, `VALUES`, the names of the values of components of codes, and
`words(prior, code)`, which says a code, its components by name, in the words of the domain.
A domain that is not listed is shown as text.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from solver.domain import Problem

DRAWINGS = {
    "latin-square": "pipeline.drawings.latin_square",
    "kakuro": "pipeline.drawings.kakuro",
    "rna": "pipeline.drawings.rna",
    "samegame": "pipeline.drawings.samegame",
    "tsptw": "pipeline.drawings.tsptw",
}

Draw = Callable[[Problem, Any], str]
Words = Callable[[str, Mapping[str, int]], str | None]


def value_names(domain: str, component: str) -> Sequence[str] | None:
    """Names of the values of a component of a domain's codes; None where they are numbers."""
    if domain not in DRAWINGS:
        return None
    values = getattr(importlib.import_module(DRAWINGS[domain]), "VALUES", {})
    names: Sequence[str] | None = values.get(component)
    return names


def note(domain: str) -> str:
    """What a reader of the drawings should know."""
    if domain not in DRAWINGS:
        return ""
    return str(getattr(importlib.import_module(DRAWINGS[domain]), "NOTE", ""))


def drawer(domain: str) -> Draw | None:
    """Return the function that draws a solution of `domain`; None if it has none."""
    if domain not in DRAWINGS:
        return None
    draw: Draw = importlib.import_module(DRAWINGS[domain]).draw
    return draw


def title(domain: str) -> str:
    """Name of a domain in headings."""
    if domain not in DRAWINGS:
        return domain.replace("-", " ").capitalize()
    return str(importlib.import_module(DRAWINGS[domain]).TITLE)


def code_words(domain: str, prior: str, code: Mapping[str, int]) -> str:
    """Say a code of the prior code `prior`, in the domain's words where it has some."""
    if domain in DRAWINGS:
        words: Words | None = getattr(importlib.import_module(DRAWINGS[domain]), "words", None)
        said = words(prior, code) if words is not None else None
        if said is not None:
            return said
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in code.items())
