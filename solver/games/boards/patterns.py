"""Prior codes for rows of five and for Hex: the surroundings of a cell, as who moves sees them.

They are of no size of board: what was learned on a small one is known on a larger one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.compiling.jit import inlined
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.rules import Floats
from solver.games.boards.grid import TEMPERATURE
from solver.games.boards.placement import NOBODY, RIM, TURN, Board, Ints, Placed
from solver.priors.priors import table_odds

#: Holders of a cell: nobody, the player to move, another player; or there is no cell.
FREE, MINE, THEIRS, NONE = range(4)
#: Cells in a row that win, and the classes of a row of `_five`.
FIVE, ROWS = 5, 11
#: Sets of what bridges lead to: stones of who moves above and below, of others right and left.
BRIDGES_TO = 16


class RowsTable(NamedTuple):
    """The two best rows of five through the cell, of both sides."""

    table: Floats


class BridgesTable(NamedTuple):
    """The six cells around in Hex, and to which sides there are bridges."""

    table: Floats


FIVES = PriorCode(
    "rows",
    {"mine": ROWS, "my_second": ROWS, "theirs": ROWS, "their_second": ROWS},
    RowsTable,
    TEMPERATURE,
)
BRIDGES = PriorCode("bridges", {"ring": 3**6, "bridges": BRIDGES_TO}, BridgesTable, TEMPERATURE)


@inlined
def _room(owner: Ints, cell: int, step: int, player: int) -> int:
    """So many cells on, four at most, nobody but `player` has a stone."""
    room = 0
    while room < FIVE - 1:
        there = owner[cell + (room + 1) * step]
        if there != NOBODY and there != player:
            break
        room += 1
    return room


@inlined
def _five(owner: Ints, cell: int, step: int, player: int) -> int:
    """Class of the rows of five through a free cell in one direction.

    0 where nobody but `player` could fill none, else 1 + 2 times the stones in the fullest of them,
    and 1 more where another is as full.
    """
    before, behind = _room(owner, cell, -step, player), _room(owner, cell, step, player)
    if before + behind < FIVE - 1:
        return 0
    stones = 0
    for place in range(-before, FIVE - before):
        stones += owner[cell + place * step] == player
    most, again = stones, 0
    for place in range(FIVE - before, behind + 1):
        stones += owner[cell + place * step] == player
        stones -= owner[cell + (place - FIVE) * step] == player
        if stones > most:
            most, again = stones, 0
        else:
            again |= stones == most
    return 1 + 2 * most + again


@inlined
def _two_best(board: Board, placed: Placed, cell: int, player: int) -> int:
    """Classes of the two best of the four directions, the better the more significant."""
    best, second = 0, 0
    for step in (1, board.width - 1, board.width, board.width + 1):
        found = _five(placed.owner, cell, step, player)
        best, second = max(best, found), max(second, min(best, found))
    return best * ROWS + second


@rules.prior_code.register(RowsTable)
def rows_code(prior: RowsTable, instance: Any, state: Any, move: int) -> int:
    mover = state.board.counters[TURN]
    mine = _two_best(instance.board, state.board, move, mover)
    return int(mine * ROWS**2 + _two_best(instance.board, state.board, move, 1 - mover))


@rules.prior_code.register(BridgesTable)
def bridges_code(prior: BridgesTable, instance: Any, state: Any, move: int) -> int:
    """Rims count as stones of those whose sides they are; half a turn changes nothing.

    A bridge leads over two free cells that are neighbours.
    """
    owner, rims, mover = state.board.owner, instance.rims, state.board.counters[TURN]
    # Seen so that who moves connects the upper and the lower side.
    down, right = instance.board.width, 1
    if mover != 0:
        down, right = right, down
    ring, bridges = 0, 0
    step, turned = -down, right - down
    for place in range(6):
        near, next_to = move + step, move + turned
        ring = 3 * ring + side_holder(owner, rims, near, mover)
        if owner[near] == NOBODY and owner[next_to] == NOBODY:
            far = side_holder(owner, rims, move + step + turned, mover)
            if far == MINE:
                bridges |= 1 if place in (0, 1, 5) else 2
            elif far == THEIRS:
                bridges |= 4 if place < 3 else 8
        step, turned = turned, turned - step
    half = 3**3
    upside_down = (bridges & 5) << 1 | (bridges & 10) >> 1
    other = (ring % half * half + ring // half) * BRIDGES_TO + upside_down
    return int(max(ring * BRIDGES_TO + bridges, other))


@inlined
def side_holder(owner: Ints, rims: Ints, cell: int, mover: int) -> int:
    """Return the holder of a cell or, on the rim, of its side, as seen by `mover`."""
    there = owner[cell] if owner[cell] != RIM else rims[cell]
    if there == NOBODY:
        return FREE
    return MINE if there == mover else THEIRS


rules.odds.register(RowsTable)(table_odds)
rules.odds.register(BridgesTable)(table_odds)
