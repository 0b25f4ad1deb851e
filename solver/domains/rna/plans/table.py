"""Tables: "the letters at these positions are one of these words", and costs of words.

The process that refolds designs imports this: nothing of the search, no compiled code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Table(NamedTuple):
    """A constraint on the letters at some positions."""

    what: str
    """Name of the constraint, for messages."""
    positions: Sequence[int]
    """Positions, from 0, each once."""
    words: Sequence[str]
    """Permitted words of A, C, G and U, a letter for each position."""


class Preference(NamedTuple):
    """Costs of the words at some positions."""

    positions: Sequence[int]
    costs: Mapping[str, float]
    """Cost of each word; others cost as much as the most expensive one."""


def letters_at(sequence: Sequence[str], positions: Sequence[int]) -> str:
    """Letters of `sequence` at `positions`."""
    return "".join([sequence[position] for position in positions])


def span(positions: Sequence[int]) -> str:
    """Positions, counted from 1, in words."""
    first, last = min(positions) + 1, max(positions) + 1
    if last - first + 1 == len(positions):
        return f"{first}-{last}" if first < last else str(first)
    return ", ".join(str(position + 1) for position in positions)


def tables_missing(sequence: str, tables: Sequence[Table]) -> list[str]:
    """Name the tables that `sequence` breaks."""
    return [
        f"{what}: {letters_at(sequence, positions)} at {span(positions)}, expected "
        + (", ".join(words) if len(words) <= 6 else f"one of {len(words)} words")
        for what, positions, words in tables
        if letters_at(sequence, positions) not in words
    ]


def cost_of(sequence: Sequence[str], preference: Preference) -> float:
    """Cost of the word of `sequence` at the positions of a preference."""
    found = preference.costs.get(letters_at(sequence, preference.positions))
    return max(preference.costs.values()) if found is None else found
