"""Late positions of Nogo for two as sets of the cells that somebody may still take.

A free cell that is forbidden to both stays free, and a group beside one can never be stifled, nor
can a group that it joins: it is *alive*. Of the other groups the cells beside them are kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import lowest_one
from solver.compiling.jit import inlined
from solver.games.boards.liberties import breathes, captures, root_of
from solver.games.boards.placement import FREE, NOBODY, Board, Ints

Longs = npt.NDArray[np.int64]
#: Cells and groups of a player that a position may have, and groups that there are later.
MOST, GROUPS = 16, 12
SIDE = GROUPS + MOST
#: Columns of a position. Sets of cells: those that are free, those beside a free cell, the moves to
#: try, those of them that the other player may take, too, the move tried, and the one that has
#: settled the last position after as many moves. Of each player: the stones set, the cells beside
#: groups that are alive, how many other groups there are, and the cells beside each of these.
LEFT, OPEN, TODO, SHARED, TRIED, KILLER, STONES, ALIVE, NUMBER, SETS = (*range(7), 8, 10, 12)
#: Positions that are remembered, by a long search.
REMEMBERED = 1 << 15


class Endgame(NamedTuple):
    """Scratch of searches."""

    number: Ints
    """int32[area]: number of a free cell in sets; -1 of one that is forbidden to both."""
    group: Longs
    """int64[area]: of a root, the search that met its group, times GROUPS, and its number."""
    near: Longs
    """int64[MOST + 1]: cells beside a cell; at MOST those beside one that is forbidden to both."""
    roots: Longs
    """int64[2, GROUPS]: root of a group."""
    pairs: Longs
    """int64[2, GROUPS]: pairs of a stone of the group and a cell beside it."""
    line: Longs
    """int64[MOST + 1, SETS + 2 * SIDE]: the position, and those after the moves tried."""
    known: Longs
    """int64[REMEMBERED + 1]: positions and their winners; at REMEMBERED the number of searches."""


def new_endgame(area: int) -> Endgame:
    """Allocate the scratch of a board with so many cells, its rim included."""
    shapes = area, MOST + 1, (2, GROUPS), (2, GROUPS), (MOST + 1, SETS + 2 * SIDE), REMEMBERED + 1
    return Endgame(np.zeros(area, np.int32), *(np.zeros(shape, np.int64) for shape in shapes))


@inlined
def groups_of(player: int) -> int:
    """Return the column of the first group of a player."""
    return SETS + SIDE * player


@inlined
def number_cells(board: Board, state: Any, mover: int) -> int:
    """Number the free cells that somebody may take; returns how many there are."""
    number, placed, n = state.endgame.number, state.board, 0
    for place in range(placed.counters[FREE]):
        number[placed.free[place]] = -1
    for place in range(state.legal[0]):
        number[state.legal[1 + place]] = 0
    for place in range(placed.counters[FREE]):
        cell = placed.free[place]
        if number[cell] == 0 or (
            breathes(board, state.groups, cell, 1 - mover)
            and not captures(board, state.groups, cell, 1 - mover)
        ):
            number[cell] = n
            n += 1
    return n


@inlined
def _group_of(state: Any, player: int, stone: int) -> int:
    """Return the number of the group of a stone, GROUPS where that is one too many."""
    scratch, root = state.endgame, root_of(state.groups.parent, stone)
    met, first = GROUPS * scratch.known[REMEMBERED], scratch.line[0]
    if scratch.group[root] < met:
        number = first[NUMBER + player]
        if number == GROUPS:
            return GROUPS
        first[NUMBER + player] += 1
        first[groups_of(player) + number] = 0
        scratch.group[root] = met + number
        scratch.roots[player, number], scratch.pairs[player, number] = root, 0
    return int(scratch.group[root] - met)


@inlined
def set_up(board: Board, state: Any, n: int) -> bool:
    """Describe the position, whose `n` cells are numbered; returns whether there is room for it."""
    scratch, placed, width = state.endgame, state.board, board.width
    first, near = scratch.line[0], scratch.near
    scratch.known[REMEMBERED] += 1
    first[LEFT], first[OPEN], near[MOST] = (1 << n) - 1, 0, 0
    for player in range(2):
        first[STONES + player] = first[ALIVE + player] = first[NUMBER + player] = 0
    for place in range(placed.counters[FREE]):
        cell = placed.free[place]
        at = scratch.number[cell]
        if at < 0:
            continue
        bit, beside = np.int64(1) << at, np.int64(0)
        for other in (cell - width, cell - 1, cell + 1, cell + width):
            player = placed.owner[other]
            if player == NOBODY and scratch.number[other] < 0:
                near[MOST] |= bit
            elif player == NOBODY:
                beside |= np.int64(1) << scratch.number[other]
            elif player >= 0:
                group = _group_of(state, player, other)
                if group == GROUPS:
                    return False
                first[groups_of(player) + group] |= bit
                scratch.pairs[player, group] += 1
        near[at] = beside
        first[OPEN] |= bit if beside != 0 else 0
    first[OPEN] |= near[MOST]
    for player in range(2):
        kept, begin = 0, groups_of(player)
        for group in range(first[NUMBER + player]):
            beside = first[begin + group]
            if state.groups.pairs[scratch.roots[player, group]] > scratch.pairs[player, group]:
                first[ALIVE + player] |= beside
            else:
                first[begin + kept] = beside
                kept += 1
        first[NUMBER + player] = kept
    return True


@inlined
def take_cell(scratch: Endgame, depth: int, at: int, player: int) -> None:
    """Write the position after a legal move into the next row."""
    row, after, near = scratch.line[depth], scratch.line[depth + 1], scratch.near
    bit = np.int64(1) << at
    left = row[LEFT] & ~bit
    beside = near[at] & left
    closed, rest = bit, beside & ~near[MOST]
    while rest != 0:
        if near[lowest_one(rest)] & left == 0:
            closed |= rest & -rest
        rest &= rest - 1
    after[LEFT], after[OPEN] = left, row[OPEN] & ~closed
    begin, kept, joined = groups_of(player), 0, beside
    for group in range(row[NUMBER + player]):
        found = row[begin + group]
        if found & bit != 0:
            joined |= found
        else:
            after[begin + kept] = found
            kept += 1
    joined &= ~bit
    after[ALIVE + player] = row[ALIVE + player] & ~bit
    if (row[ALIVE + player] | near[MOST]) & bit != 0:
        after[ALIVE + player] |= joined
    else:
        after[begin + kept] = joined
        kept += 1
    after[NUMBER + player] = kept
    after[STONES + player] = row[STONES + player] | bit
    other = 1 - player
    begin = groups_of(other)
    for group in range(row[NUMBER + other]):
        after[begin + group] = row[begin + group] & ~bit
    after[NUMBER + other], after[STONES + other] = row[NUMBER + other], row[STONES + other]
    after[ALIVE + other] = row[ALIVE + other] & ~bit


@inlined
def cells_for(scratch: Endgame, depth: int, player: int) -> int:
    """Return the cells that a player may take."""
    row = scratch.line[depth]
    begin, other = groups_of(player), groups_of(1 - player)
    breath, last = row[OPEN] | row[ALIVE + player], np.int64(0)
    for group in range(row[NUMBER + player]):
        found = row[begin + group]
        breath |= found if found & (found - 1) != 0 else 0
    for group in range(row[NUMBER + 1 - player]):
        found = row[other + group]
        last |= found if found & (found - 1) == 0 else 0
    return int(row[LEFT] & breath & ~last)
