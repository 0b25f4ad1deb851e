"""Constraints: a line that once had a value twice must not have it twice again.

A constraint is a set of candidates of which more than one was chosen: a value of a row, or of
a column. Which sets that may be is not told beforehand, the check finds them; the search goes on
with those found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.contract import constraints as contract
from solver.domains.latin_square.filling.rules import (
    NO_VALUE,
    Filling,
    FillingState,
    keep_first,
)
from solver.domains.latin_square.kernels import COLUMN, ROW, Int32s

Floats = npt.NDArray[np.float64]

COST, NEW_COST = 0, 1  # costs
NOT_VIOLATED = -1


class Conflicts(NamedTuple):
    """Values of h holes, and the conflicts with s sets, some of which are constraints."""

    chosen: Int32s
    """int32[h]: a candidate of each hole."""
    times: Int32s
    """int32[s]: candidates chosen of a set."""
    holes: Int32s
    """int32[s, largest size]: the holes that chose them."""
    place: Int32s
    """int32[h, kinds]: where in its row of `holes` a hole stands, by the kind of the set."""
    weight: Floats
    """float64[s]: 0 of sets that are no constraints."""
    violated: Int32s
    """int32[s]: constraints that are, `n_violated` of them."""
    entry: Int32s
    """int32[s]: where in `violated` a set stands, or `NOT_VIOLATED`."""
    n_violated: npt.NDArray[np.int64]
    """int64[1]."""
    costs: Floats
    """float64[2]: `COST` and, with the move that was looked at last, `NEW_COST`."""
    price: float
    """`Filling.price`, of weight 1."""


def new_conflicts(instance: Filling) -> Conflicts:
    """Allocate constraints; `forget` makes them ready."""
    cover = instance.cover
    holes, sets = cover.n_assignments, len(cover.size)
    return Conflicts(
        chosen=np.full(holes, NO_VALUE, np.int32),
        times=np.zeros(sets, np.int32),
        holes=np.zeros((sets, int(cover.size.max(initial=1))), np.int32),
        place=np.zeros((holes, cover.sets.shape[1]), np.int32),
        weight=np.zeros(sets),
        violated=np.zeros(sets, np.int32),
        entry=np.full(sets, NOT_VIOLATED, np.int32),
        n_violated=np.zeros(1, np.int64),
        costs=np.zeros(2),
        price=instance.price,
    )


@contract.forget.register(Conflicts)
def forget(constraints: Conflicts, instance: Filling) -> None:
    constraints.weight[:] = 0.0


@contract.reset_weights.register(Conflicts)
def reset_weights(constraints: Conflicts) -> None:
    for item in range(len(constraints.weight)):
        if constraints.weight[item] > 0.0:
            constraints.weight[item] = 1.0


@contract.evaluate.register(Conflicts)
def evaluate(constraints: Conflicts, instance: Filling, state: FillingState) -> None:
    constraints.times[:] = 0
    constraints.entry[:] = NOT_VIOLATED
    constraints.n_violated[0] = 0
    constraints.costs[COST] = 0.0
    for hole in range(len(state.chosen)):
        constraints.chosen[hole] = state.chosen[hole]
        if state.chosen[hole] != NO_VALUE:
            for kind in (ROW, COLUMN):
                item = instance.cover.sets[state.chosen[hole], kind]
                if constraints.times[item] > 0:
                    constraints.costs[COST] += constraints.weight[item] * constraints.price
                _enter(constraints, item, hole, kind)


@contract.is_violated.register(Conflicts)
def is_violated(constraints: Conflicts) -> bool:
    return bool(constraints.n_violated[0] > 0)


@contract.violated.register(Conflicts)
def violated(constraints: Conflicts, stream: Stream) -> int:
    count = constraints.n_violated[0]
    return int(constraints.violated[next_below(stream, count)]) if count > 0 else -1


@contract.step_to_change.register(Conflicts)
def step_to_change(constraints: Conflicts, constraint: int, stream: Stream) -> int:
    return int(constraints.holes[constraint, next_below(stream, constraints.times[constraint])])


@contract.assignment_cost.register(Conflicts)
def assignment_cost(constraints: Conflicts) -> float:
    return float(constraints.costs[COST])


@contract.move_cost.register(Conflicts)
def move_cost(
    constraints: Conflicts, instance: Filling, step: int, move: int, most: float
) -> float:
    sets, times, weight = instance.cover.sets, constraints.times, constraints.weight
    before = constraints.chosen[step]
    change = 0.0
    for kind in (ROW, COLUMN):
        left, entered = sets[before, kind], sets[move, kind]
        if left != entered:
            change -= weight[left] if times[left] > 1 else 0.0
            change += weight[entered] if times[entered] > 0 else 0.0
    cost = constraints.costs[COST] + constraints.price * change
    constraints.costs[NEW_COST] = cost
    return float(cost)


@contract.commit.register(Conflicts)
def commit(constraints: Conflicts, instance: Filling, step: int, move: int) -> None:
    sets = instance.cover.sets
    for kind in (ROW, COLUMN):
        _leave(constraints, sets[constraints.chosen[step], kind], step, kind)
        _enter(constraints, sets[move, kind], step, kind)
    constraints.chosen[step] = move
    constraints.costs[COST] = constraints.costs[NEW_COST]


@contract.add_weight.register(Conflicts)
def add_weight(constraints: Conflicts, constraint: int, weight: float) -> None:
    constraints.weight[constraint] += weight
    excess = constraints.times[constraint] - 1
    constraints.costs[COST] += weight * constraints.price * excess


@contract.check.register(Conflicts)
def check(constraints: Conflicts, instance: Filling, state: FillingState) -> float:
    for item in range(len(constraints.times)):
        if constraints.times[item] > 1 and constraints.weight[item] == 0.0:
            constraints.weight[item] = 1.0
            constraints.costs[COST] += constraints.price * (constraints.times[item] - 1)
            _note(constraints, item)
    return float(len(state.chosen) - keep_first(instance, state))


@inlined
def _enter(constraints: Conflicts, item: int, hole: int, kind: int) -> None:
    """Count the candidate that a hole has chosen in set `item`."""
    place = constraints.times[item]
    constraints.holes[item, place] = hole
    constraints.place[hole, kind] = place
    constraints.times[item] += 1
    if constraints.times[item] == 2 and constraints.weight[item] > 0.0:
        _note(constraints, item)


@inlined
def _leave(constraints: Conflicts, item: int, hole: int, kind: int) -> None:
    """Count it no longer."""
    constraints.times[item] -= 1
    place = constraints.place[hole, kind]
    last = constraints.holes[item, constraints.times[item]]
    constraints.holes[item, place] = last
    constraints.place[last, kind] = place
    entry = constraints.entry[item]
    if constraints.times[item] == 1 and entry != NOT_VIOLATED:
        constraints.n_violated[0] -= 1
        other = constraints.violated[constraints.n_violated[0]]
        constraints.violated[entry] = other
        constraints.entry[other] = entry
        constraints.entry[item] = NOT_VIOLATED


@inlined
def _note(constraints: Conflicts, item: int) -> None:
    """List a constraint as violated."""
    constraints.violated[constraints.n_violated[0]] = item
    constraints.entry[item] = constraints.n_violated[0]
    constraints.n_violated[0] += 1
