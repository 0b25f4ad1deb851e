"""Priors for SameGame: by hand that of the paper 'gnrpa', section 6.1, and a code to learn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.contract import rules
from solver.domains.samegame.board import (
    COLOUR,
    FIRST,
    JOINS,
    LAST,
    MASKS,
    N_PLANES,
    NOT_COUNTED,
    SIZE,
    Int64s,
    SameGame,
    SameGameState,
)
from solver.priors.priors import table_odds

#: Groups up to so many cells have a class of size each; then 7-8, 9-11, 12-16, 17-24 and more.
SMALL = 6
SIZE_CLASSES = 10
JOIN_CLASSES = 4


class GroupTable(NamedTuple):
    """Size of the group, whether it has the dominant colour, and number of cells joined over it."""

    table: npt.NDArray[np.float64]


@inlined
def _count_joins(column: Int64s, group: Int64s, place: int) -> int:
    """Return how often equal cells right above and below the group meet when it is removed.

    Counted once for a group: it is listed anew when a cell beside it changes.
    """
    joins = group[place, JOINS]
    if joins != NOT_COUNTED:
        return joins
    joins = 0
    for x in range(group[place, FIRST], group[place, LAST] + 1):
        gone = group[place, MASKS + x]
        while gone:
            lowest = gone & -gone
            run = gone & ~(gone + lowest)
            gone ^= run
            above, below = run + lowest, lowest >> 1
            differ = below == 0
            for plane in range(N_PLANES):
                rows = column[x, plane]
                differ |= ((rows & above) != 0) != ((rows & below) != 0)
            joins += not differ
    group[place, JOINS] = joins
    return joins


@rules.prior_code.register(GroupTable)
def group_code(prior: GroupTable, instance: SameGame, state: SameGameState, move: int) -> int:
    place = state.group_of[move]
    size = state.group[place, SIZE]
    if size <= SMALL:
        size_class = size - 2
    else:
        size_class = SMALL - 1 + (size > 8) + (size > 11) + (size > 16) + (size > 24)
    dominant = state.group[place, COLOUR] == instance.dominant
    joins = min(_count_joins(state.column, state.group, place), JOIN_CLASSES - 1)
    return int((size_class * 2 + dominant) * JOIN_CLASSES + joins)


rules.odds.register(GroupTable)(table_odds)


class TabuPrior(NamedTuple):
    """exp(min(n - 2 - tabu, 8)), tabu being 1 for a pair of the most frequent colour."""

    odds: npt.NDArray[np.float64]
    """float64[10]: by exponent + 1."""


def new_tabu_prior() -> TabuPrior:
    """Return the prior of the paper 'gnrpa'."""
    return TabuPrior(np.exp(np.arange(-1.0, 9.0)))


@rules.odds.register(TabuPrior)
def tabu_odds(prior: TabuPrior, instance: SameGame, state: SameGameState, move: int) -> float:
    place = state.group_of[move]
    size = state.group[place, SIZE]
    tabu = (size == 2) & (state.group[place, COLOUR] == instance.dominant)
    return prior.odds[min(size - 2 - tabu, 8) + 1]
