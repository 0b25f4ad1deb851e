"""Progressive widening: only the first 1 + w √N(s) moves are tried (Coulom 2007).

`compare hex --algorithm uct,docs/examples/progressive_widening.py`. docs/add-a-tree-search.md
says what it is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from solver.extend import Factor, Node, TreeAlgorithm, move_value


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


class Widening(NamedTuple):
    """Parameters of the value of a move."""

    exploration: float
    width: float


@move_value.register(Widening)
def widened_value(parameters: Widening, node: Node, place: int) -> float:
    """Return the value of UCB1-Tuned; minus infinity for a move that is not yet tried.

    Moves come as they are listed, or the likeliest first where there is a prior.
    """
    before = place
    if len(node.prior) > 0:
        before = 0
        for other in range(node.size):
            before += node.prior[other] > node.prior[place]
    if before >= 1.0 + parameters.width * math.sqrt(node.visits):
        return -np.inf
    return move_value(Tuned(parameters.exploration), node, place)


@dataclass(frozen=True)
class Widened(TreeAlgorithm):
    """Progressive widening.

    Parameters
    ----------
    exploration : float
        Factor of the confidence bound.
    width : float
        Factor w of the number of moves that are tried.
    """

    name: ClassVar[str] = "widening"
    label: ClassVar[str] = "Progressive widening"
    rule: ClassVar[type] = Widening
    exploration: Factor = 1.0
    width: Factor = 0.5
