"""GRAVE, as a file in which variants of RAVE are other lines.

`compare hex --algorithm uct,docs/examples/rave_variant.py`. docs/add-a-tree-search.md
says what it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from solver.extend import Count, Factor, Node, TreeAlgorithm, move_value


class Amaf(NamedTuple):
    """Parameters of the value of a move."""

    bias: float


@move_value.register(Amaf)
def amaf_value(parameters: Amaf, node: Node, place: int) -> float:
    """Return (1 - β) Q + β Q~; infinity where there is no playout."""
    n, total, sums = node.n[place], node.total[place], node.sums[node.code[place]]
    if n + sums[0] == 0.0:
        return np.inf
    more = parameters.bias * sums[0]
    return (total * (1.0 + more) + sums[1]) / (sums[0] + n + more * n)


@dataclass(frozen=True)
class MyGrave(TreeAlgorithm):
    """GRAVE once more.

    Parameters
    ----------
    ref : int
        Playouts from which on a state has statistics of its own.
    bias : float
        Bias of the AMAF mean.
    """

    name: ClassVar[str] = "my-grave"
    label: ClassVar[str] = "My GRAVE"
    rule: ClassVar[type] = Amaf
    statistics: ClassVar[str] = "amaf"
    ref: Count = 50
    bias: Factor = 1e-5
