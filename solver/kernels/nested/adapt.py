"""The optimised generalized adapt: a gradient step towards a recorded playout."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.kernels.policy import EMPTY, Policy, odds_of_weight
from solver.kernels.records import Records

Floats = npt.NDArray[np.float64]

OUTDATED = -1.0


@inlined
def share_of(odds: float, total: float, n: int) -> float:
    """Share of the `total` odds of `n` moves; all alike where they are 0."""
    return odds / total if total != 0.0 else 1.0 / n


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
            probability[index] = share_of(probability[index], total, end - begin)
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


@inlined
def adapt_layers(
    policy: Policy,
    level: int,
    records: Records,
    row: int,
    alpha: float,
    temperature: float,
    probability: Floats,
    layer: npt.NDArray[np.int64],
) -> None:
    """Move the policy of `level` towards record `row`, one gradient step for each layer of it.

    A layer is the moves that were first possible at one decision, whenever they were made: they
    are made likelier there, all together. It suits games whose moves can wait, as lines of Morpion
    Solitaire can, where the order of a sequence means little.

    Parameters
    ----------
    probability : float64[choices]
        Scratch, as `layer` (int64[decisions]).
    """
    decisions = records.decisions[row]
    begin = 0
    for decision in range(decisions):
        end = records.end[row, decision + 1]
        layer[decision] = 0
        for index in range(begin, end):
            slot = records.slot[row, index]
            if policy.first[slot] < 0:
                policy.first[slot] = decision
        layer[policy.first[records.slot[row, begin + records.chosen[row, decision]]]] += 1
        begin = end
    begin = 0
    for decision in range(decisions):
        end = records.end[row, decision + 1]
        if layer[decision] > 0:
            total = 0.0
            for index in range(begin, end):
                slot = records.slot[row, index]
                probability[index] = policy.odds[level, slot] * records.odds[row, index]
                total += probability[index]
            for index in range(begin, end):
                if total != 0.0:
                    probability[index] *= layer[decision] / total
                else:
                    probability[index] = layer[decision] / (end - begin)
        begin = end
    step = alpha / temperature
    begin = 0
    for decision in range(decisions):
        end = records.end[row, decision + 1]
        if layer[decision] > 0:
            for index in range(begin, end):
                policy.weight[level, records.slot[row, index]] -= step * probability[index]
        policy.weight[level, records.slot[row, begin + records.chosen[row, decision]]] += step
        begin = end
    for index in range(begin):
        slot = records.slot[row, index]
        if policy.first[slot] >= 0:  # once for a move that many decisions list
            policy.first[slot] = EMPTY
            policy.odds[level, slot] = odds_of_weight(policy.weight[level, slot], temperature)
