"""Exchange between the replicas of a parallel search: codes have different slots in each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compiling.jit import inlined, kernel
from solver.kernels.nested.rounds import Int64s, RoundParameters, Rounds, calls_of_round
from solver.kernels.policy import Policy, copy_policy, has_room, intern
from solver.kernels.records import Records, copy_moves


class Copy(NamedTuple):
    """Parts of a replica that other replicas copy."""

    policy: Policy
    records: Records
    row_of: Int64s
    """int64[level + 2]."""
    rounds: Rounds


@inlined
def _slot_in(target: Policy, source: Policy, slot: int) -> int:
    """Slot in one policy of the code of a slot of another."""
    return slot if len(source.key) == 0 else intern(target, source.code[slot])


@inlined
def _import_record(source: Copy, row: int, target: Copy, into: int) -> bool:
    """Copy a record; returns whether there is room for its codes, so that it was."""
    records, to = source.records, target.records
    choices = records.end[row, records.decisions[row]]
    if not has_room(target.policy, choices):
        return False
    copy_moves(records, row, to, into)
    for choice in range(choices):
        to.slot[into, choice] = _slot_in(target.policy, source.policy, records.slot[row, choice])
        to.odds[into, choice] = records.odds[row, choice]
    return True


@kernel
def import_best(source: Copy, target: Copy) -> bool:
    """Copy the best of all; returns whether there is room for its codes, so that it was."""
    return _import_record(source, source.row_of[-1], target, target.row_of[-1])


@kernel
def import_results(
    parameters: RoundParameters, first: int, beyond: int, source: Copy, target: Copy
) -> bool:
    """Copy the results of workers `first` ... `beyond` - 1 that may be the best of their level.

    Returns whether there is room for their codes, so that all of it was done.
    """
    best = target.records.shaped[target.row_of[parameters.parallel_level]]
    for worker in range(first, min(beyond, calls_of_round(parameters, target.rounds))):
        row, into = source.rounds.result[worker], target.rounds.result[worker]
        if source.records.shaped[row] < best:
            target.records.score[into] = target.records.shaped[into] = -np.inf
        elif not _import_record(source, row, target, into):
            return False
    return True


@kernel
def import_policy(parameters: RoundParameters, source: Copy, target: Copy) -> bool:
    """Copy the best result of thread-local policies, and its policy.

    Both replicas have the same policy one level above, and what differs from it is little. Returns
    whether there is room for its codes, so that all of it was done.
    """
    if not _import_record(source, source.rounds.result[0], target, target.rounds.result[0]):
        return False
    above, kept = parameters.parallel_level + 1, parameters.levels.level + 2
    if not parameters.pass_policy or above == kept - 1:
        return True
    policy, to = source.policy, target.policy
    copy_policy(to, above, kept)
    for slot in range(policy.used[0]):
        if policy.weight[kept, slot] != policy.weight[above, slot]:
            if not has_room(to, 1):
                return False
            place = _slot_in(to, policy, slot)
            to.weight[kept, place] = policy.weight[kept, slot]
            to.odds[kept, place] = policy.odds[kept, slot]
    return True
