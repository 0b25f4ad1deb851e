"""The figures of optimisation problems: scores, gaps and targets, as inline SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from pipeline.reports.figures.curves import BAND, HEIGHT, SHORTEST, legend_of, method_style
from pipeline.reports.figures.style import (
    drawn,
    finish,
    log_axis,
    name_axes,
    panel,
    percent_axis,
    plain_axis,
    short,
)
from pipeline.results.data import Family, MethodRuns
from pipeline.results.statistics import Floats, best_so_far, mean_curve, median_curve
from pipeline.results.targets import final_gaps, gaps_at, reached_at, targets_reached

POINTS = 80  # budgets at which a curve is computed

Curve = Callable[[MethodRuns, Floats], tuple[Floats, Floats, Floats]]
"""Value, lower and upper end of the interval of a method at budgets of shape (budgets,)."""


def _ends(methods: Sequence[MethodRuns], unit: str) -> list[float]:
    """Return the end of each method's curve: its budget in playouts, or its longest run."""
    if unit == "seconds":
        return [float(runs.seconds.max()) for runs in methods]
    return [max(runs.budget if np.isfinite(runs.budget) else 1.0, 2.0) for runs in methods]


def _curves(
    methods: Sequence[MethodRuns], values: Sequence[str], unit: str, curve: Curve
) -> tuple[Figure, Axes]:
    """Draw `curve` of each method against playouts or seconds, with `values` in the legend."""
    figure, axes = panel(HEIGHT, legend_of(methods, values))
    ends = _ends(methods, unit)
    right = max(ends, default=2.0)
    left = 1.0 if unit == "playouts" else max(SHORTEST, right / 1e4)
    log_axis(axes, "x", left, right)
    for runs, end in zip(methods, ends, strict=True):
        x = np.geomspace(left, max(end, left * 1.01), POINTS) * (1 + 1e-12)
        middle, low, high = (np.where(np.isfinite(y), y, np.nan) for y in curve(runs, x))
        style = method_style(runs.method)
        axes.fill_between(x, low, high, color=style["color"], alpha=BAND, linewidth=0)
        axes.plot(x, middle, **style)
    return figure, axes


def _score(value: float) -> str:
    return short(value) if np.isfinite(value) else "–"


@drawn
def score_against(methods: Sequence[MethodRuns], unit: str, name: str) -> str:
    """Mean best score so far against playouts or seconds, with bootstrap bands."""
    methods = sorted(methods, key=lambda r: (-r.mean_score, r.method.index))

    def curve(runs: MethodRuns, x: Floats) -> tuple[Floats, Floats, Floats]:
        return mean_curve(
            np.array([best_so_far(getattr(t, unit), t.score, x) for t in runs.traces])
        )

    figure, axes = _curves(methods, [_score(r.mean_score) for r in methods], unit, curve)
    plain_axis(axes, "y")
    name_axes(axes, unit, "mean best score")
    return finish(figure, name, f"Mean best score against {unit}")


@drawn
def gap_against(family: Family, methods: Sequence[MethodRuns], unit: str, name: str) -> str:
    """Median gap to the best score known against playouts or seconds, with bootstrap bands."""
    ends = {r.method.index: float(np.median(final_gaps(r, family))) for r in methods}
    methods = sorted(methods, key=lambda r: (ends[r.method.index], r.method.index))

    def curve(runs: MethodRuns, x: Floats) -> tuple[Floats, Floats, Floats]:
        return median_curve(gaps_at(runs, family, unit, x))

    values = [_percent(ends[r.method.index]) for r in methods]
    figure, axes = _curves(methods, values, unit, curve)
    axes.set_ylim(0, min(axes.get_ylim()[1], 1.0))
    plain_axis(axes, "y")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.3g}%"))
    name_axes(axes, unit, "median gap")
    return finish(figure, name, f"Median gap to the best score known against {unit}")


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%" if np.isfinite(share) else "–"


@drawn
def targets_against(family: Family, methods: Sequence[MethodRuns], unit: str, name: str) -> str:
    """Share of the pairs of instance and target reached against playouts or seconds."""
    ends = {r.method.index: float(targets_reached(r, family).mean()) for r in methods}
    methods = sorted(methods, key=lambda r: (-ends[r.method.index], r.method.index))

    def curve(runs: MethodRuns, x: Floats) -> tuple[Floats, Floats, Floats]:
        at = reached_at(runs, family, unit)
        return mean_curve((at[:, :, None] <= x).mean(axis=1))

    values = [f"{100 * ends[r.method.index]:.0f}%" for r in methods]
    figure, axes = _curves(methods, values, unit, curve)
    percent_axis(axes)
    name_axes(axes, unit, "targets reached")
    return finish(figure, name, f"Share of targets reached against {unit}")
