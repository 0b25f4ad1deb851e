"""Shipped tree searches written once more by `solver.kernels.tree.node`, as an author would."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from solver.algorithms.run import CountFrom0
from solver.algorithms.tree import Factor, Statistics, TreeAlgorithm
from solver.contract.rules import Floats
from solver.kernels.tree.node import Node, move_value, move_values
from solver.kernels.tree.select import mcps_value


class ValuesRule(NamedTuple):
    """Parameters of `MyUct` and `MyPuct`: one class, so that a game has one kernel for both."""

    exploration: float
    by_prior: int


@move_values.register(ValuesRule)
def _values(parameters: ValuesRule, node: Node, values: Floats) -> None:
    if parameters.by_prior == 0:
        wide = parameters.exploration * node.span
        wide *= math.sqrt(math.log(max(node.visits, 1)))
        for place in range(node.size):
            n = float(node.n[place])
            values[place] = node.total[place] / n + wide / math.sqrt(n) if n > 0.0 else np.inf
        return
    seen, summed = 0.0, 0.0
    for place in range(node.size):
        seen += node.n[place]
        summed += node.total[place]
    first = summed / max(seen, 1.0)
    wide = parameters.exploration * node.span * math.sqrt(max(seen, 1.0))
    for place in range(node.size):
        n = float(node.n[place])
        value = node.total[place] / n if n > 0.0 else first
        values[place] = value + wide * node.prior[place] / (1.0 + n)


@dataclass(frozen=True)
class MyUct(TreeAlgorithm):
    """UCT."""

    name: ClassVar[str] = "my-uct"
    label: ClassVar[str] = "My UCT"
    rule: ClassVar[type] = ValuesRule
    exploration: Factor = 0.4
    by_prior: CountFrom0 = 0


@dataclass(frozen=True)
class MyPuct(TreeAlgorithm):
    """PUCT."""

    name: ClassVar[str] = "my-puct"
    label: ClassVar[str] = "My PUCT"
    rule: ClassVar[type] = ValuesRule
    needs_prior: ClassVar[bool] = True
    exploration: Factor = 1.0
    by_prior: CountFrom0 = 1


class ValueRule(NamedTuple):
    """Parameters of `MyMcps` and `WayDown`, as above."""

    by_place: int


@move_value.register(ValueRule)
def _value(parameters: ValueRule, node: Node, place: int) -> float:
    if parameters.by_place == 1:
        # The first playouts try other moves than those later, and only at the root.
        if node.depth > 0:
            return 0.0
        return -float(place) if node.played < 40 else float(place)
    n, total, code = float(node.n[place]), node.total[place], node.code[place]
    amaf, amaf_total = node.sums[code, 0], node.sums[code, 1]
    having, having_total = node.permuted[0, place], node.permuted[1, place]
    if n + amaf + having == 0.0:
        return np.inf
    return mcps_value(n, total, amaf, amaf_total, having, having_total)


@dataclass(frozen=True)
class MyMcps(TreeAlgorithm):
    """MCPS."""

    name: ClassVar[str] = "my-mcps"
    label: ClassVar[str] = "My MCPS"
    rule: ClassVar[type] = ValueRule
    statistics: ClassVar[Statistics] = "permutations"
    ref: CountFrom0 = 50
    by_place: CountFrom0 = 0


@dataclass(frozen=True)
class WayDown(TreeAlgorithm):
    """The first move of the root for 40 playouts, then the last one."""

    name: ClassVar[str] = "way-down"
    label: ClassVar[str] = "Way down"
    rule: ClassVar[type] = ValueRule
    by_place: CountFrom0 = 1
