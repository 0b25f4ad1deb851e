"""PPA: the weights of the winner's moves are raised after each playout, as NRPA adapts.

The weight of a move is exp(w). After a playout w of each move of the winner rises by rate, and that
of each move there was falls by rate times its probability, at each step of the winner [1]_. Of a
puzzle the player has won where the score is no worse than the best.

References
----------
.. [1] T. Cazenave, Playout policy adaptation for games, Advances in Computer Games 2015.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from solver.compiling.jit import inlined
from solver.compiling.memory import unshared_zeros
from solver.contract.rules import Floats
from solver.kernels.tree.arrays import Ints
from solver.kernels.tree.policies.policy import Made, code_at, learn_playout, move_weight, moves_at


class Ppa(NamedTuple):
    """Weights of moves."""

    rate: float
    """Step size alpha."""
    weights: Floats
    """float64[codes]."""
    changes: Floats
    """float64[codes]: scratch, all 0 between playouts."""

    @classmethod
    def new(cls, rate: float, codes: int) -> Self:
        """Return a policy that has learned nothing."""
        return cls(rate, *(unshared_zeros((codes,), np.float64) for _ in range(2)))


#: Largest weight whose exponential is summed.
MOST = 600.0


@inlined
def _odds(policy: Ppa, code: int) -> float:
    return math.exp(min(max(policy.weights[code], -MOST), MOST))


@move_weight.register(Ppa)
def _weight(policy: Ppa, before: Ints, step: int, code: int) -> float:
    return _odds(policy, code)


@inlined
def _has_won(made: Made, player: int) -> bool:
    """Return whether a player has more than all others, in a puzzle no less than ever before."""
    own = made.rewards[player]
    if len(made.rewards) == 1:
        return bool(own >= made.least + made.span)
    best = -np.inf
    for number in range(len(made.rewards)):
        if number != player:
            best = max(best, made.rewards[number])
    return bool(own > best)


@learn_playout.register(Ppa)
def _learn(policy: Ppa, made: Made) -> None:
    for step in range(made.steps):
        n = moves_at(made, step)
        if n == 0 or not _has_won(made, made.player[step]):
            continue
        total = 0.0
        for place in range(n):
            total += _odds(policy, code_at(made, step, place))
        policy.changes[made.code[step]] += policy.rate
        for place in range(n):
            code = code_at(made, step, place)
            policy.changes[code] -= policy.rate * _odds(policy, code) / total
    for step in range(made.steps):
        for place in range(moves_at(made, step)):
            code = code_at(made, step, place)
            policy.weights[code] += policy.changes[code]
            policy.changes[code] = 0.0
