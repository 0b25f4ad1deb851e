"""Small SVGs written by hand, in the colours of the report for dark and light.

Paths, which need no colours, are in `solver.system.svg`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from pipeline.reports.figures.style import ROOT
from solver.system.svg import number

#: Names of the colours that tell things apart, without `var(--...)`.
SERIES = [f"series-{number}" for number in range(1, 9)]


def document(width: float, height: float, description: str, parts: Iterable[str]) -> str:
    """Put parts into an SVG of `width` x `height` units that fills the available width."""
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
