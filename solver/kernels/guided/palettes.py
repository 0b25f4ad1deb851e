"""Palettes: shares of moves that a local search proposes in place of a prior's.

Some solutions are such as a prior hardly ever draws, and as no move from what it draws leads to: a
sequence of RNA whose unpaired bases are U. A palette limits a restart to such moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from solver.compiling.generic import generic
from solver.compiling.random import Stream
from solver.contract.rules import Floats, Moves
from solver.kernels.arguments import Off

#: A move whose share is less is proposed so many times less often by the other priors.
RARE, LESS_OFTEN = 0.04, 1e-3
#: Number of the palette that leaves all priors as they are.
PLAIN = 0


class Palette(NamedTuple):
    """Palette in use; `Palettes.use` exchanges its values."""

    first: float
    """Share of the first prior: it makes a proposal if a random number is below."""
    own: Floats
    """float64[moves]: weights in place of those of the first prior, 0 to keep that."""
    factor: Floats
    """float64[moves]: factors of the weights of all priors."""


@generic
def apply_palette(palette: Any, drawn: float, moves: Moves, n: int, weights: Floats) -> None:
    """Change the weights of the `n` first of `moves` by the prior that `drawn` means."""


@apply_palette.register(Palette)
def _apply(palette: Palette, drawn: float, moves: Moves, n: int, weights: Floats) -> None:
    for index in range(n):
        move = moves[index]
        if drawn < palette.first and palette.own[move] > 0.0:
            weights[index] = palette.own[move]
        weights[index] *= palette.factor[move]


@apply_palette.register(Off)
def _keep(palette: Off, drawn: float, moves: Moves, n: int, weights: Floats) -> None:
    pass


class Palettes:
    """Palettes of a run, and how near to a solution each has led.

    A palette is drawn by a tournament: of two at random the one that has led nearer on average; one
    that has not been tried comes before others.

    Parameters
    ----------
    first : float
        Share of the first prior.
    moves : int
        Number of moves.
    shares : sequence of sequence of float
        Of each palette behind `PLAIN` the share of every move, 0 for moves that are proposed as
        the priors have it.
    """

    def __init__(self, first: float, moves: int, shares: Sequence[Sequence[float]]) -> None:
        self.shares = np.array([[0.0] * moves, *shares])
        self.palette = Palette(first, np.zeros(moves), np.ones(moves))
        self.begin()

    def begin(self) -> None:
        """Forget all results, and leave the priors as they are."""
        self.total = np.zeros(len(self.shares))
        self.tried = np.zeros(len(self.shares), np.int64)
        self.use(PLAIN)

    def use(self, number: int) -> None:
        """Propose moves by palette `number` from now on."""
        self.number = number
        shares = self.shares[number]
        self.palette.own[:] = shares
        self.palette.factor[:] = np.where((shares > 0) & (shares < RARE), LESS_OFTEN, 1.0)

    def note(self, distance: float) -> None:
        """Record how far from a solution the palette in use has ended."""
        self.total[self.number] += distance
        self.tried[self.number] += 1

    def draw(self, stream: Stream) -> int:
        """Return the number of a palette, drawn by a tournament."""
        one, other = (int(word) % len(self.shares) for word in stream[:2])
        means = self.total / np.maximum(self.tried, 1)
        return other if means[other] < means[one] else one
