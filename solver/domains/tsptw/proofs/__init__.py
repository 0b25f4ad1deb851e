"""Proofs of tours: the best there is, bounds, or that none keeps all windows."""
