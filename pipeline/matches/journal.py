"""A row for each game, kept as soon as it is over: a match goes on where it was interrupted."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from solver.compiling.sources import SOURCES, rules_digest
from solver.domain import Game
from solver.errors import InputError, WriteError
from solver.system.files import make_folder


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


def sources_of(game: Game) -> str:
    """Digest of the sources that a game is played with."""
    return f"{SOURCES} {rules_digest(game)}".rstrip()


class Journal:
    """The rows of a folder.

    Raises
    ------
    InputError
        If its file cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "games.jsonl"
        self.rows: dict[tuple[Any, ...], GameRow] = {}
        try:
            make_folder(folder)
            content = self.path.read_bytes() if self.path.exists() else b""
            whole = content[: content.rfind(b"\n") + 1]
            for number, line in enumerate(whole.splitlines(), start=1):
                self._read(line, number)
            if len(whole) < len(content):  # killed in the middle of a line
                os.truncate(self.path, len(whole))
        except OSError as error:
            raise WriteError(self.path, error) from error

    def _read(self, line: bytes, number: int) -> None:
        try:
            row = GameRow(**json.loads(line.decode("utf-8-sig")))
        except (ValueError, TypeError) as error:
            message = f"{self.path}, line {number}: no row of a game ({error})"
            raise InputError(message) from error
        self.rows[row.key] = row

    def check_rules(self, game: Game) -> None:
        """Raise an `InputError` where games have been played by other rules than `game` has."""
        _, _, rules = sources_of(game).partition(" ")
        for row in self.rows.values():
            if row.game == game.name and row.sources.partition(" ")[2] != rules:
                raise InputError(
                    f"{self.path}: games of other rules of {game.name}, expected another --out"
                )

    def add(self, row: GameRow) -> None:
        """Keep a row."""
        self.rows[row.key] = row
        try:
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(json.dumps(dataclasses.asdict(row)) + "\n")
        except OSError as error:
            raise WriteError(self.path, error) from error
