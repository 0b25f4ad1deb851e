"""The rounds of a parallel nested search, apart from the rules: compiled once for all problems.

Levels above the *parallel level* are those of `solver.kernels.nested.levels`. A search of the
parallel level is cut into rounds of a *call* for each worker, a search of the level of calls; at
the end of a round, the barrier, results are put together in the order of the workers. No call of a
round depends on another, so any number of threads may make them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.compiling.random import jump
from solver.kernels.arguments import Course
from solver.kernels.monitor import PLAYOUTS
from solver.kernels.nested.levels import (
    LevelParameters,
    Levels,
    adapt_level,
    descend,
    finish_iterations,
    new_levels,
    note_last,
    restart,
    take_playout,
    take_result,
)
from solver.kernels.policy import Policy, copy_policy
from solver.kernels.records import LAST, Records, same_choices

Int64s = npt.NDArray[np.int64]

#: Strategies of workers: the data that they share.
SHARED, LOCAL, SPECULATIVE = range(3)

#: Counters of rounds: the worker whose turn it is, and whether its call is under way; the first
#: worker of this thread, and the one after its last; playouts before the call, and of the longest
#: one of the round; all rounds, and their calls; the playouts of the longest call of each. Of a
#: thread that speculates beside others: whether its policy is ahead, and whether its last result
#: is a new best, so that what it would do next is known to be wrong.
TURN, UNDER_WAY, FIRST, BEYOND, BEGAN, LONGEST, ROUNDS, CALLS, CRITICAL, AHEAD, CHANGED = range(11)


class RoundParameters(NamedTuple):
    """See `solver.algorithms.parallel_nrpa.ParallelNrpa`."""

    levels: LevelParameters
    strategy: int
    """`SHARED`, `LOCAL` or `SPECULATIVE`."""
    parallel_level: int
    workers: int
    pass_policy: bool
    adapt_each: bool


class Rounds(NamedTuple):
    """Progress of each level and of the round, and results that workers bring to the barrier."""

    levels: Levels
    counters: Int64s
    """int64[11]: `TURN` ... `CHANGED`."""
    stream: npt.NDArray[np.uint64]
    """uint64[max(workers, 3), 4]: streams of the workers; if speculative, those of the next call
    to confirm, of the one under way, and of the next that this thread makes."""
    result: Int64s
    """int64[workers]: records of the results of the round; of `LOCAL` the first, the best."""


def new_rounds(parameters: RoundParameters, choices: int) -> Rounds:
    """Allocate the rounds of a search that has not begun, one thread making all calls."""
    level, workers = parameters.levels.level, parameters.workers
    return Rounds(
        levels=new_levels(level, choices),
        counters=np.zeros(CHANGED + 1, np.int64),
        stream=np.zeros((max(workers, 3), 4), np.uint64),
        result=np.arange(level + 2, level + 2 + workers),
    )


@inlined
def call_level(parameters: RoundParameters) -> int:
    """Level of the searches that workers make: 0 for playouts."""
    return parameters.parallel_level - (parameters.strategy != LOCAL)


@inlined
def calls_of_round(parameters: RoundParameters, rounds: Rounds) -> int:
    """Number of calls of the round: fewer than workers where that many are left."""
    if parameters.strategy == LOCAL:
        return parameters.workers
    left = parameters.levels.iterations - rounds.levels.done[parameters.parallel_level]
    return int(min(parameters.workers, left))


@inlined
def _go_down(
    parameters: RoundParameters,
    policy: Policy,
    records: Records,
    row_of: Int64s,
    rounds: Rounds,
    here: int,
) -> None:
    """Begin the searches below level `here` that are no part of a call."""
    descend(policy, records, row_of, rounds.levels, here, call_level(parameters) + 1)
    if here > parameters.levels.level:
        restart(parameters.levels, records, row_of, rounds.levels)


@kernel
def begin_rounds(
    parameters: RoundParameters, policy: Policy, records: Records, row_of: Int64s, rounds: Rounds
) -> None:
    """Begin a search unless it is under way."""
    top = parameters.levels.level + 1
    levels = rounds.levels
    if levels.done[top] < 0:
        levels.done[LAST] = levels.done[top] = 0
        descend(policy, records, row_of, levels, top, call_level(parameters) + 1)


@inlined
def is_alone(parameters: RoundParameters, rounds: Rounds) -> bool:
    """Return whether this thread makes all calls."""
    return bool(rounds.counters[FIRST] == 0 and rounds.counters[BEYOND] == parameters.workers)


@inlined
def is_waiting(parameters: RoundParameters, rounds: Rounds) -> bool:
    """Return whether this thread has made all its calls of the round."""
    if parameters.strategy == SPECULATIVE and is_alone(parameters, rounds):
        return False
    counters = rounds.counters
    beyond = min(counters[BEYOND], calls_of_round(parameters, rounds))
    return bool(counters[TURN] >= beyond or counters[CHANGED] == 1)


@kernel
def begin_call(
    parameters: RoundParameters,
    policy: Policy,
    records: Records,
    row_of: Int64s,
    rounds: Rounds,
    course: Course,
) -> int:
    """Begin the next call unless one is under way; returns the row of its random stream."""
    counters, levels, below = rounds.counters, rounds.levels, call_level(parameters)
    turn = counters[TURN]
    if counters[UNDER_WAY] == 0:
        if parameters.strategy == SPECULATIVE:
            _next_stream(parameters, policy, records, row_of, rounds)
        counters[UNDER_WAY] = 1
        counters[BEGAN] = course.monitor.counters[PLAYOUTS]
        levels.done[LAST] = 0
        descend(policy, records, row_of, levels, below + 1, 1)
        if parameters.strategy == LOCAL:  # a part of the iterations: as if the others were made
            n, workers = parameters.levels.iterations, parameters.workers
            levels.done[below] = n - (n // workers + (turn < n % workers))
    return 1 if parameters.strategy == SPECULATIVE else int(turn)


@inlined
def _next_stream(
    parameters: RoundParameters, policy: Policy, records: Records, row_of: Int64s, rounds: Rounds
) -> None:
    """Take the stream of the next speculative call, and first, beside others, go where it is."""
    stream, counters, source = rounds.stream, rounds.counters, 0
    if not is_alone(parameters, rounds):
        source = 2
        if counters[AHEAD] == 0:
            counters[AHEAD] = 1
            level = parameters.parallel_level
            copy_policy(policy, level, parameters.levels.level + 2)
            for word in range(4):
                stream[2, word] = stream[0, word]
            for _ in range(counters[FIRST]):
                _adapt_ahead(parameters, policy, records, row_of, rounds)
                jump(stream[2])
    for word in range(4):
        stream[1, word] = stream[source, word]
    jump(stream[source])


@inlined
def _adapt_ahead(
    parameters: RoundParameters, policy: Policy, records: Records, row_of: Int64s, rounds: Rounds
) -> None:
    """Adapt the policy of the parallel level as it will be if the best stays."""
    levels, level = parameters.levels, parameters.parallel_level
    adapt_level(levels, policy, records, row_of, rounds.levels, level, levels.alpha)


@kernel
def finish_call_playout(
    parameters: RoundParameters,
    policy: Policy,
    records: Records,
    row_of: Int64s,
    rounds: Rounds,
    course: Course,
) -> bool:
    """Take the last playout, and end its call, or the round, where it is the last of one.

    Returns whether the target was reached, the search being over.

    Parameters
    ----------
    policy : Policy
        Row l is the policy of level l, row level + 1 the initial one, row level + 2 that of the
        best worker of `LOCAL`, or that which a thread that speculates comes back to.
    records : Records
        Rows of `row_of`, then those of `rounds.result`.
    row_of : int64[level + 2]
        Record of the last playout, of the best of each level, of the best of all.
    """
    levels, counters = parameters.levels, rounds.counters
    if note_last(records, row_of, levels.level, course):
        return True
    top = call_level(parameters) + 1
    if top > 1:
        here = take_playout(levels, policy, records, row_of, rounds.levels, top)
        if here < top:
            descend(policy, records, row_of, rounds.levels, here, 1)
            return False
    made = course.monitor.counters[PLAYOUTS] - counters[BEGAN]
    counters[LONGEST] = max(counters[LONGEST], made)
    counters[UNDER_WAY] = 0
    alone = is_alone(parameters, rounds)
    if parameters.strategy == SPECULATIVE and alone:
        _confirm(parameters, policy, records, row_of, rounds)
        return False
    _keep_result(parameters, policy, records, row_of, rounds)
    counters[TURN] += 1
    if alone and is_waiting(parameters, rounds):
        finish_round(parameters, policy, records, row_of, rounds)
    return False


@inlined
def _swap_result(row_of: Int64s, level: int, rounds: Rounds, index: int) -> None:
    row_of[level], rounds.result[index] = rounds.result[index], row_of[level]


@inlined
def _keep_result(
    parameters: RoundParameters, policy: Policy, records: Records, row_of: Int64s, rounds: Rounds
) -> None:
    """Put the result of the call that is over where the end of the round finds it."""
    level, turn = call_level(parameters), rounds.counters[TURN]
    if parameters.strategy != LOCAL:
        if parameters.strategy == SPECULATIVE:
            rounds.counters[CHANGED] = _is_new_best(records, row_of, level)
            _adapt_ahead(parameters, policy, records, row_of, rounds)
        _swap_result(row_of, level, rounds, turn)
        return
    kept = rounds.result[0]
    if turn == rounds.counters[FIRST] or records.shaped[row_of[level]] > records.shaped[kept]:
        _swap_result(row_of, level, rounds, 0)
        if parameters.pass_policy and level < parameters.levels.level:
            copy_policy(policy, level, parameters.levels.level + 2)


@inlined
def _is_new_best(records: Records, row_of: Int64s, level: int) -> bool:
    """Return whether the result of `level` changes what the level above adapts to."""
    result, best = row_of[level], row_of[level + 1]
    as_good = records.shaped[result] >= records.shaped[best]
    return bool(as_good and not same_choices(records, result, best))


@inlined
def _close_round(rounds: Rounds, calls: int) -> None:
    counters = rounds.counters
    counters[ROUNDS] += 1
    counters[CALLS] += calls
    counters[CRITICAL] += counters[LONGEST]
    counters[LONGEST] = counters[UNDER_WAY] = counters[AHEAD] = counters[CHANGED] = 0
    counters[TURN] = counters[FIRST]


@kernel
def finish_round(
    parameters: RoundParameters, policy: Policy, records: Records, row_of: Int64s, rounds: Rounds
) -> None:
    """Put the results of a round together, all of them being there; the next one begins.

    Paper 'distributed-nrpa': of `SHARED` lines 9 to 15 of Algorithm 4, with an adapt for all calls
    as in its text, or one after each as printed; of `LOCAL` lines 7 to 9 of Algorithm 5.
    """
    levels, level = parameters.levels, call_level(parameters)
    calls = calls_of_round(parameters, rounds)
    if parameters.strategy == SPECULATIVE:
        _confirm_round(parameters, policy, records, row_of, rounds)
        return
    if parameters.strategy == SHARED:
        for worker in range(calls):
            _swap_result(row_of, level, rounds, worker)
            take_result(records, row_of, rounds.levels.repeated, level + 1)
            _swap_result(row_of, level, rounds, worker)
            if parameters.adapt_each and worker < calls - 1:  # the last one below
                alpha = levels.alpha * calls
                adapt_level(levels, policy, records, row_of, rounds.levels, level + 1, alpha)
        iterations = calls
    else:
        _swap_result(row_of, level, rounds, 0)
        if level < levels.level:
            if parameters.pass_policy:
                copy_policy(policy, levels.level + 2, level + 1)
            take_result(records, row_of, rounds.levels.repeated, level + 1)
        iterations = 1
    here = finish_iterations(
        levels, policy, records, row_of, rounds.levels, level + 1, levels.level + 1, iterations
    )
    _close_round(rounds, calls)
    _go_down(parameters, policy, records, row_of, rounds, here)


@inlined
def _take_call(
    parameters: RoundParameters, policy: Policy, records: Records, row_of: Int64s, rounds: Rounds
) -> tuple[bool, int]:
    """Take the result of a call as a sequential search does.

    Returns whether the calls after it began with what is wrong, and the level that goes on.
    """
    levels, level = parameters.levels, call_level(parameters)
    changed = _is_new_best(records, row_of, level)
    take_result(records, row_of, rounds.levels.repeated, level + 1)
    here = finish_iterations(
        levels, policy, records, row_of, rounds.levels, level + 1, levels.level + 1, 1
    )
    return changed or here > level + 1, here


@inlined
def _confirm(
    parameters: RoundParameters, policy: Policy, records: Records, row_of: Int64s, rounds: Rounds
) -> None:
    """Take the result of a call of a speculative round, which ends where the best changes.

    All workers began with the policies that there would be if the best stayed. Made one after the
    other, these are the calls of a sequential search, and those that would be discarded are not
    made at all: only the rounds tell that they were parallel.
    """
    counters = rounds.counters
    over, here = _take_call(parameters, policy, records, row_of, rounds)
    counters[TURN] += 1
    if over or counters[TURN] == parameters.workers:
        _close_round(rounds, counters[TURN])
    _go_down(parameters, policy, records, row_of, rounds, here)


@inlined
def _confirm_round(
    parameters: RoundParameters, policy: Policy, records: Records, row_of: Int64s, rounds: Rounds
) -> None:
    """Take the results of a speculative round of several threads, up to the first new best."""
    level, calls = call_level(parameters), calls_of_round(parameters, rounds)
    if rounds.counters[AHEAD] == 1:
        copy_policy(policy, parameters.levels.level + 2, level + 1)
    over, here, taken = False, level + 1, 0
    while taken < calls and not over:
        _swap_result(row_of, level, rounds, taken)
        over, here = _take_call(parameters, policy, records, row_of, rounds)
        _swap_result(row_of, level, rounds, taken)
        jump(rounds.stream[0])
        taken += 1
    _close_round(rounds, taken)
    _go_down(parameters, policy, records, row_of, rounds, here)
