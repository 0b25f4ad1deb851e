"""MAST: moves whose playouts were worth more are drawn more often, wherever they are played.

The weight of a move is exp(Q / rate), Q the mean reward of its player in playouts that have it
[1]_; of a move that no playout has had, Q is the highest reward.

References
----------
.. [1] H. Finnsson and Y. Björnsson, Simulation-based approach to general game playing, AAAI 2008.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from solver.compiling.jit import inlined
from solver.compiling.memory import unshared_zeros
from solver.contract.rules import Floats
from solver.kernels.tree.arrays import Ints
from solver.kernels.tree.policies.policy import Made, learn_playout, move_weight

#: Logarithm of the least weight, which is still more than 0.
FLATTEST = -600.0


class Mast(NamedTuple):
    """Mean rewards of moves."""

    rate: float
    """Temperature: the lower, the more the best moves are preferred."""
    sums: Floats
    """float64[codes, 2]: playouts with a move, and their rewards as shares of the span."""

    @classmethod
    def new(cls, rate: float, codes: int) -> Self:
        """Return a policy that has learned nothing."""
        return cls(rate, unshared_zeros((codes, 2), np.float64))


@inlined
def worth_of(made: Made, step: int) -> float:
    """Reward of who moved at a step, from 0 to 1 of those seen."""
    return float((made.rewards[made.player[step]] - made.least) / max(made.span, 1e-9))


@move_weight.register(Mast)
def _weight(policy: Mast, before: Ints, step: int, code: int) -> float:
    n = policy.sums[code, 0]
    mean = policy.sums[code, 1] / n if n > 0.0 else 1.0
    return math.exp(max((mean - 1.0) / policy.rate, FLATTEST))


@learn_playout.register(Mast)
def _learn(policy: Mast, made: Made) -> None:
    for step in range(made.steps):
        policy.sums[made.code[step], 0] += 1.0
        policy.sums[made.code[step], 1] += worth_of(made, step)
