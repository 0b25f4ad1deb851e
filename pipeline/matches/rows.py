"""A row for each game that was played, as a line of JSON, and what its fields may be."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from solver.compiling.sources import SOURCES
from solver.errors import InputError, quoted

#: Larger numbers are damage: no game has more of what is counted or measured in it.
MOST = 1 << 63
MOST_PLAYERS = 100


@dataclasses.dataclass(frozen=True)
class GameRow:
    """A game that was played."""

    game: str
    options: str
    """Of the game, as JSON."""
    match: str
    one: str
    other: str
    playouts: int | None
    """Of a move."""
    seconds: float | None
    number: int
    """In the match, from 0: it decides the seats."""
    seed: int
    seat: int
    """Of `one`."""
    players: int
    score: float
    """Of `one`: 1 if it has won, shares of that if others have, too."""
    moves: str
    """As they are written, with blanks between them."""
    length: int
    playouts_one: int
    """Of all its searches."""
    seconds_one: float
    playouts_other: int
    seconds_other: float
    sources: str = SOURCES
    """Digest of the sources that it was played with, and of the rules where they do not ship."""
    full: int = 0
    """Searches that had too little memory for all states."""
    memory: int = 0
    """Bytes that a tree might have."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from others."""
        return self.game, self.options, self.match, self.number, self.seed


class _Kind(NamedTuple):
    """What a field may be."""

    fits: Callable[[Any], bool]
    expected: str


def _is_text(value: Any) -> bool:
    # Half of a surrogate pair, which JSON can have, could not be written to a report.
    return isinstance(value, str) and value.encode("utf-8", "replace").decode() == value


def _is_object(value: Any) -> bool:
    try:
        found = json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and all(_is_text(f"{k} {v}") for k, v in found.items())


def _is_count(value: Any, least: int = 0, most: float = MOST) -> bool:
    return type(value) is int and least <= value <= most


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= MOST


def _is_time(value: Any) -> bool:
    return (_is_number(value) or type(value) is float) and value > 0


#: By the type of a field.
KINDS = {
    "str": _Kind(_is_text, "a text"),
    "int": _Kind(_is_count, "a whole number, 0 or more"),
    "float": _Kind(_is_number, "a number, 0 or more"),
}
#: Of fields that have something else to choose from; seeds and budgets are as they were asked for.
BY_NAME = {
    "options": _Kind(_is_object, "a JSON object"),
    "playouts": _Kind(
        lambda n: n is None or _is_count(n, 1, math.inf), "a whole number above 0, or null"
    ),
    "seconds": _Kind(lambda t: t is None or _is_time(t), "a number above 0, or null"),
    "seed": _Kind(lambda n: _is_count(n, 0, math.inf), "a whole number, 0 or more"),
    "players": _Kind(lambda n: _is_count(n, 1, MOST_PLAYERS), f"1 ... {MOST_PLAYERS}"),
    "score": _Kind(lambda share: _is_number(share) and share <= 1, "a number, 0 ... 1"),
}


def read_row(line: bytes, source: str) -> GameRow:
    """Read a line of a journal.

    Raises
    ------
    InputError
        If it is no row of a game, or a field does not fit; `source` begins the message.
    """
    found = _read_fields(line, source)
    for field in dataclasses.fields(GameRow):
        kind = BY_NAME.get(field.name) or KINDS[str(field.type)]
        if field.name in found and not kind.fits(found[field.name]):
            value = quoted(found[field.name])
            raise InputError(f"{source}: {field.name} is {value}, expected {kind.expected}")
    row = GameRow(**found)
    if row.seat >= row.players:
        raise InputError(f"{source}: seat is {row.seat}, expected 0 ... {row.players - 1}")
    if (row.playouts is None) == (row.seconds is None):
        given = f"playouts is {row.playouts} and seconds is {row.seconds}"
        raise InputError(f"{source}: {given}, expected one of them and null")
    if row.length != (moves := len(row.moves.split())):
        raise InputError(f"{source}: length is {row.length}, expected that of the moves, {moves}")
    return row


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
