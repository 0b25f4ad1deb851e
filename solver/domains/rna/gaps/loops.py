"""Loops of rivals, each stored once, with the positions that they depend on and their energies."""

from __future__ import annotations

import numpy as np

from solver.compiling.jit import called, inlined
from solver.domains.rna.fold.loops import (
    exterior_energy,
    hairpin_energy,
    interior_energy,
    multiloop_energy,
)
from solver.domains.rna.fold.parameters import (
    DANGLES,
    MULTI_BASE,
    MULTI_CLOSING,
    N_CODES,
    FoldParameters,
    parameters_of,
)
from solver.domains.rna.gaps.memory import (
    FIRST,
    HELICES,
    INNER,
    INNER_LAST,
    LAST,
    LAST_HELIX,
    LOOPS,
    TOUCHED,
    UNPAIRED,
    Gaps,
    Int16s,
    Int32s,
)


@inlined
def loop_number(gaps: Gaps, pairs: Int16s, first: int) -> int:
    """Number of the loop that the pair from `first` closes in a structure; -1 if there is no room.

    Parameters
    ----------
    pairs : int16[n + 2]
        Pairs of the structure.
    first : int
        0 for the loop outside of all pairs.
    """
    n = len(pairs) - 2
    last = pairs[first] if first > 0 else n + 1
    helix, begin = gaps.helix, gaps.scalars[LAST_HELIX]
    if begin + n // 2 >= len(helix) or gaps.scalars[LOOPS] + 1 >= len(gaps.loop):
        return -1
    key = np.uint64(first)
    n_helices, unpaired, position = 0, 0, first + 1
    while position < last:
        other = pairs[position]
        if other == 0:
            unpaired += 1
            position += 1
        else:
            helix[begin + n_helices, 0], helix[begin + n_helices, 1] = position, other
            n_helices += 1
            key = (key * np.uint64(4096) + np.uint64(position)) * np.uint64(0x9E3779B97F4A7C15)
            key = (key ^ (key >> np.uint64(29))) + np.uint64(other)
            position = other + 1
    key = (key + np.uint64(last)) * np.uint64(0x9E3779B97F4A7C15)
    place = np.int64(key >> np.uint64(32)) & (len(gaps.place) - 1)
    while gaps.place[place] > 0:
        number = int(gaps.place[place])
        if _same(gaps, number, first, last, begin, n_helices):
            return number
        place = (place + 1) & (len(gaps.place) - 1)
    gaps.scalars[LOOPS] += 1
    number = gaps.scalars[LOOPS]
    gaps.place[place] = number
    loop = gaps.loop
    loop[number, FIRST], loop[number, LAST] = first, last
    loop[number, HELICES], loop[number, UNPAIRED] = n_helices, unpaired
    loop[number, INNER] = begin
    gaps.scalars[LAST_HELIX] += n_helices
    if first > 0 and n_helices == 1:
        loop[number, INNER], loop[number, INNER_LAST] = helix[begin, 0], helix[begin, 1]
        gaps.scalars[LAST_HELIX] = begin
    return number


@inlined
def _same(gaps: Gaps, number: int, first: int, last: int, begin: int, n_helices: int) -> bool:
    loop, helix = gaps.loop, gaps.helix
    if loop[number, FIRST] != first or loop[number, LAST] != last:
        return False
    if loop[number, HELICES] != n_helices:
        return False
    if first > 0 and n_helices == 1:
        inner, behind = loop[number, INNER], loop[number, INNER_LAST]
        return bool(inner == helix[begin, 0] and behind == helix[begin, 1])
    for index in range(n_helices):
        if helix[loop[number, INNER] + index, 0] != helix[begin + index, 0]:
            return False
        if helix[loop[number, INNER] + index, 1] != helix[begin + index, 1]:
            return False
    return True


@inlined
def stored_energy(gaps: Gaps, energies: Int32s, number: int) -> int:
    """Energy of a loop for the bases that `Gaps.code` has, in 1/100 kcal/mol."""
    # the tables travel as one array: as arguments of many calls they cost seconds of compiling
    parameters = parameters_of(energies)
    loop, code = gaps.loop, gaps.code
    first, last, n_helices = loop[number, FIRST], loop[number, LAST], loop[number, HELICES]
    if first > 0 and n_helices == 0:
        return hairpin_energy(parameters, code, first, last)
    if first > 0 and n_helices == 1:
        inner, behind = loop[number, INNER], loop[number, INNER_LAST]
        return interior_energy(parameters, code, first, last, inner, behind)
    if parameters.scalars[DANGLES] != 2:
        return _dangling_energy(gaps, parameters, number)
    table = parameters.multi if first > 0 else parameters.exterior
    energy = 0
    if first > 0:
        closing = parameters.pair_type[code[last] * N_CODES + code[first]]
        energy = table[closing * 25 + code[last - 1] * 5 + code[first + 1]]
        energy += parameters.scalars[MULTI_CLOSING]
        energy += loop[number, UNPAIRED] * parameters.scalars[MULTI_BASE]
    for index in range(loop[number, INNER], loop[number, INNER] + n_helices):
        begin, end = gaps.helix[index, 0], gaps.helix[index, 1]
        kind = parameters.pair_type[code[begin] * N_CODES + code[end]]
        energy += table[kind * 25 + code[begin - 1] * 5 + code[end + 1]]
    return energy


@called
def store_energies(gaps: Gaps, energies: Int32s) -> None:
    """Evaluate the loops that are listed in `Gaps.touched`: one copy for many callers."""
    for index in range(gaps.scalars[TOUCHED]):
        number = gaps.touched[index]
        gaps.energy[number] = stored_energy(gaps, energies, number)


@inlined
def _dangling_energy(gaps: Gaps, parameters: FoldParameters, number: int) -> int:
    """Energy of a loop in which each base dangles on one helix at most."""
    loop, pairs = gaps.loop, gaps.scratch[0, : len(gaps.target) - 1]
    first, last = loop[number, FIRST], loop[number, LAST]
    begin = loop[number, INNER]
    for index in range(begin, begin + loop[number, HELICES]):
        opening, closing = gaps.helix[index, 0], gaps.helix[index, 1]
        pairs[opening], pairs[closing] = closing, opening
    if first > 0:
        energy = multiloop_energy(parameters, gaps.code, pairs, first, last)
    else:
        energy = exterior_energy(parameters, gaps.code, pairs)
    for index in range(begin, begin + loop[number, HELICES]):
        pairs[gaps.helix[index, 0]] = pairs[gaps.helix[index, 1]] = 0
    return energy


@inlined
def list_touching(gaps: Gaps, number: int, found: Int32s) -> int:
    """Write the positions that a loop's energy depends on; returns how many, some twice.

    For interior loops, those with tables included, these are the pairs and the bases beside them.
    """
    loop = gaps.loop
    first, last = loop[number, FIRST], loop[number, LAST]
    n_helices, unpaired = loop[number, HELICES], loop[number, UNPAIRED]
    count = 0
    if first > 0:
        found[0], found[1], found[2], found[3] = first, last, first + 1, last - 1
        count = 4
    if first > 0 and n_helices == 0:
        if unpaired <= 6:
            for position in range(first + 2, last - 1):
                found[count] = position
                count += 1
        return count
    if first > 0 and n_helices == 1:
        inner, behind = loop[number, INNER], loop[number, INNER_LAST]
        found[4], found[5], found[6], found[7] = inner, behind, inner - 1, behind + 1
        if unpaired == 0 or unpaired == inner - first - 1 or unpaired == last - behind - 1:
            found[0], found[1], found[2], found[3] = first, last, inner, behind
            count = 4  # stacks and bulges
        else:
            count = 8
        return count
    for index in range(loop[number, INNER], loop[number, INNER] + n_helices):
        begin, end = gaps.helix[index, 0], gaps.helix[index, 1]
        found[count], found[count + 1] = begin, end
        count += 2
        if begin > 1:
            found[count] = begin - 1
            count += 1
        if end < len(gaps.target) - 2:
            found[count] = end + 1
            count += 1
    return count
