r"""Starts of Morpion Solitaire as text, games as text, and the rules in plain Python.

A start is lines of `o`, a dot, and `.`, with blanks between them or without; a line `5D` or `5T`
above them says by which rules it is played, else an option does. Moves that are played already
may stand below them. Several starts are separated by
blank lines; lines that start with `#` are comments, the last one before a start names it.

A move is `column,row`, the new dot, counted from 1 at the left and from above in the start, so that
they may be negative; the direction of the line, one of - | \ /; and which dot of the line is
the new one, 1 ... 5, from the left, in a column from above. `7,1-5` is a line of columns 3 to 7.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from solver.domains.morpion.board import DIRECTIONS, LENGTH, MARGIN, MAX_START, SIZE
from solver.errors import InputError, VerificationError, quoted, quoted_entry

Variant = Literal["5D", "5T"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
#: Least distance of origins of lines on one track, less one.
REACH = {"5D": LENGTH - 1, "5T": LENGTH - 2}
SIGNS = "-|\\/"
MOVE = re.compile(r"(-?\d{1,3}),(-?\d{1,3})([-|\\/])([1-5])", re.ASCII)

Cells = npt.NDArray[np.int8]
Game = npt.NDArray[np.int64]
"""int64[moves, 4]: column and row of the new dot, from 0; direction; its number in the line."""
Point = tuple[int, int]

NO_MOVES: Game = np.zeros((0, 4), np.int64)


class Start(NamedTuple):
    """Starting position."""

    cells: Cells
    """int8[height, width]: 1 for a dot."""
    variant: str = ""
    """5D, 5T, or nothing: as the option says."""
    moves: Game = NO_MOVES
    """int64[moves, 4]: moves that are played already."""


def _cross() -> Cells:
    """Start of the game as it is played: 36 dots around a cross."""
    edge = [3, 4, 5, 6]
    rows = [edge, [3, 6], [3, 6], [0, 1, 2, 3, 6, 7, 8, 9], [0, 9]]
    cells = np.zeros((10, 10), np.int8)
    for y, columns in enumerate([*rows, *rows[::-1]]):
        cells[y, columns] = 1
    return cells


CROSS = _cross()


def check_start(start: Start, source: str) -> None:
    """Raise `InputError` unless a game can begin so."""
    cells, variant, moves = start
    if cells.ndim != 2:
        raise InputError(f"{source}: an array of {cells.ndim} dimensions, expected rows of points")
    height, width = cells.shape
    if not (1 <= width <= MAX_START and 1 <= height <= MAX_START):
        raise InputError(
            f"{source}: a start of {width} x {height} points, expected {MAX_START} x {MAX_START} "
            "at most"
        )
    if not np.isin(cells, (0, 1)).all():
        raise InputError(f"{source}: a point is neither 0 nor 1")
    if not cells.any():
        raise InputError(f"{source}: a start without a dot")
    if variant and variant not in VARIANTS:
        raise InputError(f"{source}: {quoted(variant)}, expected {' or '.join(VARIANTS)}")
    if moves.ndim != 2 or moves.shape[1] != 4:
        raise InputError(f"{source}: moves of shape {moves.shape}, expected four numbers each")


def format_start(start: Start) -> str:
    """Write a start in the format that is read."""
    head = f"{start.variant}\n" if start.variant else ""
    rows = ("".join(".o"[int(cell)] for cell in row) for row in start.cells)
    moves = format_game(start.moves) if len(start.moves) else ""
    return head + "\n".join(rows) + "\n" + moves


def format_game(game: Game) -> str:
    """Write moves on a line."""
    words = (f"{x + 1},{y + 1}{SIGNS[sign]}{number + 1}" for x, y, sign, number in game.tolist())
    return " ".join(words) + "\n"


def parse_game(text: str, source: str) -> Game:
    """Read the text of `format_game`."""
    moves = []
    for position, word in enumerate(text.split(), start=1):
        match = MOVE.fullmatch(word)
        if not match:
            raise InputError(
                f"{source}: move {position}: {quoted_entry(word)}, expected column,row, one of "
                f"{' '.join(SIGNS)} and 1 ... 5"
            )
        x, y, sign, number = match.groups()
        moves.append([int(x) - 1, int(y) - 1, SIGNS.index(sign), int(number) - 1])
    return np.array(moves, np.int64).reshape(-1, 4)


def points_of(move: list[int]) -> list[Point]:
    """The five points of the line of a move, the first as its direction goes."""
    x, y, sign, number = move
    right, down = DIRECTIONS[sign]
    return [(x + (k - number) * right, y + (k - number) * down) for k in range(LENGTH)]


def check_game(start: Start, game: Game, variant: str) -> None:
    """Play `game` by the rules of `variant`.

    Raises
    ------
    VerificationError
        If a move is none, naming it, or the game has not the moves of the start.
    """
    wrong = wrong_move(start, game, variant)
    if wrong is not None:
        raise VerificationError(wrong[1])
    if not np.array_equal(game[: len(start.moves)], start.moves):
        raise VerificationError("the game does not begin with the moves of its start")


def wrong_move(
    start: Start, game: Game, variant: str, *, on_sheet: bool = False
) -> tuple[int, str] | None:
    """Return the index of the first move of `game` that is none, and why; None if all are right.

    `on_sheet`: dots beyond the sheet of searches are wrong, too. Of a game that is right in 5T the
    reason names that variant, unless the start names its variant.
    """
    wrong = _wrong_move(start, game, variant, on_sheet)
    if wrong is None or variant == "5T" or start.variant:
        return wrong
    if _wrong_move(start, game, "5T", on_sheet) is not None:
        return wrong
    return wrong[0], f"{wrong[1]}; legal in the variant 5T"


def _wrong_move(start: Start, game: Game, variant: str, on_sheet: bool) -> tuple[int, str] | None:
    """Return as `wrong_move`, by the rules of one variant."""
    dots = {(int(x), int(y)) for y, x in np.argwhere(start.cells)}
    drawn: set[tuple[int, Point]] = set()  # direction and first point
    height, width = start.cells.shape
    left, top = (SIZE - width) // 2, (SIZE - height) // 2
    for index, move in enumerate(game.tolist()):
        x, y, sign, number = move
        if not (0 <= sign < len(SIGNS) and 0 <= number < LENGTH):
            return index, f"move {index + 1}: no such line"
        what = f"move {index + 1}, {x + 1},{y + 1}{SIGNS[sign]}{number + 1}"
        points = points_of(move)
        if (x, y) in dots:
            return index, f"{what}: there is a dot already"
        missing = [point for point in points if point not in dots and point != (x, y)]
        if missing:
            return index, f"{what}: no dot at {missing[0][0] + 1},{missing[0][1] + 1}"
        (first_x, first_y), (right, down) = points[0], DIRECTIONS[sign]
        for k in range(-REACH[variant], REACH[variant] + 1):
            if (sign, (first_x + k * right, first_y + k * down)) in drawn:
                shared = "shares a dot with" if variant == "5D" else "overlaps"
                return index, f"{what}: {shared} a line of its direction"
        if on_sheet and not all(MARGIN <= p < SIZE - MARGIN for p in (x + left, y + top)):
            return index, f"{what}: outside of the {SIZE - 2 * MARGIN} x {SIZE - 2 * MARGIN} sheet"
        dots.add((x, y))
        drawn.add((sign, points[0]))
    return None
