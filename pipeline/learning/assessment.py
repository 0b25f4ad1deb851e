"""Held-out assessment of fitted weights: it chooses the penalty and says what each code is worth.

Instances are parted by their digests (`pipeline.learning.blocks`): weights fitted to the training
instances are chosen by some others and judged on a third part. The table's weights are
fitted to all of them at last.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.learning.blocks import CHOOSING, JUDGING, PARTS, TRAINING
from pipeline.learning.fit import Fit, odds_of
from pipeline.learning.passes import Judged, Passes
from solver.kernels.likelihood import CHOICES, EXPECTED, ONE, RIGHT

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

#: Penalties among which the held-out likelihood chooses.
PENALTIES = (0.1, 1.0, 10.0, 100.0)
#: The penalty where too few instances are held out to choose one.
USUAL_PENALTY = 1.0
#: Fewest held-out instances that choose or judge.
FEWEST = 5
#: Temperatures among which that of frequencies is chosen, for comparison.
TEMPERATURES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0)
#: Normal quantile of a 95 % interval.
QUANTILE = 1.959964


def interval(sums: Int64s, decisions: Int64s) -> dict[str, float]:
    """Mean a decision of `sums` by instance, with a 95 % interval over instances."""
    values, weights = sums / ONE, decisions.astype(np.float64)
    n, total = len(values), float(weights.sum())
    mean = float(values.sum()) / total
    spread = float(np.sum((values - mean * weights) ** 2)) * n / max(n - 1, 1)
    half = QUANTILE * float(np.sqrt(spread)) / total
    return {name: round(v, 6) for name, v in
            (("value", mean), ("low", mean - half), ("high", mean + half))}  # fmt: skip


def described(found: Judged) -> dict[str, Any]:
    """Return log-likelihood and accuracy of held-out decisions, for the metadata of a table."""
    return {
        "log_likelihood": interval(found.log_likelihood, found.decisions),
        "top_1": interval(found.first, found.decisions),
    }


def calibration(found: Judged) -> dict[str, Any]:
    """Probabilities that were given held against shares of moves that were right, by bin."""
    bins = [
        {
            "moves": int(row[CHOICES]),
            "probability": round(int(row[EXPECTED]) / ONE / int(row[CHOICES]), 6),
            "right": round(int(row[RIGHT]) / ONE / int(row[CHOICES]), 6),
        }
        for row in found.bins
        if row[CHOICES]
    ]
    moves = sum(one["moves"] for one in bins)
    error = sum(one["moves"] * abs(one["probability"] - one["right"]) for one in bins) / moves
    return {"error": round(error, 6), "bins": bins}


def fit_prior(fit: Fit, l2: float | None, start: Floats | None) -> tuple[Floats, dict[str, Any]]:
    """Fit the weights of a table, and assess them.

    Parameters
    ----------
    l2 : float, optional
        The penalty; by default the one of `PENALTIES` with the best held-out likelihood.
    start : float64[rows seen], optional
        Weights to begin with.

    Returns
    -------
    weights : float64[rows seen]
        Fitted to all instances.
    facts : dict
        What the metadata of the table says of them.
    """
    passes, codes = fit.passes, len(fit.passes.code.singles)
    uniform = np.ones(passes.n_rows)
    chosen_by = passes.judged(CHOOSING, uniform)
    held_out = passes.judged(JUDGING, uniform)
    tried: list[dict[str, float]] = []
    penalties = PENALTIES if l2 is None else (l2,)
    if len(chosen_by.instances) < FEWEST and l2 is None:
        penalties = (USUAL_PENALTY,)
    best, best_l2, before = None, penalties[0], start
    for penalty in penalties:
        found = fit.weights([TRAINING], penalty, before)
        before = found.weights
        mean = passes.judged(CHOOSING, odds_of(found.weights, codes)).mean
        tried.append({"l2": penalty, "log_likelihood": round(mean, 6)})
        if best is None or mean > best[1]:
            best, best_l2 = (found, mean), penalty
    assert best is not None
    facts: dict[str, Any] = {"l2": best_l2, "l2_tried": tried}
    if len(held_out.instances) >= FEWEST:
        facts["held_out"] = _assessed(fit, best[0].weights, best_l2, held_out)
    fitted = fit.weights(PARTS, best_l2, best[0].weights)
    facts |= {"passes": fitted.passes, "converged": fitted.converged}
    if start is not None:
        facts["start_digest"] = weights_digest(start)
    facts["weights_digest"] = weights_digest(fitted.weights)
    return fitted.weights, facts


def weights_digest(weights: Floats) -> str:
    """Return the digest of weights, 64 hexadecimal digits."""
    return hashlib.sha256(weights.astype("<f8").tobytes()).hexdigest()


def _assessed(fit: Fit, weights: Floats, l2: float, uniform: Judged) -> dict[str, Any]:
    """Facts of the held-out decisions: under all codes, under each alone, and without each."""
    passes, code = fit.passes, fit.passes.code
    codes = len(code.singles)
    whole = passes.judged(JUDGING, odds_of(weights, codes))
    facts = {
        "instances": len(whole.instances),
        "decisions": int(whole.decisions.sum()),
        **described(whole),
        "calibration": calibration(whole),
        "uniform": described(uniform),
        "codes": [],
    }
    for number, part in enumerate(code.singles):
        mine = passes.code_of_row == number
        told: dict[str, Any] = {"code": part.name, "frequencies": _frequencies(passes, mine)}
        if codes > 1:
            alone = fit.weights([TRAINING], l2, np.where(mine, weights, 0.0), mine)
            without = fit.weights([TRAINING], l2, np.where(mine, 0.0, weights), ~mine)
            told["alone"] = described(passes.judged(JUDGING, odds_of(alone.weights, codes)))
            rest = passes.judged(JUDGING, odds_of(without.weights, codes))
            told["without"] = described(rest)
            gained = whole.log_likelihood - rest.log_likelihood
            told["gain"] = interval(gained, whole.decisions)
        facts["codes"].append(told)
    return facts


def _frequencies(passes: Passes, mine: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Facts of the frequencies of one code, at their best temperature: count / nb, not fitted."""
    _, nb, count = passes.occurrences([TRAINING])
    mean = int(count[mine].sum()) / max(int(nb[mine].sum()), 1)
    frequency = np.where(mine, (count + mean) / (nb + 1), 1.0)
    best = max(TEMPERATURES, key=lambda factor: passes.judged(CHOOSING, frequency**factor).mean)
    return {"temperature": best, **described(passes.judged(JUDGING, frequency**best))}
