"""Constraint propagation that domains share: exact cover, sums, bit sets."""
