"""Values of moves for tree searches from elsewhere, see `docs/add-a-tree-search.md`."""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.compiling.generic import generic, generic_with_default
from solver.contract.rules import Floats
from solver.kernels.tree.arrays import Ints


class Node(NamedTuple):
    """State in the tree that a playout has come to, and the statistics of its moves.

    The moves are those of `size` places. All arrays are to be read only.
    """

    visits: int
    """Playouts that went through the state."""
    depth: int
    """Moves between the root and the state: 0 at the root."""
    played: int
    """Playouts of the whole tree."""
    least: float
    """Least reward: 0 for games, the lowest score so far for puzzles."""
    span: float
    """Difference between the highest and the least reward: 1 for games."""
    size: int
    """Number of moves."""
    n: Ints
    """int32[size]: playouts that went on with a move."""
    total: Floats
    """float64[size]: their rewards, summed, of the player who moves here."""
    code: Ints
    """int32[size]: code of a move."""
    sums: Floats
    """float64[codes, 2]: all-moves-as-first statistics, by code: playouts through the last ancestor
    with more than `ref` playouts that have the code there or later, and the sum of their rewards.
    float64[0, 2] with the statistics "none"."""
    permuted: Floats
    """float64[2, size]: playouts that have a move and all moves before it, in any order, and the
    sum of their rewards; float64[2, 0] unless the statistics are "permutations"."""
    prior: Floats
    """float64[size]: share of the odds of a move in those of all; float64[0] without a prior."""


@generic
def move_value(parameters: Any, node: Node, place: int) -> float:
    """Return the value of the move at a place of a node; the playout goes on with the highest.

    Infinity is for moves to try first, minus infinity for moves that are not to be tried. Equal
    ones are drawn.

    Parameters
    ----------
    parameters : NamedTuple
        Parameters of the search, the `rule` of its algorithm: the class to register for.
    """


@generic_with_default
def move_values(parameters: Any, node: Node, values: Floats) -> None:
    """Write the value of each move of a node, where a loop over `move_value` is not enough.

    Parameters
    ----------
    values : float64[node.size]
        Written.
    """
    for place in range(node.size):
        values[place] = move_value(parameters, node, place)
