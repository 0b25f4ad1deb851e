"""The list of tree searches that ship."""

from __future__ import annotations

from solver.algorithms.tree import Flat, Grave, Mcps, Puct, Rave, TreeAlgorithm, Uct
from solver.algorithms.trees.two_level_grave import TwoLevelGrave

#: Classes by name, in the order in which reports list them.
TREE_ALGORITHMS: dict[str, type[TreeAlgorithm]] = {
    algorithm.name: algorithm for algorithm in (Flat, Uct, Rave, Grave, Mcps, Puct, TwoLevelGrave)
}
