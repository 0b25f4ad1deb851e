"""Prior codes of a stone by the eight cells around it, alone and with the groups beside it.

They are of no size of board, and seen by who moves. Boards that turns and mirrors make alike have
the same rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.rules import Floats
from solver.games.boards.grid import TEMPERATURE
from solver.games.boards.liberties import FEW, RIM_BIT, SIDES, Groups
from solver.games.boards.patterns import MINE, NONE, THEIRS
from solver.games.boards.placement import TURN
from solver.priors.priors import table_odds

#: Number of holders of a cell: nobody, the player to move, another player; or there is no cell.
HOLDERS = 4
#: Classes of the weakest group beside a cell.
GROUPS = 4
#: A bit for each of the eight cells of `Groups.ring`.
EACH = 0x11111111


def _classes_of_rings() -> npt.NDArray[np.int16]:
    """Class of a ring of eight holders, from above left on, as digits of a number.

    Rings that a turn or a mirror of the board makes alike have the same class.

    Returns
    -------
    int16[HOLDERS**8]
    """
    weights = HOLDERS ** np.arange(7, -1, -1)
    digits = np.arange(HOLDERS**8)[:, None] // weights % HOLDERS
    places = np.arange(8)
    symmetries = [(way - 2 * turn) % 8 for way in (places, 2 - places) for turn in range(4)]
    least = np.min([digits[:, symmetry] @ weights for symmetry in symmetries], axis=0)
    return np.unique(least, return_inverse=True)[1].astype(np.int16)


RINGS = _classes_of_rings()


class StonesTable(NamedTuple):
    """The eight cells around, and how weak groups beside the cell are, of both sides."""

    table: Floats


class AroundTable(NamedTuple):
    """Holders of the eight cells around."""

    table: Floats


STONES = PriorCode(
    "stones",
    {"ring": int(RINGS.max()) + 1, "mine": GROUPS, "theirs": GROUPS},
    StonesTable,
    TEMPERATURE,
)
RING = PriorCode("around", {"ring": int(RINGS.max()) + 1}, AroundTable, TEMPERATURE)


@inlined
def _ring_class(groups: Groups, cell: int, mover: int) -> int:
    """Return the class of the eight cells around a cell."""
    ring: Any = np.int64(groups.ring[cell])
    mine, rim = ring >> mover & EACH, ring >> RIM_BIT & EACH
    theirs = (ring | ring >> 1 | ring >> 2) & EACH & ~mine
    holders = MINE * mine + THEIRS * theirs + NONE * rim
    # From four bits each to two.
    holders = (holders | holders >> 2) & 0x0F0F0F0F
    holders = (holders | holders >> 4) & 0x00FF00FF
    return int(RINGS[(holders | holders >> 8) & 0xFFFF])


@inlined
def _weakest(groups: Groups, cell: int, width: int, mover: int) -> int:
    """Return the weakness of the groups beside a cell, of the mover times GROUPS and of others.

    0 where there are none, 1 where one has a single liberty, 2 where one has two at most, else 3.
    """
    mine, theirs = GROUPS, GROUPS
    for near in (cell - width, cell - 1, cell + 1, cell + width):
        side = groups.side[near]
        weakness = 1 if side & 1 != 0 else 2 + (side & FEW == 0)
        is_mine = (side & SIDES) >> 1 == mover
        mine = min(mine, weakness if is_mine else GROUPS)
        theirs = min(theirs, weakness if side >= 0 and not is_mine else GROUPS)
    return int(mine % GROUPS * GROUPS + theirs % GROUPS)


@rules.prior_code.register(StonesTable)
def stones_code(prior: StonesTable, instance: Any, state: Any, move: int) -> int:
    groups, mover = state.groups, state.board.counters[TURN]
    weakest = _weakest(groups, move, instance.board.width, mover)
    return int(_ring_class(groups, move, mover) * GROUPS**2 + weakest)


@rules.prior_code.register(AroundTable)
def around_code(prior: AroundTable, instance: Any, state: Any, move: int) -> int:
    return _ring_class(state.groups, move, state.board.counters[TURN])


for _table_class in (StonesTable, AroundTable):
    rules.odds.register(_table_class)(table_odds)
