"""A row for each game, kept as soon as it is over: a match goes on where it was interrupted."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pipeline.matches.rows import GameRow, read_row
from pipeline.tables.names import GAMES_FILE
from solver.contract.domain import Game
from solver.contract.identity import domain_digest, rules_digest
from solver.errors import InputError, WriteError
from solver.system.files import journal_lines, make_folder, only_writer


def sources_of(game: Game) -> str:
    """Digest of the modules that a game is played with, and that of its rules."""
    return f"{domain_digest(game, 'pipeline.matches.play')} {rules_digest(game)}"


class Journal:
    """The rows of a folder.

    Raises
    ------
    InputError
        If its file cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / GAMES_FILE
        self.rows: dict[tuple[Any, ...], GameRow] = {}
        self._lines: dict[tuple[Any, ...], int] = {}
        self._n_lines = 0
        try:
            make_folder(folder)
            for number, line in journal_lines(self.path) if self.path.exists() else ():
                self._keep(read_row(line, f"{self.path}, line {number}"))
        except OSError as error:
            raise WriteError(self.path, error) from error

    def _keep(self, row: GameRow) -> None:
        self._n_lines += 1
        self.rows[row.key] = row
        self._lines[row.key] = self._n_lines

    def where(self, row: GameRow) -> str:
        """File and line of a row, as messages name them."""
        return f"{self.path}, line {self._lines[row.key]}"

    def check_rules(self, game: Game) -> None:
        """Raise an `InputError` where games have been played by other rules than `game` has."""
        rules = rules_digest(game)
        for row in self.rows.values():
            played = row.sources.partition(" ")[2] or rules  # not said in old rows
            if row.game == game.name and played != rules:
                raise InputError(
                    f"{self.path}: games of other rules of {game.name}, expected another --out"
                )

    def add(self, row: GameRow) -> None:
        """Keep a row."""
        try:
            with self.path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(json.dumps(dataclasses.asdict(row)) + "\n")
        except OSError as error:
            raise WriteError(self.path, error) from error
        self._keep(row)


@contextmanager
def open_journal(folder: Path) -> Iterator[Journal]:
    """Yield the journal of `folder`, for one command at a time; a killed one has given it up.

    Raises
    ------
    InputError
        If it cannot be read or written, or another command is writing it.
    """
    with only_writer(folder / GAMES_FILE):
        yield Journal(folder)
