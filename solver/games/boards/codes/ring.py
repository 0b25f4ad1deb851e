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
from solver.games.boards.liberties import Groups, in_atari, root_of
from solver.games.boards.patterns import FREE, MINE, NONE, THEIRS
from solver.games.boards.placement import NOBODY, RIM, TURN, Board, Ints, Placed
from solver.priors.priors import table_odds

#: Number of holders of a cell: nobody, the player to move, another player; or there is no cell.
HOLDERS = 4
#: Classes of the weakest group beside a cell.
GROUPS = 4


def _classes_of_rings() -> npt.NDArray[np.int32]:
    """Class of a ring of eight holders, from above left on, as digits of a number.

    Rings that a turn or a mirror of the board makes alike have the same class.

    Returns
    -------
    int32[HOLDERS**8]
    """
    weights = HOLDERS ** np.arange(7, -1, -1)
    digits = np.arange(HOLDERS**8)[:, None] // weights % HOLDERS
    places = np.arange(8)
    symmetries = [(way - 2 * turn) % 8 for way in (places, 2 - places) for turn in range(4)]
    least = np.min([digits[:, symmetry] @ weights for symmetry in symmetries], axis=0)
    return np.unique(least, return_inverse=True)[1].astype(np.int32)


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
def _holder(owner: Ints, cell: int, mover: int) -> int:
    """Return the holder of a cell, as seen by `mover`."""
    there = owner[cell]
    if there == NOBODY:
        return FREE
    if there == RIM:
        return NONE
    return MINE if there == mover else THEIRS


@inlined
def _weakest(board: Board, placed: Placed, groups: Groups, cell: int, holder: int) -> int:
    """Return the weakness of the groups of `holder` beside a cell.

    0 where there are none, 1 where one has a single liberty, 2 where one has two at most, else 3.
    """
    found, width, mover = GROUPS, board.width, placed.counters[TURN]
    for near in (cell - width, cell - 1, cell + 1, cell + width):
        if _holder(placed.owner, near, mover) == holder:
            if in_atari(groups, near):
                return 1
            few = groups.pairs[root_of(groups.parent, near)] <= 2
            found = min(found, 2 if few else 3)
    return found if found < GROUPS else 0


@inlined
def _ring_class(board: Board, placed: Placed, cell: int) -> int:
    """Return the class of the eight cells around a cell."""
    owner, mover, width, ring = placed.owner, placed.counters[TURN], board.width, 0
    for step in (-width - 1, -width, 1 - width, 1, width + 1, width, width - 1, -1):
        ring = HOLDERS * ring + _holder(owner, cell + step, mover)
    return int(RINGS[ring])


@rules.prior_code.register(StonesTable)
def stones_code(prior: StonesTable, instance: Any, state: Any, move: int) -> int:
    board, placed = instance.board, state.board
    mine = _weakest(board, placed, state.groups, move, MINE)
    theirs = _weakest(board, placed, state.groups, move, THEIRS)
    return int((_ring_class(board, placed, move) * GROUPS + mine) * GROUPS + theirs)


@rules.prior_code.register(AroundTable)
def around_code(prior: AroundTable, instance: Any, state: Any, move: int) -> int:
    return _ring_class(instance.board, state.board, move)


for _table_class in (StonesTable, AroundTable):
    rules.odds.register(_table_class)(table_odds)
