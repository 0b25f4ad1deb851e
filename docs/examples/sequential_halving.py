"""Sequential halving at the root (Karnin et al. 2013), UCB1-Tuned below it.

`compare hex --algorithm uct,docs/examples/sequential_halving.py`. docs/add-a-tree-search.md
says what it is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from solver.extend import (
    Count,
    Factor,
    Floats,
    Node,
    TreeAlgorithm,
    inlined,
    move_value,
    move_values,
)


class Tuned(NamedTuple):
    """Parameters of UCB1-Tuned."""

    exploration: float


@move_value.register(Tuned)
def tuned_value(parameters: Tuned, node: Node, place: int) -> float:
    """Return the upper confidence bound of UCB1-Tuned; infinity where there is no playout."""
    n = node.n[place]
    if n == 0:
        return np.inf
    mean = node.total[place] / n
    share = (mean - node.least) / max(node.span, 1e-9)
    log = math.log(node.visits) / n
    variance = min(0.25, share * (1.0 - share) + math.sqrt(2.0 * log))
    return mean + parameters.exploration * node.span * math.sqrt(log * variance)


class Halving(NamedTuple):
    """Parameters of the values of all moves."""

    exploration: float
    budget: int


@inlined
def playouts_before(played: int, size: int, budget: int) -> int:
    """Return how many playouts the moves tried next have had.

    All moves get as many playouts, then the better half, and so on until two are left.
    """
    left, before = size, 0
    while left > 2:
        each = max(1, budget // int(left * math.ceil(math.log2(size))))
        if played < left * each:
            break
        played, before, left = played - left * each, before + each, (left + 1) // 2
    return before + played // left


@move_values.register(Halving)
def halved_values(parameters: Halving, node: Node, values: Floats) -> None:
    """Write the mean of each move that is still in; minus infinity for the others."""
    n = playouts_before(node.played, node.size, parameters.budget)
    for place in range(node.size):
        if node.depth > 0 or node.n[place] == 0 == n:
            values[place] = move_value(Tuned(parameters.exploration), node, place)
        else:
            values[place] = node.total[place] / n if node.n[place] == n else -np.inf


@dataclass(frozen=True)
class Halved(TreeAlgorithm):
    """Sequential halving.

    Parameters
    ----------
    exploration : float
        Factor of the confidence bound below the root.
    budget : int
        Playouts of the search.
    """

    name: ClassVar[str] = "halving"
    label: ClassVar[str] = "Sequential halving"
    rule: ClassVar[type] = Halving
    exploration: Factor = 1.0
    budget: Count = 2000
