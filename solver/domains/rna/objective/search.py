"""Local search on the ensemble, with late acceptance and restarts.

A change (`moves`) is kept if the objective is no worse than now, or than some steps before [1]_.
After many steps without a gain the search begins again. Where probability and defect are the
objective and a right fold is known, the probability alone is climbed first, which costs less: it
has no need of the defects of what is tried.

References
----------
.. [1] E. Burke, Y. Bykov, The Late Acceptance Hill-Climbing Heuristic, 2017.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from solver.compiling.copies import copy_items
from solver.compiling.jit import called, inlined, kernel
from solver.domains.rna.ensemble.inside import fill
from solver.domains.rna.ensemble.outside import fill_outside, position_defects
from solver.domains.rna.ensemble.workspace import THERMAL
from solver.domains.rna.fold.call import fold_at
from solver.domains.rna.fold.loops import loop_energy
from solver.domains.rna.objective.memory import (
    BY_BOTH,
    BY_DEFECT,
    BY_PROBABILITY,
    CLIMBS,
    DEFECT,
    DRAWN,
    EXCESS,
    FLOOR,
    IDLE,
    LOGARITHM,
    PATIENCE,
    RESTARTS,
    SCREEN,
    SHARE,
    SLACK,
    STEPS,
    VALUE,
    Goal,
    Place,
    SearchMemory,
)
from solver.domains.rna.objective.moves import draw_neighbour, draw_start
from solver.domains.rna.objective.pool import (
    clear_pool,
    draw_structures,
    exceeds,
    follow,
)
from solver.domains.rna.requests.ensemble import LIKELY
from solver.domains.rna.requests.kernels import excess

#: Value that a lack of a request costs: more than any objective.
LACK = 1e6
#: Value that a wrong fold costs where both are the objective: more than they differ by.
WRONG = 2.0
#: Logarithm of the probability above which a structure is taken for the fold.
SURE = math.log(LIKELY)


@called
def _target_energy(goal: Goal, memory: SearchMemory, sequence: Any) -> float:
    """Energy of the target in 1/100 kcal/mol, as its share in the ensemble has it."""
    code, pairs, total = memory.code, goal.pairs, 0
    for position in range(1, len(pairs)):
        code[position] = goal.energies.code[sequence[position - 1]]
    for i in range(len(pairs)):
        if i == 0 or pairs[i] > i:
            total += loop_energy(goal.weighed, code, pairs, i)
    return total / goal.parts


@inlined
def _copy_place(source: Place, target: Place) -> None:
    copy_items(source.sequence, target.sequence)
    copy_items(source.weights, target.weights)
    copy_items(source.numbers, target.numbers)


@called
def _surround(goal: Goal, memory: SearchMemory, place: Place) -> float:
    """Find the defects of the sequence in the workspace, and the weights of sites."""
    fill_outside(memory.workspace, memory.outside, goal.energies)
    defect = position_defects(memory.workspace, memory.outside, goal.pairs, memory.defects)
    total = 0.0
    for site in range(len(goal.position)):
        total += memory.parameters[FLOOR] + memory.defects[goal.position[site] + 1]
        if goal.partner[site] >= 0:
            total += memory.defects[goal.partner[site] + 1]
        place.weights[site] = total
    place.numbers[DEFECT] = defect
    return defect


@inlined
def _folds(goal: Goal, memory: SearchMemory) -> bool:
    """Return whether the tried sequence folds into the target."""
    folded = memory.folded
    fold_at(goal.folding, memory.folding, goal.packed, memory.tried, folded)
    for position in range(len(folded)):
        if folded[position] + 1 != goal.pairs[position + 1]:
            return False
    return True


@inlined
def _objective(goal: Goal, memory: SearchMemory) -> int:
    """Return the objective that counts now."""
    return BY_PROBABILITY if memory.counters[CLIMBS] else goal.objective


@inlined
def _worth(memory: SearchMemory, objective: int, logarithm: float, defect: float) -> float:
    """Objective of a sequence that folds right."""
    if objective == BY_BOTH:
        return np.exp(logarithm) - defect + memory.parameters[SHARE] * logarithm
    return -defect if objective == BY_DEFECT else logarithm


@inlined
def _cost_of_fold(goal: Goal, memory: SearchMemory, objective: int, logarithm: float) -> float:
    """Value that a wrong fold of the tried sequence costs."""
    if objective != BY_BOTH or logarithm > SURE or _folds(goal, memory):
        return 0.0
    return WRONG


@called
def _take_over(goal: Goal, memory: SearchMemory, requests: Any) -> None:
    """Make the tried sequence the current one, whatever it is worth."""
    place = memory.current
    copy_items(memory.tried, place.sequence)
    logarithm = fill(memory.workspace, goal.energies, goal.factors, memory.tried)
    energy = _target_energy(goal, memory, memory.tried)
    place.numbers[LOGARITHM] = -energy / memory.workspace.numbers[THERMAL] - logarithm
    defect = _surround(goal, memory, place)
    memory.counters[EXCESS] = excess(requests, memory.tried)
    objective = _objective(goal, memory)
    value = _worth(memory, objective, place.numbers[LOGARITHM], defect)
    value -= _cost_of_fold(goal, memory, objective, place.numbers[LOGARITHM])
    place.numbers[VALUE] = value - LACK * memory.counters[EXCESS]
    clear_pool(memory.pool, goal.pairs)
    _draw_structures(goal, memory, len(memory.pool.total) // 2)
    memory.history[:] = place.numbers[VALUE]
    memory.counters[STEPS] = 0
    memory.counters[IDLE] = 0


@inlined
def _find_changes(memory: SearchMemory) -> None:
    """List the positions at which the tried sequence differs from the current one."""
    changed, count = memory.pool.changed, 0
    for position in range(len(memory.tried) - 1):
        if memory.tried[position] != memory.current.sequence[position]:
            count += 1
            changed[count] = position + 1
    changed[0] = count


@inlined
def _draw_structures(goal: Goal, memory: SearchMemory, count: int) -> None:
    """Draw structures from the ensemble in the workspace, that of the codes in the memory."""
    if len(memory.pool.total) > 0:
        draw_structures(
            memory.pool, memory.workspace, goal.energies, memory.code, memory.stream, count
        )


@called
def _try(goal: Goal, memory: SearchMemory, requests: Any, before: float) -> bool:
    """Evaluate the tried sequence; returns whether it is accepted."""
    current, trial = memory.current, memory.trial
    lacks = excess(requests, memory.tried)
    least = min(current.numbers[VALUE], before) + LACK * lacks
    energy, thermal = _target_energy(goal, memory, memory.tried), memory.workspace.numbers[THERMAL]
    needed = least
    objective = _objective(goal, memory)
    if objective != BY_PROBABILITY:
        needed = current.numbers[LOGARITHM] - memory.parameters[SCREEN]
        if objective == BY_BOTH and least > 0.0:  # no more than the probability
            needed = max(needed, np.log(least))
    pool = memory.pool
    _find_changes(memory)
    if exceeds(
        pool, goal.energies, memory.code, energy, thermal, np.exp(memory.parameters[SLACK] - needed)
    ):
        return False
    logarithm = fill(memory.workspace, goal.energies, goal.factors, memory.tried)
    logarithm = -energy / thermal - logarithm
    if logarithm < needed:
        return False
    value = _worth(memory, objective, logarithm, _surround(goal, memory, trial))
    if value < least:
        return False
    value -= _cost_of_fold(goal, memory, objective, logarithm)
    if value < least:
        return False
    copy_items(memory.tried, trial.sequence)
    trial.numbers[LOGARITHM] = logarithm
    trial.numbers[VALUE] = value - LACK * lacks
    memory.counters[EXCESS] = lacks
    follow(pool, goal.energies, memory.code)
    _draw_structures(goal, memory, int(memory.parameters[DRAWN]))
    return True


@inlined
def _note(goal: Goal, memory: SearchMemory) -> bool:
    """Keep the current place, as tried, where it is the best; returns whether it is so of all."""
    value = memory.current.numbers[VALUE]
    gained = value > memory.nearest.numbers[VALUE]
    if gained:
        _copy_place(memory.current, memory.nearest)
        memory.counters[IDLE] = 0
    if memory.counters[CLIMBS]:
        if not gained:
            return False
        logarithm, defect = memory.current.numbers[LOGARITHM], memory.current.numbers[DEFECT]
        value = _worth(memory, goal.objective, logarithm, defect)
        value -= LACK * memory.counters[EXCESS]
        if value > memory.best.numbers[VALUE]:
            value -= _cost_of_fold(goal, memory, goal.objective, logarithm)
    if value > memory.best.numbers[VALUE]:
        _copy_place(memory.current, memory.best)
        memory.best.numbers[VALUE] = value
        return True
    return False


@inlined
def _is_to_climb(goal: Goal, memory: SearchMemory) -> bool:
    """Return whether both are the objective and what is tried folds right: else defects grow."""
    return goal.objective == BY_BOTH and _folds(goal, memory)


@inlined
def _begin_again(goal: Goal, memory: SearchMemory) -> None:
    """Go on with the objective from where the probability was climbed to, or begin elsewhere."""
    if memory.counters[CLIMBS]:
        memory.counters[CLIMBS] = 0
        copy_items(memory.nearest.sequence, memory.tried)
        if memory.nearest.numbers[LOGARITHM] <= SURE and not _folds(goal, memory):
            copy_items(memory.best.sequence, memory.tried)
    else:
        copy_items(memory.best.sequence, memory.tried)
        memory.counters[CLIMBS] = _is_to_climb(goal, memory)
        draw_start(goal, memory)
        memory.counters[RESTARTS] += 1
    memory.nearest.numbers[VALUE] = -np.inf


@kernel
def improve_ensemble(goal: Goal, memory: SearchMemory, requests: Any, count: int) -> int:
    """Make up to `count` steps, and end after one that finds the best sequence so far.

    With a `count` of 0 the search begins with the sequence in `memory.tried`.

    Returns
    -------
    int
        Number of steps.
    """
    if count == 0:
        memory.counters[CLIMBS] = _is_to_climb(goal, memory)
        _take_over(goal, memory, requests)
        _note(goal, memory)
    for step in range(count):
        if memory.counters[IDLE] > memory.parameters[PATIENCE] * len(goal.position):
            _begin_again(goal, memory)
            _take_over(goal, memory, requests)
            if _note(goal, memory):
                return step + 1
            continue
        place, current = memory.counters[STEPS] % len(memory.history), memory.current
        memory.counters[STEPS] += 1
        memory.counters[IDLE] += 1
        before = memory.history[place]
        if draw_neighbour(goal, memory, requests) and _try(goal, memory, requests, before):
            _copy_place(memory.trial, current)
            if _note(goal, memory):
                memory.history[place] = current.numbers[VALUE]
                return step + 1
        memory.history[place] = current.numbers[VALUE]
    return count
