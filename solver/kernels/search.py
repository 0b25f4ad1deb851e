"""The two searches, as kernels that stop after some playouts and go on when called again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.jit import inlined, kernel
from solver.kernels.adapt import adapt
from solver.kernels.choices import Choices
from solver.kernels.improve import improve_record
from solver.kernels.monitor import PLAYOUTS, Monitor, best_score, note_improvement
from solver.kernels.playout import policy_playout, sample_playout
from solver.kernels.policy import Policy, copy_policy, has_room
from solver.kernels.records import Records, copy_record, same_moves
from solver.random import Stream

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

#: Why a kernel returned: playouts spent, target reached, no room for new codes, every
#: state of the problem seen.
PAUSED, REACHED, FULL, EXHAUSTED = 0, 1, 2, 3


@inlined
def _swap(row_of: Int64s, level: int) -> None:
    row_of[level], row_of[level - 1] = row_of[level - 1], row_of[level]


@kernel
def sample(
    instance: Any,
    state: Any,
    prior: Any,
    records: Records,
    row_of: Int64s,
    choices: Choices,
    stream: Stream,
    monitor: Monitor,
    dead_ends: int,
    target: float,
    max_playouts: int,
    run_playouts: int,
) -> int:
    """Sample until `monitor` counts `max_playouts` or `target` is reached.

    Parameters
    ----------
    row_of : int64[2]
        Record of the last playout and of the best one.
    choices : Choices
        Scratch.
    stream : uint64[4]
        Consumed.
    dead_ends : int
        Dead ends that a playout may back out of.
    run_playouts : int
        Never exceeded, while `max_playouts` is only looked at between playouts.

    Returns
    -------
    int
        `PAUSED`, `REACHED` or `EXHAUSTED`.
    """
    exhausted = False
    while monitor.counters[PLAYOUTS] < max_playouts and not exhausted:
        allowed = min(dead_ends, run_playouts - monitor.counters[PLAYOUTS] - 1)
        met, exhausted = sample_playout(
            instance, state, prior, records, row_of[0], choices, stream,
            allowed, best_score(monitor), target,
        )  # fmt: skip
        monitor.counters[PLAYOUTS] += met
        reached = records.score[row_of[0]]
        if reached > best_score(monitor):
            _swap(row_of, 1)
            note_improvement(monitor, reached)
            if reached >= target:
                return REACHED
    return EXHAUSTED if exhausted else PAUSED


@inlined
def _descend(
    policy: Policy, records: Records, row_of: Int64s, done: Int64s, repeated: Int64s, level: int
) -> None:
    """Begin the searches below `level`, each with the policy of the one above."""
    for below in range(level - 1, 0, -1):
        copy_policy(policy, below + 1, below)
        records.score[row_of[below]] = records.shaped[row_of[below]] = -np.inf
        done[below] = 0
        repeated[below] = 0


@inlined
def _take_result(records: Records, row_of: Int64s, repeated: Int64s, level: int) -> None:
    """Keep the result of the search below `level` if it is as good as the best there."""
    below, best = row_of[level - 1], row_of[level]
    if same_moves(records, below, best):
        repeated[level] += 1
    elif records.shaped[below] >= records.shaped[best]:
        repeated[level] = 0
    if records.shaped[below] >= records.shaped[best]:
        _swap(row_of, level)


@kernel
def search_nested(
    instance: Any,
    state: Any,
    prior: Any,
    policy: Policy,
    records: Records,
    row_of: Int64s,
    done: Int64s,
    repeated: Int64s,
    choices: Choices,
    probability: Floats,
    stream: Stream,
    monitor: Monitor,
    level: int,
    iterations: int,
    alpha: float,
    temperature: float,
    playouts_per_adapt: int,
    repetitions: int,
    warm_start: bool,
    local_search: bool,
    shaping: bool,
    dead_ends: int,
    target: float,
    max_playouts: int,
    run_playouts: int,
) -> int:
    """GNRPA of `level` (paper 'gnrpa', Algorithm 3), restarted until the playouts are spent.

    The recursion is unrolled into counters, `done[l]` iterations of level l, so
    that the search can pause after any playout. The restarts are one more level
    on top, whose policy, the initial one, is never adapted.

    Parameters
    ----------
    policy : Policy
        Row l is the policy of level l, row level + 1 the initial one.
    row_of : int64[level + 2]
        Record of the last playout, of the best of each level, of the best of all.
    done : int64[level + 2]
        Iterations finished per level, at 0 playouts since the last adapt of level 1. A
        search begins with all equal to -1.
    repeated : int64[level + 2]
        How often the best of each level was found again.
    choices, probability : Choices, float64[choices]
        Scratch.
    stream : uint64[4]
        Consumed.
    local_search : bool
        A playout better than the best of level 1 is improved before anything is made of it.
    shaping : bool
        Levels keep and adapt to the playout of the best `shaped_score`, not `score`.
    dead_ends, run_playouts : int
        As for `sample`.

    Returns
    -------
    int
        `PAUSED`, `REACHED`, `FULL` or `EXHAUSTED`.
    """
    if done[level + 1] < 0:
        done[0] = done[level + 1] = 0
        _descend(policy, records, row_of, done, repeated, level + 1)
    room = len(probability) * (2 if local_search else 1)  # a record made again meets new codes
    exhausted = False
    while monitor.counters[PLAYOUTS] < max_playouts and not exhausted:
        if not has_room(policy, room):
            return FULL
        allowed = min(dead_ends, run_playouts - monitor.counters[PLAYOUTS] - 1)
        met, exhausted = policy_playout(
            instance, state, prior, policy, 1, records, row_of[0], choices, stream,
            allowed, shaping, records.shaped[row_of[1]], target,
        )  # fmt: skip
        monitor.counters[PLAYOUTS] += met
        if local_search and records.shaped[row_of[0]] > records.shaped[row_of[1]]:
            improve_record(
                instance, state, prior, policy, records, row_of[0], choices, stream, shaping
            )
        reached = records.score[row_of[0]]
        if reached > best_score(monitor):
            note_improvement(monitor, reached)
            copy_record(records, row_of[0], row_of[level + 1])
            if reached >= target:
                return REACHED
        here = 1
        _take_result(records, row_of, repeated, here)
        done[0] += 1
        if done[0] < playouts_per_adapt:
            continue
        done[0] = 0
        while True:
            adapt(policy, here, records, row_of[here], alpha, temperature, probability)
            done[here] += 1
            converged = repetitions > 0 and repeated[here] >= repetitions
            if done[here] < iterations and not converged:
                break
            here += 1
            if here > level:
                done[here] += 1
                break
            _take_result(records, row_of, repeated, here)
        _descend(policy, records, row_of, done, repeated, here)
        if warm_start and here > level:
            copy_record(records, row_of[level + 1], row_of[level])
    return EXHAUSTED if exhausted else PAUSED
