"""An RNA design in its secondary structure, laid out by ViennaRNA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.reports.drawings.svg import document, letters, style
from solver.contract.domain import Problem
from solver.domains.rna.contexts import place_name
from solver.domains.rna.drawings.layout import between, layout, moved
from solver.domains.rna.kernels import BASES, ENGINE_NAMES, MOVES
from solver.domains.rna.text import pair_partners
from solver.system.svg import lines, number

TITLE = "RNA design"
NOTE = "Drawn in the structure that was asked for; thin lines are pairs."
VALUES = {
    "target": (".", "("),
    "target_before": (".", "(", ")", "start"),
    "base_before": ("start", *BASES),
    "engine": ("none", *ENGINE_NAMES),
    "beside": ("nothing", *MOVES),
    "across": ("unknown", *BASES),
    "move": MOVES,
}
EDGE = 12.0
LETTER = 12.0
COLOURS = {"A": "series-2", "C": "series-1", "G": "series-5", "U": "series-3"}


def draw(problem: Problem, answer: Any) -> str:
    """Draw bases as letters, the backbone as a line, and pairs as lines between their bases."""
    structure = problem.data.structure
    places = moved(layout(structure), EDGE)
    backbone = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in places)
    pairs = [
        (*between(places[i], places[j]), *between(places[j], places[i]))
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


def words(prior: str, code: Mapping[str, int]) -> str | None:
    """The base or pair placed, and the bases before it, or around it."""
    if "move" not in code:
        return None
    move = MOVES[code["move"]]
    if prior == "ngram":
        return _after(move, code)
    return _in_loop(move, code) if prior == "loops" else None


def _after(move: str, code: Mapping[str, int]) -> str:
    here = "(" if code["target"] else "."
    before = (".", "(", ")", "")[code["target_before"]]
    if not before:
        return f"{move} at {here}, at the start"
    base = BASES[code["base_before"] - 1] if code["base_before"] else "?"
    return f"{move} at {here} after {base} at {before}"


def _in_loop(move: str, code: Mapping[str, int]) -> str:
    """Context of a base, as `solver.domains.rna.priors.loops_code` defines it."""
    beside = code["beside"]
    parts = [f"{move}: {place_name(code['place'])}"]
    if beside:
        parts.append(f"beside {MOVES[beside - 1]}")
    if code["across"]:
        parts.append(f"{BASES[code['across'] - 1]} across")
    engine = code["engine"]
    return ", ".join([*parts, ENGINE_NAMES[engine - 1]] if engine else parts)
