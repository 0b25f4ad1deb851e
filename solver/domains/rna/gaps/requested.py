"""Gaps together with the requests on a sequence, as one more constraint.

Its violation is how far the sequence is off (`excess`), which every move is charged for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.compiling.copies import copy_items
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_uniform
from solver.contract import constraints as contract
from solver.domains.rna.fold.parameters import MAX_BASES
from solver.domains.rna.folding import Text
from solver.domains.rna.gaps.memory import NEAR, Floats, Gaps, Int64s, new_gaps
from solver.domains.rna.kernels import Rna, RnaState
from solver.domains.rna.requests.kernels import Requests, excess, position_to_change
from solver.errors import InputError

EXCESS, NEW_EXCESS = 0, 1  # off
#: Cost of a unit of `excess`, in kcal/mol: more than the target gains by a stronger pair.
UNIT_COST = 1.0
#: Share of moves of a sequence with an excess that change it for that, and not for a rival.
SHARE = 0.5


class RequestedGaps(NamedTuple):
    """Gaps of a target of n positions, and a constraint for the requests."""

    gaps: Gaps
    requests: Any
    """`Requests`."""
    sequence: Text
    """uint8[n + 1]: letters of the sequence that the gaps are of."""
    off: Int64s
    """int64[2]: its `excess`, and that with the move under consideration."""
    weight: Floats
    """float64[1]: of the constraint."""


def constraints_of(instance: Rna) -> Gaps | RequestedGaps | None:
    """Room for rivals of the target of `instance`; None where nothing is folded.

    Raises
    ------
    InputError
        If the target is longer than those whose rivals are looked for.
    """
    bases = len(instance.partner)
    if len(instance.energies):
        asked = isinstance(instance.requests, Requests)
        return new_requested_gaps(instance) if asked else new_gaps(instance)
    if bases < MAX_BASES:
        return None
    raise InputError(
        f"{bases:,} bases, guided search takes {MAX_BASES - 1:,} at most: "
        "choose another algorithm, as --algorithm gnrpa"
    )


def new_requested_gaps(instance: Rna) -> RequestedGaps:
    """Allocate room for the rivals of the target of `instance`, and for the requests."""
    return RequestedGaps(
        gaps=new_gaps(instance),
        requests=instance.requests,
        sequence=np.zeros(len(instance.partner) + 1, np.uint8),
        off=np.zeros(2, np.int64),
        weight=np.ones(1),
    )


@inlined
def _number(constraints: RequestedGaps) -> int:
    """Number of the constraint, behind those of the rivals."""
    return len(constraints.gaps.gap)


@inlined
def _cost(constraints: RequestedGaps, which: int) -> float:
    return constraints.weight[0] * UNIT_COST * constraints.off[which]


@contract.forget.register(RequestedGaps)
def forget(constraints: RequestedGaps, instance: Rna) -> None:
    contract.forget(constraints.gaps, instance)


@contract.reset_weights.register(RequestedGaps)
def reset_weights(constraints: RequestedGaps) -> None:
    contract.reset_weights(constraints.gaps)
    constraints.weight[0] = 1.0


@contract.evaluate.register(RequestedGaps)
def evaluate(constraints: RequestedGaps, instance: Rna, state: RnaState) -> None:
    contract.evaluate(constraints.gaps, instance, state)
    copy_items(state.sequence, constraints.sequence)
    constraints.off[EXCESS] = excess(constraints.requests, constraints.sequence)


@contract.is_violated.register(RequestedGaps)
def is_violated(constraints: RequestedGaps) -> bool:
    return constraints.off[EXCESS] > 0 or contract.is_violated(constraints.gaps)


@contract.violated.register(RequestedGaps)
def violated(constraints: RequestedGaps, stream: Stream) -> int:
    if constraints.off[EXCESS] > 0 and (
        constraints.gaps.scalars[NEAR] == 0 or next_uniform(stream) < SHARE
    ):
        return _number(constraints)
    return contract.violated(constraints.gaps, stream)


@contract.step_to_change.register(RequestedGaps)
def step_to_change(constraints: RequestedGaps, constraint: int, stream: Stream) -> int:
    if constraint == _number(constraints):
        position = position_to_change(constraints.requests, constraints.sequence, stream)
        return int(constraints.gaps.step[position + 1])
    return contract.step_to_change(constraints.gaps, constraint, stream)


@contract.assignment_cost.register(RequestedGaps)
def assignment_cost(constraints: RequestedGaps) -> float:
    return contract.assignment_cost(constraints.gaps) + _cost(constraints, EXCESS)


@inlined
def _place(instance: Rna, sequence: Text, step: int, one: int, other: int) -> None:
    """Write the letters of a step."""
    position = instance.position[step]
    sequence[position] = one
    if instance.partner[position] >= 0:
        sequence[instance.partner[position]] = other


@contract.move_cost.register(RequestedGaps)
def move_cost(
    constraints: RequestedGaps, instance: Rna, step: int, move: int, most: float
) -> float:
    sequence, letters = constraints.sequence, instance.letters
    position = instance.position[step]
    one, other = sequence[position], sequence[instance.partner[position]]
    _place(instance, sequence, step, letters[move, 0], letters[move, 1])
    constraints.off[NEW_EXCESS] = excess(constraints.requests, sequence)
    _place(instance, sequence, step, one, other)
    cost = _cost(constraints, NEW_EXCESS)
    return cost + contract.move_cost(constraints.gaps, instance, step, move, most - cost)


@contract.commit.register(RequestedGaps)
def commit(constraints: RequestedGaps, instance: Rna, step: int, move: int) -> None:
    contract.commit(constraints.gaps, instance, step, move)
    letters = instance.letters
    _place(instance, constraints.sequence, step, letters[move, 0], letters[move, 1])
    constraints.off[EXCESS] = constraints.off[NEW_EXCESS]


@contract.add_weight.register(RequestedGaps)
def add_weight(constraints: RequestedGaps, constraint: int, weight: float) -> None:
    if constraint == _number(constraints):
        constraints.weight[0] += weight
    else:
        contract.add_weight(constraints.gaps, constraint, weight)


@contract.check.register(RequestedGaps)
def check(constraints: RequestedGaps, instance: Rna, state: RnaState) -> float:
    distance = contract.check(constraints.gaps, instance, state)
    return distance + UNIT_COST * constraints.off[EXCESS]
