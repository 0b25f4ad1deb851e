"""Proved rewards in a tree of a game: MCTS-Solver [1]_, with bounds as in [2]_, for any players.

The tree keeps, for each state and player, the least reward that the player can be sure of. At the
end of a game that is the reward; one who moves is sure of the most of what the moves lead to, the
others of the least. If all of them together are sure of 1, the sum of rewards, the outcome of
the state is known, and it is played no more. A move that cannot be better for who moves than what
is sure already is not tried. Games whose rewards are not 0 ... 1 with a sum of 1 have no proofs.

References
----------
.. [1] M. H. M. Winands, Y. Björnsson and J.-T. Saito, Monte-Carlo tree search solver, Computers
   and Games 2008.
.. [2] T. Cazenave and A. Saffidine, Score bounded Monte-Carlo tree search, Computers and Games
   2010.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.jit import inlined
from solver.contract.rules import (
    Floats,
    decisive_move,
    forced_move,
    player,
    saving_move,
    won_by_force,
)
from solver.kernels.tree.arrays import NONE, VARIED, Scratch, Tree, TreeParameters
from solver.kernels.tree.teams.team import threads_of

#: In place of `Nodes.longest`: no move of a state stands for all, and none is to be left out.
QUIET = -1
#: Sums of rewards such as 1/3 are a little off.
NEARLY = 1e-6


@inlined
def proves(tree: Tree, parameters: TreeParameters) -> bool:
    """True if proofs are asked for, and the game has them."""
    return bool(parameters.proofs and tree.counters[VARIED] == 0)


@inlined
def note_sum(tree: Tree, rewards: Floats) -> None:
    """Give up proofs if `rewards` are not 0 ... 1 with the sum 1."""
    total, least = 0.0, 0.0
    for number in range(len(rewards)):
        total += rewards[number]
        least = min(least, rewards[number])
    if least < 0.0 or abs(total - 1.0) > NEARLY:
        tree.counters[VARIED] = 1


@inlined
def is_proved(tree: Tree, node: int) -> bool:
    """True if the outcome of a state is known."""
    low, total = tree.nodes.low, 0.0
    for number in range(low.shape[1]):
        total += low[node, number]
    return total > 1.0 - NEARLY


@inlined
def copy_proved(tree: Tree, node: int, rewards: Floats) -> None:
    """Write the outcome of a state that is known."""
    for number in range(len(rewards)):
        rewards[number] = tree.nodes.low[node, number]


@inlined
def prove_end(tree: Tree, node: int, rewards: Floats) -> None:
    """Note that the game is over in the state of `node`."""
    tree.nodes.size[node] = 0
    for number in range(len(rewards)):
        tree.nodes.low[node, number] = rewards[number]


@inlined
def is_won(tree: Tree, node: int, instance: Any, state: Any) -> bool:
    """True if the rules tell who wins in the state of `node`, at once or by force; then proved."""
    winner, longest = -1, 1
    if decisive_move(instance, state) >= 0:
        winner = player(instance, state)
    else:
        winner, longest = won_by_force(instance, state)
    if winner < 0:
        if longest == 0:
            tree.nodes.longest[node] = QUIET
        return False
    tree.nodes.longest[node] = longest
    tree.nodes.low[node, winner] = 1.0
    return True


@inlined
def move_for_all(instance: Any, state: Any) -> int:
    """Return a move that wins, at once or by force, else one that alone saves; -1 for none."""
    move = decisive_move(instance, state)
    if move < 0:
        move = forced_move(instance, state)
    return int(move if move >= 0 else saving_move(instance, state))


@inlined
def most_that_others_leave(low: Floats, node: int, mover: int) -> float:
    """Return the reward that others cannot take from `mover` in a state."""
    taken = 0.0
    for number in range(low.shape[1]):
        if number != mover:
            taken = max(taken, low[node, number])
    return 1.0 - taken


@inlined
def _least(tree: Tree, node: int, number: int) -> float:
    """Return what player `number`, who does not move, is sure of whatever is played."""
    nodes, low = tree.nodes, tree.nodes.low
    begin, known, least = nodes.first[node], low[node, number], 1.0
    for edge in range(begin, begin + nodes.size[node]):
        child = tree.edges.child[edge]
        if child == NONE or low[child, number] <= known:
            return float(known)
        least = min(least, low[child, number])
    return least


@inlined
def is_news(team: Any, tree: Tree, scratch: Scratch, depth: int) -> bool:
    """True if there may be something to carry up: looked at where it saves waiting for others."""
    if threads_of(team) == 1:
        return True
    low = tree.nodes.low
    for step in range(depth):
        child = tree.edges.child[scratch.edges[step]]
        if child != NONE:
            for number in range(low.shape[1]):
                if low[child, number] > low[scratch.nodes[step], number]:
                    return True
    return False


@inlined
def prove_path(tree: Tree, scratch: Scratch, depth: int) -> None:
    """Carry what is proved at the end of a playout's way through the tree up to the root."""
    nodes, low = tree.nodes, tree.nodes.low
    for step in range(depth - 1, -1, -1):
        node, child = scratch.nodes[step], tree.edges.child[scratch.edges[step]]
        if child == NONE:
            continue
        for number in range(low.shape[1]):
            if low[child, number] > low[node, number]:
                if number == nodes.mover[node]:
                    low[node, number] = low[child, number]
                else:
                    low[node, number] = _least(tree, node, number)


@inlined
def leave_out_proved(tree: Tree, values: Floats, node: int) -> None:
    """Give moves that are no better than what is sure the value minus infinity.

    Parameters
    ----------
    values : float64[moves]
        Value of each move of `node`.
    """
    nodes, low = tree.nodes, tree.nodes.low
    mover, begin = nodes.mover[node], nodes.first[node]
    sure = low[node, mover]
    for place in range(len(values)):
        child = tree.edges.child[begin + place]
        if child != NONE and most_that_others_leave(low, child, mover) < sure + NEARLY:
            values[place] = -np.inf
