"""Coordinates of the bases of a structure in the plane, by ViennaRNA."""

from __future__ import annotations

import math
from collections.abc import Sequence

from solver.system.forks import lock_over_forks

Place = tuple[float, float]

#: ViennaRNA's distance of neighbours.
SPACE = 15.0
#: Directions that a label is tried in.
_DIRECTIONS = [(math.cos(k * math.pi / 8), math.sin(k * math.pi / 8)) for k in range(16)]
#: The layout has global variables.
_lock = lock_over_forks()


def layout(structure: str) -> list[Place]:
    """Place of each base; upright structures are laid on their side where that is flatter."""
    import RNA

    with _lock:
        found = RNA.naview_xy_coordinates(structure)
    places = [(found[k].X, found[k].Y) for k in range(len(structure))]
    x, y = zip(*places, strict=True)
    return [(b, -a) for a, b in places] if max(y) - min(y) > max(x) - min(x) else places


def moved(places: Sequence[Place], edge: float) -> list[Place]:
    """`places` with none less than `edge` from the axes."""
    left, top = (min(axis) for axis in zip(*places, strict=True))
    return [(x - left + edge, y - top + edge) for x, y in places]


def between(start: Place, end: Place) -> Place:
    """A point on the way from one base to another, clear of the first one's letter."""
    (x, y), (u, v) = start, end
    length = max(math.dist(start, end), 1e-9)
    share = min(0.45 * SPACE / length, 0.45)
    return x + share * (u - x), y + share * (v - y)


def beside(place: Place, taken: Sequence[Place], away: float) -> Place:
    """Return a point for a label, `away` from a base, where the taken points leave most room."""
    x, y = place
    near = [other for other in taken if math.dist(other, place) < 4 * away]
    around = [(x + away * u, y + away * v) for u, v in _DIRECTIONS]
    return max(around, key=lambda point: min(math.dist(point, other) for other in near))
