"""Row of a played game, as a line of JSON, and the checks of its fields."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Annotated, Any

from pipeline.comparing.journal import Journal, RowKind
from solver.errors import FieldError, InputError, quoted
from solver.system.fields import Range, fields_of

#: Larger numbers are damage: no game has more of what is counted or measured in it.
MOST = 1 << 63
MOST_PLAYERS = 100

Number = Annotated[int, Range(0, MOST)]
Time = Annotated[float, Range(0, MOST)]


@dataclasses.dataclass(frozen=True)
class GameRow:
    """A game that was played."""

    game: str
    options: str
    """Options of the game, as JSON."""
    match: str
    one: str
    other: str
    playouts: Annotated[int, Range(1)] | None
    """Playouts of a move."""
    seconds: Annotated[float, Range(0, math.inf, above=True)] | None
    number: Number
    """Number of the game in its match, from 0; decides the seats."""
    seed: Annotated[int, Range(0)]
    seat: Number
    """Seat of `one`."""
    players: Annotated[int, Range(1, MOST_PLAYERS)]
    score: Annotated[float, Range(0, 1)]
    """Score of `one`: 1 if it has won, shares of that if others have, too."""
    moves: str
    """Texts of the moves, with blanks between them."""
    length: Number
    playouts_one: Number
    """Playouts of `one` in all its searches."""
    seconds_one: Time
    playouts_other: Number
    seconds_other: Time
    sources: str = ""
    """Digest of the modules that it was played with, and of the rules."""
    full: Number = 0
    """Searches that had too little memory for all states."""
    memory: Number = 0
    """Bytes that a tree might have."""

    @property
    def key(self) -> tuple[Any, ...]:
        """Unique key of the game."""
        return self.game, self.options, self.match, self.number, self.seed


def read_row(line: bytes, source: str) -> GameRow:
    """Read a line of a journal.

    Raises
    ------
    InputError
        If it is no row of a game, or a field does not fit; `source` begins the message.
    """
    found = _read_fields(line, source)
    fields = fields_of(GameRow)
    try:
        for name, value in found.items():
            fields[name].check(value)
    except FieldError as error:
        raise InputError(f"{source}: {error}") from None
    row = GameRow(**found)
    _check_texts(row, source)
    if row.seat >= row.players:
        raise InputError(f"{source}: seat is {row.seat}, expected 0 ... {row.players - 1}")
    if (row.playouts is None) == (row.seconds is None):
        given = f"playouts is {row.playouts} and seconds is {row.seconds}"
        raise InputError(f"{source}: {given}, expected one of them and null")
    if row.length != (moves := len(row.moves.split())):
        raise InputError(f"{source}: length is {row.length}, expected that of the moves, {moves}")
    return row


def _check_texts(row: GameRow, source: str) -> None:
    """Refuse texts that could not be written to a report, and options that are no JSON object."""
    for name, value in vars(row).items():
        if isinstance(value, str) and not _is_writable(value):
            raise InputError(f"{source}: {name} is {quoted(value)}, expected a text")
    try:
        options = json.loads(row.options)
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict) or not all(
        _is_writable(f"{name} {value}") for name, value in options.items()
    ):
        given = quoted(row.options)
        raise InputError(f"{source}: options is {given}, expected a JSON object")


def _is_writable(text: str) -> bool:
    """Return whether UTF-8 can write `text`: JSON may have half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode() == text


def _read_fields(line: bytes, source: str) -> dict[str, Any]:
    """Read an object that has the fields of a row and no others."""
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{source}: no row of a game, expected a JSON object")
    fields = {field.name: field.default for field in dataclasses.fields(GameRow)}
    missing = [name for name, value in fields.items() if value is dataclasses.MISSING]
    for name in missing:
        if name not in found:
            raise InputError(f"{source}: no row of a game, expected a field {name}")
    for name in found:
        if name not in fields:
            expected = ", ".join(fields)
            raise InputError(f"{source}: no field {quoted(name)}, expected one of: {expected}")
    return found


GameJournal = Journal[tuple[Any, ...], GameRow]

#: Games; one whose trees had too little memory may be played again with more.
GAME_ROWS: RowKind[tuple[Any, ...], GameRow] = RowKind(
    read=read_row,
    plain=dataclasses.asdict,
    key=lambda row: row.key,
    is_finished=lambda row: not row.full,
)
