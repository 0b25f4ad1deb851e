"""Structures of the ensemble whose energies bound the probability of the target from above.

The partition function is at least the sum of the Boltzmann factors of any structures. Those drawn
from the ensemble of the current sequence have most of it at its neighbours, too; their energies
change in the loops alone that a changed base is part of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called, inlined
from solver.compiling.random import Stream
from solver.domains.rna.ensemble.samples import sample
from solver.domains.rna.ensemble.workspace import EnsembleWorkspace
from solver.domains.rna.fold.loops import loop_energy
from solver.domains.rna.fold.parameters import FoldParameters
from solver.domains.rna.fold.vectors import Int32s, part

#: Loops that the changed positions of a step are part of, at most.
_MOST_LOOPS = 64


class Pool(NamedTuple):
    """Structures other than the target, all different, with the energies of their loops.

    A row of n + 1 numbers for each; positions count from 1.
    """

    pairs: Int32s
    """int32[size * (n + 1)]: the other end of the pair of each position, or 0."""
    loop: Int32s
    """int32[size * (n + 1)]: the 5' base of the pair that closes the loop of each position, 0
    outside of all; of a base that pairs, the loop outside of its pair."""
    energy: Int32s
    """int32[size * (n + 1)]: by that 5' base, the energy of the loop in 1/100 kcal/mol."""
    total: npt.NDArray[np.int64]
    """int64[size]: energy of each structure of the current sequence."""
    order: Int32s
    """int32[size]: rows by ascending energy, so that few of them exceed a limit."""
    key: npt.NDArray[np.uint64]
    """uint64[size]: hashes of structures."""
    target_key: npt.NDArray[np.uint64]
    """uint64[1]: hash of the target."""
    changed: Int32s
    """int32[n + 1]: positions that a step changes; their number is at 0."""
    loops: Int32s
    """int32[64]: scratch, 5' bases of loops."""
    drawn: Int32s
    """int32[n + 1]: scratch, the structure drawn last."""
    stack: Int32s
    """int32[3 * n + 6]: scratch."""
    counts: Int32s
    """int32[1]: structures."""


_COUNT = 0


def new_pool(target: Int32s, size: int) -> Pool:
    """Return a pool without structures for a target, int32[n + 1], and `size` at most."""
    rows = size * len(target)
    pool = Pool(
        pairs=np.zeros(rows, np.int32),
        loop=np.zeros(rows, np.int32),
        energy=np.zeros(rows, np.int32),
        total=np.zeros(size, np.int64),
        order=np.arange(size, dtype=np.int32),
        key=np.zeros(size, np.uint64),
        target_key=np.zeros(1, np.uint64),
        changed=np.zeros(len(target), np.int32),
        loops=np.zeros(_MOST_LOOPS, np.int32),
        drawn=np.zeros(len(target), np.int32),
        stack=np.zeros(3 * len(target) + 6, np.int32),
        counts=np.zeros(1, np.int32),
    )
    return pool


@called
def structure_key(pairs: Int32s) -> np.uint64:
    """Hash of a structure."""
    key = np.uint64(0xCBF29CE484222325)
    for position in range(1, len(pairs)):
        key = (key ^ np.uint64(pairs[position])) * np.uint64(0x100000001B3)
    return key


@called
def clear_pool(pool: Pool, target: Int32s) -> None:
    """Drop all structures."""
    pool.counts[_COUNT] = 0
    pool.target_key[0] = structure_key(target)


@inlined
def _sort(pool: Pool) -> None:
    """Bring the order, nearly ascending, up to date."""
    order, total = pool.order, pool.total
    for place in range(1, pool.counts[_COUNT]):
        row, here = order[place], place
        while here > 0 and total[order[here - 1]] > total[row]:
            order[here] = order[here - 1]
            here -= 1
        order[here] = row


@called
def draw_structures(
    pool: Pool,
    workspace: EnsembleWorkspace,
    energies: FoldParameters,
    code: Int32s,
    stream: Stream,
    count: int,
) -> None:
    """Draw structures from an ensemble and add the new ones, in place of those of highest energy.

    Parameters
    ----------
    workspace : EnsembleWorkspace
        As `fill` has left it for the current sequence.
    code : int32[n + 10]
        Codes of the current sequence.
    """
    size, drawn = len(pool.total), pool.drawn
    for _ in range(count):
        sample(workspace, energies, stream, drawn, pool.stack)
        key = structure_key(drawn)
        known = key == pool.target_key[0]
        for row in range(pool.counts[_COUNT]):
            known = known or pool.key[row] == key
        if known:
            continue
        if pool.counts[_COUNT] < size:
            pool.counts[_COUNT] += 1
        row = pool.order[pool.counts[_COUNT] - 1]
        pool.key[row] = key
        _write_row(pool, energies, code, row)
        _sort(pool)


@called
def _write_row(pool: Pool, energies: FoldParameters, code: Int32s, row: int) -> None:
    """Keep the structure drawn last in a row."""
    drawn, n = pool.drawn, len(pool.drawn) - 1
    begin, around = row * (n + 1), 0
    pool.pairs[begin] = 0
    total = loop_energy(energies, code, drawn, 0)
    pool.energy[begin] = total
    for position in range(1, n + 1):
        partner = drawn[position]
        pool.pairs[begin + position] = partner
        if 0 < partner < position:  # the loop outside of the pair that ends here
            around = pool.loop[begin + partner]
        pool.loop[begin + position] = around
        if partner > position:
            around = position
            pool.energy[begin + position] = loop_energy(energies, code, drawn, position)
            total += pool.energy[begin + position]
    pool.total[row] = total


@inlined
def _find_loops(pool: Pool, row: int) -> int:
    """List the loops of a structure that the changed positions are part of; returns how many."""
    begin, count = row * len(pool.drawn), 0
    for place in range(1, pool.changed[0] + 1):
        position = pool.changed[place]
        partner = pool.pairs[begin + position]
        for inner in range(2 if partner > 0 else 1):
            loop = min(position, partner) if inner else pool.loop[begin + position]
            known = False
            for other in range(count):
                known = known or pool.loops[other] == loop
            if not known and count < _MOST_LOOPS:
                pool.loops[count] = loop
                count += 1
    return count


@called
def exceeds(
    pool: Pool, energies: FoldParameters, code: Int32s, target: float, thermal: float, limit: float
) -> bool:
    """Return whether the sum of Boltzmann factors, relative to the target's, is above a limit.

    Parameters
    ----------
    code : int32[n + 10]
        Codes of a sequence that differs from the current one at `pool.changed`.
    target, thermal : float
        Energy of the target for that sequence, and kT, in 1/100 kcal/mol.
    """
    total, n = 1.0, len(pool.drawn) - 1
    for index in range(pool.counts[_COUNT]):
        row = pool.order[index]
        energy = pool.total[row]
        pairs = part(pool.pairs, row * (n + 1), n + 1)
        for place in range(_find_loops(pool, row)):
            loop = pool.loops[place]
            energy += loop_energy(energies, code, pairs, loop)
            energy -= pool.energy[row * (n + 1) + loop]
        total += np.exp((target - energy) / thermal)
        if total > limit:
            return True
    return False


@called
def follow(pool: Pool, energies: FoldParameters, code: Int32s) -> None:
    """Take over the sequence that differs from the current one at `pool.changed`."""
    n = len(pool.drawn) - 1
    for row in range(pool.counts[_COUNT]):
        pairs = part(pool.pairs, row * (n + 1), n + 1)
        for place in range(_find_loops(pool, row)):
            loop = pool.loops[place]
            energy = loop_energy(energies, code, pairs, loop)
            pool.total[row] += energy - pool.energy[row * (n + 1) + loop]
            pool.energy[row * (n + 1) + loop] = energy
    _sort(pool)
