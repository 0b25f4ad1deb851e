"""Winner of positions of Hex up to 5 x 5, by depth-first search with must-play regions.

It shares nothing with the searches of the package. A win comes with its *carrier*, free cells
outside of which nothing changes it. If the others win against a move with some carrier, they win
against every move outside it: only moves in the carriers of all refuted moves remain to be tried
(Hayward, Björnsson, Johanson, Kan, Po and van Rijswijck 2005: Solving 7x7 Hex with domination,
fill-in, and virtual connections). Values are won or lost, so the first win cuts. Wins in one are
seen without a move, and two of the others lose. The cell on the shortest ways of both players is
tried first.

Boards are bits of an int64: cell `row * size + column`.
"""

from __future__ import annotations

import numba
import numpy as np

#: Bits of the transposition table's length; each state has one place, newer ones replace older.
TABLE_BITS = 23
#: Bits of a state's two sets of stones, and above them that who moves wins.
STONES, WON = 50, 1 << 50


class MustPlay:
    """Winner of positions of one size; states are kept from one question to the next."""

    def __init__(self, size: int) -> None:
        if size * size * 2 > STONES:
            raise ValueError(f"size {size}, expected at most 5")
        self.size = size
        middle = (size - 1) / 2
        self.order = np.array(
            sorted(
                range(size * size),
                key=lambda cell: sum(abs(place - middle) for place in divmod(cell, size)),
            )
        )
        row, column = sum(1 << k for k in range(size)), sum(1 << k * size for k in range(size))
        #: int64[2, 2]: cells of the sides of each player.
        self.sides = np.array(
            [[row, row << size * (size - 1)], [column, column << size - 1]], np.int64
        )
        self.table = np.zeros((1 << TABLE_BITS, 2), np.int64)

    def wins(self, stones: tuple[int, int], mover: int) -> bool:
        """True if who moves wins; nobody has connected, x (0) upper and lower side."""
        won, _ = _search(
            self.size, self.sides, self.order, self.table, stones[mover], stones[1 - mover], mover
        )
        return bool(won)


@numba.njit(cache=True)
def _near(size: int, sides: np.ndarray, stones: int) -> int:
    """Return the cells beside `stones`, and some of them."""
    inner = ~sides[1, 0]  # without the left column, for what moved right
    outer = ~sides[1, 1]
    return int(
        (stones << 1 & inner)
        | (stones >> 1 & outer)
        | stones << size
        | stones >> size
        | (stones << size - 1 & outer)
        | (stones >> size - 1 & inner)
    )


@numba.njit(cache=True)
def _wins_in_one(size: int, sides: np.ndarray, stones: int, player: int) -> int:
    """Return the cells that would connect the sides of `player`, taken ones among them."""
    both = -1
    for side in range(2):
        cells = sides[player, side]  # those a stone on which is connected to the side
        reached = 0
        while stones & cells & ~reached:
            reached |= stones & cells
            cells |= _near(size, sides, reached)
        both &= cells
    return both


@numba.njit(cache=True)
def _distances(size: int, sides: np.ndarray, own: int, others: int, player: int) -> np.ndarray:
    """Return int64[cells]: stones that a player lacks between a free cell and both sides."""
    area = size * size
    free, lacking = ((1 << area) - 1) & ~(own | others), np.zeros(area, np.int64)
    for side in range(2):
        cells, seen, far = sides[player, side] & ~others, 0, 0
        while cells:
            stones = cells & own
            while stones:
                seen |= stones
                cells |= _near(size, sides, stones) & ~(others | seen)
                stones = cells & own & ~seen
            cells &= free & ~seen
            seen |= cells
            for cell in range(area):
                lacking[cell] += far * (cells >> cell & 1)
            cells = _near(size, sides, cells) & ~(others | seen)
            far += 1
        for cell in range(area):
            lacking[cell] += area * (~seen >> cell & 1)
    return lacking


@numba.njit(cache=True)
def _search(
    size: int, sides: np.ndarray, order: np.ndarray, table: np.ndarray,
    mine: int, others: int, mover: int,
) -> tuple[bool, int]:  # fmt: skip
    """Return whether who moves wins, and the carrier of the win, of either."""
    free = ((1 << size * size) - 1) & ~(mine | others)
    direct = _wins_in_one(size, sides, mine, mover) & free
    if direct:
        return True, direct & -direct
    threats = _wins_in_one(size, sides, others, 1 - mover) & free
    if threats & (threats - 1):
        first = threats & -threats
        rest = threats & ~first
        return False, first | (rest & -rest)
    # Who moves is known by the number of stones, as x and o alternate.
    key = (mine | others << 25) + 1
    place = (key * 0x9E3779B97F4A7C1) >> 30 & (len(table) - 1)
    if table[place, 0] & ~WON == key:
        return table[place, 0] & WON != 0, table[place, 1]
    left = threats if threats else free
    carrier = threats
    won = False
    near = _distances(size, sides, mine, others, mover)
    near += _distances(size, sides, others, mine, 1 - mover)
    while left:
        best = -1
        for cell in order:
            if left >> cell & 1 and (best < 0 or near[cell] < near[best]):
                best = cell
        move = 1 << best
        lost, needed = _search(size, sides, order, table, others, mine | move, 1 - mover)
        if not lost:
            won, carrier = True, needed | move
            break
        left &= needed
        carrier |= needed
    table[place, 0] = key | (WON if won else 0)
    table[place, 1] = carrier
    return won, carrier
