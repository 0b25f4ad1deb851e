"""A row for each game, kept as soon as it is over: a match goes on where it was interrupted."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

from solver.compiling.sources import SOURCES
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
    """Reward of `one`."""
    moves: str
    """As they are written, with blanks between them."""
    length: int
    playouts_one: int
    """Of all its searches."""
    seconds_one: float
    playouts_other: int
    seconds_other: float
    sources: str = SOURCES
    """Digest of the sources that it was played with."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells it from others."""
        return self.game, self.options, self.match, self.number, self.seed


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
            text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
            whole, end, cut = text.rpartition("\n")
            if cut:  # killed in the middle of a line
                os.truncate(self.path, len((whole + end).encode()))
        except OSError as error:
            raise WriteError(self.path, error) from error
        for number, line in enumerate(whole.splitlines(), start=1):
            self._read(line, number)

    def _read(self, line: str, number: int) -> None:
        try:
            row = GameRow(**json.loads(line))
        except (ValueError, TypeError) as error:
            message = f"{self.path}, line {number}: no row of a game ({error})"
            raise InputError(message) from error
        self.rows[row.key] = row

    def add(self, row: GameRow) -> None:
        """Keep a row."""
        self.rows[row.key] = row
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(dataclasses.asdict(row)) + "\n")
        except OSError as error:
            raise WriteError(self.path, error) from error
