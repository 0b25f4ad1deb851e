"""The figures of a fit: what each code is worth, and its calibration, as inline SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.reports.figures.style import (
    GRID,
    HEAT,
    INK,
    MUTED,
    drawn,
    finish,
    name_axes,
    panel,
    plain_axis,
)

#: Points of a bar with the words above it.
BAR_PITCH = 34.0
HEIGHT = 161.0


@drawn
def worth_bars(codes: Sequence[Mapping[str, Any]], name: str) -> str:
    """Draw what held-out decisions lose without each code, in nats, with its interval."""
    gains = [code["gain"] for code in codes]
    places = np.arange(len(codes)) * BAR_PITCH
    height = float(places[-1]) + BAR_PITCH
    figure, axes = panel(height, [], left=16, top=6)
    low = min(0.0, *(gain["low"] for gain in gains))
    high = max(0.0, *(gain["high"] for gain in gains)) or 1e-6
    axes.set_xlim(low, low + 1.25 * (high - low))
    axes.set_ylim(height, 0)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.axvline(0.0, color=GRID, linewidth=0.8)
    for place, code, gain in zip(places, codes, gains, strict=True):
        axes.barh(place + 24, gain["value"], height=9, color=HEAT)
        axes.plot([gain["low"], gain["high"]], [place + 24] * 2, color=INK, linewidth=1.0)
        axes.text(low, place + 11, code["code"], va="center_baseline", color=INK)
        axes.text(
            low + 1.25 * (high - low), place + 24, f"{gain['value']:.4f}",
            va="center_baseline", ha="right", color=MUTED,
        )  # fmt: skip
    plain_axis(axes, "x")
    name_axes(axes, "nats a decision lost without it", "")
    return finish(figure, name, "What each code of the prior is worth on held-out instances")


@drawn
def calibration_line(bins: Sequence[Mapping[str, Any]], name: str) -> str:
    """Draw the share of moves that were right against the probability that they were given."""
    figure, axes = panel(HEIGHT, [])
    axes.plot([0, 1], [0, 1], color=GRID, linewidth=0.8)
    given, right = ([one[key] for one in bins] for key in ("probability", "right"))
    axes.plot(given, right, color=HEAT, marker="o", markersize=3.5, linewidth=1.2)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    plain_axis(axes, "x")
    plain_axis(axes, "y")
    name_axes(axes, "probability given to a move", "share that was right")
    return finish(figure, name, "Calibration of the prior on held-out instances")
