"""Sizes that the inner loops of the partition function are made for."""

#: Numbers in a vector.
LANES = 8
