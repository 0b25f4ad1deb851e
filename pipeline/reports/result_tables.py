"""The tables of a report, as rows of text cells that both templates print."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pipeline.reports.blocks import Cell, Row, Table
from pipeline.reports.comparisons import Pair
from pipeline.results.data import Family, MethodRuns
from pipeline.results.statistics import (
    Estimate,
    best_so_far,
    mean_interval,
    mean_share,
    median_interval,
    par2,
    proportion,
)
from pipeline.results.targets import TARGETS, final_gaps, gaps_at, targets_reached

_INTERVALS = "95% bootstrap intervals over instances, over the runs of a single one."
_TARGETS = f"{len(TARGETS)} targets, gaps of {100 * TARGETS[0]:.0f}% to none,"
MINUS, TIMES, DASH, INFINITE = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}", "–", "∞"


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
    value += 0.0  # no minus zero
    size = abs(value)
    text = f"{value:,.0f}" if size >= 1000 else f"{value:#.3g}" if size >= 1e-4 else f"{value:.1g}"
    return text.rstrip(".").replace("-", MINUS)


def seconds(value: float) -> str:
    """Seconds; shorter times than a millisecond are not told apart."""
    return "<0.001" if value < 1e-3 else number(value)


def interval(estimate: Estimate, written: Callable[[float], str], dash: str = " to ") -> str:
    """The ends of an interval, once if they read alike; nothing where it is not known."""
    if np.isnan(estimate.low):
        return ""
    low, high = written(estimate.low), written(estimate.high)
    return low if low == high else f"{low}{dash}{high}"


def with_interval(estimate: Estimate, written: Callable[[float], str]) -> str:
    """A value with its interval, where that says more than the value."""
    value, ends = written(estimate.value), interval(estimate, written)
    return value if ends in ("", value) else f"{value} ({ends})"


def signed(text: str) -> str:
    """A difference with its sign; none for zero."""
    return text if text.startswith(MINUS) or text == "0" else f"+{text}"


def signed_number(value: float) -> str:
    """A difference of seconds or scores."""
    return signed(number(value))


def percent_range(estimate: Estimate) -> str:
    """Interval of a share, with one percent sign; nothing where it is not known."""
    if np.isnan(estimate.low):
        return ""
    return f"{percent(estimate.low).rstrip('%')}{DASH}{percent(estimate.high)}"


def gap_percent(gap: float) -> str:
    """A gap in percent, to two digits or a hundredth."""
    if not np.isfinite(gap):
        return INFINITE if np.isinf(gap) else DASH
    return f"{100 * gap:.0f}%" if gap >= 0.1 else f"{100 * gap:.2f}%" if gap else "0%"


def factor(log2: float) -> str:
    """A ratio as a multiple: 3.2 times as many."""
    ratio = 2.0**log2
    return f"{ratio:,.0f}{TIMES}" if ratio >= 9.95 else f"{ratio:#.2g}{TIMES}"


def budget_words(methods: Sequence[MethodRuns]) -> str:
    """Return the budget of each run in words, the largest where they differ."""
    limits = [r.budget_seconds for r in methods if np.isfinite(r.budget_seconds)]
    playouts = [float(np.nanmax(r.limit)) for r in methods if not np.isnan(r.limit).all()]
    words = [f"{count(max(playouts))} playouts"] if playouts else []
    words += [f"{number(max(limits))} s"] if limits else []
    return " or ".join(words) or "any time"


def proofs(families: Sequence[Family]) -> Table | None:
    """Instances that were proved to have no answer: one row a method; None if there are none."""
    impossible = [family for family in families if family.infeasible]
    if not impossible:
        return None
    rows = [
        Row(
            [
                Cell(proof.method.label),
                Cell(f"{proof.proved:,}/{proof.runs:,}"),
                Cell(seconds(float(np.median(proof.seconds))) if proof.proved else DASH),
            ],
            family.name if len(impossible) > 1 and place == 0 else "",
        )
        for family in impossible
        for place, proof in enumerate(family.proofs)
    ]
    total = sum(family.infeasible for family in impossible)
    subject = "1 instance has" if total == 1 else f"{total:,} instances have"
    note = (
        f"{subject} no answer: a run proved it. Runs on such instances are counted here only, as "
        "there is nothing to solve: a proof is no failure, and no other number is about them."
    )
    return Table("Proved infeasible", ["Method", "Proved", "Median seconds"], rows, note)


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
        return Table(caption, header, rows, _summary_note(families), folded=grouped, answer=2)
    cost = families[0].is_cost
    header = ["Method", "Runs", "Valid", *(["Median gap"] if cost else ["Mean score", "Best"])]
    note = (
        "Higher scores are better. "
        if not cost
        else ("Gap: how far the cost is above the least known; infinite without a valid answer. ")
    )
    note += f"Targets: share of {_TARGETS} that was reached in the end."
    note += " Seconds are those of the whole search."
    if all(bool(r.solved.all()) for f in families for r in f.methods):
        rows = [Row(row.cells[:2] + row.cells[3:], row.group) for row in rows]
        header.remove("Valid")
    answer = header.index("Median gap" if cost else "Mean score")
    header += ["Targets", "Median seconds"]
    return Table(caption, header, rows, note, folded=grouped, answer=answer)


def _summary_note(families: Sequence[Family]) -> str:
    limits = [seconds(family.time_limit) for family in families]
    set_by_hand = any(np.isfinite(r.budget_seconds) for f in families for r in f.methods)
    limit = "the time limit" if set_by_hand else "the longest search, as no time limit was set"
    late = any((r.seconds > family.time_limit).any() for family in families for r in family.methods)
    penalty = f"twice {limits[0]} s, {limit}," if len(set(limits)) == 1 else f"twice {limit}"
    return (
        "Median playouts and seconds to solve; unsolved runs count as infinite. PAR-2: mean "
        f"seconds, where an unsolved run counts {penalty} however early it ended."
        + (" A run ends with the playout that is under way at the limit." if late else "")
    )


def _summary_cells(runs: MethodRuns, family: Family) -> list[Cell]:
    share = proportion(runs.solved)
    solved, total = int(runs.solved.sum()), runs.solved.size
    if not family.decision:
        reached = mean_share(targets_reached(runs, family))
        return [
            Cell(runs.method.label),
            Cell(f"{total:,}"),
            Cell(f"{solved:,}/{total:,}"),
            *_score_cells(runs, family),
            Cell(percent(reached.value), percent_range(reached), reached.value),
            Cell(seconds(float(np.median(runs.seconds)))),
        ]
    playouts = Cell(DASH)
    if not runs.method.is_peer:
        median = median_interval(runs.playouts)
        unsolved = f"{total - solved:,} unsolved" if solved < total else ""
        small = "; ".join(filter(None, (interval(median, count, DASH), unsolved)))
        playouts = Cell(count(median.value), small)
    time = median_interval(runs.seconds_to_solve)
    return [
        Cell(runs.method.label),
        Cell(f"{solved:,}/{total:,}"),
        Cell(percent(share.value), percent_range(share), share.value),
        playouts,
        Cell(seconds(time.value), interval(time, seconds, DASH)),
        Cell(seconds(par2(runs.seconds, runs.solved, family.time_limit))),
    ]


def _score_cells(runs: MethodRuns, family: Family) -> list[Cell]:
    if family.is_cost:
        gap = median_interval(final_gaps(runs, family))
        return [Cell(gap_percent(gap.value), interval(gap, gap_percent))]
    mean = mean_interval(runs.score)
    return [
        Cell(number(mean.value), interval(mean, number)),
        Cell(number(float(np.fmax.reduce(runs.score)))),
    ]


def by_budget(families: Sequence[Family], budgets: Sequence[float], grouped: bool) -> Table:
    """The papers' table: percent solved, or mean score, within each number of playouts."""
    decision, cost = families[0].decision, families[0].is_cost
    rows = []
    for family in families:
        for place, runs in enumerate(family.searches):
            cells = [Cell(runs.method.label)]
            cells += [_budget_cell(runs, budget, family) for budget in budgets]
            rows.append(Row(cells, family.name if grouped and place == 0 else ""))
    subject = "Runs solved" if decision else "Median gap" if cost else "Mean best score"
    note = (
        "A run that was solved counts for its own number of playouts and every larger one. "
        "With 95% Wilson intervals."
        if decision
        else "With 95% bootstrap intervals."
    )
    if any(np.isfinite(r.budget_seconds) for family in families for r in family.searches):
        stopped = "counts as unsolved" if decision else "keeps its answer"
        note += f" A run that its time limit stopped {stopped} at every larger budget; the last "
        note += "column is the most that any run played."
    scope = ", each family" if grouped else ""
    header = ["Playouts", *(count(budget) for budget in budgets)]
    caption = f"{subject} within a number of playouts{scope}"
    return Table(caption, header, rows, note, folded=grouped)


def _budget_cell(runs: MethodRuns, budget: float, family: Family) -> Cell:
    if budget > runs.budget:
        return Cell(DASH)
    if family.decision:
        share = proportion(runs.solved_within(budget))
        return Cell(percent(share.value), percent_range(share), share.value)
    if family.is_cost:
        gap = median_interval(gaps_at(runs, family, "playouts", np.array([budget]))[:, 0])
        return Cell(gap_percent(gap.value), interval(gap, gap_percent))
    scores = [best_so_far(t.playouts, t.score, np.array([budget]))[0] for t in runs.traces]
    mean = mean_interval(np.array(scores))
    return Cell(number(mean.value), interval(mean, number))


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
        return _optimisation_table(pairs, caption, rows, folded=grouped)
    note = (
        "Fewer playouts: geometric mean over instances of the other method's playouts to solve "
        f"divided by the candidate's, so 2{TIMES} is half the playouts. {_unsolved_note(pairs)} "
        "95% bootstrap intervals over instances, over the runs of a single one; Wilson where each "
        "instance has one seed, for the last two."
    )
    header = ["Candidate", "Instances", "Fewer playouts", "Share solved"]
    header += ["Only it solves", "Only the other"]
    return Table(caption, header, rows, note, folded=grouped, answer=2)


def _unsolved_note(pairs: Sequence[Pair], subject: str = "An unsolved run") -> str:
    """Return the note on the count of runs that reached no solution or target."""
    budgets = sorted({pair.budget for pair in pairs})
    limits = [f"{count(budget)} playouts" for budget in budgets if np.isfinite(budget)]
    if any(np.isinf(budget) for budget in budgets):
        limits.append("what the longest run on its instance played, as only time was limited")
    return f"{subject} counts as twice {' or '.join(limits)}, however early it ended (PAR-2)."


def _optimisation_table(
    pairs: Sequence[Pair], caption: str, rows: list[Row], folded: bool
) -> Table:
    """Table of paired differences where there is no target, only scores or costs."""
    family = pairs[0].family
    note = (
        f"Fewer playouts: geometric mean over instances and {_TARGETS} of the other method's "
        f"playouts to reach a target divided by the candidate's, so 2{TIMES} is half the playouts. "
        f"{_unsolved_note(pairs, 'A target that was not reached')} "
    )
    header = ["Candidate", "Instances", "Fewer playouts"]
    if family.is_cost:
        header += ["Gap narrower by", "Valid"]
        note += "Gaps, in percent points, are compared where both methods found valid answers."
    else:
        header += ["Score gained"]
        note += "Mean over instances of the difference of the scores; above zero is better."
    return Table(caption, header, rows, f"{note} {_INTERVALS}", folded=folded, answer=2)


def _optimisation_cells(pair: Pair) -> list[Cell]:
    gain, targets = pair.gain, pair.targets
    assert targets is not None
    cells = [Cell(factor(targets.value), interval(targets, factor))]
    if not pair.family.is_cost:
        return [*cells, Cell(signed_number(gain.value), interval(gain, signed_number))]
    if not pair.clear:
        cells.append(Cell(DASH, "no instance in common"))
    else:
        percent_points = Estimate(*(100 * end for end in gain))
        instances = "" if pair.clear == pair.instances else f" on {pair.clear:,}"
        small = f"{interval(percent_points, signed_number)}{instances}".strip()
        cells.append(Cell(signed_number(percent_points.value), small))
    return [*cells, Cell(f"{points(pair.points.value)} points", points_range(pair))]


def _paired_cells(pair: Pair) -> list[Cell]:
    method = Cell(pair.candidate.label, f"against {pair.baseline.label}")
    names = [method, Cell(f"{pair.instances:,}")]
    gain = pair.gain
    if not pair.decision:
        return [*names, *_optimisation_cells(pair)]
    return [
        *names,
        Cell(factor(gain.value), interval(gain, factor)),
        Cell(f"{points(pair.points.value)} points", points_range(pair)),
        Cell(percent(pair.only_candidate.value), percent_range(pair.only_candidate)),
        Cell(percent(pair.only_baseline.value), percent_range(pair.only_baseline)),
    ]


def points_range(pair: Pair) -> str:
    """Interval of the difference of the shares; nothing where no instance tells them apart."""
    return "" if pair.points.low == pair.points.high else interval(pair.points, points)


def points(difference: float) -> str:
    """A difference of shares in percent points, with its sign."""
    return signed(f"{round(100 * difference):d}".replace("-", MINUS))
