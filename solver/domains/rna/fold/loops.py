"""Energy of one loop, and of a structure loop by loop.

Positions count from 1; `code` are the codes of the bases, with 0 at both ends. `pairs` has the
other end of each position's pair, or 0.
"""

from __future__ import annotations

from typing import Any

from solver.compiling.jit import called, kernel
from solver.domains.rna.fold.parameters import (
    BULGE_OF_ONE,
    DANGLES,
    INFINITE,
    MULTI_BASE,
    MULTI_CLOSING,
    N_CODES,
    N_TYPES,
    TWO_THREE,
    FoldParameters,
)
from solver.domains.rna.fold.sizes import MAX_LOOP
from solver.domains.rna.fold.vectors import Int32s


@called
def _type(parameters: FoldParameters, code: Int32s, one: int, other: int) -> int:
    return parameters.pair_type[code[one] * N_CODES + code[other]]


@called
def hairpin_energy(parameters: FoldParameters, code: Int32s, i: int, j: int) -> int:
    """Energy of the hairpin that (i, j) closes."""
    size = j - i - 1
    if size == 3 or size == 4 or size == 6:
        number = 1
        for position in range(i, j + 1):
            number = number * 4 + code[position] - 1
        for place in range(len(parameters.special)):
            if parameters.special[place] == number:
                return parameters.special_energy[place]
    kind = _type(parameters, code, i, j)
    energy = parameters.hairpin[size]
    if size == 3:
        return energy + parameters.terminal[kind]
    return energy + parameters.hairpin_mismatch[kind * 25 + code[i + 1] * 5 + code[j - 1]]


@called
def interior_energy(
    parameters: FoldParameters, code: Int32s, i: int, j: int, p: int, q: int
) -> int:
    """Energy of the stack, bulge or interior loop between the pairs (i, j) and (p, q)."""
    left, right = p - i - 1, j - q - 1
    outer, inner = _type(parameters, code, i, j), _type(parameters, code, q, p)
    shorter, longer = min(left, right), max(left, right)
    stack = parameters.stack[outer * N_TYPES + inner]
    if outer == 0 or inner == 0 or left + right > MAX_LOOP:
        return INFINITE
    if longer == 0:
        return stack
    if shorter == 0:
        if longer == 1:
            return parameters.scalars[BULGE_OF_ONE] + stack
        ends = parameters.terminal[outer] + parameters.terminal[inner]
        return parameters.bulge[longer] + ends
    at_outer = outer * 25 + code[i + 1] * 5 + code[j - 1]
    at_inner = inner * 25 + code[q + 1] * 5 + code[p - 1]
    if longer <= 2:
        return _tabled_energy(parameters, code, i, j, p, q)
    if shorter == 1:
        mismatch = parameters.one_by_n_mismatch
        return parameters.one_by_n[longer] + mismatch[at_outer] + mismatch[at_inner]
    if shorter == 2 and longer == 3:
        mismatch = parameters.two_three_mismatch
        return parameters.scalars[TWO_THREE] + mismatch[at_outer] + mismatch[at_inner]
    mismatch = parameters.interior_mismatch
    energy = parameters.interior[left + right] + parameters.unequal[longer - shorter]
    return energy + mismatch[at_outer] + mismatch[at_inner]


@called
def _tabled_energy(parameters: FoldParameters, code: Int32s, i: int, j: int, p: int, q: int) -> int:
    """Interior loops of one or two bases on each side."""
    left, right = p - i - 1, j - q - 1
    outer, inner = _type(parameters, code, i, j), _type(parameters, code, q, p)
    first, last = code[i + 1] - 1, code[j - 1] - 1
    before, behind = code[p - 1] - 1, code[q + 1] - 1
    types = outer * N_TYPES + inner
    if left + right == 2:
        return parameters.int11[types * 16 + first * 4 + last]
    if left + right == 4:
        return parameters.int22[types * 256 + first * 64 + before * 16 + behind * 4 + last]
    if left == 1:
        return parameters.int21[types * 64 + first * 16 + behind * 4 + last]
    types = inner * N_TYPES + outer
    return parameters.int21[types * 64 + behind * 16 + first * 4 + before]


@called
def _next_helix(pairs: Int32s, position: int, end: int) -> int:
    """First opening position from `position` on, `end` if there is none before."""
    while position < end and pairs[position] == 0:
        position += 1
    return position


@called
def _dangling_energy(
    parameters: FoldParameters,
    table: Int32s,
    code: Int32s,
    pairs: Int32s,
    i: int,
    j: int,
    used: int,
) -> Any:
    """Helices between i and j, with dangles where they are best, each base for one of them.

    `used` is 1 if the base behind i dangles on a pair (i, j) already. Returns the least energy if
    the base before j is left alone, and the least in which it may be in use.
    """
    free, taken = 0, INFINITE  # of what is before, the base behind the last helix unused, or not
    if used:
        free, taken = INFINITE, 0
    last = i  # where the last helix ends
    p = _next_helix(pairs, i + 1, j)
    while p < j:
        q = pairs[p]
        stem = _type(parameters, code, p, q) * 25
        any_before = min(free, taken)
        plain, left = any_before, INFINITE
        if p - 1 > last:  # there is an unpaired base before
            left = free if p - 1 == last + 1 else any_before
        five = code[p - 1] * 5 if p > 1 else 0
        three = code[q + 1] if q + 1 < j and pairs[q + 1] == 0 else 0
        free = min(plain + table[stem], left + table[stem + five])
        taken = INFINITE
        if three:
            taken = min(plain + table[stem + three], left + table[stem + five + three])
        last = q
        p = _next_helix(pairs, q + 1, j)
    if j - 1 == last + 1:
        return free, min(free, taken)
    return min(free, taken), min(free, taken)


@called
def _plain_energy(
    parameters: FoldParameters, table: Int32s, code: Int32s, pairs: Int32s, i: int, j: int
) -> int:
    """Helices between i and j, each with the bases beside it, whether they are paired or not."""
    energy = 0
    p = _next_helix(pairs, i + 1, j)
    while p < j:
        q = pairs[p]
        stem = _type(parameters, code, p, q) * 25
        energy += table[stem + code[p - 1] * 5 + code[q + 1]]
        p = _next_helix(pairs, q + 1, j)
    return energy


@called
def multiloop_energy(
    parameters: FoldParameters, code: Int32s, pairs: Int32s, i: int, j: int
) -> int:
    """Energy of the loop of several helices that (i, j) closes."""
    n_unpaired, position = 0, i + 1
    while position < j:
        if pairs[position] == 0:
            n_unpaired += 1
            position += 1
        else:
            position = pairs[position] + 1
    constant = parameters.scalars[MULTI_CLOSING] + n_unpaired * parameters.scalars[MULTI_BASE]
    stem = _type(parameters, code, j, i) * 25
    table = parameters.multi
    before, after = code[j - 1] * 5, code[i + 1]
    if parameters.scalars[DANGLES] == 2:
        inside = _plain_energy(parameters, table, code, pairs, i, j)
        return constant + inside + table[stem + before + after]
    # where a base dangles on a pair it is unpaired
    alone, either = _dangling_energy(parameters, table, code, pairs, i, j, 0)
    energy = either + table[stem]
    if pairs[j - 1] == 0:
        energy = min(energy, alone + table[stem + before])
    if pairs[i + 1] == 0:
        alone, either = _dangling_energy(parameters, table, code, pairs, i, j, 1)
        energy = min(energy, either + table[stem + after])
        if pairs[j - 1] == 0:
            energy = min(energy, alone + table[stem + before + after])
    return constant + energy


@called
def exterior_energy(parameters: FoldParameters, code: Int32s, pairs: Int32s) -> int:
    """Energy of the exterior loop, outside of all pairs."""
    end = len(pairs)
    if parameters.scalars[DANGLES] == 2:
        return _plain_energy(parameters, parameters.exterior, code, pairs, 0, end)
    _, energy = _dangling_energy(parameters, parameters.exterior, code, pairs, 0, end, 0)
    return energy


@called
def loop_energy(parameters: FoldParameters, code: Int32s, pairs: Int32s, i: int) -> int:
    """Energy of the loop that the pair with 5' base `i` closes; `i` 0 for the exterior loop."""
    if i == 0:
        return exterior_energy(parameters, code, pairs)
    j = pairs[i]
    p = _next_helix(pairs, i + 1, j)
    if p == j:
        return hairpin_energy(parameters, code, i, j)
    if _next_helix(pairs, pairs[p] + 1, j) == j:
        return interior_energy(parameters, code, i, j, p, pairs[p])
    return multiloop_energy(parameters, code, pairs, i, j)


@kernel
def structure_loops(
    parameters: FoldParameters, code: Int32s, pairs: Int32s, first: Int32s, energy: Int32s
) -> int:
    """Energies of all loops of a structure.

    Parameters
    ----------
    code : int32[n + 10]
        Codes of the bases 1 ... n, 0 before and behind them.
    pairs : int32[n + 1]
    first, energy : int32[n + 1]
        Written: the 5' base of the pair that closes each loop, ascending, 0 for what is outside of
        all; and the loop's energy in 1/100 kcal/mol.

    Returns
    -------
    int
        Number of loops; their energies add up to that of the structure.
    """
    count = 0
    for i in range(len(pairs)):
        if i == 0 or pairs[i] > i:
            first[count] = i
            energy[count] = loop_energy(parameters, code, pairs, i)
            count += 1
    return count
