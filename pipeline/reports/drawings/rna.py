"""An RNA design in its secondary structure, laid out by ViennaRNA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import RNA

from pipeline.reports.drawings.svg import document, letters, lines, number, style
from solver.domain import Problem
from solver.domains.rna.kernels import BASES, MOVES
from solver.domains.rna.text import pair_partners

TITLE = "RNA design"
NOTE = "Drawn in the structure that was asked for; thin lines are pairs."
VALUES = {
    "target": (".", "("),
    "target_before": (".", "(", ")", "start"),
    "base_before": ("start", *BASES),
    "move": MOVES,
}
SPACE = 15.0  # ViennaRNA's distance of neighbours
EDGE = 12.0
LETTER = 12.0
COLOURS = {"A": "series-2", "C": "series-1", "G": "series-5", "U": "series-3"}


def draw(problem: Problem, answer: Any) -> str:
    """Draw bases as letters, the backbone as a line, and pairs as lines between their bases."""
    structure = problem.data.structure
    places = _layout(structure)
    backbone = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in places)
    pairs = [
        (*_towards(places[i], places[j]), *_towards(places[j], places[i]))
        for i, j in enumerate(pair_partners(structure, problem.name))
        if j > i
    ]
    parts = [
        f'<path d="{backbone}" {style(stroke="grid", width=5)}/>',
        lines(pairs, style(stroke="muted", width=1.6)),
    ]
    for base, colour in COLOURS.items():
        labels = [
            (*place, base) for place, letter in zip(places, answer.sequence, strict=True)
            if letter == base
        ]  # fmt: skip
        parts.append(letters(labels, LETTER, colour))
    width, height = (max(axis) + EDGE for axis in zip(*places, strict=True))
    return document(width, height, f"RNA of {len(structure)} bases", parts)


def _layout(structure: str) -> list[tuple[float, float]]:
    """Place of each base; upright structures are laid on their side where that is flatter."""
    found = RNA.naview_xy_coordinates(structure)
    places = [(found[k].X, found[k].Y) for k in range(len(structure))]
    x, y = zip(*places, strict=True)
    if max(y) - min(y) > max(x) - min(x):
        places = [(b, -a) for a, b in places]
        x, y = zip(*places, strict=True)
    return [(a - min(x) + EDGE, b - min(y) + EDGE) for a, b in places]


def _towards(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """A point on the way from one base to another, clear of the first one's letter."""
    (x, y), (u, v) = start, end
    length = max(((u - x) ** 2 + (v - y) ** 2) ** 0.5, 1e-9)
    share = min(0.45 * SPACE / length, 0.45)
    return x + share * (u - x), y + share * (v - y)


def words(prior: str, code: Mapping[str, int]) -> str | None:
    """The base or pair placed, and what stands before it."""
    if prior != "ngram" or "move" not in code:
        return None
    here = "(" if code["target"] else "."
    before = (".", "(", ")", "")[code["target_before"]]
    move = MOVES[code["move"]]
    if not before:
        return f"{move} at {here}, at the start"
    base = BASES[code["base_before"] - 1] if code["base_before"] else "?"
    return f"{move} at {here} after {base} at {before}"
