"""The board of SameGame, and its groups kept up to date.

A column is four integers, bit y of integer p being bit p of the colour of row y, so
that equal neighbours, falling and flooding are a few operations on whole
columns. A move changes the groups with a cell in the columns that it removes
cells from, or in the columns beside these; all others stay in the list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.propagation.bits import count_bits, lowest_bit

Int64s = npt.NDArray[np.int64]

MAX_HEIGHT = 62  # rows are bits of a signed integer
MAX_WIDTH = 255
MAX_COLOURS = 9
N_PLANES = 4

N_COLUMNS, N_GROUPS, PLY, SCORE = range(4)  # scalars of a state
UP, RIGHT, SEEN = range(N_PLANES, N_PLANES + 3)  # of a column, after its planes
CELL, SIZE, COLOUR, CODE, FIRST, LAST, JOINS, MASKS = range(8)  # of a group

NOT_SUMMED = 0
NOT_COUNTED = -1


class SameGameState(NamedTuple):
    """A board and its groups. Cell x * height + y is in row y from below of column x."""

    column: Int64s
    """int64[width + 1, 7]: colours bit by bit; rows whose cell has the colour of the one above,
    of the one to the right; scratch: rows whose group is listed. Columns beyond the last are 0."""
    key: Int64s
    """int64[width + 1, height + 1]: Zobrist keys of the cells below each in its column, summed
    modulo 2; they fall with their cells. A run of cells is the difference of two of them, a group's
    code the sum of its runs: whatever is removed beside or below it, a group keeps its code."""
    group: Int64s
    """int64[groups, 7 + width]: of every group of two cells or more, lowest cell of its first
    column, size, colour, code if it was summed up, first and last column, joins if they were
    counted, and its rows in each of its columns."""
    group_of: Int64s
    """int64[width * height]: place in `group` of the group that a cell stands for."""
    left: Int64s
    """int64[10]: cells left of each colour."""
    played: Int64s
    """int64[steps]: moves so far."""
    scalars: Int64s
    """int64[4]: columns, groups, moves, score."""


class SameGame(NamedTuple):
    """A board to clear."""

    width: int
    height: int
    start: SameGameState
    dominant: int
    """The most frequent colour at the start."""
    tabu: int
    """1: the dominant colour is played only where nothing else is left, or as late pairs."""


def new_samegame_state(width: int, height: int) -> SameGameState:
    """Allocate a state."""
    half = width * height // 2
    return SameGameState(
        column=np.zeros((width + 1, SEEN + 1), np.int64),
        key=np.zeros((width + 1, height + 1), np.int64),
        group=np.zeros((half, MASKS + width), np.int64),
        group_of=np.zeros(width * height, np.int64),
        left=np.zeros(MAX_COLOURS + 1, np.int64),
        played=np.zeros(half, np.int64),
        scalars=np.zeros(SCORE + 1, np.int64),
    )


# Helpers take the arrays that they need: a state is dozens of machine words to pass.


@inlined
def filled(column: Int64s, x: int) -> int:
    """Rows of column `x` that hold a cell."""
    return column[x, 0] | column[x, 1] | column[x, 2] | column[x, 3]


@inlined
def link_column(column: Int64s, x: int) -> None:
    """Find the equal neighbours within column `x`."""
    a, b, c, d = column[x, 0], column[x, 1], column[x, 2], column[x, 3]
    differ = (a ^ (a >> 1)) | (b ^ (b >> 1)) | (c ^ (c >> 1)) | (d ^ (d >> 1))
    column[x, UP] = (a | b | c | d) & ~differ


@inlined
def link_columns(column: Int64s, x: int) -> None:
    """Find the equal neighbours in columns `x` and `x` + 1."""
    a, b, c, d = column[x, 0], column[x, 1], column[x, 2], column[x, 3]
    differ = (a ^ column[x + 1, 0]) | (b ^ column[x + 1, 1])
    differ |= (c ^ column[x + 1, 2]) | (d ^ column[x + 1, 3])
    column[x, RIGHT] = (a | b | c | d) & ~differ


@inlined
def _fill(rows: int, up: int) -> int:
    """Add to `rows` of a column all that are connected to them within it."""
    while True:
        more = rows | ((rows & up) << 1) | ((rows >> 1) & up)
        if more == rows:
            return rows
        rows = more


@inlined
def _flood(column: Int64s, group: Int64s, place: int, x: int, rows: int) -> None:
    """Find columns and rows of the group of `rows` of column `x`."""
    low, high = x, x
    group[place, MASKS + x] = _fill(rows, column[x, UP])
    rightwards, leftwards = True, True
    while rightwards or leftwards:
        if rightwards:
            rightwards = False
            x = low
            while True:
                rows = group[place, MASKS + x] & column[x, RIGHT]
                if x == high:
                    if rows == 0:
                        break
                    high += 1
                    group[place, MASKS + high] = 0
                x += 1
                mask = group[place, MASKS + x]
                if rows & ~mask:
                    group[place, MASKS + x] = _fill(rows | mask, column[x, UP])
                    leftwards = True
        if leftwards:
            leftwards = False
            x = high
            while x > 0:
                rows = group[place, MASKS + x] & column[x - 1, RIGHT]
                if x == low:
                    if rows == 0:
                        break
                    low -= 1
                    group[place, MASKS + low] = 0
                x -= 1
                mask = group[place, MASKS + x]
                if rows & ~mask:
                    group[place, MASKS + x] = _fill(rows | mask, column[x, UP])
                    rightwards = True
    group[place, FIRST], group[place, LAST] = low, high


@inlined
def _describe_group(height: int, column: Int64s, group: Int64s, place: int) -> None:
    """Fill in the fields that follow from columns and rows of a group."""
    first = group[place, FIRST]
    size = 0
    for x in range(first, group[place, LAST] + 1):
        size += count_bits(group[place, MASKS + x])
    row = lowest_bit(group[place, MASKS + first])
    colour = 0
    for plane in range(N_PLANES):
        colour |= ((column[first, plane] >> row) & 1) << plane
    group[place, CELL], group[place, SIZE] = first * height + row, size
    group[place, COLOUR] = colour
    group[place, CODE], group[place, JOINS] = NOT_SUMMED, NOT_COUNTED


@inlined
def sum_keys(key: Int64s, group: Int64s, place: int) -> int:
    """Code of a group, by the keys of its cells."""
    total = np.int64(0)
    for x in range(group[place, FIRST], group[place, LAST] + 1):
        rows = group[place, MASKS + x]
        while rows:  # run by run: there are few in a column
            above = rows + (rows & -rows)
            total ^= key[x, lowest_bit(rows)] ^ key[x, lowest_bit(above)]
            rows &= above
    return int(total)


@inlined
def list_groups(
    height: int, column: Int64s, group: Int64s, group_of: Int64s,
    n_groups: int, begin: int, end: int,
) -> int:  # fmt: skip
    """List every group with a cell that is not SEEN in columns `begin` to `end` - 1.

    Returns how many groups there are then.
    """
    for x in range(begin, end):
        linked = column[x, UP] | (column[x, UP] << 1) | column[x, RIGHT]
        if x > 0:
            linked |= column[x - 1, RIGHT]
        rest = linked & ~column[x, SEEN]
        while rest:
            _flood(column, group, n_groups, x, rest & -rest)
            rest &= ~group[n_groups, MASKS + x]
            for other in range(x + 1, min(end, group[n_groups, LAST] + 1)):
                column[other, SEEN] |= group[n_groups, MASKS + other]
            _describe_group(height, column, group, n_groups)
            group_of[group[n_groups, CELL]] = n_groups
            n_groups += 1
    return n_groups


@inlined
def drop_groups(
    column: Int64s, group: Int64s, group_of: Int64s, n_groups: int, begin: int, end: int
) -> int:
    """Remove every group with a cell that is not SEEN in columns `begin` to `end` - 1.

    Returns how many groups stay.
    """
    place = 0
    while place < n_groups:
        unseen = 0
        for x in range(max(group[place, FIRST], begin), min(group[place, LAST] + 1, end)):
            unseen |= group[place, MASKS + x] & ~column[x, SEEN]
        if unseen:
            n_groups -= 1
            if place < n_groups:
                for item in range(MASKS):
                    group[place, item] = group[n_groups, item]
                for x in range(group[place, FIRST], group[place, LAST] + 1):
                    group[place, MASKS + x] = group[n_groups, MASKS + x]
                group_of[group[place, CELL]] = place
        else:
            place += 1
    return n_groups


@inlined
def see_unchanged(column: Int64s, group: Int64s, place: int, begin: int, end: int) -> None:
    """Make SEEN the rows of columns `begin` to `end` - 1 that stay as they are without a group.

    Their cells do not fall, and none beside or above them does.
    """
    first, last = group[place, FIRST], group[place, LAST]
    for x in range(begin, end):
        column[x, SEEN] = -1
    for x in range(first, last + 1):
        mask = group[place, MASKS + x]
        below = (mask & -mask) - 1
        column[x, SEEN] &= below >> 1
        if x > begin:
            column[x - 1, SEEN] &= below
        if x + 1 < end:
            column[x + 1, SEEN] &= below


@inlined
def fall(column: Int64s, x: int, gone: int) -> None:
    """Remove rows from column `x`."""
    while gone:
        lowest = gone & -gone
        run = gone & ~(gone + lowest)
        n = lowest_bit(~(run >> lowest_bit(lowest)))
        below = lowest - 1
        for plane in range(N_PLANES):
            rows = column[x, plane]
            column[x, plane] = (rows & below) | ((rows >> n) & ~below)
        gone = (gone & ~run) >> n


@inlined
def drop_keys(key: Int64s, x: int, rows: int, gone: int) -> None:
    """Let the keys of column `x`, filled in `rows`, fall with its cells when some are gone."""
    place = y = lowest_bit(gone)
    below = total = key[x, place]
    while rows >> y:
        above = key[x, y + 1]
        stays = 1 - ((gone >> y) & 1)
        total ^= (above ^ below) & -stays
        place += stays
        key[x, place] = total
        below = above
        y += 1


@inlined
def close_columns(column: Int64s, key: Int64s, begin: int, end: int) -> int:
    """Move columns `begin` to `end` - 1 to the left over empty ones; returns where they end."""
    place = begin
    for x in range(begin, end):
        if filled(column, x):
            if place < x:
                for item in range(N_PLANES + 1):  # UP too
                    column[place, item] = column[x, item]
                for y in range(key.shape[1]):
                    key[place, y] = key[x, y]
            place += 1
    for x in range(place, end):
        for item in range(N_PLANES + 2):
            column[x, item] = 0
    return place


@kernel
def set_up_board(height: int, state: SameGameState) -> None:
    """List the groups of a state that has its planes, keys and scalars."""
    n = state.scalars[N_COLUMNS]
    for x in range(n):
        state.column[x, SEEN] = 0
        link_column(state.column, x)
        link_columns(state.column, x)
    state.scalars[N_GROUPS] = list_groups(
        height, state.column, state.group, state.group_of, 0, 0, n
    )
    for place in range(state.scalars[N_GROUPS]):
        state.group[place, CODE] = sum_keys(state.key, state.group, place)
