"""Winners of late positions of Nogo for two, by a search of all moves.

The moves that each player still has are bounded from both sides, which settles most positions long
before the last move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.bits import count_ones, lowest_one
from solver.compiling.jit import called, inlined
from solver.games.boards.endgames.sets import (
    ALIVE,
    KILLER,
    MOST,
    NUMBER,
    OPEN,
    REMEMBERED,
    SHARED,
    STONES,
    TODO,
    TRIED,
    Endgame,
    Longs,
    cells_for,
    groups_of,
    number_cells,
    set_up,
    take_cell,
)
from solver.games.boards.placement import NOBODY, TURN, WINNER

#: Moves that a position may have, positions that are looked at, and those that are remembered:
#: chosen in games on 6 x 6. Those of a long search, of the root, which takes some 12 ms at most,
#: are from games on 5 x 5.
MOVES, POSITIONS, KEPT = 9, 1000, 1 << 11
LONG_MOVES, LONG_POSITIONS = 16, 200_000
#: In place of whether who moves wins.
UNKNOWN = -1


@inlined
def _bounds(scratch: Endgame, depth: int, player: int, mine: int, theirs: int) -> tuple[int, int]:
    """Least and most moves that a player still has, whatever is played.

    A cell is the player's own if the other can neither take it, nor ever have a stone beside it
    that needs it. All of these can be taken but one of each group that needs them. Of a group that
    nothing can join, one cell stays free.

    Parameters
    ----------
    mine, theirs : int
        Cells that the player may take, and those that the other one may.
    """
    row = scratch.line[depth]
    begin, other = groups_of(player), groups_of(1 - player)
    needed, once, twice = np.int64(0), np.int64(0), np.int64(0)
    for group in range(row[NUMBER + 1 - player]):
        needed |= row[other + group]
    for group in range(row[NUMBER + player]):
        twice |= once & row[begin + group]
        once |= row[begin + group]
    alive = row[ALIVE + player] | scratch.near[MOST]
    own: Any = mine & ~theirs & ~needed & (once | alive)
    rest = own
    while rest != 0:
        if scratch.near[lowest_one(rest)] & theirs != 0:
            own &= ~(rest & -rest)
        rest &= rest - 1
    least, most = count_ones(own), count_ones(np.uint64(mine))
    joins = row[OPEN] | alive | twice | ~mine
    for group in range(row[NUMBER + player]):
        found = row[begin + group]
        least -= found & own & ~alive != 0
        most -= found & joins == 0
    return least, most


@inlined
def _stones_of(row: Longs) -> int:
    return int(row[STONES] | row[STONES + 1] << MOST)


@inlined
def _place_of(row: Longs, kept: int) -> int:
    """Return the place of a position among those remembered, `kept` of them."""
    return int(_stones_of(row) * 0x9E3779B1 >> 17 & (kept - 1))


@inlined
def _entry_of(scratch: Endgame, row: Longs) -> int:
    """Return what is remembered of a position that is lost: 1 less than of one that is won."""
    return int((scratch.known[REMEMBERED] << 2 * MOST | _stones_of(row)) << 1)


@called
def _settled(scratch: Endgame, depth: int, mover: int, kept: int) -> int:
    """Return 1 if who moves is seen to win, 0 if to lose, else UNKNOWN: then moves are listed."""
    row = scratch.line[depth]
    known = scratch.known[_place_of(row, kept)]
    if known & ~1 == _entry_of(scratch, row):
        return int(known & 1)
    mine, theirs = cells_for(scratch, depth, mover), cells_for(scratch, depth, 1 - mover)
    if mine == 0 or theirs == 0:
        return int(mine != 0)
    least, most = _bounds(scratch, depth, mover, mine, theirs)
    their_least, their_most = _bounds(scratch, depth, 1 - mover, theirs, mine)
    if least > their_most or most <= their_least:
        return int(least > their_most)
    row[TODO], row[SHARED] = mine, mine & theirs
    return UNKNOWN


@inlined
def _next_move(row: Longs) -> int:
    """Take a move from those to try: first the one that has refuted another, then shared cells."""
    todo = row[TODO] & row[KILLER]
    if todo == 0:
        todo = row[TODO] & row[SHARED]
    if todo == 0:
        todo = row[TODO]
    row[TRIED] = todo & -todo
    row[TODO] &= ~row[TRIED]
    return lowest_one(row[TRIED])


@called
def _search(scratch: Endgame, mover: int, value: int, positions: int, kept: int) -> int:
    """Return 1 if who moves wins, 0 if he loses, UNKNOWN after too many positions.

    A move that wins is noted in the first position.

    Parameters
    ----------
    value : int
        What is known of the first position; if UNKNOWN its moves have been listed.
    positions, kept : int
        Positions to look at, and those that are remembered.
    """
    line, depth, seen = scratch.line, 0, 0
    for number in range(len(line)):
        line[number, KILLER] = 0
    while value == UNKNOWN or depth > 0:
        if value == UNKNOWN:
            seen += 1
            if seen > positions:
                return UNKNOWN
            take_cell(scratch, depth, _next_move(line[depth]), mover)
            depth, mover = depth + 1, 1 - mover
            value = _settled(scratch, depth, mover, kept)
            continue
        depth, mover = depth - 1, 1 - mover
        row = line[depth]
        if value == 1 and row[TODO] != 0:
            value = UNKNOWN
            continue
        if value == 0:
            row[KILLER] = row[TRIED]
        value = 1 - value
        scratch.known[_place_of(row, kept)] = _entry_of(scratch, row) | value
    return value


@called
def _winner(instance: Any, state: Any) -> tuple[int, int]:
    scratch, mover = state.endgame, int(state.board.counters[TURN])
    n = number_cells(instance.board, state, mover)
    if n > MOST or not set_up(instance.board, state, n):
        return -1, 0
    value = _search(scratch, mover, _settled(scratch, 0, mover, KEPT), POSITIONS, KEPT)
    if value == UNKNOWN:
        return -1, 0
    return (mover if value == 1 else 1 - mover), n


@called
def _move(instance: Any, state: Any) -> tuple[int, int]:
    scratch, mover = state.endgame, int(state.board.counters[TURN])
    n = number_cells(instance.board, state, mover)
    if n > MOST or not set_up(instance.board, state, n):
        return -1, 0
    first, mine = scratch.line[0], cells_for(scratch, 0, mover)
    first[TODO], first[SHARED] = mine, mine & cells_for(scratch, 0, 1 - mover)
    if _search(scratch, mover, UNKNOWN, LONG_POSITIONS, REMEMBERED) == 1:
        for place in range(1, state.legal[0] + 1):
            if np.int64(1) << scratch.number[state.legal[place]] == first[TRIED]:
                return int(state.legal[place]), n
    return -1, 0


@inlined
def _is_late(instance: Any, state: Any, moves: int) -> bool:
    """Return whether two who want to move last have so many moves at most."""
    going = state.board.counters[WINNER] == NOBODY and not instance.misere
    return bool(going and len(state.lost) == 2 and state.legal[0] <= moves)


@inlined
def winner_of_endgame(instance: Any, state: Any) -> tuple[int, int]:
    """`won_by_force` of Nogo."""
    return _winner(instance, state) if _is_late(instance, state, MOVES) else (-1, 0)


@inlined
def move_of_endgame(instance: Any, state: Any) -> tuple[int, int]:
    """`solved_move` of Nogo."""
    return _move(instance, state) if _is_late(instance, state, LONG_MOVES) else (-1, 0)
