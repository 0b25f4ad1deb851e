"""Paths of small SVGs written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise


def number(value: float) -> str:
    """A coordinate in tenths of a unit, as short as can be."""
    digits = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def rectangles(boxes: Iterable[tuple[float, float, float, float]], css: str) -> str:
    """Draw boxes (x, y, width, height) as one path; nothing without any."""
    outline = "".join(
        f"M{number(x)} {number(y)}h{number(w)}v{number(h)}h{number(-w)}z" for x, y, w, h in boxes
    )
    return f'<path d="{outline}" {css}/>' if outline else ""


def lines(ends: Iterable[tuple[float, float, float, float]], css: str) -> str:
    """Draw lines (x, y, to x, to y) as one path; nothing without any."""
    outline = "".join(f"M{number(x)} {number(y)}L{number(u)} {number(v)}" for x, y, u, v in ends)
    return f'<path d="{outline}" {css}/>' if outline else ""


def polygons(corners: Iterable[Sequence[tuple[float, float]]], css: str) -> str:
    """Draw closed polygons (corners x, y) as one path; nothing without any."""
    outline = "".join(f"{_line(points)}z" for points in corners)
    return f'<path d="{outline}" {css}/>' if outline else ""


def polylines(corners: Iterable[Sequence[tuple[float, float]]], css: str) -> str:
    """Draw lines with corners (x, y) as one path; nothing without any."""
    outline = "".join(_line(points) for points in corners)
    return f'<path d="{outline}" {css}/>' if outline else ""


def _line(points: Sequence[tuple[float, float]]) -> str:
    """Path by differences between corners: shorter than places, and a page has thousands."""
    (x, y), *_ = points
    steps = (f"{number(u - x)} {number(v - y)}" for (x, y), (u, v) in pairwise(points))
    return f"M{number(x)} {number(y)}l{' '.join(steps)}"


def circles(middles: Iterable[tuple[float, float]], radius: float, css: str) -> str:
    """Draw circles (middles x, y) as one path; nothing without any."""
    r, across = number(radius), number(2 * radius)
    outline = "".join(
        f"M{number(x - radius)} {number(y)}a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0z"
        for x, y in middles
    )
    return f'<path d="{outline}" {css}/>' if outline else ""
