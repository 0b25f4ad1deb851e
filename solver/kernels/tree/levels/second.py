"""Second trees: a few playouts below each state that is added, and a tree of these alone.

The first playout from a state that is added is followed by others, which begin on the same way and
then go on as those of any tree search do. They count in all states and moves of the way, as every
playout does, and their all-moves-as-first statistics are those of the first tree: states of a
second tree have none of their own. A second tree goes through states of the first one where it
meets them, and lists no moves there.

After the last playout the states that the second tree has added go, unless they prove the outcome
of its root. The moves of the root stay, with their playouts.
"""

from __future__ import annotations

import numpy as np

from solver.compiling.jit import inlined
from solver.kernels.tree.arrays import (
    CLOSED,
    DUE,
    LEAF,
    LEVEL,
    N_EDGES,
    N_NODES,
    NONE,
    Scratch,
    Tree,
)
from solver.kernels.tree.expand import slot_of
from solver.kernels.tree.proofs import is_proved


@inlined
def steps_held(tree: Tree) -> int:
    """Moves of the next playout that are those of the last one; 0 without a second tree."""
    return int(tree.counters[LEVEL]) if tree.counters[DUE] > 0 else 0


@inlined
def is_second(tree: Tree, node: int) -> bool:
    """True if a node is one of a second tree, and goes with it."""
    return bool(tree.counters[DUE] > 0 and node > tree.counters[LEAF])


@inlined
def lists_no_moves(tree: Tree, node: int, step: int) -> bool:
    """True if a second tree has met a state of the first one below its root."""
    counters = tree.counters
    return bool(counters[DUE] > 0 and step > counters[LEVEL] and node < counters[LEAF])


@inlined
def begin_second(tree: Tree, node: int, depth: int, playouts: int) -> None:
    """Let so many playouts follow from a node, if it was added by the one just made."""
    counters = tree.counters
    if node + 1 == counters[N_NODES] and depth > 0 and counters[CLOSED] == 0:
        counters[DUE], counters[LEAF], counters[LEVEL] = playouts, node, depth


@inlined
def end_playout(tree: Tree, scratch: Scratch, depth: int, proofs: bool) -> None:
    """Count a playout of a second tree, and drop the tree after the last.

    A tree that proves the outcome of its root stays, with the proof. There it ends, and where the
    root has no moves: nothing new could follow.
    """
    nodes, edges, counters = tree.nodes, tree.edges, tree.counters
    leaf, level = counters[LEAF], counters[LEVEL]
    for step in range(level + 1, depth):
        edge = scratch.edges[step]
        if edge < nodes.first[leaf] and edges.child[edge] > leaf:
            edges.child[edge] = NONE
    counters[DUE] -= 1
    if proofs and is_proved(tree, leaf):
        counters[DUE] = 0
    elif counters[DUE] == 0 or depth < level or nodes.size[leaf] == 0:
        counters[DUE] = 0
        _drop(tree, leaf)


@inlined
def _drop(tree: Tree, leaf: int) -> None:
    """Take all nodes behind a node out of the tree, and all moves behind its own."""
    nodes, edges, counters = tree.nodes, tree.edges, tree.counters
    for number in range(counters[N_NODES] - 1, leaf, -1):
        _free_slot(tree, slot_of(tree, nodes.key[number]))
    counters[N_NODES] = leaf + 1
    if nodes.size[leaf] >= 0:
        end = nodes.first[leaf] + nodes.size[leaf]
        for edge in range(nodes.first[leaf], end):
            if edges.child[edge] > leaf:
                edges.child[edge] = NONE
        counters[N_EDGES] = end


@inlined
def _free_slot(tree: Tree, slot: int) -> None:
    """Empty a slot of the hash; those behind it move up where they were kept from it."""
    found, mask = tree.hash, len(tree.hash) - 1
    found[slot] = NONE
    at = (slot + 1) & mask
    while found[at] != NONE:
        home = int(tree.nodes.key[found[at]] >> np.uint64(1)) & mask
        if (at - home) & mask >= (at - slot) & mask:
            found[slot], found[at] = found[at], NONE
            slot = at
        at = (at + 1) & mask
