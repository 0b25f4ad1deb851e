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


class UctRule(NamedTuple):
    """Parameters of `MyUct`."""

    exploration: float


@move_values.register(UctRule)
def _uct_values(parameters: UctRule, node: Node, values: Floats) -> None:
    wide = parameters.exploration * node.span
    wide *= math.sqrt(math.log(max(node.visits, 1)))
    for place in range(node.size):
        n = float(node.n[place])
        values[place] = node.total[place] / n + wide / math.sqrt(n) if n > 0.0 else np.inf


@dataclass(frozen=True)
class MyUct(TreeAlgorithm):
    """UCT."""

    name: ClassVar[str] = "my-uct"
    label: ClassVar[str] = "My UCT"
    rule: ClassVar[type] = UctRule
    exploration: Factor = 0.4


class McpsRule(NamedTuple):
    """Parameters of `MyMcps`, which has none."""

    unused: int


@move_value.register(McpsRule)
def _mcps_value(parameters: McpsRule, node: Node, place: int) -> float:
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
    rule: ClassVar[type] = McpsRule
    statistics: ClassVar[Statistics] = "permutations"
    ref: CountFrom0 = 50
    unused: CountFrom0 = 0


class PuctRule(NamedTuple):
    """Parameters of `MyPuct`."""

    exploration: float


@move_values.register(PuctRule)
def _puct_values(parameters: PuctRule, node: Node, values: Floats) -> None:
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
class MyPuct(TreeAlgorithm):
    """PUCT."""

    name: ClassVar[str] = "my-puct"
    label: ClassVar[str] = "My PUCT"
    rule: ClassVar[type] = PuctRule
    needs_prior: ClassVar[bool] = True
    exploration: Factor = 1.0


class PathRule(NamedTuple):
    """Parameters of `WayDown`, which has none."""

    unused: int


@move_value.register(PathRule)
def _path_value(parameters: PathRule, node: Node, place: int) -> float:
    """Let the first playouts try other moves than those later, and only at the root."""
    if node.depth > 0:
        return 0.0
    return -float(place) if node.played < 40 else float(place)


@dataclass(frozen=True)
class WayDown(TreeAlgorithm):
    """The first move of the root for 40 playouts, then the last one."""

    name: ClassVar[str] = "way-down"
    label: ClassVar[str] = "Way down"
    rule: ClassVar[type] = PathRule
    unused: CountFrom0 = 0
