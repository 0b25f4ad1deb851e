"""Conditional logit: the likelihood of decisions under a prior of one or more codes.

P(move) is the share of its odds in those of all moves of the decision, its odds the product of one
entry for each code (D. McFadden, Conditional logit analysis, 1974). Several moves may be right: the
likelihood is that of playing any of them. Sums are in fixed point, which adds up to the same
whatever the order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import kernel

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

#: Units of fixed point in 1.
ONE = 1 << 32
#: Log-likelihoods are no less: a right move with odds of 0 counts as one of exp(-700).
LEAST_LOG = -700.0
#: Equal parts of [0, 1] that probabilities are sorted into, to compare them with what was played.
BINS = 10
CHOICES, EXPECTED, RIGHT = range(3)


class Block(NamedTuple):
    """Decisions, each with its moves."""

    end: Int64s
    """int64[decisions + 1]: decision d has the moves from end[d] to end[d + 1]."""
    rows: npt.NDArray[np.int32]
    """int32[moves, codes]: entries of the odds whose product are the odds of the move."""
    right: npt.NDArray[np.bool_]
    """bool[moves]: True for the moves that are right, one or more of each decision."""
    times: Int64s
    """int64[decisions]: how often the decision was met."""
    instance: npt.NDArray[np.uint64]
    """uint64[decisions]: where it was met, for those met once."""


@kernel
def add_gradient(
    block: Block, odds: Floats, scratch: Floats, loss: Int64s, gradient: Int64s
) -> None:
    """Add minus the log-likelihood of `block`, and its gradient in the logarithms of `odds`.

    Parameters
    ----------
    odds : float64[rows]
    scratch : float64[...]
        Room for the moves of a decision.
    loss : int64[2]
        In units of 1 and of 1 / `ONE`: the second alone would be too small for 10^8 decisions.
    gradient : int64[rows]
        In units of 1 / `ONE`.
    """
    n_codes = block.rows.shape[1]
    for decision in range(len(block.times)):
        begin, end = block.end[decision], block.end[decision + 1]
        total, right = 0.0, 0.0
        for move in range(begin, end):
            product = 1.0
            for code in range(n_codes):
                product *= odds[block.rows[move, code]]
            scratch[move - begin] = product
            total += product
            if block.right[move]:
                right += product
        times = block.times[decision]
        lost = np.int64(np.rint(-max(math.log(right / total), LEAST_LOG) * ONE))
        loss[0] += times * (lost >> 32)
        loss[1] += times * (lost & (ONE - 1))
        for move in range(begin, end):
            slope = scratch[move - begin] / total
            if block.right[move]:
                slope -= scratch[move - begin] / right
            units = times * np.int64(np.rint(slope * ONE))
            for code in range(n_codes):
                gradient[block.rows[move, code]] += units


@kernel
def judge(
    block: Block, odds: Floats, scratch: Floats, log_likelihood: Int64s, first: Int64s, bins: Int64s
) -> None:
    """Hold the probabilities of `block` against what was played.

    Parameters
    ----------
    odds : float64[rows]
    scratch : float64[...]
        Room for the moves of a decision.
    log_likelihood : int64[decisions]
        Set, in units of 1 / `ONE`, as `first`.
    first : int64[decisions]
        Set to the chance that a most probable move, drawn where there are several, is right.
    bins : int64[BINS, 3]
        Added to: by probability, the moves, their probabilities, and how many of them were right,
        of several in one decision each its share of their probability; both in units of 1 / `ONE`.
    """
    n_codes = block.rows.shape[1]
    for decision in range(len(block.times)):
        begin, end = block.end[decision], block.end[decision + 1]
        total, right, most = 0.0, 0.0, 0.0
        for move in range(begin, end):
            product = 1.0
            for code in range(n_codes):
                product *= odds[block.rows[move, code]]
            scratch[move - begin] = product
            total += product
            most = max(most, product)
            if block.right[move]:
                right += product
        log_likelihood[decision] = np.int64(np.rint(max(math.log(right / total), LEAST_LOG) * ONE))
        best, best_right = 0, 0
        for move in range(begin, end):
            if scratch[move - begin] == most:
                best += 1
                best_right += block.right[move]
            share = scratch[move - begin] / total
            place = min(int(share * BINS), BINS - 1)
            bins[place, CHOICES] += 1
            bins[place, EXPECTED] += np.int64(np.rint(share * ONE))
            if block.right[move]:
                bins[place, RIGHT] += np.int64(np.rint(scratch[move - begin] / right * ONE))
        first[decision] = np.int64(np.rint(best_right / best * ONE))
