"""Files of starts of Morpion Solitaire, and of games that go on."""

from __future__ import annotations

from functools import partial

import numpy as np

from solver.contract.problems import Pieces
from solver.domains.morpion.pentasol import is_pentasol, parse_pentasol
from solver.domains.morpion.text import (
    CROSS,
    NO_MOVES,
    VARIANTS,
    Game,
    Start,
    Variant,
    check_start,
    parse_game,
    wrong_move,
)
from solver.errors import InputError, quoted
from solver.system.text_blocks import NumberedLine, named_blocks, numbered_lines

WRITTEN = {".": 0, "o": 1, "O": 1}


def start_pieces(text: str, source: str, variant: Variant) -> Pieces[Start]:
    """Tell the starts in `text` apart; those that name no rules are played by `variant`.

    Raises
    ------
    InputError
        If there is none. Pieces do for ragged lines, unknown characters, starts without a dot and
        moves that cannot be made; the message names `source`, line and position.
    """
    blocks = list(named_blocks(numbered_lines(text), source))
    if not blocks:
        raise InputError(f"{source}: no start found, expected lines of o and .")
    return [(name, partial(_parse_block, block, source, variant)) for name, block in blocks]


def _parse_block(block: list[NumberedLine], source: str, chosen: Variant) -> Start:
    if is_pentasol(block[0][1]):
        start = Start(CROSS, moves=parse_pentasol(block, source))
        _check_moves(start, chosen, source, [number for number, _ in block[1:]])
        return start
    variant = ""
    first, word = block[0][0], block[0][1].strip().upper()
    if word in VARIANTS:
        variant, block = word, block[1:]
    if not block:
        raise InputError(f"{source}: line {first}: no lines of o and . below {variant}")
    rows: list[list[int]] = []
    games: list[Game] = []
    numbers: list[int] = []
    for number, line in block:
        if rows and "," in line:
            games.append(parse_game(line, f"{source}: line {number}"))
            numbers += [number] * len(games[-1])
        elif games:
            raise InputError(f"{source}: line {number}: {quoted(line.strip())} below moves")
        else:
            rows.append(_parse_row(line, f"{source}: line {number}"))
            if len(rows[-1]) != len(rows[0]):
                raise InputError(
                    f"{source}: line {number}: {len(rows[-1])} points, expected {len(rows[0])} as "
                    f"in line {block[0][0]}"
                )
    cells = np.array(rows, np.int8)
    start = Start(cells, variant, np.concatenate(games) if games else NO_MOVES)
    check_start(start, f"{source}: line {first}")
    _check_moves(start, chosen, source, numbers)
    return start


def _parse_row(line: str, where: str) -> list[int]:
    row = []
    for position, character in enumerate(line, start=1):
        if character.isspace():
            continue
        if character not in WRITTEN:
            raise InputError(
                f"{where}, position {position}: {character!r}, expected o for a dot or ."
            )
        row.append(WRITTEN[character])
    return row


def _check_moves(start: Start, chosen: Variant, source: str, numbers: list[int]) -> None:
    """Raise `InputError` with the line of a move, one of `numbers` each, that cannot be made."""
    wrong = wrong_move(start, start.moves, start.variant or chosen, on_sheet=True)
    if wrong is not None:
        raise InputError(f"{source}: line {numbers[wrong[0]]}: {wrong[1]}")
