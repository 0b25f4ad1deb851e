"""First table of a report over several domains: the gain by a prior on each."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.reports.blocks import Cell, Row, Table
from pipeline.reports.comparisons import compare
from pipeline.reports.drawings import title
from pipeline.reports.headline import best_of_each
from pipeline.reports.result_tables import (
    DASH,
    budget_words,
    factor,
    gap_percent,
    interval,
    number,
    percent,
    percent_range,
)
from pipeline.results.data import Family, MethodRuns
from pipeline.results.statistics import mean_interval, median_interval, proportion
from pipeline.results.targets import final_gaps


def overview(families: Sequence[Family]) -> Table:
    """One row a family: the best method with a prior, the best without, the gain."""
    rows = []
    domain = ""
    for family in families:
        best, baseline = best_of_each(family)
        against = "" if baseline is None else f" against {baseline.method.label}"
        allowed = f"within {budget_words(family.methods)}"
        pair = None if baseline is None else compare(baseline, best, family)
        gain = None if pair is None else pair.gain if pair.targets is None else pair.targets
        cells = [
            Cell(family.name, f"{allowed}: {best.method.label}{against}"),
            Cell(DASH) if gain is None else Cell(factor(gain.value), interval(gain, factor)),
            _cell(best, family),
            Cell(DASH) if baseline is None else _cell(baseline, family),
        ]
        group = "" if family.domain == domain else f"{title(family.domain)}, {_measure(family)}"
        rows.append(Row(cells, group))
        domain = family.domain
    header = ["Instances, budget of a run, best methods", "Fewer playouts", "Prior", "No prior"]
    note = (
        "The best method with a prior against the best without, of those below. Fewer playouts: to "
        "solve an instance, or to reach the targets of an optimisation problem; the same numbers "
        "lead the paired differences of the sections. With 95% intervals."
    )
    return Table("What a prior is worth", header, rows, note, answer=1)


def _measure(family: Family) -> str:
    if family.decision:
        return "share solved"
    return "median gap to the least cost" if family.is_cost else "mean score"


def _cell(runs: MethodRuns, family: Family) -> Cell:
    if family.decision:
        share = proportion(runs.solved)
        return Cell(percent(share.value), percent_range(share), share.value)
    if family.is_cost:
        gap = median_interval(final_gaps(runs, family))
        return Cell(gap_percent(gap.value), interval(gap, gap_percent))
    mean = mean_interval(runs.score)
    return Cell(number(mean.value), interval(mean, number))
