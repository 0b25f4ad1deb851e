"""The key result of a family in a sentence or two."""

from __future__ import annotations

import numpy as np

from pipeline.reports.comparisons import Pair, compare
from pipeline.reports.result_tables import (
    budget_words,
    factor,
    gap_percent,
    interval,
    number,
    percent,
    percent_range,
    points,
    points_range,
    seconds,
    signed_number,
    with_interval,
)
from pipeline.results.data import Family, MethodRuns
from pipeline.results.statistics import Estimate, mean_interval, median_interval, proportion
from pipeline.results.targets import final_gaps, log_effort, log_playouts, targets_reached
from solver.system.letters import plural


def best_of_each(family: Family) -> tuple[MethodRuns, MethodRuns | None]:
    """Return the best method with a prior and the best search without one, if there are both.

    Without any prior, the best method. It is the pair that headline, overview and the first of
    the paired differences are about.
    """
    learned = [r for r in family.searches if not r.method.is_baseline]
    without = [r for r in family.searches if r.method.is_baseline]
    best = max(learned or without or family.methods, key=lambda runs: _merit(runs, family))
    if not learned or not without:
        return best, None
    return best, max(without, key=lambda runs: _merit(runs, family))


def headline(family: Family) -> str:
    """The best prior against no prior at the largest budget, then the outside solvers."""
    best, baseline = best_of_each(family)
    sentences = [_first_sentence(best, baseline, family)]
    if baseline is not None:
        pair = compare(baseline, best, family)
        if pair is not None:
            sentences.append(_paired_sentence(pair))
    peers = [runs for runs in family.methods if runs.method.is_peer and runs is not best]
    sentences += [_peer_sentence(runs, family) for runs in peers]
    return " ".join(sentences)


def _merit(runs: MethodRuns, family: Family) -> tuple[float, float]:
    """Larger is better: share solved or targets reached, then little effort; or the mean score."""
    if not family.decision and not family.is_cost:
        return runs.mean_score, 0.0
    share = targets_reached(runs, family) if family.is_cost else runs.solved
    if runs.method.is_peer:
        effort = np.log2(np.maximum(runs.seconds, 1e-9))
    elif family.is_cost:
        effort = log_effort(runs, family, runs.budget)
    else:
        effort = log_playouts(runs.playouts[:, None], runs, family, np.inf)
    return float(share.mean()), -float(effort.mean())


def result(runs: MethodRuns, family: Family) -> str:
    """Share solved, mean score or median gap, with its interval."""
    if family.decision:
        share = proportion(runs.solved)
        return f"{percent(share.value)} ({percent_range(share)})"
    if family.is_cost:
        return with_interval(median_interval(final_gaps(runs, family)), gap_percent)
    return with_interval(mean_interval(runs.score), number)


def _first_sentence(best: MethodRuns, baseline: MethodRuns | None, family: Family) -> str:
    within = f" within {budget_words([best])}"
    runs = plural(best.solved.size, "run")
    if family.decision:
        share = proportion(best.solved)
        sentence = (
            f"{best.method.label} solved {percent(share.value)} of {runs}{within} "
            f"(95% interval {percent_range(share)})"
        )
    elif family.is_cost:
        sentence = (
            f"{best.method.label} ended {result(best, family)} above the least cost known, in the "
            f"median of {runs}{within}"
        )
    else:
        mean = f"{result(best, family)} on average"
        sentence = f"{best.method.label} scored {mean} over {runs}{within}"
    if baseline is not None:
        name = baseline.method.label.replace(", no prior", " without a prior")
        best_of = "" if baseline.method.search == best.method.search else ", the best without,"
        sentence += f"; {name}{best_of} {result(baseline, family)}"
    return sentence + "."


def _paired_sentence(pair: Pair) -> str:
    gain, instances = pair.gain, _common(pair.instances)
    clear = gain.low > 0 or gain.high < 0
    if pair.targets is not None:
        on_targets = _targets_phrase(pair.targets)
        if pair.family.is_cost:
            return f"On the {instances} {on_targets}."
        verdict = "" if clear else ", no clear difference"
        difference = with_interval(gain, signed_number)
        return f"On the {instances} the score differs by {difference}{verdict}; {on_targets}."
    between = f" ({points_range(pair)})" if points_range(pair) else ""
    share = f"{points(pair.points.value)} points solved{between}"
    if not clear:
        return f"On the {instances}: {share}, no clear gain in playouts{_fewer(gain)}."
    return f"On the {instances}: {share}, {_times(gain)}."


def _common(instances: int) -> str:
    return "one common instance" if instances == 1 else f"{instances:,} common instances"


def _targets_phrase(targets: Estimate) -> str:
    """Return the factor by which the targets take fewer playouts, in words."""
    if targets.low > 0 or targets.high < 0:
        return f"the targets take {_times(targets)}"
    return f"no clear gain in playouts to the targets{_fewer(targets)}"


def _times(gain: Estimate) -> str:
    """Return the factor of fewer playouts, or more, from its logarithm to base 2."""
    word = "fewer"
    if gain.value < 0:
        word, gain = "more", Estimate(-gain.value, -gain.high, -gain.low)
    return f"{factor(gain.value)} {word} playouts ({interval(gain, factor)})"


def _fewer(gain: Estimate) -> str:
    ends = interval(gain, factor)
    return f" ({ends} fewer)" if ends else ""


def _peer_sentence(runs: MethodRuns, family: Family) -> str:
    if family.decision:
        median = float(np.median(runs.seconds_to_solve))
        took = f", median {seconds(median)} s" if np.isfinite(median) else ""
        return f"{runs.method.label} solved {result(runs, family)}{took}."
    if family.is_cost:
        return f"{runs.method.label} ended {result(runs, family)} above it."
    return f"{runs.method.label} scored {result(runs, family)}."
