"""A game of Morpion Solitaire: the dots of the start, the lines, the numbers of the moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from pipeline.reports.drawings.svg import SERIES, document, labels, style
from solver.contract.domain import Problem
from solver.domains.morpion.priors import GAINS, LOSSES
from solver.domains.morpion.text import Start, points_of
from solver.system.svg import lines, number

TITLE = "Morpion Solitaire"
NOTE = "Small dots are those of the start; a number is that of the move that adds the dot."
PITCH = 18.0
SMALL, LARGE = 3.0, 7.5

VALUES = {
    "diagonal": ("no", "yes"),
    "place": ("end", "next to an end", "middle"),
    "gained": (*map(str, range(GAINS - 1)), f"{GAINS - 1}+"),
    "lost": (*map(str, range(LOSSES - 1)), f"{LOSSES - 1}+"),
}


def draw(problem: Problem, answer: Any) -> str:
    """Draw the sheet after the last move, a colour for each direction of lines."""
    start = [(int(x), int(y)) for y, x in np.argwhere(Start(*problem.data).cells)]
    moves = answer.tolist()
    points = start + [point for move in moves for point in points_of(move)]
    left, top = (min(point[axis] for point in points) - 1 for axis in (0, 1))
    right, bottom = (max(point[axis] for point in points) + 1 for axis in (0, 1))

    def at(point: tuple[int, int]) -> tuple[float, float]:
        return (point[0] - left) * PITCH, (point[1] - top) * PITCH

    parts = []
    for sign in range(4):
        ends = [(points_of(move)[0], points_of(move)[-1]) for move in moves if move[2] == sign]
        css = style(stroke=SERIES[sign], width=2.0, opacity=0.7)
        parts.append(lines([(*at(begin), *at(end)) for begin, end in ends], css))
    parts.append(_circles(map(at, start), SMALL, style("ink")))
    added = [at((move[0], move[1])) for move in moves]
    parts.append(_circles(added, LARGE, style("paper", "muted", 0.7)))
    texts = [(*place, str(n)) for n, place in enumerate(added, start=1)]
    parts.append(labels(texts, 7.5))
    width, height = (right - left) * PITCH, (bottom - top) * PITCH
    described = f"Morpion Solitaire, {len(moves)} moves"
    return document(width, height, described, [part for part in parts if part])


def _circles(centres: Iterable[tuple[float, float]], radius: float, css: str) -> str:
    """Draw circles as one path; nothing without any."""
    r = number(radius)
    outline = "".join(
        f"M{number(x - radius)} {number(y)}a{r} {r} 0 1 0 {number(2 * radius)} 0"
        f"a{r} {r} 0 1 0 {number(-2 * radius)} 0z"
        for x, y in centres
    )
    return f'<path d="{outline}" {css}/>' if outline else ""


def words(prior: str, code: Mapping[str, int]) -> str | None:
    """Direction, place of the new dot, and lines that become possible and impossible."""
    if prior != "line" or "gained" not in code:
        return None
    direction = "diagonal" if code["diagonal"] else "straight"
    place = VALUES["place"][code["place"]]
    gained, lost = (VALUES[name][code[name]] for name in ("gained", "lost"))
    return f"{direction} line, new dot {place}, {gained} lines gained, {lost} lost"
