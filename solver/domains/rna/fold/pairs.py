"""Least energy inside of a pair, from the matrices of the rows behind it."""

from __future__ import annotations

from solver.compiling.jit import inlined
from solver.domains.rna.fold.loops import hairpin_energy
from solver.domains.rna.fold.parameters import (
    BULGE_OF_ONE,
    DANGLES,
    MULTI_BASE,
    MULTI_CLOSING,
    N_TYPES,
    TWO_THREE,
    FoldParameters,
)
from solver.domains.rna.fold.vectors import item, least_sum
from solver.domains.rna.fold.workspace import BASES, WIDTH, FoldWorkspace, pair_type


@inlined
def closed_energy(
    workspace: FoldWorkspace, parameters: FoldParameters, i: int, j: int, kind: int
) -> int:
    """Least energy of i ... j where i pairs with j, a pair of type `kind`."""
    code = workspace.code
    after, before = item(code, i + 1), item(code, j - 1)
    outer = kind * 25 + after * 5 + before
    n_unpaired = j - i - 1
    if n_unpaired > 6 or n_unpaired == 5:
        energy = item(parameters.hairpin, n_unpaired) + item(parameters.hairpin_mismatch, outer)
    else:
        energy = hairpin_energy(parameters, code, i, j)
    energy = min(energy, _stacked_energy(workspace, parameters, i, j, kind))
    if n_unpaired >= 7:
        energy = min(energy, _small_loop_energy(workspace, parameters, i, j, kind))
        energy = min(energy, _long_loop_energy(workspace, parameters, i, j, kind, outer))
    if n_unpaired >= 10:
        energy = min(energy, _multiloop_energy(workspace, parameters, i, j))
    return energy


@inlined
def _stacked_energy(
    workspace: FoldWorkspace, parameters: FoldParameters, i: int, j: int, kind: int
) -> int:
    """Pairs that stack on another, with at most one unpaired base on one side."""
    code, closed, width = workspace.code, workspace.closed, workspace.scalars[WIDTH]
    stack = parameters.stack
    row = (i + 1) * width + j - 1
    types = kind * N_TYPES
    energy = item(closed, row) + item(stack, types + pair_type(code, parameters, j - 1, i + 1))
    left = item(closed, row + width) + item(
        stack, types + pair_type(code, parameters, j - 1, i + 2)
    )
    right = item(closed, row - 1) + item(stack, types + pair_type(code, parameters, j - 2, i + 1))
    return min(energy, min(left, right) + item(parameters.scalars, BULGE_OF_ONE))


@inlined
def _small_loop_energy(
    workspace: FoldWorkspace, parameters: FoldParameters, i: int, j: int, kind: int
) -> int:
    """Interior loops that have tables: 1x1, 1x2, 2x1, 2x2, and those of 2 and 3 bases."""
    code, closed, width = workspace.code, workspace.closed, workspace.scalars[WIDTH]
    # bases count from 0 in the tables of small loops
    a, b, c = item(code, i + 1) - 1, item(code, i + 2) - 1, item(code, i + 3) - 1
    z, y, x = item(code, j - 1) - 1, item(code, j - 2) - 1, item(code, j - 3) - 1
    types = kind * N_TYPES
    row = (i + 2) * width + j - 2

    inner = pair_type(code, parameters, j - 2, i + 2)
    energy = item(closed, row) + item(parameters.int11, (types + inner) * 16 + a * 4 + z)

    inner = pair_type(code, parameters, j - 3, i + 2)
    table = (types + inner) * 64 + a * 16 + y * 4 + z
    energy = min(energy, item(closed, row - 1) + item(parameters.int21, table))

    inner = pair_type(code, parameters, j - 2, i + 3)
    table = (inner * N_TYPES + kind) * 64 + z * 16 + a * 4 + b
    energy = min(energy, item(closed, row + width) + item(parameters.int21, table))

    inner = pair_type(code, parameters, j - 3, i + 3)
    table = (types + inner) * 256 + a * 64 + b * 16 + y * 4 + z
    energy = min(energy, item(closed, row + width - 1) + item(parameters.int22, table))

    mismatch = parameters.two_three_mismatch
    inner = pair_type(code, parameters, j - 4, i + 3)
    left = item(closed, row + width - 2) + item(mismatch, inner * 25 + (x + 1) * 5 + b + 1)
    inner = pair_type(code, parameters, j - 3, i + 4)
    right = item(closed, row + 2 * width - 1) + item(mismatch, inner * 25 + (y + 1) * 5 + c + 1)
    outer = kind * 25 + (a + 1) * 5 + z + 1
    both = min(left, right) + item(mismatch, outer) + item(parameters.scalars, TWO_THREE)
    return min(energy, both)


@inlined
def _long_loop_energy(
    workspace: FoldWorkspace, parameters: FoldParameters, i: int, j: int, kind: int, outer: int
) -> int:
    """Bulges and interior loops of more bases."""
    n, width = workspace.scalars[BASES], workspace.scalars[WIDTH]
    energy = item(workspace.least, j) + item(parameters.interior_mismatch, outer)
    bulge = least_sum(
        workspace.bulge_row,
        (i + 1) * width + n - j + 1,
        workspace.bulge_column,
        (j - 1) * width + i + 1,
        parameters.bulge,
    )
    one = least_sum(
        workspace.one_row,
        (i + 2) * width + n - j + 1,
        workspace.one_column,
        (j - 2) * width + i + 1,
        parameters.one_by_n,
    )
    energy = min(energy, bulge + item(parameters.terminal, kind))
    return min(energy, one + item(parameters.one_by_n_mismatch, outer))


@inlined
def _multiloop_energy(workspace: FoldWorkspace, parameters: FoldParameters, i: int, j: int) -> int:
    """Loops of three helices and more."""
    code, two, width = workspace.code, workspace.two, workspace.scalars[WIDTH]
    before, after = item(code, j - 1), item(code, i + 1)
    stem = pair_type(code, parameters, j, i) * 25
    row = (i + 1) * width + j - 1
    if item(parameters.scalars, DANGLES) == 2:
        energy = item(two, row) + item(parameters.multi, stem + before * 5 + after)
    else:
        base = item(parameters.scalars, MULTI_BASE)
        energy = item(two, row) + item(parameters.multi, stem)
        left = item(two, row + width) + base + item(parameters.multi, stem + after)
        right = item(two, row - 1) + base + item(parameters.multi, stem + before * 5)
        both = item(two, row + width - 1) + 2 * base
        both += item(parameters.multi, stem + before * 5 + after)
        energy = min(min(energy, left), min(right, both))
    return energy + item(parameters.scalars, MULTI_CLOSING)
