"""Tournament: matches from one position, whose games a journal keeps."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.comparing.journal import Journal
from pipeline.matches.methods import Match
from pipeline.matches.rows import GAME_ROWS, GameJournal
from pipeline.tables.names import GAMES_FILE
from solver.contract.domain import Game, Problem
from solver.contract.identity import domain_digest, rules_digest
from solver.errors import InputError
from solver.searching.analysis import MEMORY


@dataclasses.dataclass(frozen=True)
class Tournament:
    """Matches of a game from a position, each of so many games."""

    game: Game
    problem: Problem
    options: Any
    matches: Sequence[Match]
    games: int
    seed: int = 0
    memory: int = MEMORY

    def key(self, match: Match, number: int) -> tuple[Any, ...]:
        """The `key` of the row of a game."""
        return self.game.name, self.setting, match.name, number, self.seed

    @functools.cached_property
    def setting(self) -> str:
        """Starting position of the games and the options that act on them, as JSON.

        A position is told apart by its text: files of one name may differ. Rules that are off are
        left out, as they are of games that were played before there were such rules.
        """
        options = {
            name: value
            for name, value in dataclasses.asdict(self.options).items()
            if value is not None and value is not False
        }
        start = self.game.start(self.options)
        text = self.game.format_problem(self.problem)
        if text == self.game.format_problem(start):
            return json.dumps({"position": start.name, **options})
        of_start = self.game.start_options
        acting = {name: value for name, value in options.items() if name not in of_start}
        return json.dumps({"position": text, **acting})

    @functools.cached_property
    def players(self) -> int:
        """Number of players of a game."""
        return self.game.players(self.game.instance(self.problem, self.options))

    @property
    def jobs(self) -> list[GameJob]:
        """Every game, match by match."""
        return [
            GameJob(self, match, number) for match in self.matches for number in range(self.games)
        ]


@dataclasses.dataclass(frozen=True)
class GameJob:
    """A game to play."""

    tournament: Tournament
    match: Match
    number: int
    """Number of the game in its match, from 0; decides the seats."""

    @property
    def key(self) -> tuple[Any, ...]:
        """The `key` of its row."""
        return self.tournament.key(self.match, self.number)

    def is_finished(self, journal: GameJournal) -> bool:
        """Return whether the game is in `journal` and need not be played again.

        Raises
        ------
        InputError
            If it was played by more or fewer players.
        """
        row = journal.rows.get(self.key)
        if row is None:
            return False
        if row.players != (players := self.tournament.players):
            raise InputError(f"{journal.where(row)}: players is {row.players}, expected {players}")
        return not row.full or row.memory == self.tournament.memory


def game_journal(folder: Path) -> GameJournal:
    """Return the journal of the games of a folder.

    Raises
    ------
    InputError
        If its file cannot be read or written.
    """
    return Journal(folder / GAMES_FILE, GAME_ROWS)


def sources_of(game: Game) -> str:
    """Digest of the modules that a game is played with, and that of its rules."""
    return f"{domain_digest(game, 'pipeline.matches.play')} {rules_digest(game)}"


def check_rules(journal: GameJournal, game: Game) -> None:
    """Raise an `InputError` if `journal` has games of other rules than those of `game`."""
    rules = rules_digest(game)
    for row in journal.rows.values():
        played = row.sources.partition(" ")[2] or rules  # rows of older versions lack it
        if row.game == game.name and played != rules:
            raise InputError(
                f"{journal.path}: games of other rules of {game.name}, expected another --out"
            )
