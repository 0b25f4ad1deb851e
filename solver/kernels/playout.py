"""One playout, with a policy or without.

A playout ends in a terminal state. With `dead_ends` above 0 it may meet so many
of them, each time going back to its last decision with an untried move, before
it ends in the next: cheaper than a new playout where dead ends come late. Every
terminal state counts as a playout in budgets. A playout that fails without a single
untried move on its way has seen every state there is.
"""

from __future__ import annotations

from typing import Any

from solver.domain import code, legal_moves, odds, play, reset, score_from, shaped_score
from solver.jit import inlined
from solver.kernels.choices import Choices, all_tried, back_out, choose, open_decision, weight_left
from solver.kernels.policy import Policy, intern
from solver.kernels.records import Records
from solver.random import Stream


@inlined
def sample_playout(
    instance: Any,
    state: Any,
    prior: Any,
    records: Records,
    row: int,
    choices: Choices,
    stream: Stream,
    dead_ends: int,
    floor: float,
    target: float,
) -> tuple[int, bool]:
    """Play moves with probability proportional to exp(bias) into record `row`.

    The default sampling policy of paper 'learned-prior', section 3. A score below
    `floor` need not be exact. Returns the number of terminal states met, and whether
    these are all there are.
    """
    reset(instance, state)
    step = 0
    decision = 0
    met = 0
    while True:
        n = legal_moves(instance, state, stream, choices.listed)
        move = choices.listed[0]
        if n > 1:
            begin = choices.end[decision]
            open_decision(instance, state, choices, decision, step, n)
            total = 0.0
            for index in range(n):
                option = choices.listed[index]
                weight = odds(prior, instance, state, option)
                choices.move[begin + index] = option
                choices.weight[begin + index] = weight
                total += weight
            move = choices.move[begin + choose(choices, decision, total, stream)]
            decision += 1
        elif n == 0:
            met += 1
            reached = score_from(instance, state, floor)
            again = met <= dead_ends and reached < target
            last = back_out(instance, state, choices, decision, again)
            if last < 0:
                break
            decision, step = last + 1, choices.step[last]
            chosen = choose(choices, last, weight_left(choices, last), stream)
            move = choices.move[choices.end[last] + chosen]
        records.move[row, step] = move
        step += 1
        play(instance, state, move)
    records.steps[row] = step
    records.score[row] = reached
    return met, all_tried(choices, decision)


@inlined
def policy_playout(
    instance: Any,
    state: Any,
    prior: Any,
    policy: Policy,
    level: int,
    records: Records,
    row: int,
    choices: Choices,
    stream: Stream,
    dead_ends: int,
    shaping: bool,
    floor: float,
    target: float,
) -> tuple[int, bool]:
    """Generalized playout (paper 'gnrpa', Algorithm 4) with the policy of `level`.

    Records what the optimised adapt needs. A step with a single move is no
    decision: its gradient is zero and it draws no random number. A score below
    `floor` need not be exact. Returns the number of terminal states met, and whether
    these are all there are.
    """
    reset(instance, state)
    step = 0
    decision = 0
    met = 0
    while True:
        n = legal_moves(instance, state, stream, choices.listed)
        move = choices.listed[0]
        if n > 1:
            begin = choices.end[decision]
            open_decision(instance, state, choices, decision, step, n)
            total = 0.0
            for index in range(n):
                option = choices.listed[index]
                slot = intern(policy, code(instance, state, option))
                bias_odds = odds(prior, instance, state, option)
                weight = policy.odds[level, slot] * bias_odds
                records.slot[row, begin + index] = slot
                records.odds[row, begin + index] = bias_odds
                choices.move[begin + index] = option
                choices.weight[begin + index] = weight
                total += weight
            chosen = choose(choices, decision, total, stream)
            move = choices.move[begin + chosen]
            records.chosen[row, decision] = chosen
            decision += 1
            records.end[row, decision] = begin + n
        elif n == 0:
            met += 1
            reached = score_from(instance, state, floor)
            again = met <= dead_ends and reached < target
            last = back_out(instance, state, choices, decision, again)
            if last < 0:
                break
            chosen = choose(choices, last, weight_left(choices, last), stream)
            records.chosen[row, last] = chosen
            move = choices.move[choices.end[last] + chosen]
            decision, step = last + 1, choices.step[last]
        records.move[row, step] = move
        step += 1
        play(instance, state, move)
    records.decisions[row] = decision
    records.steps[row] = step
    records.score[row] = reached
    records.shaped[row] = shaped_score(instance, state, reached) if shaping else reached
    return met, all_tried(choices, decision)
