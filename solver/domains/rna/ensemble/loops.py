"""Boltzmann factors of single loops, scaled, for both directions: from inside and from outside.

An interior loop lies between the pair (i, j) and the pair (p, q) inside of it.
"""

from __future__ import annotations

from solver.compiling.jit import called, inlined
from solver.domains.rna.ensemble.factors import BULGE_ONE, CLOSING, TWO_BY_THREE
from solver.domains.rna.ensemble.workspace import EnsembleWorkspace
from solver.domains.rna.fold.parameters import N_TYPES, FoldParameters
from solver.domains.rna.fold.vectors import Int32s, item
from solver.domains.rna.fold.workspace import pair_type


@inlined
def hairpin_factor(workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int) -> float:
    """Factor of the hairpin that (i, j) closes."""
    factors, code, size = workspace.scaled, workspace.code, j - i - 1
    factor = item(factors.hairpin, size)
    kind = pair_type(code, energies, i, j)
    if size == 3 or size == 4 or size == 6:
        place = _special_place(energies, code, i, j)
        if place >= 0:
            return item(factors.special, place) * item(workspace.power, size + 2)
        if size == 3:
            return factor * item(factors.terminal, kind)
    return factor * item(
        factors.hairpin_mismatch, kind * 25 + item(code, i + 1) * 5 + item(code, j - 1)
    )


@called
def _special_place(energies: FoldParameters, code: Int32s, i: int, j: int) -> int:
    """Place of the hairpin i ... j in the list of those with factors of their own, or -1."""
    number = 1
    for position in range(i, j + 1):
        number = number * 4 + code[position] - 1
    for place in range(len(energies.special)):
        if energies.special[place] == number:
            return place
    return -1


@inlined
def _types(
    workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int, p: int, q: int
) -> int:
    code = workspace.code
    return pair_type(code, energies, i, j) * N_TYPES + pair_type(code, energies, q, p)


@inlined
def _base(workspace: EnsembleWorkspace, position: int) -> int:
    """Base at a position as the tables of small loops count, from 0."""
    return item(workspace.code, position) - 1


@inlined
def stack_factor(
    workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int, p: int, q: int
) -> float:
    """Factor of two pairs that stack, with nothing between them."""
    return item(workspace.scaled.stack, _types(workspace, energies, i, j, p, q))


@inlined
def one_one_factor(
    workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int, p: int, q: int
) -> float:
    """Factor of a loop of one base on each side."""
    place = _types(workspace, energies, i, j, p, q) * 16
    place += _base(workspace, i + 1) * 4 + _base(workspace, j - 1)
    return item(workspace.scaled.int11, place)


@inlined
def one_two_factor(
    workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int, p: int, q: int
) -> float:
    """Factor of a loop of one base behind `i` and two before `j`."""
    place = _types(workspace, energies, i, j, p, q) * 64 + _base(workspace, i + 1) * 16
    place += _base(workspace, q + 1) * 4 + _base(workspace, j - 1)
    return item(workspace.scaled.int21, place)


@inlined
def two_one_factor(
    workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int, p: int, q: int
) -> float:
    """Factor of a loop of two bases behind `i` and one before `j`."""
    return one_two_factor(workspace, energies, q, p, j, i)


@inlined
def two_two_factor(
    workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int, p: int, q: int
) -> float:
    """Factor of a loop of two bases on each side."""
    place = _types(workspace, energies, i, j, p, q) * 256 + _base(workspace, i + 1) * 64
    place += _base(workspace, p - 1) * 16 + _base(workspace, q + 1) * 4 + _base(workspace, j - 1)
    return item(workspace.scaled.int22, place)


@inlined
def inside_mismatch(workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int) -> int:
    """Place of the pair (i, j) with the bases inside of it, in tables of mismatches."""
    code = workspace.code
    return pair_type(code, energies, i, j) * 25 + item(code, i + 1) * 5 + item(code, j - 1)


@inlined
def outside_mismatch(workspace: EnsembleWorkspace, energies: FoldParameters, p: int, q: int) -> int:
    """Place of the pair (p, q) with the bases outside of it, seen from a loop there."""
    code = workspace.code
    return pair_type(code, energies, q, p) * 25 + item(code, q + 1) * 5 + item(code, p - 1)


@inlined
def two_three_factor(
    workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int, p: int, q: int
) -> float:
    """Factor of a loop of two and three bases."""
    factors = workspace.scaled
    outer = item(factors.two_three_mismatch, inside_mismatch(workspace, energies, i, j))
    inner = item(factors.two_three_mismatch, outside_mismatch(workspace, energies, p, q))
    return outer * inner * item(factors.scalars, TWO_BY_THREE)


@inlined
def closing_factor(workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int) -> float:
    """Factor of the pair (i, j) that closes a multiloop."""
    code, factors = workspace.code, workspace.scaled
    stem = pair_type(code, energies, j, i) * 25 + item(code, j - 1) * 5 + item(code, i + 1)
    return item(factors.multi, stem) * item(factors.scalars, CLOSING)


@inlined
def stem_place(workspace: EnsembleWorkspace, energies: FoldParameters, p: int, q: int) -> int:
    """Place of the helix (p, q) with the bases beside it, in tables of multiloops and outside."""
    code = workspace.code
    return pair_type(code, energies, p, q) * 25 + item(code, p - 1) * 5 + item(code, q + 1)


@called
def interior_factor(
    workspace: EnsembleWorkspace, energies: FoldParameters, i: int, j: int, p: int, q: int
) -> float:
    """Factor of any stack, bulge or interior loop of up to `MAX_LOOP` bases."""
    factors = workspace.scaled
    left, right = p - i - 1, j - q - 1
    shorter, longer = min(left, right), max(left, right)
    if longer == 0:
        return stack_factor(workspace, energies, i, j, p, q)
    if shorter == 0 and longer == 1:
        return stack_factor(workspace, energies, i, j, p, q) * factors.scalars[BULGE_ONE]
    outer, inner = (
        inside_mismatch(workspace, energies, i, j),
        outside_mismatch(workspace, energies, p, q),
    )
    if shorter == 0:
        ends = factors.terminal[outer // 25] * factors.terminal[inner // 25]
        return factors.bulge[longer] * ends
    if longer == 1:
        return one_one_factor(workspace, energies, i, j, p, q)
    if longer == 2:
        if left == right:
            return two_two_factor(workspace, energies, i, j, p, q)
        if left == 1:
            return one_two_factor(workspace, energies, i, j, p, q)
        return two_one_factor(workspace, energies, i, j, p, q)
    if shorter == 1:
        mismatch = factors.one_by_n_mismatch
        return factors.one_by_n[longer] * mismatch[outer] * mismatch[inner]
    if shorter == 2 and longer == 3:
        return two_three_factor(workspace, energies, i, j, p, q)
    mismatch = factors.interior_mismatch
    size = factors.interior[left + right] * factors.unequal[longer - shorter]
    return size * mismatch[outer] * mismatch[inner]
