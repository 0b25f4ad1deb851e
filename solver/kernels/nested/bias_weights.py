"""Nested search that learns weights of biases, as a kernel that stops after some playouts."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.generic import generic_with_default
from solver.compiling.jit import inlined, kernel
from solver.compiling.memory import unshared
from solver.compiling.random import Stream
from solver.contract.domain import Puzzle
from solver.contract.rules import Product, odds, reset
from solver.kernels.arguments import Course, Off, On, Task
from solver.kernels.bounds import Broken
from solver.kernels.choices import Choices
from solver.kernels.monitor import PLAYOUTS, best_score
from solver.kernels.nested.adapt import adapt
from solver.kernels.nested.levels import (
    LevelParameters,
    Levels,
    begin_levels,
    descend,
    new_levels,
    note_last,
    restart,
    take_result,
)
from solver.kernels.playout import (
    PlayoutParameters,
    Workspace,
    breaks_codes,
    note_chosen,
    note_codes,
    playout,
    weigh,
)
from solver.kernels.policy import MAX_EXPONENT, PLAYED, Policy, grow_policy, has_room, new_policy
from solver.kernels.records import LAST, Records
from solver.kernels.run import KernelRun, growing_dead_ends_of
from solver.kernels.status import EXHAUSTED, FULL, PAUSED, REACHED

Floats = npt.NDArray[np.float64]


class BiasPolicy(NamedTuple):
    """A policy, and the weights v of the biases β of a prior's parts."""

    plain: Policy
    weight: Floats
    """float64[level + 2, parts]: v; row l is that of level l, as in `plain`."""
    bias: Floats
    """float64[records, choices, parts]: β of every move of every decision, beside `Records`."""


class BiasParameters(NamedTuple):
    """Parameters of a nested search that learns weights of biases."""

    levels: LevelParameters
    playouts: PlayoutParameters
    rate: float
    room: int
    """Slots of new codes that a playout may need."""


def parts_of_prior(prior: Any) -> int:
    """Return the number of parts of a prior: the codes of a table, else 1."""
    return 1 + parts_of_prior(prior.rest) if isinstance(prior, Product) else 1


@generic_with_default
def write_biases(prior: Any, instance: Any, state: Any, move: int, biases: Floats, at: int) -> None:
    """Write β of `move` in each part of `prior` into `biases`, from place `at` on."""
    bias = math.log(odds(prior, instance, state, move))
    biases[at] = min(max(bias, -MAX_EXPONENT), MAX_EXPONENT)


@write_biases.register(Product)
def _write_biases_of_parts(
    prior: Product, instance: Any, state: Any, move: int, biases: Floats, at: int
) -> None:
    write_biases(prior.first, instance, state, move, biases, at)
    write_biases(prior.rest, instance, state, move, biases, at + 1)


@inlined
def weighted_odds(policy: BiasPolicy, level: int, row: int, index: int) -> float:
    """exp(Σ_j v_j β_j) of choice number `index` of record `row`, with v of `level`."""
    exponent = 0.0
    for part in range(policy.weight.shape[1]):
        exponent += policy.weight[level, part] * policy.bias[row, index, part]
    return math.exp(min(max(exponent, -MAX_EXPONENT), MAX_EXPONENT))


@weigh.register(BiasPolicy)
def _weigh(
    policy: BiasPolicy,
    prior: Any,
    instance: Any,
    state: Any,
    move: int,
    records: Records,
    row: int,
    index: int,
) -> float:
    write_biases(prior, instance, state, move, policy.bias[row, index], 0)
    weight = weigh(policy.plain, Off(0), instance, state, move, records, row, index)
    bias_odds = weighted_odds(policy, PLAYED, row, index)
    records.odds[row, index] = bias_odds
    return float(weight * bias_odds)


@breaks_codes.register(BiasPolicy)
def _breaks_codes(
    policy: BiasPolicy, records: Records, row: int, choices: int, broken: Broken
) -> bool:
    return bool(breaks_codes(policy.plain, records, row, choices, broken))


@note_codes.register(BiasPolicy)
def _note_codes(
    policy: BiasPolicy, records: Records, row: int, choices: int, broken: Broken
) -> None:
    note_codes(policy.plain, records, row, choices, broken)


@note_chosen.register(BiasPolicy)
def _note_chosen(
    policy: BiasPolicy, records: Records, row: int, choices: Choices, decision: int, chosen: int
) -> None:
    note_chosen(policy.plain, records, row, choices, decision, chosen)


@inlined
def adapt_with_biases(
    parameters: BiasParameters,
    policy: BiasPolicy,
    level: int,
    records: Records,
    row: int,
    probability: Floats,
) -> None:
    """Move policy and weights of biases of `level` towards record `row`.

    All probabilities are computed before any weight changes: they are those that `adapt` leaves in
    `probability` (float64[choices]).
    """
    levels = parameters.levels
    for index in range(records.end[row, records.decisions[row]]):
        records.odds[row, index] = weighted_odds(policy, level, row, index)
    adapt(policy.plain, level, records, row, levels.alpha, levels.temperature, probability)
    for part in range(policy.weight.shape[1]):
        gain, spread = 0.0, 0.0
        begin = 0
        for decision in range(records.decisions[row]):
            end = records.end[row, decision + 1]
            expected, mean = 0.0, 0.0
            for index in range(begin, end):
                expected += probability[index] * policy.bias[row, index, part]
                mean += policy.bias[row, index, part]
            mean /= end - begin
            variance = 0.0
            for index in range(begin, end):
                variance += (policy.bias[row, index, part] - mean) ** 2
            gain += policy.bias[row, begin + records.chosen[row, decision], part] - expected
            spread += variance / (end - begin)
            begin = end
        if spread > 0.0:
            policy.weight[level, part] += parameters.rate * gain / spread


@inlined
def finish_iterations(
    parameters: BiasParameters,
    policy: BiasPolicy,
    records: Records,
    row_of: npt.NDArray[np.int64],
    levels: Levels,
    top: int,
) -> int:
    """Take the last playout, adapt at the end of an iteration, and finish levels that are over.

    Returns the level that goes on, as `solver.kernels.nested.levels.take_playout`.
    """
    limits, done = parameters.levels, levels.done
    take_result(records, row_of, levels.repeated, 1)
    done[LAST] += 1
    if done[LAST] < limits.playouts_per_adapt:
        return 0
    done[LAST] = 0
    here = 1
    while here < top:
        adapt_with_biases(parameters, policy, here, records, row_of[here], levels.probability)
        done[here] += 1
        converged = 0 < limits.repetitions <= levels.repeated[here]
        if done[here] < limits.iterations and not converged:
            break
        here += 1
        if here < top:
            take_result(records, row_of, levels.repeated, here)
    return here


@inlined
def copy_biases(policy: BiasPolicy, records: Records, source: int, target: int) -> None:
    """Copy the biases of record `source` to those of record `target`."""
    for index in range(records.end[source, records.decisions[source]]):
        for part in range(policy.weight.shape[1]):
            policy.bias[target, index, part] = policy.bias[source, index, part]


@inlined
def finish_playout(
    parameters: BiasParameters, workspace: Workspace, levels: Levels, course: Course
) -> bool:
    """Take the last playout, adapt, and go to the level whose turn it is.

    Returns whether the target was reached, the search being over.
    """
    policy, records, row_of = workspace.policy, workspace.records, workspace.row_of
    level = parameters.levels.level
    before = best_score(course.monitor)
    if note_last(records, row_of, level, course):
        return True
    if best_score(course.monitor) > before:
        copy_biases(policy, records, row_of[LAST], row_of[level + 1])
    here = finish_iterations(parameters, policy, records, row_of, levels, level + 1)
    descend(policy.plain, records, row_of, levels, here, 1)
    for below in range(here - 1, 0, -1):
        for part in range(policy.weight.shape[1]):
            policy.weight[below, part] = policy.weight[below + 1, part]
    if here > level:
        restart(parameters.levels, records, row_of, levels)
        if parameters.levels.warm_start:
            copy_biases(policy, records, row_of[level + 1], row_of[level])
    return False


@kernel
def search_bias_weights(
    task: Task,
    parameters: BiasParameters,
    workspace: Workspace,
    levels: Levels,
    course: Course,
) -> int:
    """GNRPA (paper 'gnrpa', Algorithm 3) that learns weights of biases, restarted until the end.

    Returns
    -------
    int
        `PAUSED`, `REACHED`, `FULL` or `EXHAUSTED`.
    """
    policy, records, row_of = workspace.policy, workspace.records, workspace.row_of
    counters = course.monitor.counters
    begin_levels(parameters.levels.level, policy.plain, records, row_of, levels)
    exhausted = False
    while counters[PLAYOUTS] < course.max_playouts and not exhausted:
        if not has_room(policy.plain, parameters.room):
            return FULL
        floor = records.shaped[row_of[LAST + 1]]
        reset(task.instance, task.state)
        met, exhausted = playout(task, parameters.playouts, workspace, course, floor)
        counters[PLAYOUTS] += met
        if finish_playout(parameters, workspace, levels, course):
            return REACHED
    return EXHAUSTED if exhausted else PAUSED


class BiasWeightsRun(KernelRun):
    """A run of a nested search that learns weights of biases."""

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        prior: Any,
        parameters: LevelParameters,
        rate: float,
        *,
        dead_ends: int,
        shaping: bool,
    ) -> None:
        limits, rows = domain.limits(instance), parameters.level + 2
        choices, parts = max(limits.choices, 1), parts_of_prior(prior)
        policy = BiasPolicy(
            plain=new_policy(rows, limits.codes, choices),
            weight=np.ones((rows, parts)),
            bias=np.zeros((rows, choices, parts)),
        )
        super().__init__(domain, instance, prior, policy, rows)
        self.levels = unshared(new_levels(parameters.level, choices))
        playouts = PlayoutParameters(growing_dead_ends_of(dead_ends), On() if shaping else Off())
        self.parameters = BiasParameters(parameters, playouts, rate, choices)

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        super().begin(stream)
        self.levels.done[:] = -1
        self.policy.weight[:] = 1.0

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        course = self.course(max_playouts, run_playouts)
        while True:
            status = search_bias_weights(
                self.task, self.parameters, self.workspace, self.levels, course
            )
            if status != FULL:
                return status
            plain = unshared(grow_policy(self.policy.plain))
            self.policy = self.policy._replace(plain=plain)
