"""Palettes: other odds of bases and pairs, for restarts of the local search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from solver.domains.rna.kernels import MOVES

#: Factor on what a palette leaves out: with 0.05 moves bring it back one by one, and nothing is
#: gained; where it alone is allowed it can still be drawn.
SELDOM = 1e-6
#: Bases that unpaired positions have in each palette, and pairs; all of them in the first ones.
BACKGROUNDS = ("ACGU", "A", "U", "CU", "AG")
PAIRINGS = ("GC CG AU UA GU UG", "GC CG", "GC CG AU UA", "GC CG GU UG")


def _factors(kept: list[tuple[str, ...]], kinds: int) -> npt.NDArray[np.float64]:
    """Factors of the moves, float64[palettes, moves]; those of other kinds are 1."""
    found = np.ones((len(kept), len(MOVES)))
    for row, moves in enumerate(kept):
        for number, move in enumerate(MOVES):
            if len(move) == kinds and move not in moves:
                found[row, number] = SELDOM
    return found


PALETTES = (
    _factors([tuple(bases) for bases in BACKGROUNDS], 1),
    _factors([tuple(pairs.split()) for pairs in PAIRINGS], 2),
)
