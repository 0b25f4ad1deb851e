"""Figures of the standing of several methods: performance profile, and mean ranks."""

from __future__ import annotations

import numpy as np

from pipeline.reports.figures.curves import HEIGHT, PLATE, method_style
from pipeline.reports.figures.style import (
    GRID,
    INK,
    MUTED,
    Entry,
    drawn,
    finish,
    log_axis,
    name_axes,
    panel,
    percent_axis,
    plain_axis,
    series_style,
)
from pipeline.results.standings import SCORE, Standings

POINTS = 200
WIDEST = 1e4  # factor at which a profile ends
ROW, BAR = 34.0, 9.0


@drawn
def profile(standing: Standings, name: str) -> str:
    """Share of instances within a factor, of scores within a gap, of the best method."""
    is_score = standing.unit == SCORE
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = standing.costs - standing.virtual_best if is_score else standing.costs
        ratio = apart / np.maximum(np.abs(standing.virtual_best), 1e-12)
    finite = ratio[np.isfinite(ratio) & (ratio > 0)]
    most = float(finite.max()) if finite.size else 1.0
    low, high = (1e-3, min(max(most, 0.01), 10.0)) if is_score else (1.0, min(max(most, 2), WIDEST))
    points = np.geomspace(low, high, POINTS)
    shares = [standing.profile(k, points) for k in range(len(standing.methods))]
    ends = [f"{100 * share[0]:.0f}%" for share in shares]
    order = sorted(range(len(shares)), key=lambda k: (-shares[k][0], k))
    legend = [
        Entry(standing.methods[k].label, method_style(standing.methods[k]), ends[k]) for k in order
    ]
    figure, axes = panel(HEIGHT, legend)
    log_axis(axes, "x", low, high)
    for method, share in zip(standing.methods, shares, strict=True):
        axes.step(points, share, where="post", **method_style(method))
    percent_axis(axes)
    x = "gap to the best score" if is_score else f"times the best method's {standing.unit}"
    name_axes(axes, x, "instances")
    return finish(figure, name, "Performance profile")


@drawn
def ranks(standing: Standings, name: str) -> str:
    """Mean rank of each method, best first; bars join those that a test does not tell apart.

    A name stands above the dot of its method and begins at the edge: it may be as long as the plot.
    """
    means = standing.ranks.mean(axis=1)
    order = np.argsort(means, kind="stable").tolist()
    height = ROW * len(order) + BAR * len(standing.groups) + 10
    figure, axes = panel(height, [], left=16, top=4)
    axes.set_xlim(0.8, len(order) + 0.2)
    axes.set_ylim(height, 0)
    axes.set_yticks([])
    axes.grid(visible=False)
    for rank in range(1, len(order) + 1):
        axes.axvline(rank, color=GRID, linewidth=0.8)
    for row, k in enumerate(order):
        top, x = ROW * row, float(means[k])
        color = series_style(standing.methods[k].index)["color"]
        axes.plot([x], [top + 0.75 * ROW], "o", markersize=7, color=color)
        axes.text(
            0.01,
            top + 0.3 * ROW,
            f"{x:.2f}  {standing.methods[k].label}",
            transform=axes.get_yaxis_transform(),
            va="center_baseline",
            color=INK,
            bbox=PLATE,
        )
    for place, group in enumerate(standing.groups):
        y = ROW * len(order) + BAR * place + 6
        ends = [float(means[group].min()) - 0.04, float(means[group].max()) + 0.04]
        axes.plot(ends, [y, y], linewidth=3.2, color=MUTED)
    plain_axis(axes, "x", integer=True)
    name_axes(axes, "mean rank", "")
    return finish(figure, name, "Mean ranks with groups that a test does not tell apart")
