"""Structures that had less energy than the target, and soon show that a sequence is no good.

Folding takes thousands of times as long as the energy of one given structure. Structures
that sequences fold into instead of the target are therefore kept as *rivals*; their energies
bound the score of the next sequences: most need not be folded to know that they are no better
than the best so far.

A rival is the target with one *region* of it as a sequence folded it. Pairs that fold and
target have in common delimit regions, each with loops of its own; energies are sums over loops,
so what rivals of different regions gain on the target adds up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.copies import fill_items
from solver.compiling.jit import inlined
from solver.domains.rna.folding import Text, energy_of

Int32s = npt.NDArray[np.int32]

N_RIVALS = 256
COUNT = 0  # scalar of rivals
OPEN, CLOSE, DOT = 40, 41, 46  # ( ) .
#: Energies are single precision numbers; a gain must exceed their errors.
ENERGY_ERROR = 0.002


class Rivals(NamedTuple):
    """Rivals of a target of n positions, and scratch."""

    structure: npt.NDArray[np.uint8]
    """uint8[rivals, n + 1]: dot-bracket as C has it."""
    partner: npt.NDArray[np.int32]
    """int32[rivals, n]: where the region pairs otherwise than the target; -1 elsewhere."""
    loop: npt.NDArray[np.bool_]
    """bool[rivals, n + 1]: first positions of the target's loops that are not the rival's,
    n for the exterior."""
    gain: npt.NDArray[np.float64]
    """float64[rivals]: how much less energy than the target a sequence gives it, in kcal/mol."""
    order: npt.NDArray[np.int32]
    """int32[rivals]: rows, that of the rival which last had less energy than the target first."""
    taken: npt.NDArray[np.bool_]
    """bool[n + 1]: loops of the rivals that are added up."""
    region: npt.NDArray[np.int32]
    """int32[n]: first position of the common pair that a position is in, n if in none."""
    stack: npt.NDArray[np.int32]
    """int32[n]."""
    scalars: npt.NDArray[np.int64]
    """int64[1]: rivals known."""


def new_rivals(n: int, count: int) -> Rivals:
    """Allocate room for `count` rivals of a target of `n` positions."""
    return Rivals(
        structure=np.zeros((count, n + 1), np.uint8),
        partner=np.full((count, n), -1, np.int32),
        loop=np.zeros((count, n + 1), np.bool_),
        gain=np.zeros(count),
        order=np.arange(count, dtype=np.int32),
        taken=np.zeros(n + 1, np.bool_),
        region=np.zeros(n, np.int32),
        stack=np.zeros(n, np.int32),
        scalars=np.zeros(1, np.int64),
    )


@inlined
def _can_pair(one: int, other: int) -> bool:
    """Return whether two letters are AU, GC or GU, in either order."""
    product = int(one) * int(other)
    return product == 65 * 85 or product == 67 * 71 or product == 71 * 85


@inlined
def _fits(rivals: Rivals, rival: int, sequence: Text) -> bool:
    """Return whether `sequence` can form all pairs of a rival that the target does not have."""
    for position in range(len(sequence) - 1):
        partner = rivals.partner[rival, position]
        if partner > position and not _can_pair(sequence[position], sequence[partner]):
            return False
    return True


@inlined
def _move_to_front(rivals: Rivals, place: int) -> None:
    row = rivals.order[place]
    for behind in range(place, 0, -1):
        rivals.order[behind] = rivals.order[behind - 1]
    rivals.order[0] = row


@inlined
def gain_of_rivals(
    rivals: Rivals, sequence: Text, energies: Any, of_target: float, enough: float
) -> float:
    """Return by how much some structure's energy is below the target's, in kcal/mol.

    No more than the minimum free energy is less; 0 if no rival has less energy than the target.
    `energies` are those of `sequence` (`begin_energies`), `of_target` is the target's.
    The search for more ends with a rival whose gain alone is `enough`.
    """
    if rivals.scalars[COUNT] == 0:
        return 0.0
    fill_items(rivals.gain, 0.0)
    most = 0.0
    for place in range(rivals.scalars[COUNT]):
        row = rivals.order[place]
        if _fits(rivals, row, sequence):
            gain = of_target - energy_of(energies, rivals.structure[row]) - ENERGY_ERROR
            if gain > 0.0:
                rivals.gain[row] = gain
                _move_to_front(rivals, place)
                most = max(most, gain)
                if most >= enough:
                    break
    return most if most >= enough else _sum_of_gains(rivals)


@inlined
def _sum_of_gains(rivals: Rivals) -> float:
    """Add up gains of rivals of different loops, the greatest first; they are used up."""
    fill_items(rivals.taken, False)
    total = 0.0
    while True:
        best = 0
        for rival in range(1, rivals.scalars[COUNT]):
            if rivals.gain[rival] > rivals.gain[best]:
                best = rival
        if rivals.gain[best] <= 0.0:
            return total
        free = True
        for position in range(len(rivals.taken)):
            free = free and not (rivals.loop[best, position] and rivals.taken[position])
        if free:
            total += rivals.gain[best]
            for position in range(len(rivals.taken)):
                rivals.taken[position] |= rivals.loop[best, position]
        rivals.gain[best] = 0.0


@inlined
def read_pairs(structure: Text, stack: Int32s, pairs: Int32s) -> None:
    """Write the other ends of the pairs of a structure into `pairs`, int32[n], -1 if unpaired."""
    depth = 0
    for position in range(len(pairs)):
        pairs[position] = -1
        if structure[position] == OPEN:
            stack[depth] = position
            depth += 1
        elif structure[position] == CLOSE:
            depth -= 1
            pairs[position] = stack[depth]
            pairs[stack[depth]] = position


@inlined
def add_rivals(rivals: Rivals, partner: Int32s, pairs: Int32s) -> None:
    """Keep each region where a fold, int32[n] `pairs`, differs from the target as a rival."""
    if len(rivals.structure) == 0:
        return
    find_regions(rivals.region, rivals.stack, partner, pairs)
    n = len(partner)
    for region in range(n + 1):
        differs = False
        for position in range(n):
            if rivals.region[position] == region:
                differs = differs or pairs[position] != partner[position]
        if differs:
            _add_rival(rivals, partner, pairs, region)


@inlined
def find_regions(region: Int32s, stack: Int32s, partner: Int32s, pairs: Int32s) -> None:
    """Write the region of every position, as `Rivals` has it; common pairs are in the one around.

    `stack`, int32[n], is scratch.
    """
    depth = 0
    for position in range(len(partner)):
        other = pairs[position]
        common = other >= 0 and other == partner[position]
        if common and other < position:
            depth -= 1
        region[position] = stack[depth - 1] if depth > 0 else len(partner)
        if common and other > position:
            stack[depth] = position
            depth += 1


@inlined
def _letter(rivals: Rivals, partner: Int32s, pairs: Int32s, region: int, position: int) -> int:
    """Return the character of the rival of `region` at `position`."""
    here = rivals.region[position] == region
    other = pairs[position] if here else partner[position]
    return DOT if other < 0 else OPEN if other > position else CLOSE


@inlined
def _find(rivals: Rivals, partner: Int32s, pairs: Int32s, region: int) -> int:
    """Place in the order of the rival of `region` if it is known, -1 if not."""
    for place in range(rivals.scalars[COUNT]):
        row = rivals.order[place]
        position = 0
        while position < len(partner) and rivals.structure[row, position] == _letter(
            rivals, partner, pairs, region, position
        ):
            position += 1
        if position == len(partner):
            return place
    return -1


@inlined
def _add_rival(rivals: Rivals, partner: Int32s, pairs: Int32s, region: int) -> None:
    """Put the rival of `region` first; where all rows are in use it takes that of the last."""
    place = _find(rivals, partner, pairs, region)
    if place < 0:
        place = min(rivals.scalars[COUNT], len(rivals.structure) - 1)
        rivals.scalars[COUNT] = place + 1
        row = rivals.order[place]
        fill_items(rivals.loop[row], False)
        rivals.loop[row, region] = True
        for position in range(len(partner)):
            rivals.structure[row, position] = _letter(rivals, partner, pairs, region, position)
            here = rivals.region[position] == region
            changed = here and pairs[position] != partner[position]
            rivals.partner[row, position] = pairs[position] if changed else -1
            if changed and partner[position] > position:
                rivals.loop[row, position] = True
    _move_to_front(rivals, place)
