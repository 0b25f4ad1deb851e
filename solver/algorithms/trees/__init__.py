"""Tree searches that ship, beside those of `solver.algorithms.tree`, and the list of all."""
