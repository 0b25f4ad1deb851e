"""Traceback from the matrices to one structure of minimum free energy, the one of ViennaRNA.

Among several structures of least energy the first that is tried is found.
The order here is that of ViennaRNA 2.7: from the 3' end; hairpins before interior loops before
multiloops; an interior loop's inner pair from the left, then from the right.
"""

from __future__ import annotations

from solver.compiling.copies import fill_items
from solver.compiling.jit import called, kernel
from solver.domains.rna.fold.loops import hairpin_energy, interior_energy
from solver.domains.rna.fold.parameters import (
    DANGLES,
    INFINITE,
    MULTI_BASE,
    MULTI_CLOSING,
    FoldParameters,
)
from solver.domains.rna.fold.sizes import MAX_LOOP
from solver.domains.rna.fold.workspace import BASES, ENCLOSED, SPAN, WIDTH, FoldWorkspace, pair_type

#: Kinds of regions to trace: a pair, a part of a multiloop.
_PAIR, _MULTI = 0, 1


@called
def _push(workspace: FoldWorkspace, depth: int, what: int, i: int, j: int) -> int:
    workspace.stack[3 * depth] = what
    workspace.stack[3 * depth + 1] = i
    workspace.stack[3 * depth + 2] = j
    return depth + 1


@called
def _stem(
    workspace: FoldWorkspace,
    parameters: FoldParameters,
    i: int,
    j: int,
    five: int,
    three: int,
    exterior: bool,
) -> int:
    """Energy of the helix (i, j) with codes of the bases that dangle, 0 for none."""
    kind = pair_type(workspace.code, parameters, i, j)
    if kind == 0:
        return INFINITE
    table = parameters.exterior if exterior else parameters.multi
    energy = workspace.closed[i * workspace.scalars[WIDTH] + j]
    return energy + table[kind * 25 + five * 5 + three]


@called
def _trace_exterior(workspace: FoldWorkspace, parameters: FoldParameters) -> int:
    """Push the helices outside of all pairs; returns how many."""
    depth, j = 0, workspace.scalars[BASES]
    exterior, dangles = workspace.exterior, parameters.scalars[DANGLES]
    while j > SPAN:
        if exterior[j] == exterior[j - 1]:
            j -= 1
        elif dangles == 2:
            for i in range(j - SPAN, 0, -1):
                five, three = workspace.code[i - 1], workspace.code[j + 1]
                energy = _stem(workspace, parameters, i, j, five, three, True)
                if exterior[j] == exterior[i - 1] + energy:
                    depth = _push(workspace, depth, _PAIR, i, j)
                    j = i - 1
                    break
        else:
            i, last, rest = _dangling_helix(workspace, parameters, j)
            depth = _push(workspace, depth, _PAIR, i, last)
            j = rest
    return depth


@called
def _dangling_helix(
    workspace: FoldWorkspace, parameters: FoldParameters, j: int
) -> tuple[int, int, int]:
    """Last helix of 1 ... j with its ends, and the last position that is left."""
    exterior, code = workspace.exterior, workspace.code
    if exterior[j] == _stem(workspace, parameters, 1, j, 0, 0, True):
        return 1, j, 0
    if exterior[j] == _stem(workspace, parameters, 1, j - 1, 0, code[j], True):
        return 1, j - 1, 0
    for i in range(j - 1, 1, -1):
        for last in range(j, j - 2, -1):
            three = code[j] if last < j else 0
            energy = _stem(workspace, parameters, i, last, 0, three, True)
            if exterior[j] == exterior[i - 1] + energy:
                return i, last, i - 1
            energy = _stem(workspace, parameters, i, last, code[i - 1], three, True)
            if exterior[j] == exterior[i - 2] + energy:
                return i, last, i - 2
    return 0, 0, 0


@called
def _trace_multi(
    workspace: FoldWorkspace, parameters: FoldParameters, depth: int, i: int, j: int
) -> int:
    """Push the pieces of i ... j, a part of a multiloop; returns the depth of the stack."""
    multi, code, width = workspace.multi, workspace.code, workspace.scalars[WIDTH]
    base, dangles = parameters.scalars[MULTI_BASE], parameters.scalars[DANGLES]
    while multi[i * width + j] == multi[i * width + j - 1] + base:
        j -= 1
    while multi[i * width + j] == multi[(i + 1) * width + j] + base:
        i += 1
    energy = multi[i * width + j]
    if dangles == 2:
        if energy == _stem(workspace, parameters, i, j, code[i - 1], code[j + 1], False):
            return _push(workspace, depth, _PAIR, i, j)
    else:
        if energy == _stem(workspace, parameters, i, j, 0, 0, False):
            return _push(workspace, depth, _PAIR, i, j)
        if energy == base + _stem(workspace, parameters, i + 1, j, code[i], 0, False):
            return _push(workspace, depth, _PAIR, i + 1, j)
        if energy == base + _stem(workspace, parameters, i, j - 1, 0, code[j], False):
            return _push(workspace, depth, _PAIR, i, j - 1)
        both = _stem(workspace, parameters, i + 1, j - 1, code[i], code[j], False)
        if energy == 2 * base + both:
            return _push(workspace, depth, _PAIR, i + 1, j - 1)
    for k in range(i + 1, j):
        if energy == multi[i * width + k] + multi[(k + 1) * width + j]:
            break
    depth = _push(workspace, depth, _MULTI, i, k)
    return _push(workspace, depth, _MULTI, k + 1, j)


@called
def _trace_pair(
    workspace: FoldWorkspace, parameters: FoldParameters, depth: int, i: int, j: int
) -> int:
    """Push the loop that the pair (i, j) closes; returns the depth of the stack."""
    code, width = workspace.code, workspace.scalars[WIDTH]
    energy = workspace.closed[i * width + j]
    if energy == hairpin_energy(parameters, code, i, j):
        return depth
    for p in range(i + 1, min(j - SPAN - 1, i + MAX_LOOP + 1) + 1):
        for q in range(j - 1, max(p + SPAN, p + j - i - MAX_LOOP - 2) - 1, -1):
            if pair_type(code, parameters, p, q):
                loop = interior_energy(parameters, code, i, j, p, q)
                if energy == loop + workspace.closed[p * width + q]:
                    return _push(workspace, depth, _PAIR, p, q)
    return _trace_closing(workspace, parameters, depth, i, j)


@called
def _trace_closing(
    workspace: FoldWorkspace, parameters: FoldParameters, depth: int, i: int, j: int
) -> int:
    """Push the two parts of the multiloop that (i, j) closes; returns the depth of the stack."""
    code, width, multi = workspace.code, workspace.scalars[WIDTH], workspace.multi
    base = parameters.scalars[MULTI_BASE]
    stem = pair_type(code, parameters, j, i) * 25
    # which bases beside the pair dangle on it, in ViennaRNA's order
    both = parameters.scalars[DANGLES] == 2
    for right in range(2):
        for left in range(2):
            five = code[j - 1] * 5 if right or both else 0
            three = code[i + 1] if left or both else 0
            used = 0 if both else (left + right) * base
            inside = workspace.closed[i * width + j] - parameters.scalars[MULTI_CLOSING] - used
            inside -= parameters.multi[stem + five + three]
            first, last = i + 1, j - 1
            if not both:
                first, last = first + left, last - right
            for k in range(first + 1, last - 1):
                if inside == multi[first * width + k] + multi[(k + 1) * width + last]:
                    depth = _push(workspace, depth, _MULTI, first, k)
                    return _push(workspace, depth, _MULTI, k + 1, last)
    return depth


@kernel
def least_energy(workspace: FoldWorkspace, parameters: FoldParameters) -> int:
    """Energy of the structure that `trace` finds, in 1/100 kcal/mol."""
    n = workspace.scalars[BASES]
    if _is_enclosed(workspace, parameters):
        return _stem(workspace, parameters, 1, n, 0, 0, True)
    return workspace.exterior[n]


@called
def _is_enclosed(workspace: FoldWorkspace, parameters: FoldParameters) -> bool:
    """Return whether only structures in which the first and the last base pair count."""
    n = workspace.scalars[BASES]
    return workspace.scalars[ENCLOSED] != 0 and pair_type(workspace.code, parameters, 1, n) != 0


@kernel
def trace(workspace: FoldWorkspace, parameters: FoldParameters) -> None:
    """Write the structure of the last folded sequence into `workspace.pairs`, as ViennaRNA's."""
    fill_items(workspace.pairs, 0)
    if _is_enclosed(workspace, parameters):
        depth = _push(workspace, 0, _PAIR, 1, workspace.scalars[BASES])
    else:
        depth = _trace_exterior(workspace, parameters)
    while depth > 0:
        depth -= 1
        i, j = workspace.stack[3 * depth + 1], workspace.stack[3 * depth + 2]
        if workspace.stack[3 * depth] == _MULTI:
            depth = _trace_multi(workspace, parameters, depth, i, j)
        else:
            workspace.pairs[i] = j
            workspace.pairs[j] = i
            depth = _trace_pair(workspace, parameters, depth, i, j)
