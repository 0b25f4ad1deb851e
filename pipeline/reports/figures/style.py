"""Style of figures: one SVG for dark and light mode, for screens and for phones.

Figures are drawn in sentinel colours, which `finish` replaces by CSS variables
(`var(--ink)`, `var(--series-1)`...) that the report's style sheet defines for
both modes. `resolve` puts the light colours in, for an SVG that stands alone.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, ParamSpec
from xml.sax.saxutils import quoteattr

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

# name: (sentinel in the drawing, light colour, dark colour)
COLOURS = {
    "ink": ("#010101", "#1f2328", "#e4e6e8"),
    "muted": ("#020202", "#5d6670", "#a2aab3"),
    "grid": ("#030303", "#e1e3e6", "#363b41"),
    "paper": ("#040404", "#ffffff", "#16191d"),
    "heat": ("#050505", "#1d5fa8", "#7fb2f0"),
    "series-1": ("#0a0101", "#2563a8", "#7fb2f0"),
    "series-2": ("#0a0202", "#b5520a", "#f2a15f"),
    "series-3": ("#0a0303", "#2c7a4b", "#7cc99a"),
    "series-4": ("#0a0404", "#7a4ba8", "#c3a1ec"),
    "series-5": ("#0a0505", "#b3304f", "#f08aa3"),
    "series-6": ("#0a0606", "#0e7c86", "#62c9d3"),
    "series-7": ("#0a0707", "#8a6d00", "#dcc05a"),
    "series-8": ("#0a0808", "#5f6b76", "#a9b4be"),
}
INK, MUTED, GRID, PAPER, HEAT, *SERIES = (sentinel for sentinel, _, _ in COLOURS.values())

# Sizes in points; the drawing is as wide as a phone can show without shrinking the text much
WIDTH = 440.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 14.0, 30.0, 40.0
LEGEND_ROW = 19.0
TEXT = 13.0
TICKS = 12.0
# Attributes that matplotlib would write in a style sheet, which would reach the whole page
ROOT = (
    'stroke-linejoin="round" stroke-linecap="butt" '
    "font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\""
)
RC: Any = {
    "svg.fonttype": "none",
    "font.size": TEXT,
    "xtick.labelsize": TICKS,
    "ytick.labelsize": TICKS,
    "text.parse_math": False,  # a name with two dollars is no formula
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "ytick.major.size": 0,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "butt",
    "path.simplify": True,
}

P = ParamSpec("P")


class Entry(NamedTuple):
    """A line of the legend: label, line style, and a number shown before the label."""

    label: str
    style: dict[str, Any]
    value: str = ""


def drawn(function: Callable[P, str]) -> Callable[P, str]:
    """Run a figure function with this module's settings and nobody else's."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> str:
        with settings():
            return function(*args, **kwargs)

    return wrapper


@contextmanager
def settings() -> Iterator[None]:
    """Matplotlib's defaults plus this module's, restored afterwards."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(RC)
        yield


def series_style(index: int, dashes: str = "solid") -> dict[str, Any]:
    """Line style of the method, or parameter value, at a place in the report's order."""
    style: dict[str, Any] = {"color": SERIES[index % len(SERIES)]}
    if dashes == "solid" and index >= len(SERIES):
        dashes = "second"
    patterns = {"dashed": (0, (4, 2)), "dotted": (0, (1.2, 1.6)), "second": (0, (8, 2))}
    return style | ({"linestyle": patterns[dashes]} if dashes in patterns else {})


def panel(
    height: float, legend: Sequence[Entry], left: float = LEFT, top: float = TOP
) -> tuple[Figure, Axes]:
    """A figure with one plot of `height` points and the legend below it."""
    columns = 2 if max((len(e.label) + len(e.value) for e in legend), default=0) < 24 else 1
    rows = -(-len(legend) // columns)
    bottom = BOTTOM + LEGEND_ROW * rows + (8 if rows else 0)
    total = top + height + bottom
    figure = Figure(figsize=(WIDTH / 72, total / 72), dpi=72, facecolor="none")
    axes = figure.add_axes(
        (left / WIDTH, bottom / total, (WIDTH - left - RIGHT) / WIDTH, height / total)
    )
    longest = max((len(entry.value) for entry in legend), default=0)
    digits = 8.5 * longest + 6 if longest else 0
    for place, entry in enumerate(legend):
        x = 10 + (place // rows) * (WIDTH - 20) / columns
        y = LEGEND_ROW * (rows - place % rows) - LEGEND_ROW / 2 + 2
        _draw_entry(figure, entry, x, y, total, digits)
    return figure, axes


def _draw_entry(
    figure: Figure, entry: Entry, x: float, y: float, total: float, digits: float
) -> None:
    """Line sample, number aligned to the right in `digits` points, label; from x, at y."""
    line = Line2D(
        [x / WIDTH, (x + 24) / WIDTH],
        [y / total] * 2,
        transform=figure.transFigure,
        **({"linewidth": 2.2} | entry.style),
    )
    figure.add_artist(line)
    if entry.value:
        end = (x + 28 + digits) / WIDTH
        figure.text(end, y / total, entry.value, ha="right", va="center_baseline", color=MUTED)
    start = x + 32 + (digits + 4 if digits else 0)
    figure.text(start / WIDTH, y / total, entry.label, va="center_baseline")


def name_axes(axes: Axes, x: str, y: str) -> None:
    """Name both axes, the vertical one in upright text above the plot."""
    axes.set_xlabel(x, color=INK, fontsize=TEXT)
    points = axes.figure.get_figure(root=True)
    assert isinstance(points, Figure)
    total = points.get_figheight() * 72
    points.text(8 / WIDTH, 1 - 13 / total, y, color=INK, fontsize=TEXT, va="center_baseline")


def percent_axis(axes: Axes) -> None:
    """Vertical axis from 0 to 100%."""
    axes.set_ylim(0, 1.005)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])


def log_axis(axes: Axes, direction: str, low: float, high: float) -> None:
    """Logarithmic axis with ticks at powers of ten, or 1-2-5 when there are few."""
    high = max(high, low * 1.5)
    getattr(axes, f"set_{direction}scale")("log")
    getattr(axes, f"set_{direction}lim")(low, high)
    decades = np.log10(high / low)
    steps = (1.0,) if decades > 2.5 else (1.0, 3.0) if decades > 1.4 else (1.0, 2.0, 5.0)
    axis = axes.xaxis if direction == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=12 if decades < 9 else 6))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def plain_axis(axes: Axes, direction: str, integer: bool = False) -> None:
    """Linear axis with few ticks and short numbers."""
    axis = axes.xaxis if direction == "x" else axes.yaxis
    axis.set_major_locator(MaxNLocator(nbins=6, integer=integer))
    axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def short(value: float) -> str:
    """A number for a tick: 0.001, 20, 1,000, 16k, 2M."""
    size = abs(value)
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size >= factor:
            unit = 1e3 if letter == "k" else factor
            return f"{value / unit:.4g}{letter}".replace("-", "\N{MINUS SIGN}")
    text = f"{value:,.0f}" if size >= 1000 else f"{value:.4g}"
    return text.replace("-", "\N{MINUS SIGN}")


def finish(figure: Figure, name: str, description: str) -> str:
    """Write the figure as an inline SVG element whose ids start with `name`."""
    matplotlib.rcParams["svg.hashsalt"] = name
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    svg = buffer.getvalue().decode()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg)
    svg = re.sub(r"\s*<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)
    root = f'<svg role="img" aria-label={quoteattr(description)} {ROOT}'
    svg = svg.replace("<svg", root, 1)
    svg = re.sub(r" font-family: [^;\"]*;", "", svg)
    svg = re.sub(r' transform="rotate\(-0 [^"]*"', "", svg)
    svg = re.sub(r' d="([^"]*)"', _shorter_path, svg)
    for colour, (sentinel, _, _) in COLOURS.items():
        svg = svg.replace(sentinel, f"var(--{colour})")
    return _prefix_ids(svg, name).strip() + "\n"


def _shorter_path(found: re.Match[str]) -> str:
    """A path's outline in hundredths of a point, on one line: half the bytes."""
    outline = re.sub(r"(\.\d\d)\d+", r"\1", " ".join(found[1].split()))
    return f' d="{outline}"'


def _prefix_ids(svg: str, name: str) -> str:
    """Prefix the ids that are referred to with the figure's name and drop the others."""
    used = set(re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', svg))
    kept = {first or second for first, second in used}
    svg = re.sub(
        r' id="([^"]*)"',
        lambda found: f' id="{name}-{found[1]}"' if found[1] in kept else "",
        svg,
    )
    return re.sub(r'(url\(#|href="#)', lambda found: f"{found[1]}{name}-", svg)


def resolve(svg: str) -> str:
    """The same figure in light colours on white, for a file of its own."""
    for colour, (_, light, _) in COLOURS.items():
        svg = svg.replace(f"var(--{colour})", light)
    paper = f'<rect width="100%" height="100%" fill="{COLOURS["paper"][1]}"/>'
    start = svg.index(">", svg.index("<svg")) + 1
    return f'<?xml version="1.0" encoding="utf-8"?>\n{svg[:start]}\n {paper}{svg[start:]}'


def style_sheet() -> str:
    """The CSS variables of the colours: light, dark by preference, light again on paper."""

    def variables(mode: int) -> str:
        return " ".join(f"--{name}: {c[mode]};" for name, c in COLOURS.items())

    return (
        f":root {{ color-scheme: light dark; {variables(1)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {variables(2)} }} }}\n"
        f"@media print {{ :root {{ color-scheme: light; {variables(1)} }} }}\n"
    )
