"""Puzzles of Eterna as its server writes them in JSON."""

from __future__ import annotations

from typing import Any

from solver.domains.rna.text import Found
from solver.errors import InputError, quoted

#: Keys of a puzzle that are read; its others say nothing of a target.
STRUCTURE, BASES, LOCKS, TITLE = "secstruct", "beginseq", "locks", "title"


def eterna_target(puzzle: dict[str, Any], number: int, where: str) -> Found:
    """Return the target of a puzzle: bases of the first sequence are fixed where they are locked.

    Parameters
    ----------
    puzzle : dict
        Keys and values.
    number : int
        Line of the object.
    where : str
        Beginning of messages.

    Raises
    ------
    InputError
        If a value is no text, or there are locks without bases or of another length.
    """
    texts = {}
    for key in (STRUCTURE, BASES, LOCKS, TITLE):
        value = puzzle.get(key) or ""
        if not isinstance(value, str):
            raise InputError(f"{where}: {key} is {quoted(value)}, expected text")
        texts[key] = value.strip()
    structure, bases, locks = texts[STRUCTURE], texts[BASES], texts[LOCKS].lower()
    locked = [i for i, mark in enumerate(locks) if mark == "x"]
    if not locked:
        return Found(texts[TITLE], number, structure, "")
    if not set(locks) <= {"x", "o"}:
        raise InputError(f"{where}: {LOCKS} is {quoted(locks)}, expected x (locked) and o")
    for key, text in ((LOCKS, locks), (BASES, bases)):
        if len(text) != len(structure):
            raise InputError(
                f"{where}: {key} has {len(text)} positions, expected {len(structure)} as "
                f"{STRUCTURE} has"
            )
    fixed = (base if mark == "x" else "N" for base, mark in zip(bases, locks, strict=True))
    return Found(texts[TITLE], number, structure, "".join(fixed))
