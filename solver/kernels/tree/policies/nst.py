"""NST: MAST of one, two and three moves in a row.

The weight of a move is exp(Q / rate), Q the mean over the moves in a row that end with it, of which
those of two and three count if they were in so many playouts [1]_.

References
----------
.. [1] M. Tak, M. Winands and Y. Björnsson, N-grams and the last-good-reply policy applied in
   general game playing, IEEE Transactions on Computational Intelligence and AI in Games 4, 2012.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from solver.compiling.bits import mixed
from solver.compiling.jit import inlined
from solver.compiling.memory import unshared_zeros
from solver.contract.rules import Floats
from solver.kernels.tree.arrays import Ints
from solver.kernels.tree.policies.mast import FLATTEST, worth_of
from solver.kernels.tree.policies.policy import Made, learn_playout, move_weight

#: Rows of two and three moves are kept by a hash of so many bits; those that share one add up.
BITS = 18
#: Playouts from which on two and three moves in a row count.
LEAST = 7.0
LONGEST = 3


class Nst(NamedTuple):
    """Mean rewards of moves in a row."""

    rate: float
    """Temperature: the lower, the more the best moves are preferred."""
    single: Floats
    """float64[codes, 2]: playouts with a move, and their rewards as shares of the span."""
    rows: Floats
    """float64[2**BITS, 2]: the same of two and three moves in a row."""

    @classmethod
    def new(cls, rate: float, codes: int) -> Self:
        """Return a policy that has learned nothing."""
        singles = unshared_zeros((codes, 2), np.float64)
        return cls(rate, singles, unshared_zeros((1 << BITS, 2), np.float64))


@inlined
def _row(before: Ints, step: int, code: int, length: int) -> int:
    """Place of the `length` moves in a row that end with a code."""
    key = mixed(np.uint64(code) + np.uint64(length << 40))
    for back in range(1, length):
        key = mixed(key ^ mixed(np.uint64(before[step - back]) + np.uint64(back << 40)))
    return int(key >> np.uint64(64 - BITS))


@move_weight.register(Nst)
def _weight(policy: Nst, before: Ints, step: int, code: int) -> float:
    total, count = 1.0, 1.0
    if policy.single[code, 0] > 0.0:
        total = policy.single[code, 1] / policy.single[code, 0]
    for length in range(2, min(LONGEST, step + 1) + 1):
        place = _row(before, step, code, length)
        if policy.rows[place, 0] >= LEAST:
            total += policy.rows[place, 1] / policy.rows[place, 0]
            count += 1.0
    return math.exp(max((total / count - 1.0) / policy.rate, FLATTEST))


@learn_playout.register(Nst)
def _learn(policy: Nst, made: Made) -> None:
    for step in range(made.steps):
        code, worth = made.code[step], worth_of(made, step)
        policy.single[code, 0] += 1.0
        policy.single[code, 1] += worth
        for length in range(2, min(LONGEST, step + 1) + 1):
            place = _row(made.code, step, code, length)
            policy.rows[place, 0] += 1.0
            policy.rows[place, 1] += worth
