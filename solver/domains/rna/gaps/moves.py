"""Effect of a move on the energy gaps of all rivals."""

from __future__ import annotations

from solver.compiling.copies import fill_items
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_below
from solver.contract import constraints as contract
from solver.domains.rna.fold.parameters import parameters_of
from solver.domains.rna.gaps.loops import store_energies, stored_energy
from solver.domains.rna.gaps.memory import (
    BROKEN,
    MARGIN,
    NEAR,
    NOW,
    RIVALS,
    STABILITY,
    TARGET_ENERGY,
    TARGET_LOOPS,
    TOUCHED,
    Gaps,
    Int32s,
)
from solver.domains.rna.kernels import STEP, Rna, RnaState

#: Costs are in kcal/mol, energies of loops in hundredths of it.
UNIT = 0.01


@contract.revisit.register(Rna)
def revisit(instance: Rna, state: RnaState, step: int) -> None:
    state.scalars[STEP] = step


@contract.is_violated.register(Gaps)
def is_violated(constraints: Gaps) -> bool:
    return bool(constraints.scalars[BROKEN] > 0)


@contract.violated.register(Gaps)
def violated(constraints: Gaps, stream: Stream) -> int:
    near = constraints.scalars[NEAR]
    return int(constraints.near[next_below(stream, near)]) if near > 0 else -1


@contract.step_to_change.register(Gaps)
def step_to_change(constraints: Gaps, constraint: int, stream: Stream) -> int:
    count = constraints.site[constraint, 0]
    return int(constraints.site[constraint, 1 + next_below(stream, count)])


@contract.assignment_cost.register(Gaps)
def assignment_cost(constraints: Gaps) -> float:
    return float(constraints.cost[0])


@contract.reset_weights.register(Gaps)
def reset_weights(constraints: Gaps) -> None:
    fill_items(constraints.weight, 1.0)


@contract.add_weight.register(Gaps)
def add_weight(constraints: Gaps, constraint: int, weight: float) -> None:
    constraints.weight[constraint] += weight
    constraints.cost[0] += weight * UNIT * (MARGIN - constraints.gap[constraint])


@inlined
def note_gaps(gaps: Gaps) -> None:
    """List the rivals without a margin, and add up their costs."""
    near, broken = 0, 0
    cost = STABILITY * UNIT * gaps.scalars[TARGET_ENERGY]
    for rival in range(gaps.scalars[RIVALS]):
        if gaps.gap[rival] < MARGIN:
            gaps.near[near] = rival
            near += 1
            broken += gaps.gap[rival] <= 0
            cost += gaps.weight[rival] * UNIT * (MARGIN - gaps.gap[rival])
    gaps.scalars[NEAR] = near
    gaps.scalars[BROKEN] = broken
    gaps.cost[0] = cost


@inlined
def _energy_change(gaps: Gaps, energies: Int32s, number: int) -> int:
    """Return the change of a loop's energy by the move; evaluated once per move."""
    if number == 0:
        return 0
    if gaps.seen[number] != gaps.scalars[NOW]:
        gaps.seen[number] = gaps.scalars[NOW]
        gaps.new_energy[number] = stored_energy(gaps, energies, number)
        gaps.touched[gaps.scalars[TOUCHED]] = number
        gaps.scalars[TOUCHED] += 1
    return gaps.new_energy[number] - gaps.energy[number]


@inlined
def _change(gaps: Gaps, energies: Int32s, rival: int, position: int, partner: int) -> int:
    """Return the change of energy by the move in the loops of a rival that the target lacks.

    Loops are evaluated in one place: the compiler copies it wherever it is called.
    """
    change = 0
    for index in range(4 if partner > 0 else 2):
        place = position if index < 2 else partner
        number = loop_at(gaps, rival, place, index % 2)
        if index >= 2 and (
            number == loop_at(gaps, rival, position, 0)
            or number == loop_at(gaps, rival, position, 1)
        ):
            continue
        change += _energy_change(gaps, energies, number)
    return change


@inlined
def loop_at(gaps: Gaps, rival: int, position: int, which: int) -> int:
    """One of the two loops of a rival that a position touches, 0 for none."""
    return gaps.one[position, rival] if which == 0 else gaps.other[position, rival]


@contract.move_cost.register(Gaps)
def move_cost(constraints: Gaps, instance: Rna, step: int, move: int, most: float) -> float:
    gaps = constraints
    energies = instance.energies
    position = instance.position[step] + 1
    partner = instance.partner[position - 1] + 1
    code = gaps.code
    before, behind = code[position], code[partner]
    _place(instance, energies, code, step, move)
    gaps.scalars[NOW] += 1
    gaps.scalars[TOUCHED] = 0
    cost = _new_cost(gaps, energies, position, partner, most)
    code[position] = before
    code[partner] = behind
    return cost


@inlined
def _place(instance: Rna, energies: Int32s, code: Int32s, step: int, move: int) -> None:
    position, code_of = instance.position[step], parameters_of(energies).code
    code[position + 1] = code_of[instance.letters[move, 0]]
    if instance.partner[position] >= 0:
        code[instance.partner[position] + 1] = code_of[instance.letters[move, 1]]


@inlined
def _new_cost(gaps: Gaps, energies: Int32s, position: int, partner: int, most: float) -> float:
    """Cost with the move, a sum that never falls: it stops as soon as it is above `most`."""
    one, other = gaps.target_loop[position, 0], gaps.target_loop[position, 1]
    of_one, of_other = 0, 0
    for index in range(2):  # of a pair, the other end is in the same two loops
        change = _energy_change(gaps, energies, other if index else one)
        if index:
            of_other = change
        else:
            of_one = change
    cost = STABILITY * UNIT * (gaps.scalars[TARGET_ENERGY] + of_one + of_other)
    near = gaps.scalars[NEAR]
    for place in range(near + gaps.scalars[RIVALS]):
        if cost > most:
            return cost
        rival = gaps.near[place] if place < near else place - near
        if place >= near and gaps.gap[rival] < MARGIN:
            continue  # one of those near, which came first
        gap = gaps.gap[rival] + _change(gaps, energies, rival, position, partner)
        gap -= gaps.lacks[one, rival] * of_one + gaps.lacks[other, rival] * of_other
        gaps.new_gap[rival] = gap
        if gap < MARGIN:
            cost += gaps.weight[rival] * UNIT * (MARGIN - gap)
    return cost


@contract.commit.register(Gaps)
def commit(constraints: Gaps, instance: Rna, step: int, move: int) -> None:
    gaps = constraints
    _place(instance, instance.energies, gaps.code, step, move)
    for index in range(gaps.scalars[TOUCHED]):
        number = gaps.touched[index]
        if number <= gaps.scalars[TARGET_LOOPS]:
            gaps.scalars[TARGET_ENERGY] += gaps.new_energy[number] - gaps.energy[number]
        gaps.energy[number] = gaps.new_energy[number]
    for rival in range(gaps.scalars[RIVALS]):
        gaps.gap[rival] = gaps.new_gap[rival]
    note_gaps(gaps)


@contract.evaluate.register(Gaps)
def evaluate(constraints: Gaps, instance: Rna, state: RnaState) -> None:
    gaps = constraints
    energies = instance.energies
    gaps.scalars[NOW] += 1
    gaps.scalars[TOUCHED] = 0
    for position in range(1, len(gaps.target) - 1):
        code = parameters_of(energies).code[state.sequence[position - 1]]
        if code != gaps.code[position]:
            gaps.code[position] = code
            _touch_all(gaps, position)
    store_energies(gaps, energies)
    add_energies(gaps)


@inlined
def _touch_all(gaps: Gaps, position: int) -> None:
    """List the loops that a position touches, of the target and of all rivals."""
    _touch(gaps, gaps.target_loop[position, 0])
    _touch(gaps, gaps.target_loop[position, 1])
    for rival in range(gaps.scalars[RIVALS]):
        _touch(gaps, gaps.one[position, rival])
        _touch(gaps, gaps.other[position, rival])


@inlined
def _touch(gaps: Gaps, number: int) -> None:
    if number > 0 and gaps.seen[number] != gaps.scalars[NOW]:
        gaps.seen[number] = gaps.scalars[NOW]
        gaps.touched[gaps.scalars[TOUCHED]] = number
        gaps.scalars[TOUCHED] += 1


@inlined
def add_energies(gaps: Gaps) -> None:
    """Add up the gaps from the energies of the loops."""
    of_target = 0
    for number in range(1, gaps.scalars[TARGET_LOOPS] + 1):
        of_target += gaps.energy[number]
    gaps.scalars[TARGET_ENERGY] = of_target
    for rival in range(gaps.scalars[RIVALS]):
        gaps.gap[rival] = gap_of(gaps, rival)
    note_gaps(gaps)


@inlined
def gap_of(gaps: Gaps, rival: int) -> int:
    """Energy of a rival beyond the target's, no more than would fit."""
    gap = 0
    for index in range(1, gaps.own[rival, 0] + 1):
        gap += gaps.energy[gaps.own[rival, index]]
    for number in range(1, gaps.scalars[TARGET_LOOPS] + 1):
        gap -= gaps.lacks[number, rival] * gaps.energy[number]
    return gap
