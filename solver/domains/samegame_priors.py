"""Priors for SameGame: by hand that of the paper 'gnrpa', section 6.1, and a code to learn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver import domain
from solver.domains.samegame_kernels import COLOUR, MAX_COLOURS, SIZE, SameGame, SameGameState
from solver.priors import table_odds

RANKS = 5
#: Groups up to so many cells have a class of size each; then 7-8, 9-11, 12-16, 17-24 and more.
SMALL = 6
SIZE_CLASSES = 10


class GroupTable(NamedTuple):
    """How large the group is, of which colour, and whether it is the last of its colour."""

    table: npt.NDArray[np.float64]


@domain.prior_code.register(GroupTable)
def group_code(prior: GroupTable, instance: SameGame, state: SameGameState, move: int) -> int:
    place = state.group_of[move]
    size, colour = state.group[place, SIZE], state.group[place, COLOUR]
    if size <= SMALL:
        size_class = size - 2
    else:
        size_class = SMALL - 1 + (size > 8) + (size > 11) + (size > 16) + (size > 24)
    more = 0
    for other in range(1, MAX_COLOURS + 1):
        more += state.left[other] > state.left[colour]
    rank = min(more, RANKS - 1)
    dominant = colour == instance.dominant
    last = state.left[colour] == size
    return int(((size_class * 2 + dominant) * RANKS + rank) * 2 + last)


domain.odds.register(GroupTable)(table_odds)


class TabuPrior(NamedTuple):
    """exp(min(n - 2 - tabu, 8)), tabu being 1 for a pair of the most frequent colour."""

    odds: npt.NDArray[np.float64]
    """float64[10]: by exponent + 1."""


def new_tabu_prior() -> TabuPrior:
    """Return the prior of the paper 'gnrpa'."""
    return TabuPrior(np.exp(np.arange(-1.0, 9.0)))


@domain.odds.register(TabuPrior)
def tabu_odds(prior: TabuPrior, instance: SameGame, state: SameGameState, move: int) -> float:
    place = state.group_of[move]
    size = state.group[place, SIZE]
    tabu = (size == 2) & (state.group[place, COLOUR] == instance.dominant)
    return prior.odds[min(size - 2 - tabu, 8) + 1]
