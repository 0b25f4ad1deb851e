"""Curves over rounds of learning, from kept rows: `python -m benchmarks.rounds_figure`.

Gains over the first table at equal playouts, with 95 % intervals, of the problems that have rows in
`docs/results/rounds`. Writes `docs/figures/rounds.svg`; `--check` only says if it is the one there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from benchmarks.kept import KeptLines
from benchmarks.priors import PLAYOUTS
from benchmarks.rounds import FOLDER, TABLES, Problem, gain, read_plan
from pipeline.reports.figures.style import (
    INK,
    MUTED,
    SERIES,
    TEXT,
    WIDTH,
    drawn,
    finish,
    plain_axis,
    resolve,
)
from pipeline.results.statistics import Estimate
from solver.commands.options import new_parser, run_command
from solver.system.files import replacing

FIGURE = FOLDER.parent.parent / "figures" / "rounds.svg"
#: Points: height of a panel, of what is above and below it; and what is left of it.
HEIGHT, ABOVE, BELOW, LEFT = 120.0, 44.0, 26.0, 44.0
COLUMNS = 2
DESCRIPTION = "Gain over the first table, by round, with 95 % intervals: a panel for each problem."

Curve = list[Estimate]
"""Gain of each table over the first."""


def unit(problem: Problem) -> str:
    """Unit of a gain."""
    if problem.is_game:
        return "points of 100 over an even match"
    return "doublings of playouts" if problem.is_solved else "points"


def curves() -> list[tuple[Problem, Curve]]:
    """Problems that have rows, and their curves."""
    found = []
    for name, problem in read_plan().items():
        path = FOLDER / f"{name}.jsonl"
        if path.exists():
            rows = [row for row in KeptLines(path).values if "budget" in row]
            gains = (gain(rows, problem, PLAYOUTS, n, 1) for n in range(1, TABLES + 1))
            found.append((problem, [one or Estimate(0.0, 0.0, 0.0) for one in gains]))
    return found


@drawn
def draw(found: Sequence[tuple[Problem, Curve]]) -> str:
    """Return the figure as an SVG that stands alone."""
    lines = -(-len(found) // COLUMNS)
    total = lines * (ABOVE + HEIGHT + BELOW) + 14
    figure = Figure(figsize=(WIDTH / 72, total / 72), dpi=72, facecolor="none")
    for place, (problem, curve) in enumerate(found):
        line, column = divmod(place, COLUMNS)
        left = column * WIDTH / COLUMNS + LEFT
        bottom = total - (line + 1) * (ABOVE + HEIGHT + BELOW) + BELOW
        width = WIDTH / COLUMNS - LEFT - 8
        axes = figure.add_axes((left / WIDTH, bottom / total, width / WIDTH, HEIGHT / total))
        values = np.array(curve)
        x = np.arange(1, len(curve) + 1)
        axes.axhline(0, color=MUTED, linewidth=1)
        spread = [values[:, 0] - values[:, 1], values[:, 2] - values[:, 0]]
        axes.errorbar(x, values[:, 0], spread, color=SERIES[0], marker="o", markersize=4, capsize=3)
        axes.set_xlim(0.7, len(curve) + 0.3)
        axes.set_xticks(x)
        plain_axis(axes, "y")
        top = (bottom + HEIGHT) / total
        where = (left - LEFT + 8) / WIDTH
        figure.text(where, top + 28 / total, problem.title, color=INK, fontsize=TEXT - 1)
        figure.text(where, top + 12 / total, unit(problem), color=MUTED, fontsize=TEXT - 2)
    figure.text(0.5, 4 / total, "round", color=INK, ha="center")
    return resolve(finish(figure, "rounds", DESCRIPTION))


def run(argv: Sequence[str]) -> int:
    """Write the figure, or check it; returns the exit status."""
    parser = new_parser("python -m benchmarks.rounds_figure", __doc__ or "", "")
    parser.add_argument("--check", action="store_true", help="write nothing, 1 if it differs")
    check = parser.parse_args(argv).check
    made = draw(curves())
    if check:
        return int(made != FIGURE.read_text(encoding="utf-8"))
    with replacing(FIGURE) as temporary:
        temporary.write_text(made, encoding="utf-8")
    sys.stdout.write(f"{FIGURE}\n")
    return 0


if __name__ == "__main__":
    run_command("python -m benchmarks.rounds_figure", run)
