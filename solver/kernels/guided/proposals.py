"""Mixtures of priors, from which a local search draws its proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.generic import generic
from solver.contract.rules import Floats, Moves, odds
from solver.kernels.arguments import Off


class Mixture(NamedTuple):
    """A prior, and the alternative: another mixture, or `Off` for the uniform distribution."""

    share: float
    """Cumulative share: the prior is drawn from if a random number is below it."""
    prior: Any
    rest: Any


class Tilt(NamedTuple):
    """Change of all odds by the palette of a restart."""

    power: Floats
    """float64[1]: power that odds are raised to; 1 and factors of 1 are left out."""
    factors: Floats
    """float64[moves]: factor by the number of the move."""
    is_on: Moves
    """int64[1]: 0 where nothing changes."""


def new_tilt(moves: int) -> Tilt:
    """Return a tilt of so many numbers of moves that changes nothing."""
    return Tilt(np.ones(1), np.ones(moves), np.zeros(1, np.int64))


def new_mixture(priors: Sequence[tuple[Any, float]]) -> Any:
    """Return the mixture of `priors` with their shares; the remainder to 1 is uniform."""
    mixture: Any = Off()
    ends = [sum(share for _, share in priors[: place + 1]) for place in range(len(priors))]
    for (prior, _), end in reversed(list(zip(priors, ends, strict=True))):
        mixture = Mixture(end, prior, mixture)
    return mixture


@generic
def weigh_moves(
    proposals: Any, drawn: float, instance: Any, state: Any, moves: Moves, n: int, weights: Floats
) -> None:
    """Write the weights of the `n` first of `moves` by the prior that `drawn`, of [0, 1), means."""


@weigh_moves.register(Mixture)
def _weigh_by_prior(
    proposals: Mixture,
    drawn: float,
    instance: Any,
    state: Any,
    moves: Moves,
    n: int,
    weights: Floats,
) -> None:
    if drawn < proposals.share:
        for index in range(n):
            weights[index] = odds(proposals.prior, instance, state, moves[index])
    else:
        weigh_moves(proposals.rest, drawn, instance, state, moves, n, weights)


@weigh_moves.register(Off)
def _weigh_alike(
    proposals: Off,
    drawn: float,
    instance: Any,
    state: Any,
    moves: Moves,
    n: int,
    weights: npt.NDArray[Any],
) -> None:
    for index in range(n):
        weights[index] = 1.0


@generic
def tilt_weights(tilt: Any, moves: Moves, n: int, weights: Floats) -> None:
    """Change the weights of the `n` first of `moves`."""


@tilt_weights.register(Tilt)
def _tilt(tilt: Tilt, moves: Moves, n: int, weights: Floats) -> None:
    if tilt.is_on[0]:
        for index in range(n):
            weights[index] = weights[index] ** tilt.power[0] * tilt.factors[moves[index]]


@tilt_weights.register(Off)
def _leave_weights(tilt: Off, moves: Moves, n: int, weights: Floats) -> None:
    pass
