"""Drawings of the solutions and the codes of each domain; a domain names its own.

That is a module or an object with a `TITLE`, and the function `draw(problem, answer)`, which gives
an inline SVG, of the puzzle alone where `answer` is None (for `make-puzzles`). It may have a `NOTE`
to all drawings, `VALUES`, the names of the values of components of codes, and `words(prior, code)`,
which says a code, its components by name, in the words of the domain. A domain that names none, or
that is not known here, is shown as text.

That of a game has `draw(game, position, before)`, which shows a position and what is different from
the one before, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from solver.contract.domain import Problem
from solver.contract.references import resolve
from solver.domains import is_domain, load_domain

Draw = Callable[[Problem, Any], str]
Words = Callable[[str, Mapping[str, int]], str | None]


def _drawing(domain: str) -> Any:
    """Return the drawing of a domain, None if it has none."""
    return resolve(load_domain(domain).drawing) if is_domain(domain) else None


def value_names(domain: str, component: str) -> Sequence[str] | None:
    """Names of the values of a component of a domain's codes; None where they are numbers."""
    names: Sequence[str] | None = getattr(_drawing(domain), "VALUES", {}).get(component)
    return names


def note(domain: str) -> str:
    """Return the note to readers of the drawings."""
    return str(getattr(_drawing(domain), "NOTE", ""))


def drawer(domain: str) -> Draw | None:
    """Return the function that draws a solution of `domain`; None if it has none."""
    draw: Draw | None = getattr(_drawing(domain), "draw", None)
    return draw


def title(domain: str) -> str:
    """Name of a domain in headings."""
    return str(getattr(_drawing(domain), "TITLE", domain.replace("-", " ").capitalize()))


def code_words(domain: str, prior: str, code: Mapping[str, int]) -> str:
    """Say a code of the prior code `prior`, in the domain's words where it has some."""
    words: Words | None = getattr(_drawing(domain), "words", None)
    phrase = words(prior, code) if words is not None else None
    if phrase is not None:
        return phrase
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in code.items())
