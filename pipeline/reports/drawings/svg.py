"""Small SVGs written by hand, in the colours of the report for dark and light."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

from pipeline.reports.figures.style import ROOT

#: Names of the colours that tell things apart, without `var(--...)`.
SERIES = [f"series-{number}" for number in range(1, 9)]


def number(value: float) -> str:
    """A coordinate in tenths of a unit, as short as can be."""
    return f"{value:.1f}".rstrip("0").rstrip(".").replace("-0", "0") if value else "0"


def document(width: float, height: float, description: str, parts: Iterable[str]) -> str:
    """Put parts into an SVG of so many units that fills the width it is given."""
    head = (
        f'<svg role="img" aria-label={quoteattr(description)} {ROOT} '
        f'style="max-width: {2 * width:.0f}px" '
        f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}">'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def style(fill: str = "none", stroke: str = "none", width: float = 1.0, opacity: float = 1) -> str:
    """Style of a shape; colours are names of the report's."""
    rules = [f"{name}: {_colour(colour)}" for name, colour in (("fill", fill), ("stroke", stroke))]
    if stroke != "none":
        rules.append(f"stroke-width: {number(width)}")
    if opacity != 1:
        rules.append(f"opacity: {opacity:.2g}")
    return f'style="{"; ".join(rules)}"'


def _colour(name: str) -> str:
    return name if name == "none" else f"var(--{name})"


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
    """Each corner from the one before: shorter than places, of which a page may have thousands."""
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


def labels(
    texts: Sequence[tuple[float, float, str]],
    size: float,
    colour: str = "ink",
    anchor: str = "middle",
    bold: bool = False,
) -> str:
    """Write texts (x, y of the middle of the line, text) of one look."""
    if not texts:
        return ""
    weight = ' font-weight="700"' if bold else ""
    head = f'<g font-size="{number(size)}" text-anchor="{anchor}"{weight} {style(colour)}>'
    drop = 0.35 * size  # from the middle of digits to their base line
    words = [
        f'<text x="{number(x)}" y="{number(y + drop)}">{escape(text)}</text>'
        for x, y, text in texts
    ]
    return "\n".join([head, *words, "</g>"])


def letters(texts: Sequence[tuple[float, float, str]], size: float, colour: str = "ink") -> str:
    """Write single characters (x, y of the middle, character), in few bytes each."""
    if not texts:
        return ""
    drop = 0.35 * size
    x = " ".join(number(x - 0.33 * size) for x, _, _ in texts)
    y = " ".join(number(y + drop) for _, y, _ in texts)
    return (
        f'<text font-size="{number(size)}" font-family="ui-monospace, monospace" {style(colour)} '
        f'x="{x}" y="{y}">{escape("".join(text for _, _, text in texts))}</text>'
    )
