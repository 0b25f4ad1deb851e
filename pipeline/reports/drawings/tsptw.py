"""A tour with time windows as a schedule: costs come as a matrix, there is no map to draw."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from pipeline.reports.drawings.svg import document, labels, style
from pipeline.reports.figures.style import short
from solver.contract.domain import Problem
from solver.domains.tsptw.kernels import DUE_RANKS, NEAR_STEPS
from solver.system.svg import lines, rectangles

TITLE = "Tours with time windows"
NOTE = "Rows are visits, in order; across is time."
VALUES = {
    "due": (*map(str, range(DUE_RANKS - 1)), f"{DUE_RANKS - 1}+"),
    "soon": ("first", "second", "later"),
}
WIDTH = 440.0
LEFT, RIGHT, TOP, BOTTOM = 34.0, 20.0, 6.0, 46.0
ROW = 13.0


def draw(problem: Problem, answer: Any) -> str:
    """Draw a row for each visit: the window as a bar, the way there, waiting, the arrival."""
    data, n = problem.data, len(problem.data)
    tour = answer.tolist()
    now = float(data[0, n])
    legs = []  # node, departure, arrival, service
    for here, there in pairwise(tour):
        arrival = now + float(data[here, there])
        service = max(arrival, float(data[there, n])) if there else arrival
        legs.append((there, now, arrival, service))
        now = service
    begin, end = float(data[0, n]), max(leg[3] for leg in legs)
    scale = (WIDTH - LEFT - RIGHT) / max(end - begin, 1e-9)

    def at(time: float) -> float:
        return LEFT + (min(max(time, begin), end) - begin) * scale

    windows, travel, waiting, names = [], [], [], []
    marks: list[tuple[float, float, float, float]] = []
    late: list[tuple[float, float, float, float]] = []
    for row, (node, departure, arrival, service) in enumerate(legs):
        y = TOP + (row + 0.5) * ROW
        opens, closes = (at(float(time)) for time in data[node, n : n + 2])
        windows.append((opens, y - 0.36 * ROW, max(closes - opens, 1.0), 0.72 * ROW))
        travel.append((at(departure), y, at(arrival), y))
        if service > arrival:
            waiting.append((at(arrival), y, at(service), y))
        tick = (at(service), y - 0.42 * ROW, at(service), y + 0.42 * ROW)
        (late if arrival > data[node, n + 1] else marks).append(tick)
        names.append((LEFT - 6, y, str(node)))
    foot = TOP + len(legs) * ROW
    ticks = [begin + k * (end - begin) / 4 for k in range(5)]
    parts = [
        lines([(at(t), TOP, at(t), foot) for t in ticks], style(stroke="grid")),
        rectangles(windows, style("heat", opacity=0.3)),
        lines(travel, style(stroke="series-2", width=2)),
        lines(waiting, f'{style(stroke="series-2", width=1.4)} stroke-dasharray="1.5 2.5"'),
        lines(marks, style(stroke="ink", width=2)),
        lines(late, style(stroke="series-5", width=3)),
        labels(names, 10, "muted", anchor="end"),
        labels([(at(t), foot + 10, short(round(t))) for t in ticks], 10.5, "muted"),
        *_legend(foot + 32),
    ]
    return document(WIDTH, foot + BOTTOM, f"Schedule of a tour of {n} nodes", parts)


def _legend(y: float) -> list[str]:
    """Samples of the bar and of the three kinds of lines."""
    names = ("window", "travel", "waiting", "service")
    x = [LEFT + k * (WIDTH - LEFT) / len(names) for k in range(len(names))]
    dashed = f'{style(stroke="series-2", width=1.4)} stroke-dasharray="1.5 2.5"'
    return [
        rectangles([(x[0], y - 5, 18, 10)], style("heat", opacity=0.3)),
        lines([(x[1], y, x[1] + 18, y)], style(stroke="series-2", width=2)),
        lines([(x[2], y, x[2] + 18, y)], dashed),
        lines([(x[3] + 9, y - 5.5, x[3] + 9, y + 5.5)], style(stroke="ink", width=2)),
        labels(
            [(at + 24, y, name) for at, name in zip(x, names, strict=True)], 11.5, anchor="start"
        ),
    ]


def words(prior: str, code: Mapping[str, int]) -> str | None:
    """Distance, due time and service of the next node among those left."""
    if prior != "next" or "near" not in code:
        return None
    near, due = code["near"], code["due"]
    far = ["nearest", "slightly farther"][near] if near < 2 else f"farther, step {near}"
    far += " or more" if near == NEAR_STEPS - 1 else ""
    earlier = f"{due}{' or more' if due == DUE_RANKS - 1 else ''} due earlier"
    return f"{far}; {earlier}; served {('first', 'second', 'later')[code['soon']]}"
