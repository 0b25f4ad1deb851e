"""Prior codes of a stone as a reply: where the last stones are, and what it does to Hex's bridges.

They are of no size of board, and seen by who moves, as those of `solver.games.boards.patterns`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.compiling.jit import inlined
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.rules import Floats
from solver.games.boards.grid import TEMPERATURE
from solver.games.boards.patterns import FREE as FREE_CELL
from solver.games.boards.patterns import MINE, THEIRS, side_holder
from solver.games.boards.placement import FREE, NOBODY, RIM, TURN
from solver.priors.priors import table_odds

#: Rows and columns that a stone is told from the last one by, at most.
NEAR = 4
SPAN = 2 * NEAR + 1
#: Rows of the offset in Hex beyond those that are told, and where there is no stone.
HEX_FAR, HEX_NO_STONE = SPAN**2, SPAN**2 + 1
#: The same where turns and mirrors of the board are alike.
FAR, NO_STONE = (NEAR + 1) ** 2, (NEAR + 1) ** 2 + 1
#: Bridges of a kind that are told, at most.
LINK_CAP = 2


class LastTable(NamedTuple):
    """Offset from the last stone; turns and mirrors of it are alike."""

    table: Floats


class SecondTable(NamedTuple):
    """Offset from the last stone but one."""

    table: Floats


class HexLastTable(NamedTuple):
    """Offset from the last stone in Hex; half a turn is alike."""

    table: Floats


class HexSecondTable(NamedTuple):
    """Offset from the last stone but one in Hex."""

    table: Floats


class LinksTable(NamedTuple):
    """Bridges of Hex that a stone saves, breaks into, or fills needlessly."""

    table: Floats


LAST = PriorCode("last", {"offset": NO_STONE + 1}, LastTable, TEMPERATURE)
SECOND = PriorCode("second", {"offset": NO_STONE + 1}, SecondTable, TEMPERATURE)
HEX_LAST = PriorCode("last", {"offset": HEX_NO_STONE + 1}, HexLastTable, TEMPERATURE)
HEX_SECOND = PriorCode("second", {"offset": HEX_NO_STONE + 1}, HexSecondTable, TEMPERATURE)
LINKS = PriorCode(
    "links",
    {"saved": LINK_CAP + 1, "attacked": LINK_CAP + 1, "filled": LINK_CAP + 1},
    LinksTable,
    TEMPERATURE,
)


@inlined
def _offset(instance: Any, state: Any, back: int, move: int) -> tuple[int, int, bool]:
    """Rows and columns from the stone set so many moves ago, and whether there is one."""
    placed = state.board
    number = placed.counters[FREE] + back
    if number >= len(placed.free):
        return 0, 0, False
    width, stone = instance.board.width, np.int64(placed.free[number])
    rows = move // width - stone // width
    return int(rows), int(move % width - stone % width), True


@inlined
def _offset_row(instance: Any, state: Any, back: int, move: int) -> int:
    rows, columns, there = _offset(instance, state, back, move)
    if not there:
        return NO_STONE
    most, least = max(abs(rows), abs(columns)), min(abs(rows), abs(columns))
    return int(most * (NEAR + 1) + least) if most <= NEAR else FAR


@inlined
def _hex_offset_row(instance: Any, state: Any, back: int, move: int) -> int:
    """Seen so that who moves connects the upper and the lower side."""
    rows, columns, there = _offset(instance, state, back, move)
    if not there:
        return HEX_NO_STONE
    if max(abs(rows), abs(columns)) > NEAR:
        return HEX_FAR
    if state.board.counters[TURN] != 0:
        rows, columns = columns, rows
    row = (rows + NEAR) * SPAN + columns + NEAR
    return int(max(row, SPAN**2 - 1 - row))


@rules.prior_code.register(LastTable)
def last_code(prior: LastTable, instance: Any, state: Any, move: int) -> int:
    return _offset_row(instance, state, 0, move)


@rules.prior_code.register(SecondTable)
def second_code(prior: SecondTable, instance: Any, state: Any, move: int) -> int:
    return _offset_row(instance, state, 1, move)


@rules.prior_code.register(HexLastTable)
def hex_last_code(prior: HexLastTable, instance: Any, state: Any, move: int) -> int:
    return _hex_offset_row(instance, state, 0, move)


@rules.prior_code.register(HexSecondTable)
def hex_second_code(prior: HexSecondTable, instance: Any, state: Any, move: int) -> int:
    return _hex_offset_row(instance, state, 1, move)


@rules.prior_code.register(LinksTable)
def links_code(prior: LinksTable, instance: Any, state: Any, move: int) -> int:
    """A bridge joins two stones, or a stone and its side, over two cells that are neighbours."""
    owner, rims, mover = state.board.owner, instance.rims, state.board.counters[TURN]
    width = instance.board.width
    steps = (-width, 1 - width, 1, width, width - 1, -1)
    saved, attacked, filled = 0, 0, 0
    before = side_holder(owner, rims, move - 1, mover)
    for place in range(6):
        between, after = move + steps[place], move + steps[(place + 1) % 6]
        end = side_holder(owner, rims, after, mover)
        there = owner[between]
        if end == before and end != FREE_CELL and there != RIM:
            if end == MINE:
                filled += there == NOBODY
                saved += there != NOBODY and there != mover
            elif end == THEIRS:
                attacked += there == NOBODY
        before = side_holder(owner, rims, between, mover)
    row = min(saved, LINK_CAP) * (LINK_CAP + 1) + min(attacked, LINK_CAP)
    return int(row * (LINK_CAP + 1) + min(filled, LINK_CAP))


for _table_class in (
    LastTable, SecondTable, HexLastTable, HexSecondTable, LinksTable,
):  # fmt: skip
    rules.odds.register(_table_class)(table_odds)
