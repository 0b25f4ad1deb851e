"""Memory of the rivals of a target, which are constraints, and of their loops.

A *rival* is the target with one region of it as a sequence folded it. The constraint is that its
energy exceeds the target's by a margin. Energies are sums over loops, so a rival is known by the
loops that it has and the target has not, and by those of the target that it lacks. Rivals share
most of their loops; each loop is kept once, with its energy for the sequence at hand. A move
changes one position or a pair; it is felt by the loops that touch it, at most two of any structure
at each position.

Positions count from 1, 0 and n + 1 are the ends. Loop 0 is no loop, of energy 0; the next ones
are the target's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Int16s = npt.NDArray[np.int16]
#: Indices of loops and rivals, which are read most: without a sign they need no check for one.
UInt16s = npt.NDArray[np.uint16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Rivals, loops, helices in loops of several, and places of the table by which loops are found.
N_RIVALS, N_LOOPS, N_HELICES, N_PLACES = 1024, 16384, 65536, 1 << 16
#: Energy by which a rival must exceed the target, in 1/100 kcal/mol.
MARGIN = 30
#: Share of the target's energy in the cost of a sequence.
STABILITY = 0.2

#: Columns of a loop: the pair that closes it, the pair within it or where its helices begin,
#: and how many there are. Position 0 closes what is outside of all pairs.
FIRST, LAST, INNER, INNER_LAST, HELICES, UNPAIRED = range(6)

#: Scalars.
(
    RIVALS, LOOPS, TARGET_LOOPS, LAST_HELIX, NOW, TOUCHED, NEAR, BROKEN, TARGET_ENERGY, MOVED,
    CHECKS,
) = range(11)  # fmt: skip


class Gaps(NamedTuple):
    """The rivals known of a target of n positions, and their gaps for a sequence.

    The arrays that have a column for each rival are read along a row: what one move does to all.
    """

    pairs: Int16s
    """int16[rivals, n + 2]: the other end of each pair, 0 at unpaired positions."""
    hash: npt.NDArray[np.uint64]
    """uint64[rivals]: of the pairs."""
    one: UInt16s
    """uint16[n + 2, rivals]: a loop of the rival that the position touches, 0 for none."""
    other: UInt16s
    """uint16[n + 2, rivals]: the other one."""
    lacks: npt.NDArray[np.int8]
    """int8[target loops + 1, rivals]: 1 where a loop of the target is not the rival's."""
    own: UInt16s
    """uint16[rivals, loops + 1]: loops that the target has not; how many they are comes first."""
    site: Int16s
    """int16[rivals, steps + 1]: steps that the gap depends on; how many come first."""
    gap: Int64s
    """int64[rivals]: energy beyond the target's, in 1/100 kcal/mol."""
    new_gap: Int64s
    """int64[rivals]: the same with the move under consideration."""
    weight: Floats
    """float64[rivals]."""
    used: Int64s
    """int64[rivals]: number of the check since which the rival was not near."""
    loop: Int32s
    """int32[loops, 6]: `FIRST` ... `UNPAIRED`."""
    helix: Int16s
    """int16[helices, 2]: pairs within loops of several helices."""
    energy: Int32s
    """int32[loops]: for the sequence, in 1/100 kcal/mol."""
    new_energy: Int32s
    """int32[loops]: with the move under consideration, where `seen` is `NOW`."""
    seen: Int64s
    """int64[loops]: number of the move that a loop was looked at for."""
    touched: UInt16s
    """uint16[loops]: loops that the move touches."""
    place: Int16s
    """int16[places]: loops by a hash of their pairs, 0 where there is none."""
    target_loop: UInt16s
    """uint16[n + 2, 2]: loops of the target that a position touches."""
    target: Int16s
    """int16[n + 2]: pairs of the target."""
    step: Int32s
    """int32[n + 2]: which step decides on a position."""
    near: npt.NDArray[np.uint32]
    """uint32[rivals]: those without a margin."""
    code: Int32s
    """int32[n + 10]: codes of the bases, 0 before and behind them."""
    scratch: Int32s
    """int32[5, n + 16]: scratch; the first row is 0, except while it is used."""
    cost: Floats
    """float64[1]: of the sequence, `assignment_cost`."""
    scalars: Int64s
    """int64[11]: `RIVALS` ... `CHECKS`."""


def new_gaps(instance: Any, n_rivals: int = N_RIVALS) -> Gaps:
    """Allocate room for `n_rivals` rivals of the target of `instance`; `forget` makes it ready."""
    n, n_steps = len(instance.partner), len(instance.position)
    target = np.zeros(n + 2, np.int16)
    target[1:-1] = instance.partner + 1
    step = np.zeros(n + 2, np.int32)
    for number, position in enumerate(instance.position):
        step[position + 1] = number
        if instance.partner[position] >= 0:
            step[instance.partner[position] + 1] = number
    loops = n // 2 + 2
    return Gaps(
        pairs=np.zeros((n_rivals, n + 2), np.int16),
        hash=np.zeros(n_rivals, np.uint64),
        one=np.zeros((n + 2, n_rivals), np.uint16),
        other=np.zeros((n + 2, n_rivals), np.uint16),
        lacks=np.zeros((instance.n_pairs + 2, n_rivals), np.int8),
        own=np.zeros((n_rivals, loops + 1), np.uint16),
        site=np.zeros((n_rivals, n_steps + 1), np.int16),
        gap=np.zeros(n_rivals, np.int64),
        new_gap=np.zeros(n_rivals, np.int64),
        weight=np.ones(n_rivals),
        used=np.zeros(n_rivals, np.int64),
        loop=np.zeros((N_LOOPS, 6), np.int32),
        helix=np.zeros((N_HELICES, 2), np.int16),
        energy=np.zeros(N_LOOPS, np.int32),
        new_energy=np.zeros(N_LOOPS, np.int32),
        seen=np.zeros(N_LOOPS, np.int64),
        touched=np.zeros(N_LOOPS, np.uint16),
        place=np.zeros(N_PLACES, np.int16),
        target_loop=np.zeros((n + 2, 2), np.uint16),
        target=target,
        step=step,
        near=np.zeros(n_rivals, np.uint32),
        code=np.zeros(n + 10, np.int32),
        scratch=np.zeros((5, n + 16), np.int32),
        cost=np.zeros(1),
        scalars=np.zeros(11, np.int64),
    )
