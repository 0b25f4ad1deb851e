"""Section of a report on all methods together: ranks, the virtual best, performance profiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pipeline.reports.blocks import Block, Cell, Drawing, Drawings, Row, Table
from pipeline.reports.figures import standings as figures
from pipeline.reports.result_tables import count, number, percent, seconds
from pipeline.results.data import Family
from pipeline.results.standings import (
    LEVEL,
    PLAYOUTS,
    SCORE,
    SECONDS,
    Standings,
    standings,
)
from pipeline.results.statistics import Floats

#: With more methods nobody reads a diagram.
MOST_METHODS = 12
#: With fewer a rank says no more than the paired differences.
FEWEST_METHODS = 3


def standing_blocks(family: Family, name: str) -> Iterator[Block]:
    """Yield a table and two figures of three methods or more on the same instances."""
    standing = standings(family)
    if standing is None or not FEWEST_METHODS <= len(standing.methods) <= MOST_METHODS:
        return
    yield _table(standing)
    profile = f"{name}-profile"
    drawings = [Drawing(profile, figures.profile(standing, profile), _PROFILE[standing.unit])]
    if standing.costs.shape[1] > 1:
        ranks = f"{name}-ranks"
        caption = (
            "Mean ranks, 1 is best; a bar joins methods that Wilcoxon's signed-rank test with "
            f"Holm's correction does not tell apart at {100 * LEVEL:.0f}%."
        )
        drawings.append(Drawing(ranks, figures.ranks(standing, ranks), caption))
    yield Drawings(drawings)


_PROFILE = {
    PLAYOUTS: "Performance profile: share of instances solved within so many times the best "
    "method's playouts.",
    SECONDS: "Performance profile: share of instances solved within so many times the best "
    "method's seconds.",
    SCORE: "Share of instances on which a method's score is within a gap of the best method's.",
}


def _table(standing: Standings) -> Table:
    shown = seconds if standing.unit == SECONDS else count
    order = np.argsort(standing.ranks.mean(axis=1), kind="stable").tolist()
    rows = []
    for k in order:
        cells = [Cell(standing.methods[k].label), Cell(number(float(standing.ranks[k].mean())))]
        rows.append(Row([*cells, Cell(percent(float(standing.is_best[k].mean()))),
                         Cell(_mean(standing, standing.costs[k], shown))]))  # fmt: skip
    best = _mean(standing, standing.virtual_best, shown)
    rows.append(Row([Cell("Virtual best of all"), Cell(""), Cell(""), Cell(best)]))
    measure = "Mean score" if standing.unit == SCORE else f"PAR-2 {standing.unit}"
    note = (
        f"Of the {standing.costs.shape[1]:,} instances that all methods ran on. Rank 1 is the best "
        "method of an instance, ties share ranks; best on: share of instances with no better "
        "method. The virtual best takes for each instance what is best there: what choosing well "
        "would be worth."
    )
    if standing.unit != SCORE:
        note += " An instance that is not solved counts as twice the limit."
    return Table("All methods together", ["Method", "Mean rank", "Best on", measure], rows, note)


def _mean(standing: Standings, costs: Floats, shown: Callable[[float], str]) -> str:
    """Mean cost, or score, as a cell."""
    mean = float(costs.mean())
    if standing.unit == SCORE:
        return number(-mean if np.isfinite(mean) else np.nan)
    return shown(mean)
