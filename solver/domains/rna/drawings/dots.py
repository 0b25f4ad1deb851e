"""A dot plot: above the diagonal how probable pairs are, below it those of least free energy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from solver.domains.rna.drawings.structure import document
from solver.domains.rna.text import pair_partners
from solver.system.svg import lines, number, rectangles

#: Side of the square in units, whatever the length is; around it numbers.
SIDE, EDGE = 300.0, 22.0
#: Less probable pairs could not be seen.
LEAST = 1e-3

Pair = tuple[int, int, float]
"""Positions from 0, the first before the second, and the probability of the pair."""


def draw_dots(structure: str, target: str, probabilities: Sequence[Pair], description: str) -> str:
    """Draw a square for each pair, its area the probability; pairs of the target are set apart.

    Parameters
    ----------
    structure, target : str
        Structure that the sequence folds into, and the one that it should.
    """
    n = len(structure)
    cell = SIDE / n
    wanted = set(enumerate(pair_partners(target, "target")))
    folded = [(j, i, 1.0) for i, j in enumerate(pair_partners(structure, "fold")) if j > i]
    dots = [pair for pair in probabilities if pair[2] >= LEAST]
    of_target = [(i, j, p) for i, j, p in [*dots, *folded] if (i, j) in wanted]
    others = [(i, j, p) for i, j, p in [*dots, *folded] if (i, j) not in wanted]
    parts = [
        f'<rect class="frame" x="{number(EDGE)}" y="{number(EDGE)}" '
        f'width="{number(SIDE)}" height="{number(SIDE)}"/>',
        lines(_grid(n, cell), 'class="grid"'),
        lines([(EDGE, EDGE, EDGE + SIDE, EDGE + SIDE)], 'class="diagonal"'),
        rectangles((_square(pair, cell) for pair in of_target), 'class="wanted"'),
        rectangles((_square(pair, cell) for pair in others), 'class="other"'),
        *_numbers(n, cell),
    ]
    return document(SIDE + 2 * EDGE, SIDE + 2 * EDGE, description, parts)


def _square(pair: Pair, cell: float) -> tuple[float, float, float, float]:
    """Box of a pair: its first position is the row, its second the column."""
    row, column, probability = pair
    side = cell * probability**0.5
    x, y = (EDGE + cell * (place + 0.5) - side / 2 for place in (column, row))
    return x, y, side, side


def _step(n: int) -> int:
    """Return the distance between numbers, so that a side has ten at most."""
    return next(
        step for step in (10, 20, 50, 100, 200, 500, 1000) if n <= 10 * step or step == 1000
    )


def _grid(n: int, cell: float) -> Iterator[tuple[float, float, float, float]]:
    for position in range(_step(n), n, _step(n)):
        at = EDGE + cell * (position - 0.5)
        yield at, EDGE, at, EDGE + SIDE
        yield EDGE, at, EDGE + SIDE, at


def _numbers(n: int, cell: float) -> Iterator[str]:
    for position in range(_step(n), n + 1, _step(n)):
        at = EDGE + cell * (position - 0.5)
        yield f'<text class="number" x="{number(at)}" y="{number(EDGE - 6)}">{position}</text>'
        left, middle = number(EDGE - 4), number(at + 2.6)
        yield f'<text class="number row" x="{left}" y="{middle}">{position}</text>'
