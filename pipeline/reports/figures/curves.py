"""The figures of a report: each function takes runs and returns one inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter

from pipeline.reports.figures.style import (
    GRID,
    INK,
    MUTED,
    PAPER,
    Entry,
    drawn,
    finish,
    log_axis,
    name_axes,
    panel,
    percent_axis,
    plain_axis,
    series_style,
    short,
)
from pipeline.results.data import Method, MethodRuns
from pipeline.results.statistics import Estimate, Floats, ecdf, wilson_interval

HEIGHT = 230.0
BAND = 0.11  # opacity of an interval's shading
PLATE = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0}  # under text that crosses a line
SHORTEST = 1e-3  # seconds: nothing shorter is told apart on a logarithmic axis


@dataclass(frozen=True)
class Interval:
    """One row of a dot-and-interval figure: a method, its reference, and their difference."""

    label: str
    against: str
    estimate: Estimate
    method: Method


@dataclass(frozen=True)
class SweepLine:
    """Median and quartiles of playouts to solve against a family parameter, shape (values,).

    Infinite where the quartile run was not solved within `budget`.
    """

    label: str
    index: int
    dashes: str
    x: Floats
    low: Floats
    median: Floats
    high: Floats
    budget: float


def method_style(method: Method) -> dict[str, Any]:
    """Colour and dashes of a method: no prior is dashed, an outside solver dotted."""
    dashes = "dotted" if method.is_peer else "dashed" if method.is_baseline else "solid"
    return series_style(method.index, dashes)


def _share_lines(axes: Axes, methods: Sequence[MethodRuns], values: list[Floats]) -> None:
    """Draw the solved share of each method as steps with a Wilson band, up to the right edge."""
    left, right = axes.get_xlim()
    for runs, events in zip(methods, values, strict=True):
        at, _ = ecdf(events)
        inside = (at > left) & (at <= right)
        x = np.concatenate([[left], at[inside], [right]])
        solved = np.searchsorted(np.sort(events), x, side="right")
        total = events.size
        low, high = wilson_interval(solved, total)
        style = method_style(runs.method)
        axes.fill_between(x, low, high, step="post", color=style["color"], alpha=BAND, linewidth=0)
        axes.step(x, solved / total, where="post", **style)


def legend_of(methods: Sequence[MethodRuns], values: Sequence[str]) -> list[Entry]:
    """Entries of the legend, each method with a value."""
    return [
        Entry(runs.method.label, method_style(runs.method), value)
        for runs, value in zip(methods, values, strict=True)
    ]


def _best_first(methods: Sequence[MethodRuns]) -> list[MethodRuns]:
    """Methods by share solved, the order in which their lines end."""
    return sorted(methods, key=lambda runs: (-runs.solved.mean(), runs.method.index))


def _percent(runs: MethodRuns) -> str:
    return f"{100 * runs.solved.mean():.0f}%"


@drawn
def solved_against_playouts(methods: Sequence[MethodRuns], name: str) -> str:
    """Share of runs solved within a number of playouts, with Wilson bands."""
    methods = _best_first(methods)
    figure, axes = panel(HEIGHT, legend_of(methods, [_percent(runs) for runs in methods]))
    finite = np.concatenate([runs.playouts[runs.solved] for runs in methods] or [np.ones(0)])
    low = max(1.0, float(np.quantile(finite, 0.02)) / 2) if finite.size else 1.0
    log_axis(axes, "x", low, max(runs.budget for runs in methods))
    _share_lines(axes, methods, [runs.playouts for runs in methods])
    percent_axis(axes)
    name_axes(axes, "playouts", "runs solved")
    return finish(figure, name, "Share of runs solved against playouts")


@drawn
def solved_against_seconds(methods: Sequence[MethodRuns], name: str) -> str:
    """Share of runs solved within a number of seconds, outside solvers included."""
    methods = _best_first(methods)
    figure, axes = panel(HEIGHT, legend_of(methods, [_percent(runs) for runs in methods]))
    seconds = np.concatenate([runs.seconds for runs in methods])
    log_axis(axes, "x", max(float(seconds.min()) / 1.5, SHORTEST), float(seconds.max()))
    _share_lines(axes, methods, [runs.seconds_to_solve for runs in methods])
    percent_axis(axes)
    name_axes(axes, "seconds", "runs solved")
    return finish(figure, name, "Share of runs solved against seconds")


@drawn
def cactus(methods: Sequence[MethodRuns], name: str) -> str:
    """Seconds of each solved run, fastest first: further right and lower is better."""
    methods = _best_first(methods)
    counts = [f"{int(runs.solved.sum()):,}" for runs in methods]
    figure, axes = panel(HEIGHT, legend_of(methods, counts))
    finite = np.concatenate([runs.seconds[runs.solved] for runs in methods])
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (SHORTEST, 1.0)
    log_axis(axes, "y", max(low / 1.5, SHORTEST), max(high * 1.2, 2 * SHORTEST))
    for runs in methods:
        seconds = np.sort(runs.seconds[runs.solved])
        axes.plot(np.arange(1, seconds.size + 1), seconds, **method_style(runs.method))
    axes.set_xlim(0, max(runs.solved.size for runs in methods))
    plain_axis(axes, "x", integer=True)
    name_axes(axes, "runs solved", "seconds each")
    return finish(figure, name, "Seconds of each solved run, fastest first")


@drawn
def paired_differences(rows: Sequence[Interval], name: str, unit: str = "") -> str:
    """Dots with intervals around no difference of a `unit`; without one values are log2 ratios."""
    factor = not unit
    lines = 2 if max(len(f"{row.label} {row.against}") for row in rows) > 52 else 1
    pitch = 28.0 + 15 * lines
    figure, axes = panel(pitch * len(rows) + 6, [], left=16, top=4)
    ends = [x for row in rows for x in row.estimate if np.isfinite(x)] + [0.0]
    low, high = min(ends), max(ends)
    pad = 0.12 * max(high - low, 1.0 if factor else 1e-9)
    axes.set_xlim(low - pad, high + pad)
    axes.set_ylim(len(rows) * pitch, 0)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.axvline(0, color=GRID)
    for place, row in enumerate(rows):
        text, dot = (place * pitch, place * pitch + 15 * lines + 9)
        style = series_style(row.method.index)
        value, start, end = row.estimate
        axes.plot([0, 0], [dot - 8, dot + 8], linewidth=1.4, color=MUTED)
        axes.plot([start, end], [dot, dot], linewidth=2.4, color=style["color"])
        axes.plot([value], [dot], marker="o", markersize=7, color=style["color"])
        parts = [f"{row.label} {row.against}"] if lines == 1 else [row.label, row.against]
        for line, part in enumerate(parts):
            axes.text(
                low - pad, text + 8 + 15 * line, part, va="center_baseline", color=INK, bbox=PLATE
            )
    if factor:
        whole = np.arange(np.ceil(low - pad), np.floor(high + pad) + 1)
        axes.xaxis.set_major_locator(FixedLocator(whole[:: max(1, len(whole) // 8)].tolist()))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _times(value)))
        name_axes(axes, f"how many times fewer playouts (left of {_times(0)}: more)", "")
    else:
        plain_axis(axes, "x")
        name_axes(axes, unit, "")
    return finish(figure, name, "Paired differences with bootstrap intervals")


def _times(log2: float) -> str:
    sign = "\N{MULTIPLICATION SIGN}"
    return f"1/{2**-log2:.0f}{sign}" if log2 < 0 else f"{short(2**log2)}{sign}"


@drawn
def median_against_parameter(lines: Sequence[SweepLine], parameter: str, name: str) -> str:
    """Median playouts to solve against a family parameter, quartiles shaded.

    A median beyond the budget is an open marker at the budget.
    """
    legend = [Entry(line.label, series_style(line.index, line.dashes)) for line in lines]
    figure, axes = panel(HEIGHT, legend)
    budget = max(line.budget for line in lines)
    lowest = min(float(np.minimum(line.low, line.budget).min()) for line in lines)
    log_axis(axes, "y", max(lowest / 1.3, 0.7), budget * 1.3)
    axes.axhline(budget, color=MUTED, linewidth=0.8, linestyle=(0, (1, 2)))
    for line in lines:
        style = series_style(line.index, line.dashes)
        shown = np.minimum(line.median, line.budget)
        low, high = (np.minimum(side, line.budget) for side in (line.low, line.high))
        axes.fill_between(line.x, low, high, color=style["color"], alpha=BAND, linewidth=0)
        axes.plot(line.x, shown, **style)
        beyond = ~np.isfinite(line.median)
        for chosen, face in ((~beyond, style["color"]), (beyond, "none")):
            axes.plot(
                line.x[chosen], shown[chosen], "o", markersize=5.5, color=style["color"], mfc=face
            )
    plain_axis(axes, "x")
    name_axes(axes, parameter.replace("_", " "), "median playouts to solve")
    return finish(figure, name, f"Median playouts to solve against {parameter}")
