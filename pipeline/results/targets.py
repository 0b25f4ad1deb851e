"""Optimisation problems: the gap of a run to the best score known, and the targets it reached.

Gaps are those of `solver.contract.gaps`, infinite without a feasible answer. Targets are fixed
gaps of every instance, as in COCO (N. Hansen et al., COCO: a platform for comparing
continuous optimizers in a black-box setting, 2021): a method reaches a pair of instance and
target when its best score so far does.
"""

from __future__ import annotations

import numpy as np

from pipeline.results.data import Family, MethodRuns
from pipeline.results.statistics import PENALTY, Floats, best_so_far
from solver.contract.gaps import relative_gap

TARGETS = np.array([0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0])
"""Gaps to reach, float64[targets]."""

#: Scores are sums in an order of their own: so much apart they are the same.
SAME = 1e-9


def _gap(score: Floats, instance: str, family: Family) -> Floats:
    """Gap of scores of an instance, infinite where there is no feasible answer yet."""
    gap = relative_gap(score, family.best.get(instance, np.nan))
    gap = np.where(gap <= SAME, 0.0, gap)
    return np.where(np.isnan(gap) | ~(score > family.feasible_above(instance)), np.inf, gap)


def final_gaps(runs: MethodRuns, family: Family) -> Floats:
    """Gap of each run in the end, float64[runs]; infinite without an answer."""
    pairs = zip(runs.score, runs.instance.tolist(), strict=True)
    return np.array([_gap(np.array([score]), name, family)[0] for score, name in pairs])


def gaps_at(runs: MethodRuns, family: Family, unit: str, budgets: Floats) -> Floats:
    """Gap of each run within budgets in `unit`, playouts or seconds, float64[runs, budgets]."""
    rows = []
    for name, trace in zip(runs.instance.tolist(), runs.traces, strict=True):
        scores = best_so_far(getattr(trace, unit), trace.score, budgets)
        rows.append(_gap(scores, name, family))
    return np.array(rows)


def reached_at(runs: MethodRuns, family: Family, unit: str) -> Floats:
    """Playouts or seconds until each target was reached, float64[runs, targets], else infinite.

    An outside solver that has no trace reaches them when it ends.
    """
    rows = []
    final = final_gaps(runs, family)
    for k, (name, trace) in enumerate(zip(runs.instance.tolist(), runs.traces, strict=True)):
        at = getattr(trace, unit)
        gaps = _gap(trace.score, name, family)
        if runs.method.is_peer and unit == "seconds" and not at.size:
            at, gaps = runs.seconds[k : k + 1], final[k : k + 1]
        first = np.array([np.argmax(gaps <= t) if (gaps <= t).any() else -1 for t in TARGETS])
        rows.append(np.where(first >= 0, np.append(at, np.inf)[first], np.inf))
    return np.array(rows)


def targets_reached(runs: MethodRuns, family: Family) -> Floats:
    """Share of the targets that each run reached in the end, float64[runs]."""
    share: Floats = (final_gaps(runs, family)[:, None] <= TARGETS).mean(axis=1)
    return share


def log_effort(runs: MethodRuns, family: Family, budget: float) -> Floats:
    """Mean over the targets of log2(playouts to reach it), float64[runs]; see `log_playouts`."""
    reached = reached_at(runs, family, "playouts")
    effort: Floats = log_playouts(reached, runs, family, budget).mean(axis=1)
    return effort


def log_playouts(playouts: Floats, runs: MethodRuns, family: Family, budget: float) -> Floats:
    """log2 of playouts to a solution or target, float64[runs, targets], of at most `budget`.

    Targets not reached count as `PENALTY` times the allowance: the budget, or if only time
    was limited the most that any run on the instance played. So a run that fails fast, or plays
    few playouts in its time, gains nothing by it.
    """
    allowed = np.array([family.most_played[name] for name in runs.instance.tolist()])
    limit = np.minimum(allowed, budget)[:, None]
    counted = np.where(playouts <= limit, playouts, PENALTY * limit)
    return np.asarray(np.log2(np.maximum(counted, 1.0)), dtype=np.float64)
