"""The sheet of Morpion Solitaire: dots, and how many each possible line has.

A line is a number, direction * AREA + place of its first dot. For every line the dots on it are
counted; it can be drawn where the count is four. A line that can no more be drawn, for a line
across it or for the edge, has a count with the bit `BLOCKED`, so that one comparison tells. The
lines that can be drawn are kept in a list, the oldest first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.copies import copy_items
from solver.compiling.jit import inlined

Int64s = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

SIZE = 40
AREA = SIZE * SIZE
#: Rows and columns at each edge without dots: no line through a dot leaves the arrays.
MARGIN = 4
#: Columns and rows that dots may be in.
SHEET = SIZE - 2 * MARGIN
#: Largest start: as much is left around it as any game on record has needed.
MAX_START = 20
LENGTH = 5
READY = LENGTH - 1
BLOCKED = 16

#: Columns and rows from a dot of a line to the next: right, down, down right, up right.
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
#: The same as differences of places.
STEP = np.array([x + SIZE * y for x, y in DIRECTIONS], np.int64)
#: New lines of a move: through its dot, in every direction.
MOST_NEW = LENGTH * len(DIRECTIONS)

N_LISTED, PLY = range(2)  # scalars of a state


class MorpionState(NamedTuple):
    """A sheet. Place SIZE * y + x is column x, row y from above."""

    on_line: Bytes
    """uint8[4 * AREA]: dots on every line, with `BLOCKED` if it cannot be drawn."""
    dot: Bytes
    """uint8[AREA]: 1 where there is a dot."""
    listed: Int64s
    """int64[moves + MOST_NEW]: the lines that can be drawn, and room for new ones."""
    line: Int64s
    """int64[steps]: the lines drawn."""
    place: Int64s
    """int64[steps]: the dots added for them."""
    scalars: Int64s
    """int64[2]: lines listed, moves."""


class Morpion(NamedTuple):
    """A start, and how near two lines on one track may be."""

    left: int
    """Column of the sheet that the start begins in."""
    top: int
    reach: int
    """Origins of lines on one track differ by more: 4 in 5D, 3 in 5T."""
    dots: int
    """Dots at the start."""
    start: MorpionState


def most_moves(dots: int, reach: int) -> int:
    """Bound on the length of games from a start of `dots` dots.

    A dot has two sides in each of four directions. A line of 5D takes ten sides, a new dot brings
    eight. Lines of 5T take eight; there n dots on t tracks have at most (4 n - t) / 4 lines, so
    that t never exceeds four times the dots of the start, and t tracks cross in so many places
    (Demaine, Demaine, Langerman and Langerman 2006).
    """
    bound = 4 * dots if reach == LENGTH - 1 else int(0.69 * dots * dots) + 1
    return min(bound, SHEET * SHEET - dots)


def most_lines(dots: int) -> int:
    """Bound on the lines that can be drawn at the start, and room for as many as ever can be.

    Every dot is on twenty lines, and a line that can be drawn has four dots. Later there are
    fewer; should a game have more at once the newest are not listed.
    """
    return 5 * dots + 32


def new_morpion_state(dots: int, reach: int, played: int = 0) -> MorpionState:
    """Allocate a state of games from a start of `dots` dots, `played` moves of it made already."""
    steps = most_moves(dots, reach)
    return MorpionState(
        on_line=np.zeros(len(DIRECTIONS) * AREA, np.uint8),
        dot=np.zeros(AREA, np.uint8),
        listed=np.zeros(most_lines(dots + played) + MOST_NEW, np.int64),
        line=np.zeros(steps, np.int64),
        place=np.zeros(steps, np.int64),
        scalars=np.zeros(2, np.int64),
    )


def set_up_sheet(state: MorpionState, dots: npt.NDArray[np.bool_]) -> None:
    """Make `state` the sheet with `dots`, bool[SIZE, SIZE], none of them in the margin."""
    sheet = np.zeros((SIZE, SIZE), np.int64)
    sheet[MARGIN:-MARGIN, MARGIN:-MARGIN] = 1
    count = state.on_line.reshape(len(DIRECTIONS), SIZE, SIZE)
    for direction, (x, y) in enumerate(DIRECTIONS):
        inside, on = (
            sum(np.roll(a.astype(np.int64), (-k * y, -k * x), (0, 1)) for k in range(LENGTH))
            for a in (sheet, dots)
        )
        count[direction] = np.where(inside == LENGTH, on, BLOCKED)
    state.dot[:] = dots.ravel()
    ready = np.flatnonzero(state.on_line == READY)
    state.listed[: len(ready)] = ready
    state.scalars[:] = (len(ready), 0)


@inlined
def missing_dot(dot: Bytes, line: int) -> int:
    """Place of the first dot that `line` lacks."""
    step = STEP[line // AREA]
    place = line % AREA
    for _ in range(READY):
        place += step if dot[place] else 0
    return place


@inlined
def draw_line(
    count: Bytes, dot: Bytes, listed: Int64s, n_listed: int, line: int, place: int, reach: int
) -> int:
    """Add the dot at `place` and draw `line` through it; returns how many lines are listed then."""
    dot[place] = 1
    n = n_listed
    for direction in range(len(DIRECTIONS)):
        step = STEP[direction]
        through = direction * AREA + place
        for _ in range(LENGTH):
            dots = count[through] + 1
            count[through] = dots
            listed[n] = through  # without a branch that nobody can predict
            n += dots == READY
            through -= step
    step = STEP[line // AREA]
    for k in range(-reach, reach + 1):
        count[line + k * step] |= BLOCKED
    kept = 0
    for index in range(n):
        other = listed[index]
        listed[kept] = other
        kept += count[other] == READY
    return min(kept, len(listed) - MOST_NEW)


@inlined
def copy_sheet(source: Any, target: Any) -> None:
    """Copy all but the moves, of a state or of a sheet without moves."""
    copy_items(source.on_line, target.on_line)
    copy_items(source.dot, target.dot)
    for index in range(source.scalars[N_LISTED]):
        target.listed[index] = source.listed[index]
    copy_items(source.scalars, target.scalars)
