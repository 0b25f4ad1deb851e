"""Sizes that the inner loops of folding are made for."""

#: Numbers in a vector.
LANES = 8
#: Length of the stretches that `least_sum` looks at.
STRETCH = 32
#: Largest unpaired part of an interior loop.
MAX_LOOP = 30
#: Least unpaired part of the interior loops that `interior_row` works on.
MIN_LOOP = 4
