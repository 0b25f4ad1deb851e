"""Rivals learned from folds: the structure of each folded sequence becomes a rival."""

from __future__ import annotations

import numpy as np

from solver.compiling.copies import copy_items, fill_items
from solver.compiling.jit import called
from solver.contract import constraints as contract
from solver.domains.rna.gaps.loops import list_touching, loop_number, store_energies
from solver.domains.rna.gaps.memory import (
    CHECKS,
    LAST_HELIX,
    LOOPS,
    NEAR,
    RIVALS,
    TARGET_ENERGY,
    TARGET_LOOPS,
    TOUCHED,
    Gaps,
    Int32s,
    new_gaps,
)
from solver.domains.rna.gaps.moves import UNIT, gap_of, note_gaps
from solver.domains.rna.kernels import (
    Rna,
    RnaState,
    fold_by_viennarna,
    fold_sequence,
    pair_distance,
)
from solver.domains.rna.rivals import find_regions

__all__ = ["Gaps", "new_gaps"]  # with what is registered here and in `moves`

#: Distance of a sequence whose fold has no less energy than the target and is another structure.
TIE = 0.001
#: Share of the rivals that is kept where room is needed.
KEPT = 0.75


@contract.forget.register(Gaps)
def forget(constraints: Gaps, instance: Rna) -> None:
    gaps = constraints
    fill_items(gaps.scalars, 0)
    fill_items(gaps.code, 0)
    fill_items(gaps.seen, 0)
    _begin_loops(gaps)


@called
def _begin_loops(gaps: Gaps) -> None:
    """Keep the loops of the target only."""
    fill_items(gaps.place, 0)
    for position in range(len(gaps.target_loop)):
        gaps.target_loop[position, 0] = gaps.target_loop[position, 1] = 0
    gaps.scalars[LOOPS] = gaps.scalars[LAST_HELIX] = 0
    for first in range(len(gaps.target) - 1):
        if first == 0 or gaps.target[first] > first:
            number = loop_number(gaps, gaps.target, first)
            found = gaps.scratch[1]
            for index in range(list_touching(gaps, number, found)):
                _add_loop(gaps.target_loop[found[index]], number)
    gaps.scalars[TARGET_LOOPS] = gaps.scalars[LOOPS]


@called
def _add_loop(loops: object, number: int) -> None:
    """Note a loop in the first free of two places, unless it is there."""
    if loops[0] == number or loops[1] == number:  # type: ignore[index]
        return
    loops[0 if loops[0] == 0 else 1] = number  # type: ignore[index]


@contract.check.register(Gaps)
def check(constraints: Gaps, instance: Rna, state: RnaState) -> float:
    gaps = constraints
    gaps.scalars[CHECKS] += 1
    for place in range(gaps.scalars[NEAR]):
        gaps.used[gaps.near[place]] = gaps.scalars[CHECKS]
    lowest = round(fold_sequence(instance, state) / UNIT)
    gap = max(gaps.scalars[TARGET_ENERGY] - lowest, 0)
    if pair_distance(instance, state.pairs) == 0:
        if instance.fold != 0 and not instance.enclosed:
            fold_by_viennarna(instance, state)
        if pair_distance(instance, state.pairs) == 0:
            return 0.0
    _learn(gaps, instance, state)
    return UNIT * gap + TIE


@called
def _learn(gaps: Gaps, instance: Rna, state: RnaState) -> None:
    """Make a rival of each region in which the fold is not the target."""
    n = len(state.pairs)
    region, changed = gaps.scratch[2], gaps.scratch[4]
    find_regions(region, gaps.scratch[3], instance.partner, state.pairs)
    for number in range(n + 1):
        changed[number] = 0
    for position in range(n):
        if state.pairs[position] != instance.partner[position]:
            changed[region[position]] = 1
    for number in range(n + 1):
        if changed[number]:
            add_rival(gaps, instance.energies, state.pairs, region, number)
    note_gaps(gaps)


@called
def add_rival(gaps: Gaps, energies: Int32s, fold: Int32s, region: Int32s, number: int) -> None:
    """Keep the rival that has the target's pairs but in region `number` those of a fold.

    Parameters
    ----------
    fold : int32[n]
        The other end of the pair of each position, counted from 0, or -1.
    region : int32[n] or longer
        Region of each position.
    """
    if gaps.scalars[RIVALS] == len(gaps.gap):
        make_room(gaps, energies)
    row = gaps.scalars[RIVALS]
    pairs = gaps.pairs[row]
    key = np.uint64(0xCBF29CE484222325)
    for position in range(1, len(pairs) - 1):
        inside = region[position - 1] == number
        pairs[position] = fold[position - 1] + 1 if inside else gaps.target[position]
        key = (key ^ np.uint64(pairs[position])) * np.uint64(0x100000001B3)
    for rival in range(row):
        if gaps.hash[rival] == key:
            return
    gaps.hash[row] = key
    gaps.weight[row] = 1.0
    gaps.used[row] = gaps.scalars[CHECKS]
    if not _index(gaps, energies, row):
        make_room(gaps, energies)
        row = gaps.scalars[RIVALS]
        copy_items(pairs, gaps.pairs[row])
        gaps.hash[row] = key
        gaps.weight[row] = 1.0
        gaps.used[row] = gaps.scalars[CHECKS]
        if not _index(gaps, energies, row):
            return
    gaps.gap[row] = gap_of(gaps, row)
    gaps.scalars[RIVALS] = row + 1


@called
def _index(gaps: Gaps, energies: Int32s, row: int) -> bool:
    """Index the loops of a rival by positions; return whether there was room for them."""
    pairs, own = gaps.pairs[row], gaps.own[row]
    for position in range(len(gaps.one)):
        gaps.one[position, row] = gaps.other[position, row] = 0
    for number in range(len(gaps.lacks)):
        gaps.lacks[number, row] = 1
    fill_items(gaps.site[row], 0)
    own[0] = 0
    known, fits = gaps.scalars[LOOPS], True
    gaps.scalars[TOUCHED] = 0
    for first in range(len(pairs) - 1):
        if first == 0 or pairs[first] > first:
            number = loop_number(gaps, pairs, first)
            if number < 0:
                fits = False
                break
            if number > known:
                gaps.touched[gaps.scalars[TOUCHED]] = number
                gaps.scalars[TOUCHED] += 1
                gaps.seen[number] = 0
                known = number
            if number <= gaps.scalars[TARGET_LOOPS]:
                gaps.lacks[number, row] = 0
            else:
                own[0] += 1
                own[own[0]] = number
    store_energies(gaps, energies)
    if not fits:
        return False
    for index in range(1, own[0] + 1):
        _touch_positions(gaps, row, own[index], True)
    for number in range(1, gaps.scalars[TARGET_LOOPS] + 1):
        if gaps.lacks[number, row]:
            _touch_positions(gaps, row, number, False)
    return True


@called
def _touch_positions(gaps: Gaps, row: int, number: int, own: bool) -> None:
    """Note the positions that a loop touches, and the steps that decide on them."""
    found, site = gaps.scratch[1], gaps.site[row]
    for index in range(list_touching(gaps, number, found)):
        position = found[index]
        if own and gaps.one[position, row] != number and gaps.other[position, row] != number:
            if gaps.one[position, row] == 0:
                gaps.one[position, row] = number
            else:
                gaps.other[position, row] = number
        step = gaps.step[position]
        known = False
        for place in range(1, site[0] + 1):
            known = known or site[place] == step
        if not known:
            site[0] += 1
            site[site[0]] = step


@called
def make_room(gaps: Gaps, energies: Int32s) -> None:
    """Drop the rivals that were not near for the longest, and the loops that only they had."""
    rivals = gaps.scalars[RIVALS]
    least = rivals - int(KEPT * rivals)
    low, high = np.int64(0), gaps.scalars[CHECKS]
    while low < high:  # the first check up to which so many were near for the last time
        middle = (low + high) // 2
        count = 0
        for rival in range(rivals):
            count += gaps.used[rival] <= middle
        if count >= least:
            high = middle
        else:
            low = middle + 1
    _begin_loops(gaps)
    gaps.scalars[TOUCHED] = gaps.scalars[TARGET_LOOPS]
    for number in range(1, gaps.scalars[TARGET_LOOPS] + 1):
        gaps.touched[number - 1] = number
    store_energies(gaps, energies)
    kept, dropped = 0, 0
    for rival in range(rivals):
        if gaps.used[rival] <= low and dropped < least:
            dropped += 1
            continue
        copy_items(gaps.pairs[rival], gaps.pairs[kept])
        gaps.hash[kept] = gaps.hash[rival]
        gaps.weight[kept] = gaps.weight[rival]
        gaps.used[kept] = gaps.used[rival]
        if _index(gaps, energies, kept):
            gaps.gap[kept] = gap_of(gaps, kept)
            kept += 1
    gaps.scalars[RIVALS] = kept
