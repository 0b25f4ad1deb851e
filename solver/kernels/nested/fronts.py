"""The levels of Pareto-NRPA, apart from the rules: compiled once for all problems.

A level has a set of policies and a front: records of which none dominates another. Records change
places between the fronts, nothing is copied. The counters are those of
`solver.kernels.nested.levels`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.kernels.arguments import Course
from solver.kernels.monitor import best_score, note_improvement
from solver.kernels.nested.adapt import adapt
from solver.kernels.policy import PLAYED, Policy, copy_policy
from solver.kernels.records import LAST, Records, copy_record

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Row of the initial policy, which is never adapted.
INITIAL = 0
#: Crowding distance that counts for one that is infinite.
AT_ENDS = 2.0


class FrontParameters(NamedTuple):
    """See `solver.algorithms.fronts.pareto_nrpa.ParetoNrpa`."""

    level: int
    iterations: int
    alpha: float
    temperature: float
    policies: int


class Fronts(NamedTuple):
    """Progress and front of each level. Level 0 is the last playout, level + 1 the restarts."""

    done: Int64s
    """int64[level + 2]: iterations finished. A search begins with all equal to -1."""
    n_members: Int64s
    """int64[level + 2]: sequences in each front."""
    member: Int64s
    """int64[level + 2, size + 1]: their records; those beyond are spare."""
    values: Floats
    """float64[rows, 1 + objectives]: of each record, see `write_objectives`."""
    maker: Int64s
    """int64[rows]: which policy of the set made it."""
    crowding: Floats
    """float64[size + 1]: scratch, crowding distances of a front."""
    order: Int64s
    """int64[size + 1]: scratch, places in a front."""
    probability: Floats
    """float64[choices]: scratch."""


def front_rows(level: int, size: int) -> int:
    """Number of records of a search with fronts of `size`, the best of all being the last."""
    return (level + 2) * (size + 1) + 1


def new_fronts(level: int, size: int, objectives: int, choices: int) -> Fronts:
    """Allocate the fronts of a search that has not begun."""
    rows, places = front_rows(level, size), (level + 2, size + 1)
    n_members = np.zeros(level + 2, np.int64)
    n_members[LAST] = 1
    return Fronts(
        done=np.full(level + 2, -1, np.int64),
        n_members=n_members,
        member=np.arange(rows - 1).reshape(places),
        values=np.zeros((rows, 1 + objectives)),
        maker=np.zeros(rows, np.int64),
        crowding=np.zeros(size + 1),
        order=np.zeros(size + 1, np.int64),
        probability=np.zeros(choices),
    )


@inlined
def policy_row(parameters: FrontParameters, level: int, number: int) -> int:
    """Row of policy `number` of the set of `level`."""
    return PLAYED + (level - 1) * parameters.policies + number


@inlined
def covers(values: Floats, one: int, other: int) -> bool:
    """Return whether record `one` dominates record `other`, or has equal values."""
    if values[one, 0] != values[other, 0]:
        return bool(values[one, 0] < values[other, 0])
    for objective in range(1, values.shape[1]):
        if values[one, objective] > values[other, objective]:
            return False
    return True


@inlined
def measure_crowding(fronts: Fronts, level: int) -> None:
    """Write the crowding distance of each sequence in the front of `level` into the scratch."""
    values, crowding, order = fronts.values, fronts.crowding, fronts.order
    member, n = fronts.member[level], fronts.n_members[level]
    for place in range(n):
        crowding[place] = 0.0
    for objective in range(1, values.shape[1]):
        for place in range(n):  # by insertion: fronts are small
            value, at = values[member[place], objective], place
            while at > 0 and values[member[order[at - 1]], objective] > value:
                order[at] = order[at - 1]
                at -= 1
            order[at] = place
        span = values[member[order[n - 1]], objective] - values[member[order[0]], objective]
        crowding[order[0]] = crowding[order[n - 1]] = np.inf
        for at in range(1, n - 1):
            if span > 0.0:
                after = values[member[order[at + 1]], objective]
                crowding[order[at]] += (after - values[member[order[at - 1]], objective]) / span


@inlined
def offer(fronts: Fronts, level: int, place: int) -> None:
    """Take sequence `place` of the front below into that of `level`, unless one dominates it."""
    values, member, n_members = fronts.values, fronts.member, fronts.n_members
    new, n = member[level - 1, place], 0
    for index in range(n_members[level]):
        old = member[level, index]
        if not covers(values, new, old):
            if covers(values, old, new):  # so `new` covers none of them
                return
            member[level, n], member[level, index] = old, member[level, n]
            n += 1
    member[level, n], member[level - 1, place] = new, member[level, n]
    n_members[level] = n + 1
    if n + 1 == member.shape[1]:
        measure_crowding(fronts, level)
        least = 0
        for index in range(1, n + 1):
            if fronts.crowding[index] < fronts.crowding[least]:
                least = index
        member[level, least], member[level, n] = member[level, n], member[level, least]
        n_members[level] = n


@inlined
def adapt_to_front(
    parameters: FrontParameters, policy: Policy, records: Records, fronts: Fronts, level: int
) -> None:
    """Adapt the policies of `level` to the sequences of its front, each the one that made it."""
    measure_crowding(fronts, level)
    for index in range(fronts.n_members[level]):
        row = fronts.member[level, index]
        adapt(
            policy, policy_row(parameters, level, fronts.maker[row]), records, row,
            parameters.alpha * min(fronts.crowding[index], AT_ENDS), parameters.temperature,
            fronts.probability,
        )  # fmt: skip


@inlined
def _descend(parameters: FrontParameters, policy: Policy, fronts: Fronts, level: int) -> None:
    """Begin the searches below `level`, each with copies of the policies of the one above."""
    for below in range(level - 1, 0, -1):
        for number in range(parameters.policies):
            above = policy_row(parameters, below + 1, number)
            if below == parameters.level:
                above = INITIAL
            copy_policy(policy, above, policy_row(parameters, below, number))
        fronts.n_members[below] = fronts.done[below] = 0


@kernel
def begin_fronts(parameters: FrontParameters, policy: Policy, fronts: Fronts) -> None:
    """Begin a search unless it is under way."""
    if fronts.done[parameters.level + 1] < 0:
        fronts.done[parameters.level + 1] = fronts.n_members[parameters.level + 1] = 0
        _descend(parameters, policy, fronts, parameters.level + 1)


@kernel
def finish_front_playout(
    parameters: FrontParameters, policy: Policy, records: Records, fronts: Fronts, course: Course
) -> bool:
    """Take the last playout, adapt, and go to the level whose turn it is.

    Returns whether the target was reached, the search being over.
    """
    last, top = fronts.member[LAST, 0], parameters.level + 1
    score = records.score[last]
    if score > best_score(course.monitor):
        note_improvement(course.monitor, score)
        copy_record(records, last, len(records.score) - 1)
        if score >= course.target:
            return True
    here = 0
    while here < top:
        here += 1
        for place in range(fronts.n_members[here - 1]):
            offer(fronts, here, place)
        fronts.done[here] += 1
        if here < top:
            adapt_to_front(parameters, policy, records, fronts, here)
            if fronts.done[here] < parameters.iterations:
                break
    _descend(parameters, policy, fronts, here)
    return False
