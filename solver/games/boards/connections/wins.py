"""Winners of positions of Hex by connections that nobody can cut, and moves that may save one.

A player who has a connection answers in its pairs, and has won once there are none left. Where the
other would have one after a move, only moves within the carrier, with that move, may save: *must
play* [1]_.

References
----------
.. [1] R. Hayward, Y. Björnsson, M. Johanson, M. Kan, N. Po and J. van Rijswijck, Solving 7x7 Hex
   with domination, fill-in, and virtual connections, Theoretical Computer Science 349, 2005.
"""

from __future__ import annotations

from typing import Any

from solver.compiling.jit import called, inlined
from solver.contract.rules import Moves
from solver.games.boards.connections.virtual import (
    CARRIER,
    COMMON,
    LATEST,
    LINES,
    NUMBERS,
    REACHED,
    connects,
    connects_by,
    count_pairs,
    may_connect,
)
from solver.games.boards.placement import FREE, NOBODY, TURN, WINNER, Placed


@inlined
def _lines_to_fill(instance: Any, placed: Placed, player: int) -> int:
    """Return the lines one of which needs a stone of `player` for a connection, as bits.

    Lines are parallel to his sides. Of two that follow each other one has a stone.

    Returns
    -------
    int
        -1 where none is needed, 0 where one stone does not do.
    """
    filled = 0
    for number in range(placed.counters[FREE], len(placed.free)):
        cell = placed.free[number]
        if placed.owner[cell] == player:
            filled |= instance.lines[player, cell]
    free = ((1 << instance.board.width - 2) - 1) & ~filled
    both = free & free >> 1
    if both == 0:
        return -1
    lowest = both & -both
    rest = both ^ lowest
    if rest == 0:
        return int(lowest | lowest << 1)
    return int(rest) if rest == lowest << 1 else 0


@called
def _pairs_of(instance: Any, state: Any, player: int) -> int:
    """Return the pairs of cells in a connection that `player` has.

    Returns
    -------
    int
        0 without one, -1 if there is none by a move, either.
    """
    lines = _lines_to_fill(instance, state.board, player)
    for side in (1, 2):
        if lines == 0:
            return -1
        if connects(instance, state, player, side, 0):
            return count_pairs(state.plan)
        reached = int(state.plan[NUMBERS, REACHED + side])
        lines &= reached | reached << 1 | reached >> 1
    state.plan[NUMBERS, LINES] = lines
    return 0 if lines != 0 else -1


@called
def _moves_to_win(instance: Any, state: Any, player: int) -> int:
    """Return the moves of the latest end if `player` is on the move and wins, 0 where unknown.

    `_pairs_of` has just found none.
    """
    for number in range(state.board.counters[FREE]):
        cell = int(state.board.free[number])
        if may_connect(instance, state, player, cell) and connects_by(
            instance, state, player, cell
        ):
            return 1 + 2 * count_pairs(state.plan)
    return 0


@called
def _best_move(instance: Any, state: Any) -> int:
    """Return the move after which who moves has a connection of the fewest pairs; -1 for none."""
    mover, best, fewest = int(state.board.counters[TURN]), -1, 0
    pairs = _pairs_of(instance, state, mover)
    for number in range(state.board.counters[FREE] if pairs >= 0 else 0):
        cell = int(state.board.free[number])
        if pairs == 0 and not may_connect(instance, state, mover, cell):
            continue
        if connects_by(instance, state, mover, cell):
            found = count_pairs(state.plan)
            if best < 0 or found < fewest:
                best, fewest = cell, found
    return best


@called
def _common_carrier(instance: Any, state: Any, player: int) -> tuple[int, int]:
    """Mark in COMMON the free cells in carriers of all wins of `player` by a move.

    `_pairs_of` has just found none.

    Returns
    -------
    int
        Number of these cells, -1 without such a win.
    int
        Moves in which the longest of the wins ends.
    """
    plan, placed = state.plan, state.board
    left, longest, n = -1, 0, placed.counters[FREE]
    for number in range(n):
        cell = int(placed.free[number])
        if not (
            may_connect(instance, state, player, cell)
            and connects_by(instance, state, player, cell)
        ):
            continue
        longest = max(longest, 1 + 2 * count_pairs(plan))
        latest, first, left = plan[NUMBERS, LATEST], left < 0, 0
        plan[CARRIER, cell] = latest
        for place in range(n):
            other = int(placed.free[place])
            keep = plan[CARRIER, other] == latest and (first or plan[COMMON, other] == 1)
            plan[COMMON, other] = keep
            left += keep
        if left == 0:
            break
    return left, longest


@inlined
def _is_settled(instance: Any, placed: Placed) -> bool:
    """Return whether connections tell who wins: nobody has yet, and nobody may swap any more."""
    swaps = instance.swap and placed.counters[FREE] > len(placed.free) - 2
    return bool(placed.counters[WINNER] == NOBODY and not instance.misere and not swaps)


@called
def _winner(instance: Any, state: Any) -> tuple[int, int]:
    mover = int(state.board.counters[TURN])
    pairs = _pairs_of(instance, state, mover)
    if pairs > 0:
        return mover, 2 * pairs - 1
    if pairs == 0:
        moves = _moves_to_win(instance, state, mover)
        if moves > 0:
            return mover, moves
    pairs = _pairs_of(instance, state, 1 - mover)
    if pairs > 0:
        return 1 - mover, 2 * pairs
    if pairs == 0:
        left, moves = _common_carrier(instance, state, 1 - mover)
        if left == 0:
            return 1 - mover, 1 + moves
        if left > 0:
            return -1, 1
    return -1, 0


@inlined
def winner_by_connections(instance: Any, state: Any) -> tuple[int, int]:
    """`won_by_force` of Hex."""
    if not _is_settled(instance, state.board):
        return -1, 0
    return _winner(instance, state)


@inlined
def move_to_connection(instance: Any, state: Any) -> int:
    """`forced_move` of Hex."""
    return int(_best_move(instance, state)) if _is_settled(instance, state.board) else -1


@called
def _must_play(instance: Any, state: Any, moves: Moves, n: int) -> tuple[int, int]:
    other = 1 - int(state.board.counters[TURN])
    if _pairs_of(instance, state, other) != 0:
        return n, 0
    left, longest = _common_carrier(instance, state, other)
    if left <= 0:
        return n, 0
    kept = 0
    for number in range(n):
        cell = moves[number]
        if state.plan[COMMON, cell] == 1:
            moves[number], moves[kept] = moves[kept], cell
            kept += 1
    return kept, 1 + longest if kept < n else 0


@inlined
def moves_in_carriers(instance: Any, state: Any, moves: Moves, n: int) -> tuple[int, int]:
    """`saving_moves` of Hex."""
    if not _is_settled(instance, state.board):
        return n, 0
    return _must_play(instance, state, moves, n)
