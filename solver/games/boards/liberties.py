"""Groups of stones and their liberties, where no stone is ever taken off the board.

A group has one liberty exactly where n Σ l² = (Σ l)², the sums over all n pairs of a stone of it
and a free cell l beside that: no two different numbers have it so (Cauchy and Schwarz).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.games.boards.grid import MARKS, GridPosition
from solver.games.boards.placement import NOBODY, RIM, Board, Ints, Placed, UInts, clear, put

#: Even, and of no player, with FEW or without.
NO_SIDE = -2
#: Bit of a group that has few liberties, and the other bits.
FEW, SIDES = 16, 15
#: Bit of the rim among those of a cell around.
RIM_BIT = 3


class Groups(NamedTuple):
    """Groups of stones, by cells; sums are those of the cell that is the root of a group."""

    parent: UInts
    """uint32[area]: of a stone, on the way to the root of its group."""
    other: UInts
    """uint32[area]: of a stone, another one of its group; this way round all of them."""
    side: Ints
    """int32[area]: of a stone, twice its player, 1 more where its group has one liberty at most,
    and FEW more where that has two pairs at most; elsewhere NO_SIDE."""
    ring: UInts
    """uint32[area]: four bits for each of the eight cells around a cell, clockwise from above left,
    the first the highest: a bit for each player whose stone is there, the last for the rim."""
    pairs: Ints
    """int32[area]: pairs of a stone and a free cell beside it."""
    total: Ints
    """int32[area]: sum of these free cells."""
    squares: npt.NDArray[np.int64]
    """int64[area]: sum of their squares."""
    room: Ints
    """int32[area]: free cells beside a cell."""


def new_groups(board: Board) -> Groups:
    """Allocate the groups of a state."""
    area = len(board.ordinal)
    parent, other, ring = (np.zeros(area, np.uint32) for _ in range(3))
    side, pairs, total, room = (np.zeros(area, np.int32) for _ in range(4))
    return Groups(parent, other, side, ring, pairs, total, np.zeros(area, np.int64), room)


@inlined
def root_of(parent: UInts, cell: int) -> int:
    """Return the root of the group of a stone."""
    while parent[cell] != cell:
        parent[cell] = parent[parent[cell]]
        cell = parent[cell]
    return cell


@inlined
def _note_side(groups: Groups, stone: int, player: int) -> None:
    """Note of all stones of a group how few liberties it has, if that is news to `stone`."""
    root = root_of(groups.parent, stone)
    total = np.int64(groups.total[root])
    side = 2 * player + (groups.pairs[root] * groups.squares[root] == total * total)
    side += FEW * (groups.pairs[root] <= 2)
    if groups.side[stone] != side:
        groups.side[stone] = side
        other = groups.other[stone]
        while other != stone:
            groups.side[other] = side
            other = groups.other[other]


@inlined
def _note_around(ring: UInts, cell: int, width: int, bit: int) -> None:
    """Note the bit of a stone in the rings of the cells around it."""
    ring[cell - width - 1] += bit << 12
    ring[cell - width] += bit << 8
    ring[cell - width + 1] += bit << 4
    ring[cell + 1] += bit
    ring[cell + width + 1] += bit << 28
    ring[cell + width] += bit << 24
    ring[cell + width - 1] += bit << 20
    ring[cell - 1] += bit << 16


@inlined
def set_stone(board: Board, placed: Placed, groups: Groups, cell: int, player: int) -> None:
    """Set a stone, and join it with the groups of the same player beside it."""
    put(placed, cell, player)
    owner, parent, width = placed.owner, groups.parent, board.width
    _note_around(groups.ring, cell, width, 1 << player)
    parent[cell] = groups.other[cell] = cell
    groups.side[cell] = 2 * player
    pairs, total, squares = 0, 0, 0
    for near in (cell - width, cell - 1, cell + 1, cell + width):
        groups.room[near] -= 1
        if owner[near] == NOBODY:
            pairs, total, squares = pairs + 1, total + near, squares + near * near
        elif owner[near] != RIM:
            root = root_of(parent, near)
            groups.pairs[root] -= 1
            groups.total[root] -= cell
            groups.squares[root] -= cell * cell
    groups.pairs[cell], groups.total[cell], groups.squares[cell] = pairs, total, squares
    for near in (cell - width, cell - 1, cell + 1, cell + width):
        if owner[near] == player:
            root = root_of(parent, near)
            if root != cell:
                parent[root] = cell
                groups.pairs[cell] += groups.pairs[root]
                groups.total[cell] += groups.total[root]
                groups.squares[cell] += groups.squares[root]
                groups.other[cell], groups.other[near] = groups.other[near], groups.other[cell]
    _note_side(groups, cell, player)
    for near in (cell - width, cell - 1, cell + 1, cell + width):
        if owner[near] >= 0:
            _note_side(groups, near, owner[near])


@inlined
def set_up(board: Board, placed: Placed, groups: Groups) -> None:
    """Set the stones of a position."""
    clear(board, placed)
    width = board.width
    steps = (-width - 1, -width, 1 - width, 1, width + 1, width, width - 1, -1)
    for cell in range(len(groups.room)):
        groups.room[cell], groups.side[cell], groups.ring[cell] = 0, NO_SIDE, 0
    for number in range(len(board.cells)):
        cell = board.cells[number]
        for place in range(8):
            if placed.owner[np.int64(cell) + steps[place]] == RIM:
                groups.ring[cell] += np.int64(1) << RIM_BIT + 28 - 4 * place
        for near in (cell - width, cell - 1, cell + 1, cell + width):
            groups.room[near] += 1
    for number in range(len(board.cells)):
        if board.stones[number] > 0:
            set_stone(board, placed, groups, board.cells[number], board.stones[number] - 1)


def stifled(position: GridPosition) -> str:
    """Return the marks of players who have a group without liberties."""
    from scipy import ndimage  # slow to import, and positions are seldom read

    beside_free, found = ndimage.binary_dilation(position.cells == 0), ""
    for mark in MARKS[1:]:
        groups, n = ndimage.label(position.cells == MARKS.index(mark))
        if len({*groups[beside_free].tolist()} - {0}) < n:
            found += mark
    return found


@inlined
def captures(board: Board, groups: Groups, cell: int, player: int) -> bool:
    """Return whether a stone of `player` takes the last liberty of an opposing group."""
    width, found = board.width, False
    for near in (cell - width, cell - 1, cell + 1, cell + width):
        side = groups.side[near]
        found |= (side & 1 != 0) & (side & SIDES != 2 * player + 1)
    return found


@inlined
def breathes(board: Board, groups: Groups, cell: int, player: int) -> bool:
    """Return whether a stone of `player` has a liberty without a capture."""
    width, found = board.width, bool(groups.room[cell] > 0)
    for near in (cell - width, cell - 1, cell + 1, cell + width):
        found |= groups.side[near] & SIDES == 2 * player
    return found
