"""Mixtures of priors, from which a local search draws its proposals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

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
