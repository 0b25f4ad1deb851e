"""Windows of five cells in Gomoku: threats that a stone makes, and what a position is worth.

A window counts for a player who has stones in it while the other has none. A free cell in a window
of four stones makes five, one in two windows of three an open four or two fours, one in three of
two an open three. Six in a row are not told from five here: nothing is proved by windows.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import called, inlined
from solver.games.boards.placement import RIM, Placed
from solver.games.boards.rows.fives import FIVE

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
#: Bits of a number of windows: there are twenty through a cell at most.
BITS, MOST = 5, 31
#: Classes of a cell for a player, by the windows through it, see `class_of`.
CLASSES = 11
#: Those of cells that make one four, four and three, an open four or two fours, five.
FOUR, FOUR_THREE, OPEN_FOUR, FIFTH = 7, 8, 9, 10


class Windows(NamedTuple):
    """Windows through each cell, and all of them."""

    through: Ints
    """int32[2, area]: of a player, windows through a cell with one to four stones, `BITS` each."""
    all: Ints
    """int32[2, 5]: of a player, windows with so many stones."""


def new_windows(area: int) -> Windows:
    """Allocate the windows of a board."""
    return Windows(np.zeros((2, area), np.int32), np.zeros((2, FIVE), np.int32))


@called
def count_windows(instance: Any, placed: Placed, windows: Windows) -> None:
    """Count the windows of a position; nobody has five."""
    owner, width, through = placed.owner, instance.board.width, windows.through
    windows.all[:] = 0
    through[:] = 0
    for step in (1, width - 1, width, width + 1):
        for number in range(len(instance.board.cells)):
            start = int(instance.board.cells[number])
            if owner[start - step] != RIM:
                continue
            zero, one, length, cell = 0, 0, 0, start
            while owner[cell] != RIM:
                zero += owner[cell] == 0
                one += owner[cell] == 1
                length += 1
                if length >= FIVE:
                    first = cell - (FIVE - 1) * step
                    if (zero == 0) != (one == 0):
                        player, stones = (0, zero) if one == 0 else (1, one)
                        if stones < FIVE:
                            windows.all[player, stones] += 1
                            added = 1 << BITS * (stones - 1)
                            for place in range(FIVE):
                                through[player, first + place * step] += added
                    zero -= owner[first] == 0
                    one -= owner[first] == 1
                cell += step


@inlined
def _number(through: int, stones: int) -> int:
    """Windows with so many stones of those through a cell."""
    return (through >> BITS * (stones - 1)) & MOST


@inlined
def class_of(through: int) -> int:
    """Class of a free cell for a player by the windows through it, from 0 to the best."""
    ones, twos = _number(through, 1), _number(through, 2)
    threes, fours = _number(through, 3), _number(through, 4)
    if fours > 0:
        return FIFTH
    if threes > 1:
        return OPEN_FOUR
    if threes == 1:
        return FOUR_THREE if twos > 1 else FOUR
    if twos > 4:
        return 6
    if twos > 2:
        return 5
    if twos > 0:
        return 4
    return 3 if ones > 5 else 2 if ones > 2 else 1 if ones > 0 else 0


#: Odds of a move by the class of its cell for who moves, and for the other: their sum, set by hand.
ODDS = np.array(
    [
        [0.02, 0.05, 0.15, 0.4, 1.0, 5.0, 12.0, 4.0, 30.0, 300.0, 1e4],
        [0.01, 0.03, 0.1, 0.3, 0.7, 3.0, 8.0, 2.0, 15.0, 100.0, 1e3],
    ]
)


@inlined
def threat_odds(odds: Floats, windows: Windows, cell: int, mover: int) -> float:
    """Odds of a move to `cell` by a table such as `ODDS`."""
    mine, theirs = windows.through[mover, cell], windows.through[1 - mover, cell]
    return float(odds[0, class_of(mine)] + odds[1, class_of(theirs)])


#: Logit of the chance of who moves, set by hand: of the turn, and of a window by its stones.
TURN_WEIGHT = 0.35
WEIGHTS = np.array([0.0, 0.016, 0.1, 0.4, 1.0])


@inlined
def chance(windows: Windows, mover: int) -> float:
    """Chance of who moves to win, by the differences between the numbers of windows."""
    logit = TURN_WEIGHT
    for stones in range(1, FIVE):
        more = windows.all[mover, stones] - windows.all[1 - mover, stones]
        logit += WEIGHTS[stones] * more
    return 1.0 / (1.0 + math.exp(-logit))
