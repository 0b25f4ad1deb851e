"""The optimised generalized adapt: a gradient step towards a recorded playout."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.jit import inlined, kernel
from solver.kernels.policy import Policy, odds_of_weight
from solver.kernels.records import Records

Floats = npt.NDArray[np.float64]

OUTDATED = -1.0


@inlined
def adapt(
    policy: Policy,
    level: int,
    records: Records,
    row: int,
    alpha: float,
    temperature: float,
    probability: Floats,
) -> None:
    """Move the policy of `level` towards record `row` (paper 'gnrpa', Algorithm 6).

    All probabilities are computed before any weight changes, so the policy is
    not copied. The logit is weight / temperature + bias.

    Parameters
    ----------
    probability : float64[choices]
        Scratch.
    """
    begin = 0
    for decision in range(records.decisions[row]):
        end = records.end[row, decision + 1]
        total = 0.0
        for index in range(begin, end):
            slot = records.slot[row, index]
            probability[index] = policy.odds[level, slot] * records.odds[row, index]
            total += probability[index]
        for index in range(begin, end):
            probability[index] /= total
        begin = end
    step = alpha / temperature
    begin = 0
    for decision in range(records.decisions[row]):
        end = records.end[row, decision + 1]
        for index in range(begin, end):
            slot = records.slot[row, index]
            policy.weight[level, slot] -= step * probability[index]
            policy.odds[level, slot] = OUTDATED
        policy.weight[level, records.slot[row, begin + records.chosen[row, decision]]] += step
        begin = end
    for index in range(begin):
        slot = records.slot[row, index]
        if policy.odds[level, slot] == OUTDATED:  # once for a move that many decisions list
            policy.odds[level, slot] = odds_of_weight(policy.weight[level, slot], temperature)


#: `adapt` alone, for tests.
adapt_kernel = kernel(adapt)
