"""The tables of a report, as rows of text cells that both templates print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipeline.report_data import Family, MethodRuns, Prior
from pipeline.report_results import Pair
from pipeline.statistics import (
    Estimate,
    Floats,
    best_so_far,
    mean_interval,
    median_interval,
    par2,
    proportion,
)

MINUS, TIMES, DASH, INFINITE = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}", "–", "∞"
CODES = 8  # strongest and weakest codes shown of a prior


@dataclass(frozen=True)
class Cell:
    """Text of a cell, its smaller second half, and a share in [0, 1] that shades it."""

    text: str
    small: str = ""
    share: float | None = None


@dataclass(frozen=True)
class Row:
    """Cells of a row; `group` is a heading above it, where it starts a group."""

    cells: list[Cell]
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A table; the first `words` columns are text, the others are aligned as numbers."""

    caption: str
    header: list[str]
    rows: list[Row]
    note: str = ""
    words: int = 1
    folded: bool = False  # shown closed, to be opened by the reader
    kind: str = field(default="table", init=False)


def percent(share: float) -> str:
    """Whole percent; a decimal where rounding would say 0% or 100% of something else."""
    if not np.isfinite(share):
        return DASH
    value = 100 * share
    whole, decimal = f"{value:.0f}", f"{value:.1f}"
    near_the_end = whole in ("0", "100") and float(decimal) != float(whole)
    return f"{decimal if near_the_end else whole}%"


def count(value: float) -> str:
    """Playouts: grouped thousands, a decimal only below ten."""
    if np.isinf(value):
        return INFINITE
    text = f"{value:,.1f}" if value < 10 and value != round(value) else f"{value:,.0f}"
    return text if np.isfinite(value) else DASH


def number(value: float) -> str:
    """Seconds and scores: three significant digits, or all digits before the point."""
    if np.isinf(value):
        return INFINITE
    if np.isnan(value):
        return DASH
    size = abs(value)
    text = f"{value:,.0f}" if size >= 1000 else f"{value:#.3g}" if size >= 1e-4 else f"{value:.1g}"
    return text.rstrip(".").replace("-", MINUS)


def seconds(value: float) -> str:
    """Seconds; shorter times than a millisecond are not told apart."""
    return "<0.001" if value < 1e-3 else number(value)


def between(low: str, high: str, dash: str = DASH) -> str:
    """An interval of two written numbers."""
    return low if low == high else f"{low}{dash}{high}"


def signed(text: str) -> str:
    """A difference with its sign; none for zero."""
    return text if text.startswith(MINUS) or text == "0" else f"+{text}"


def percent_range(estimate: Estimate) -> str:
    """Interval of a share, with one percent sign."""
    return f"{percent(estimate.low).rstrip('%')}{DASH}{percent(estimate.high)}"


def factor(log2: float) -> str:
    """A ratio as a multiple: 3.2 times as many."""
    ratio = 2.0**log2
    return f"{ratio:,.0f}{TIMES}" if ratio >= 9.95 else f"{ratio:#.2g}{TIMES}"


def summary(families: Sequence[Family], grouped: bool) -> Table:
    """One row per method: solved, playouts and seconds; or the score, for optimisation."""
    rows = [
        Row(_summary_cells(runs, family), family.name if grouped and place == 0 else "")
        for family in families
        for place, runs in enumerate(family.methods)
    ]
    caption = "Summary of each family" if grouped else "Summary"
    if families[0].decision:
        header = ["Method", "Solved", "Share", "Median playouts", "Median seconds", "PAR-2 seconds"]
        return Table(caption, header, rows, _summary_note(families), folded=grouped)
    header = ["Method", "Runs", "Mean score", "Best", "Median seconds"]
    note = "Higher scores are better. Seconds are those of the whole search."
    if all(bool(r.solved.all()) for f in families for r in f.methods):
        rows = [Row(row.cells[:2] + row.cells[3:], row.group) for row in rows]
    else:
        header.insert(2, "Valid")
    return Table(caption, header, rows, note, folded=grouped)


def _summary_note(families: Sequence[Family]) -> str:
    limits = [seconds(family.time_limit) for family in families]
    set_by_hand = any(np.isfinite(r.budget_seconds) for f in families for r in f.methods)
    limit = "the time limit" if set_by_hand else "the longest search, as no time limit was set"
    penalty = f"twice {limits[0]} s, {limit}," if len(set(limits)) == 1 else f"twice {limit}"
    return (
        "Median playouts and seconds to solve; unsolved runs count as infinite. PAR-2: mean "
        f"seconds, where an unsolved run counts {penalty}".rstrip(",")
        + "."
    )


def _summary_cells(runs: MethodRuns, family: Family) -> list[Cell]:
    share = proportion(runs.solved)
    solved, total = int(runs.solved.sum()), runs.solved.size
    if not family.decision:
        mean = mean_interval(runs.score)
        return [
            Cell(runs.method.label),
            Cell(f"{total:,}"),
            Cell(f"{solved:,}/{total:,}"),
            Cell(number(mean.value), f"{number(mean.low)} to {number(mean.high)}"),
            Cell(number(float(np.fmax.reduce(runs.score)))),
            Cell(seconds(float(np.median(runs.seconds)))),
        ]
    playouts = Cell(DASH)
    if not runs.method.is_peer:
        median = median_interval(runs.playouts)
        small = between(count(median.low), count(median.high))
        unsolved = f"; {total - solved:,} unsolved" if solved < total else ""
        playouts = Cell(count(median.value), small + unsolved)
    time = median_interval(runs.seconds_to_solve)
    return [
        Cell(runs.method.label),
        Cell(f"{solved:,}/{total:,}"),
        Cell(percent(share.value), percent_range(share), share.value),
        playouts,
        Cell(seconds(time.value), between(seconds(time.low), seconds(time.high))),
        Cell(seconds(par2(runs.seconds, runs.solved, family.time_limit))),
    ]


def by_budget(families: Sequence[Family], budgets: Sequence[float], grouped: bool) -> Table:
    """The papers' table: percent solved, or mean score, within each number of playouts."""
    decision = families[0].decision
    rows = []
    for family in families:
        for place, runs in enumerate(family.searches):
            cells = [Cell(runs.method.label)]
            cells += [_budget_cell(runs, budget, decision) for budget in budgets]
            rows.append(Row(cells, family.name if grouped and place == 0 else ""))
    what = "Runs solved" if decision else "Mean best score"
    note = (
        "A run that was solved counts for its own number of playouts and every larger one. "
        "With 95% Wilson intervals."
        if decision
        else "With 95% bootstrap intervals."
    )
    if any(np.isfinite(r.budget_seconds) for family in families for r in family.searches):
        stopped = "counts as unsolved" if decision else "keeps its score"
        note += f" A run that its time limit stopped {stopped} at every larger budget."
    where = ", each family" if grouped else ""
    header = ["Playouts", *(count(budget) for budget in budgets)]
    return Table(f"{what} within a number of playouts{where}", header, rows, note, folded=grouped)


def _budget_cell(runs: MethodRuns, budget: float, decision: bool) -> Cell:
    if budget > runs.budget:
        return Cell(DASH)
    if decision:
        share = proportion(runs.solved_within(budget))
        return Cell(percent(share.value), percent_range(share), share.value)
    scores = [best_so_far(t.playouts, t.score, np.array([budget]))[0] for t in runs.traces]
    mean = mean_interval(np.array(scores))
    return Cell(number(mean.value), f"{number(mean.low)} to {number(mean.high)}")


def paired(groups: Sequence[tuple[str, Sequence[Pair]]]) -> Table:
    """Differences per instance between the priors of the same search, by named groups."""
    pairs = [pair for _, group in groups for pair in group]
    grouped = any(name for name, _ in groups)
    caption = "Paired differences" + (", each family" if grouped else "")
    rows = [
        Row(_paired_cells(pair), name if place == 0 else "")
        for name, group in groups
        for place, pair in enumerate(group)
    ]
    if not pairs[0].decision:
        note = "Mean over instances of the difference of the scores; above zero is better."
        header = ["Candidate", "Instances", "Score gained"]
        return Table(caption, header, rows, note, folded=grouped)
    budgets = " or ".join(count(budget) for budget in sorted({p.budget for p in pairs}))
    note = (
        "Fewer playouts: geometric mean over instances of the other method's playouts to solve "
        f"divided by the candidate's, so 2{TIMES} is half the playouts. An unsolved run counts as "
        f"solved where it ended (of at most {budgets} playouts). 95% bootstrap "
        "intervals over instances; Wilson where each instance has one seed, for the last two."
    )
    header = ["Candidate", "Instances", "Fewer playouts", "Share solved"]
    header += ["Only it solves", "Only the other"]
    return Table(caption, header, rows, note, folded=grouped)


def _paired_cells(pair: Pair) -> list[Cell]:
    method = Cell(pair.candidate.label, f"against {pair.baseline.label}")
    names = [method, Cell(f"{pair.instances:,}")]
    gain = pair.gain
    if not pair.decision:
        small = f"{signed(number(gain.low))} to {signed(number(gain.high))}"
        return [*names, Cell(signed(number(gain.value)), small)]
    return [
        *names,
        Cell(factor(gain.value), f"{factor(gain.low)} to {factor(gain.high)}"),
        Cell(f"{points(pair.points.value)} points", points_range(pair)),
        Cell(percent(pair.only_candidate.value), percent_range(pair.only_candidate)),
        Cell(percent(pair.only_baseline.value), percent_range(pair.only_baseline)),
    ]


def points_range(pair: Pair) -> str:
    """Interval of the difference of the shares; nothing where no instance tells them apart."""
    low, high = pair.points.low, pair.points.high
    return "" if low == high else f"{points(low)} to {points(high)}"


def points(difference: float) -> str:
    """A difference of shares in percent points, with its sign."""
    return signed(f"{round(100 * difference):d}".replace("-", MINUS))


def prior_facts(priors: Sequence[Prior]) -> Table:
    """Size, instances and training cost of each prior."""
    rows = []
    for prior in priors:
        facts = prior.facts
        possible = DASH if prior.table is None else f"{int((prior.table['nb'] > 0).sum()):,}"
        sizes = f" {TIMES} ".join(f"{n:,}" for n in facts.get("cardinalities") or [])
        training = facts.get("training_seconds")
        cells = [
            Cell(prior.name, str(facts.get("prior") or "")),
            Cell(", ".join(c.replace("_", " ") for c in prior.components) or DASH, sizes),
            Cell(_integer(facts.get("rows"))),
            Cell(possible),
            Cell(_integer(facts.get("instances")), str(facts.get("source") or "")),
            Cell(DASH if training is None else f"{seconds(float(training))} s"),
            Cell(DASH if facts.get("temperature") is None else f"{facts['temperature']:g}"),
        ]
        rows.append(Row(cells))
    header = ["Prior", "Code", "Rows", "Seen as possible", "Learned from instances", "Training"]
    note = "The training cost is that of replaying and counting, on the machine below."
    return Table("Priors", [*header, "Temperature"], rows, note, words=2)


def _integer(value: int | None) -> str:
    return DASH if value is None else f"{value:,}"


def extreme_codes(prior: Prior) -> Table | None:
    """The codes with the highest and the lowest bias; None without a table."""
    if prior.table is None:
        return None
    table = prior.table
    nb: NDArray[np.int64] = table["nb"]
    bias: Floats = table["bias"]
    seen = np.flatnonzero(nb > 0)
    ranked = seen[np.lexsort((seen, -nb[seen], -bias[seen]))]
    if not ranked.size:
        return None
    shown = min(CODES, ranked.size // 2 or 1)
    weakest = ranked[::-1][: min(shown, ranked.size - shown)]
    rows = []
    for group, chosen in (("Strongest", ranked[:shown]), ("Weakest", weakest)):
        for place, row in enumerate(chosen.tolist()):
            code = ", ".join(f"{c.replace('_', ' ')} {table[c][row]}" for c in prior.components)
            frequency = float(table["frequency"][row])
            cells = [Cell(code), Cell(percent(frequency)), Cell(f"{int(nb[row]):,}")]
            rows.append(Row([*cells, Cell(number(float(bias[row])))], "" if place else group))
    header = ["Code", "Played", "Times possible", "Bias"]
    return Table(f"Codes of {prior.name}", header, rows, "Among the codes that were ever possible.")
