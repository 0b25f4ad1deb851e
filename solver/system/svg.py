"""Paths of small SVGs written by hand."""

from __future__ import annotations

from collections.abc import Iterable


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
