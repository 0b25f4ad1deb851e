"""Length of the proofs that a tree search of a game has found."""

from __future__ import annotations

import numpy as np

from solver.kernels.tree.arrays import NONE, ROOT, Tree
from solver.kernels.tree.proofs import NEARLY

#: States that are looked at: beyond, the length is not worth the time.
MOST = 200_000


def moves_to_end(tree: Tree, mover: int) -> int | None:
    """Return the moves in which a proved win or loss of `mover` at the root ends at the latest.

    The winner takes the shortest way that is proved, the others the longest; there may be a shorter
    way that was not searched.

    Returns
    -------
    int or None
        None for a draw, where the proof is too large to be measured, or a part of it was freed.
    """
    winner = int(np.argmax(tree.nodes.low[ROOT]))
    if tree.nodes.low[ROOT, winner] < 1.0 - NEARLY:
        return None
    nodes, known = tree.nodes, {}
    open_nodes = [ROOT]
    while open_nodes:
        node = open_nodes[-1]
        if node in known:
            open_nodes.pop()
            continue
        begin, size = int(nodes.first[node]), int(nodes.size[node])
        if size <= 0:  # an end, or proved without a list of its moves: the rules say how long it is
            known[node] = int(nodes.longest[node]) if size == NONE else 0
            continue
        child = tree.edges.child[begin : begin + size]
        proved = [int(c) for c in child if c != NONE and nodes.low[c, winner] > 1.0 - NEARLY]
        left = [c for c in proved if c not in known]
        if left:
            open_nodes += left
            if len(known) + len(open_nodes) > MOST:
                return None
            continue
        lengths = [known[c] for c in proved]
        if not lengths:
            return None
        shortest = nodes.mover[node] == winner
        longest = max(1 + max(lengths), int(nodes.longest[node]))
        known[node] = 1 + min(lengths) if shortest else longest
    return known[ROOT]
