"""Policies of playouts: what they are told of a playout, and the two functions that each has.

A policy is a NamedTuple of parameters and arrays, for whose class `move_weight` and
`learn_playout` are registered; its class method `new(rate, codes)` makes one that has learned
nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.compiling.generic import generic
from solver.compiling.jit import inlined
from solver.contract.rules import Floats
from solver.kernels.tree.arrays import Ints, Tree


class Made(NamedTuple):
    """A playout that was made, in the tree and below it. All arrays are to be read only."""

    steps: int
    code: Ints
    """int32[steps]: code of the move of each step."""
    player: Ints
    """int32[steps]: who moved."""
    rewards: Floats
    """float64[players]."""
    least: float
    """Least reward: 0 for games, the lowest score so far for puzzles."""
    span: float
    """Difference between the highest and the least reward: 1 for games."""
    depth: int
    """Steps in the tree."""
    tree: Tree
    nodes: Ints
    """int32[depth]: nodes of these steps."""
    choices: Ints
    begin: Ints


@inlined
def moves_at(made: Made, step: int) -> int:
    """Return how many moves there were at a step; 0 where the move was not chosen."""
    if step < made.depth:
        return int(made.tree.nodes.size[made.nodes[step]])
    return int(made.begin[step + 1] - made.begin[step])


@inlined
def code_at(made: Made, step: int, place: int) -> int:
    """Return the code of one of the moves that there were at a step."""
    if step < made.depth:
        return int(made.tree.edges.code[made.tree.nodes.first[made.nodes[step]] + place])
    return int(made.choices[made.begin[step] + place])


@generic
def move_weight(policy: Any, before: Ints, step: int, code: int) -> float:  # type: ignore[empty-body]
    """Return the weight of a move of a playout, which is drawn in proportion to it.

    Parameters
    ----------
    before : int32[steps]
        Codes of the moves before, `step` of them.
    step : int
    code : int
        Code of the move.
    """


@generic
def learn_playout(policy: Any, made: Made) -> None:
    """Change the arrays of a policy after a playout."""
