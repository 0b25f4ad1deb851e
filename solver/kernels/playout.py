"""One playout, with a policy or without.

A playout goes from the state it is given to a terminal state. It may meet some dead ends,
each time going back to its last decision with an untried move, before it ends in the next:
cheaper than a new playout where dead ends come late. Every terminal state counts as a playout
in budgets. A playout that fails without a single untried move on its way has seen every state
there is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.compiling.generic import generic
from solver.compiling.jit import called, inlined
from solver.contract.rules import code, legal_moves, odds, play, score_from, shaped_score
from solver.kernels.arguments import Course, Off, On, Task
from solver.kernels.bounds import BOUND, CODES, FAR_CODES, NONE_BROKEN, Broken, note_broken
from solver.kernels.choices import (
    Choices,
    all_tried,
    back_out,
    choose,
    dead_ends_left,
    has_place,
    note_mark,
    open_decision,
    weight_left,
)
from solver.kernels.policy import FAR, PLAYED, NoPolicy, Policy, intern
from solver.kernels.records import LAST, Records


class PlayoutParameters(NamedTuple):
    """Parameters of playouts; each may be `Off`."""

    dead_ends: Any
    """`GrowingDeadEnds`, `DeadEnds` or `Off`."""
    shaping: Any
    """`On`: nested searches compare playouts by the domain's `shaped_score`, not by `score`."""


class Workspace(NamedTuple):
    """Arrays that a playout reads and writes."""

    policy: Any
    """`Policy` or `NoPolicy`."""
    records: Records
    row_of: Any
    """int64[rows]: the record of the last playout, then those that the search keeps."""
    choices: Choices
    """Scratch."""


@inlined
def playout(
    task: Task, parameters: PlayoutParameters, workspace: Workspace, course: Course, floor: float
) -> tuple[int, bool]:
    """Play from the state of `task` with probability proportional to exp(policy + bias).

    The generalized playout of paper 'gnrpa' (Algorithm 4), which with `NoPolicy` is the default
    sampling policy of paper 'learned-prior', section 3. A step with a single move is no
    decision: its gradient is zero and it draws no random number. Record `row_of[0]` gets
    what the optimised adapt needs. A score below `floor` need not be exact. Returns the number of
    terminal states met, and whether these are all there are. Where the rules break a bound, which
    `course.monitor` gets, the record is empty and there is nothing more to see.
    """
    instance, state = task.instance, task.state
    policy, records, choices = workspace.policy, workspace.records, workspace.choices
    row = workspace.row_of[LAST]
    left = dead_ends_left(parameters.dead_ends, course)
    broken = course.monitor.broken
    reached = -np.inf
    weighed = 0.0
    step = 0
    decision = 0
    met = 0
    while True:
        n = legal_moves(instance, state, course.stream, choices.listed)
        move = choices.listed[0]
        if n != 0 and not has_place(choices, decision, step, n, broken):
            break
        if n > 1:
            begin = np.uint64(choices.end[decision])
            open_decision(choices, decision, n)
            note_mark(parameters.dead_ends, instance, state, choices, decision, step)
            total = 0.0
            for index in range(begin, begin + np.uint64(n)):
                option = choices.listed[index - begin]
                weight = weigh(policy, task.prior, instance, state, option, records, row, index)
                choices.move[index] = option
                choices.weight[index] = weight
                total += weight
            weighed += total
            chosen = choose(choices, decision, total, course.stream)
            note_chosen(policy, records, row, choices, decision, chosen)
            move = choices.move[begin + np.uint64(chosen)]
            decision += 1
        elif n == 0:
            met += 1
            reached = score_from(instance, state, floor)
            last = -1
            if reached < course.target:
                last = back_out(parameters.dead_ends, instance, state, choices, decision, met, left)
            if last < 0:
                break
            chosen = choose(choices, last, weight_left(choices, last), course.stream)
            note_chosen(policy, records, row, choices, last, chosen)
            move = choices.move[choices.end[last] + chosen]
            decision, step = last + 1, choices.step[last]
        records.move[row, step] = move
        step += 1
        play(instance, state, move)
    if np.isnan(weighed):  # with a look at each code playouts take 1.01 of the time
        note_codes(policy, records, row, records.end[row, decision], broken)
    if broken[BOUND] != NONE_BROKEN:
        return give_up(records, row, met)
    records.decisions[row] = decision
    records.steps[row] = step
    records.score[row] = reached
    records.shaped[row] = compared_by(parameters.shaping, instance, state, reached)
    return met, all_tried(choices, decision)


@called
def give_up(records: Records, row: int, met: int) -> tuple[int, bool]:
    """Make record `row` that of no playout; returns what `playout` does."""
    records.decisions[row] = records.steps[row] = 0
    records.score[row] = records.shaped[row] = -np.inf
    return max(met, 1), True


@generic
def breaks_codes(policy: Any, records: Records, row: int, choices: int, broken: Broken) -> bool:
    """True if some of the first `choices` slots of record `row` are no codes, which is noted."""


@breaks_codes.register(NoPolicy)
def _has_no_codes(
    policy: NoPolicy, records: Records, row: int, choices: int, broken: Broken
) -> bool:
    return False


@breaks_codes.register(Policy)
def _breaks_codes(policy: Policy, records: Records, row: int, choices: int, broken: Broken) -> bool:
    if len(policy.key) > 0:  # slots of hashes are its own
        return False
    most, codes = np.uint32(0), policy.weight.shape[1]
    for choice in range(choices):
        most = max(most, records.slot[row, choice])
    if most < codes:
        return False
    note_broken(broken, FAR_CODES if most >= FAR else CODES, int(most), codes)
    return True


@generic
def note_codes(policy: Any, records: Records, row: int, choices: int, broken: Broken) -> None:
    """Note which of the first `choices` slots of record `row` is none: weights are not a number."""


@note_codes.register(NoPolicy)
def _note_no_codes(
    policy: NoPolicy, records: Records, row: int, choices: int, broken: Broken
) -> None:
    return


@note_codes.register(Policy)
def _note_codes(policy: Policy, records: Records, row: int, choices: int, broken: Broken) -> None:
    if breaks_codes(policy, records, row, choices, broken):
        return
    for choice in range(choices):
        if np.isnan(records.odds[row, choice]):  # those of the prior are not, either
            return
    codes = policy.weight.shape[1]
    if len(policy.key) == 0:  # the lowest 32 bits of a code are one
        note_broken(broken, FAR_CODES, codes, codes)


@generic
def weigh(
    policy: Any,
    prior: Any,
    instance: Any,
    state: Any,
    move: int,
    records: Records,
    row: int,
    index: int,
) -> float:
    """Weight of `move`, which adapt will find as choice number `index` of record `row`."""


@weigh.register(NoPolicy)
def _weigh_by_prior(
    policy: NoPolicy,
    prior: Any,
    instance: Any,
    state: Any,
    move: int,
    records: Records,
    row: int,
    index: int,
) -> float:
    return odds(prior, instance, state, move)


@weigh.register(Policy)
def _weigh_by_policy(
    policy: Policy,
    prior: Any,
    instance: Any,
    state: Any,
    move: int,
    records: Records,
    row: int,
    index: int,
) -> float:
    number = np.int64(code(instance, state, move))
    bias_odds = odds(prior, instance, state, move)
    records.odds[row, index] = bias_odds
    if len(policy.key) == 0:
        records.slot[row, index] = np.uint32(number)
        slot = np.int64(min(np.uint64(number), np.uint64(policy.odds.shape[1] - 1)))
    else:
        slot = np.int64(intern(policy, int(number)))
        records.slot[row, index] = np.uint32(slot)
    return float(policy.odds[PLAYED, slot] * bias_odds)


@generic
def note_chosen(
    policy: Any, records: Records, row: int, choices: Choices, decision: int, chosen: int
) -> None:
    """Record for adapt which move was chosen."""


@note_chosen.register(NoPolicy)
def _note_nothing(
    policy: NoPolicy, records: Records, row: int, choices: Choices, decision: int, chosen: int
) -> None:
    return


@note_chosen.register(Policy)
def _note_chosen(
    policy: Policy, records: Records, row: int, choices: Choices, decision: int, chosen: int
) -> None:
    records.chosen[row, decision] = chosen
    records.end[row, decision + 1] = choices.end[decision + 1]


@generic
def compared_by(shaping: Any, instance: Any, state: Any, score: float) -> float:
    """Value by which a nested search compares a playout that ended in `state` with `score`."""


@compared_by.register(Off)
def _score(shaping: Off, instance: Any, state: Any, score: float) -> float:
    return score


@compared_by.register(On)
def _shaped_score(shaping: On, instance: Any, state: Any, score: float) -> float:
    return shaped_score(instance, state, score)
