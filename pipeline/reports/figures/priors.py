"""The figures of a prior: maps, distributions and the strongest codes, as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Outline

from pipeline.reports.figures.style import (
    GRID,
    HEAT,
    INK,
    MUTED,
    RIGHT,
    WIDTH,
    Entry,
    drawn,
    finish,
    name_axes,
    panel,
    plain_axis,
)
from pipeline.results.statistics import Floats

HEIGHT = 161.0
LEVELS = 12  # shades of a heat map
BAR_PITCH = 34.0  # points of a bar with the words above it


@drawn
def prior_bars(labels: Sequence[str], frequency: Floats, strongest: int, name: str) -> str:
    """Draw each code's share of plays when possible, the `strongest` first, others below a line.

    `labels` and `frequency` have shape (codes,).
    """
    gap = 10.0
    places = np.arange(len(labels)) * BAR_PITCH + gap * (np.arange(len(labels)) >= strongest)
    height = float(places[-1]) + BAR_PITCH
    figure, axes = panel(height, [], left=16, top=6)
    axes.set_xlim(0, 1.12)
    axes.set_ylim(height, 0)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.barh(places + 24, np.full(len(labels), 1.0), height=9, color=HEAT, alpha=0.12)
    axes.barh(places + 24, frequency, height=9, color=HEAT)
    for place, label, share in zip(places, labels, frequency, strict=True):
        axes.text(0, place + 11, label, va="center_baseline", color=INK)
        text = f"{100 * share:.0f}%" if share >= 0.095 else f"{100 * share:.1f}%"
        axes.text(1.12, place + 24, text, va="center_baseline", ha="right", color=MUTED)
    if strongest < len(labels):
        axes.axhline(float(places[strongest]) - gap / 2, color=MUTED, linewidth=0.8)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    name_axes(axes, "played when possible", "")
    return finish(figure, name, "The strongest codes of the prior, and the weakest")


@drawn
def prior_heat_map(
    components: tuple[str, str],
    x: Floats,
    y: Floats,
    frequency: Floats,
    name: str,
    words: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None),
) -> str:
    """Frequency of each code of two components; codes never possible are left blank.

    `x`, `y` (the components) and `frequency` have shape (codes that were possible,). `words` are
    the names of the values of a component, where they are no numbers.
    """
    columns, rows = x.max() - x.min() + 1, y.max() - y.min() + 1
    height = float(np.clip((WIDTH - 66) * rows / columns, 120, WIDTH - 66))
    figure, axes = panel(height, [Entry("", {"linewidth": 0.0})])
    low, high = float(frequency.min()), float(frequency.max())
    level = ((frequency - low) / max(high - low, 1e-12) * (LEVELS - 1)).round().astype(np.int64)
    half = 0.47 if max(columns, rows) <= 40 else 0.5
    square = np.array([(-half, -half), (half, -half), (half, half), (-half, half), (-half, -half)])
    codes = [Outline.MOVETO, *[Outline.LINETO] * 3, Outline.CLOSEPOLY]
    for shade in range(LEVELS):
        chosen = np.column_stack([x, y])[level == shade]
        if chosen.size:
            corners = (chosen[:, None, :] + square).reshape(-1, 2)
            outline = Outline(corners, codes * len(chosen))
            axes.add_patch(PathPatch(outline, facecolor=HEAT, alpha=_opacity(shade), linewidth=0))
    axes.grid(visible=False)
    for direction, names in zip("xy", words, strict=True):
        plain_axis(axes, direction, integer=True)
        if names is not None:
            axis = axes.xaxis if direction == "x" else axes.yaxis
            axis.set_ticks(np.arange(len(names)), names)
    axes.set_xlim(x.min() - 0.6, x.max() + 0.6)
    axes.set_ylim(y.min() - 0.6, y.max() + 0.6)
    first, second = (component.replace("_", " ") for component in components)
    name_axes(axes, first, second)
    total = figure.get_figheight() * 72
    for shade in range(LEVELS):
        place = ((WIDTH / 2 - 6 * LEVELS + 12 * shade) / WIDTH, 8 / total)
        tile = Rectangle(place, 11.5 / WIDTH, 11 / total, transform=figure.transFigure)
        tile.set(facecolor=HEAT, alpha=_opacity(shade), linewidth=0)
        figure.add_artist(tile)
    for offset, value, side in ((-1, low, "right"), (1, high, "left")):
        at = (WIDTH / 2 + offset * (6 * LEVELS + 6)) / WIDTH
        text = f"{100 * value:.0f}%" if value >= 0.1 else f"{100 * value:.2g}%"
        text = f"played {text}" if offset < 0 else text
        figure.text(at, 13.5 / total, text, ha=side, va="center_baseline")
    return finish(figure, name, f"Frequency of each code of {first} and {second}")


def _opacity(shade: int) -> float:
    return 0.07 + 0.93 * shade / (LEVELS - 1)


@drawn
def prior_histogram(frequency: Floats, name: str) -> str:
    """Draw a histogram of codes by `frequency`, which has shape (codes that were possible,)."""
    figure, axes = panel(HEIGHT, [])
    top = 1.0 if frequency.max() > 0.5 else float(frequency.max()) or 1.0
    counts, edges = np.histogram(frequency, bins=25, range=(0, top))
    axes.bar(edges[:-1], counts, width=np.diff(edges) * 0.9, align="edge", color=HEAT)
    axes.axhline(0, color=GRID, linewidth=0.8)
    axes.set_xlim(0, top * (1 + RIGHT / WIDTH / 4))
    plain_axis(axes, "x")
    plain_axis(axes, "y", integer=True)
    name_axes(axes, "share of the times a possible code was played", "codes")
    return finish(figure, name, "Distribution of the prior: codes of each frequency")
