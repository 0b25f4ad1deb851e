"""MCPS with the weights of its derivation, for reproduction: `compare hex --algorithm mcps,FILE`.

Section 3.1 of Monte Carlo Permutation Search (T. Cazenave) derives the weights α*, β* and γ* of the
three means; section 3.2 replaces them by ones with the constant c1, which `mcps` has. With the
first the value of a move is the mean over its own playouts, those that have it later and those that
have it and the moves before it in any order, each counted as often as it is in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from solver.extend import CountFrom0, Node, TreeAlgorithm, move_value


class Star(NamedTuple):
    """Parameters of the value of a move: none."""


@move_value.register(Star)
def star_value(parameters: Star, node: Node, place: int) -> float:
    """Return (N Q + N~ Q~ + N^ Q^) / (N + N~ + N^); infinity where there is no playout."""
    code = node.code[place]
    seen = node.n[place] + node.sums[code, 0] + node.permuted[0, place]
    if seen == 0.0:
        return np.inf
    return (node.total[place] + node.sums[code, 1] + node.permuted[1, place]) / seen


@dataclass(frozen=True)
class McpsStar(TreeAlgorithm):
    """MCPS without c1.

    Parameters
    ----------
    ref : int
        Playouts from which on a state has statistics of its own.
    """

    name: ClassVar[str] = "mcps-star"
    label: ClassVar[str] = "MCPS without c1"
    rule: ClassVar[type] = Star
    statistics: ClassVar[str] = "permutations"
    ref: CountFrom0 = 50
