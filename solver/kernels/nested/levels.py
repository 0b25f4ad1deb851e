"""The levels of a nested search, apart from the rules: compiled once for all problems.

The recursion is unrolled into counters, so that the search can pause after any playout.
The restarts are one more level on top, whose policy, the initial one, is never adapted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.kernels.arguments import Course
from solver.kernels.monitor import best_score, note_improvement
from solver.kernels.nested.adapt import adapt, adapt_layers
from solver.kernels.policy import Policy, copy_policy
from solver.kernels.records import LAST, Records, copy_record, same_moves

Int64s = npt.NDArray[np.int64]


class LevelParameters(NamedTuple):
    """See `solver.algorithms.gnrpa.Gnrpa`."""

    level: int
    iterations: int
    alpha: float
    temperature: float
    playouts_per_adapt: int
    repetitions: int
    warm_start: bool
    layered: bool


class Levels(NamedTuple):
    """Progress of each level."""

    done: Int64s
    """int64[level + 2]: iterations finished per level, at 0 playouts since the last adapt of
    level 1. A search begins with all equal to -1."""
    repeated: Int64s
    """int64[level + 2]: how often the best of each level was found again."""
    probability: npt.NDArray[np.float64]
    """float64[choices]: scratch."""
    layer: Int64s
    """int64[choices]: scratch."""


def new_levels(level: int, choices: int) -> Levels:
    """Allocate the counters of a search of `level` that has not begun."""
    return Levels(
        done=np.full(level + 2, -1, np.int64),
        repeated=np.zeros(level + 2, np.int64),
        probability=np.zeros(choices),
        layer=np.zeros(choices, np.int64),
    )


@inlined
def _swap(row_of: Int64s, level: int) -> None:
    row_of[level], row_of[level - 1] = row_of[level - 1], row_of[level]


@inlined
def descend(
    policy: Policy, records: Records, row_of: Int64s, levels: Levels, level: int, least: int
) -> None:
    """Begin the searches below `level` down to `least`, each with the policy of the one above."""
    for below in range(level - 1, least - 1, -1):
        copy_policy(policy, below + 1, below)
        records.score[row_of[below]] = records.shaped[row_of[below]] = -np.inf
        levels.done[below] = 0
        levels.repeated[below] = 0


@inlined
def take_result(records: Records, row_of: Int64s, repeated: Int64s, level: int) -> None:
    """Keep the result of the search below `level` if it is as good as the best there."""
    below, best = row_of[level - 1], row_of[level]
    if same_moves(records, below, best):
        repeated[level] += 1
    elif records.shaped[below] >= records.shaped[best]:
        repeated[level] = 0
    if records.shaped[below] >= records.shaped[best]:
        _swap(row_of, level)


@inlined
def note_last(records: Records, row_of: Int64s, level: int, course: Course) -> bool:
    """Note the last playout if it is the best of all; returns whether it reaches the target."""
    reached = records.score[row_of[LAST]]
    if reached > best_score(course.monitor):
        note_improvement(course.monitor, reached)
        copy_record(records, row_of[LAST], row_of[level + 1])
        return bool(reached >= course.target)
    return False


@inlined
def adapt_level(
    parameters: LevelParameters,
    policy: Policy,
    records: Records,
    row_of: Int64s,
    levels: Levels,
    here: int,
    alpha: float,
) -> None:
    """Adapt the policy of a level to the best sequence there."""
    if parameters.layered:
        adapt_layers(
            policy, here, records, row_of[here], alpha, parameters.temperature,
            levels.probability, levels.layer,
        )  # fmt: skip
    else:
        adapt(
            policy, here, records, row_of[here], alpha, parameters.temperature, levels.probability
        )


@inlined
def finish_iterations(
    parameters: LevelParameters,
    policy: Policy,
    records: Records,
    row_of: Int64s,
    levels: Levels,
    here: int,
    top: int,
    iterations: int,
) -> int:
    """Finish iterations of level `here`, in one step so many times as long, and what ends with it.

    Returns the level that goes on, `top` if all below it are over.
    """
    done, repeated = levels.done, levels.repeated
    while here < top:
        alpha = parameters.alpha * iterations
        adapt_level(parameters, policy, records, row_of, levels, here, alpha)
        done[here] += iterations
        converged = 0 < parameters.repetitions <= repeated[here]
        if done[here] < parameters.iterations and not converged:
            break
        here += 1
        iterations = 1
        if here < top:
            take_result(records, row_of, repeated, here)
    return here


@inlined
def take_playout(
    parameters: LevelParameters,
    policy: Policy,
    records: Records,
    row_of: Int64s,
    levels: Levels,
    top: int,
) -> int:
    """Take the last playout, and adapt at the end of an iteration.

    Returns the level that goes on, 0 if that is the one of playouts, `top` if all below it are
    over.
    """
    take_result(records, row_of, levels.repeated, 1)
    levels.done[LAST] += 1
    if levels.done[LAST] < parameters.playouts_per_adapt:
        return 0
    levels.done[LAST] = 0
    return finish_iterations(parameters, policy, records, row_of, levels, 1, top, 1)


@inlined
def restart(parameters: LevelParameters, records: Records, row_of: Int64s, levels: Levels) -> None:
    """Count a search that is over; the next may begin with the best of all."""
    level = parameters.level
    levels.done[level + 1] += 1
    if parameters.warm_start:
        copy_record(records, row_of[level + 1], row_of[level])


@kernel
def begin_levels(
    level: int, policy: Policy, records: Records, row_of: Int64s, levels: Levels
) -> None:
    """Begin a search of `level` unless it is under way."""
    if levels.done[level + 1] < 0:
        levels.done[LAST] = levels.done[level + 1] = 0
        descend(policy, records, row_of, levels, level + 1, 1)


@kernel
def finish_playout(
    parameters: LevelParameters,
    policy: Policy,
    records: Records,
    row_of: Int64s,
    levels: Levels,
    course: Course,
) -> bool:
    """Take the last playout, adapt, and go to the level whose turn it is.

    Paper 'gnrpa', Algorithm 3. Returns whether the target was reached, the search being over.

    Parameters
    ----------
    policy : Policy
        Row l is the policy of level l, row level + 1 the initial one.
    row_of : int64[level + 2]
        Record of the last playout, of the best of each level, of the best of all.
    """
    level = parameters.level
    if note_last(records, row_of, level, course):
        return True
    here = take_playout(parameters, policy, records, row_of, levels, level + 1)
    descend(policy, records, row_of, levels, here, 1)
    if here > level:
        restart(parameters, records, row_of, levels)
    return False
