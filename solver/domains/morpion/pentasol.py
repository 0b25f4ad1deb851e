r"""Games of Morpion Solitaire in the notation of the Pentasol player, that of published records.

The first line is a reference, `(28,28)`: column and row of the inner corner of the cross at the
upper left, which is column 4, row 4 of the cross. A move is a line `(27,25) - +2`: the new dot,
from the left and from above; the direction of its line, one of - | \ /; and how far ahead the
middle of the line is, `+2` for the first of its dots, from the left, in a column from above, `0`
for the middle one, `-2` for the last. The rules, 5D or 5T, are not written.
"""

from __future__ import annotations

import re

import numpy as np

from solver.domains.morpion.text import SIGNS, Game
from solver.errors import InputError, quoted_entry
from solver.system.text_blocks import NumberedLine

#: Column and row of the inner corner, from 0, and where records have it.
CORNER, WRITTEN_CORNER = 3, 28
MIDDLE = 2

REFERENCE = re.compile(r"\(\s*(-?\d{1,4})\s*,\s*(-?\d{1,4})\s*\)", re.ASCII)
MOVE = re.compile(REFERENCE.pattern + r"\s*([-|\\/])\s*([+-][12]|[+-]?0)", re.ASCII)


def is_pentasol(line: str) -> bool:
    """Return whether the first line of a game is in this notation."""
    return line.lstrip().startswith("(")


def parse_pentasol(lines: list[NumberedLine], source: str) -> Game:
    """Read a reference and moves.

    Raises
    ------
    InputError
        If a line is neither; the message names `source` and the line.
    """
    number, line = lines[0]
    reference = REFERENCE.fullmatch(line.strip())
    if not reference:
        raise InputError(
            f"{source}: line {number}: {quoted_entry(line.strip())}, expected the reference "
            "point of a Pentasol file, as (28,28)"
        )
    left, top = (int(word) - CORNER for word in reference.groups())
    moves = []
    for number, line in lines[1:]:
        match = MOVE.fullmatch(line.strip())
        if not match:
            raise InputError(
                f"{source}: line {number}: {quoted_entry(line.strip())}, expected a move "
                "as (27,25) - +2"
            )
        x, y, sign, ahead = match.groups()
        moves.append([int(x) - left, int(y) - top, SIGNS.index(sign), MIDDLE - int(ahead)])
    return np.array(moves, np.int64).reshape(-1, 4)


def format_pentasol(game: Game) -> str:
    """Write a game from the cross."""
    shift = WRITTEN_CORNER - CORNER
    lines = [f"({WRITTEN_CORNER},{WRITTEN_CORNER})"]
    for x, y, sign, number in game.tolist():
        ahead = f"{MIDDLE - number:+}" if number != MIDDLE else "0"
        lines.append(f"({x + shift},{y + shift}) {SIGNS[sign]} {ahead}")
    return "\n".join(lines) + "\n"
