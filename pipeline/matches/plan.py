"""Plan of matches from their request: tournaments, and their games."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.comparing.comparison import Comparison
from pipeline.matches.methods import Method, matches_of
from pipeline.matches.play import Seats, play_games
from pipeline.matches.replay import MOST_MATCHES, replays
from pipeline.matches.report import results, summary
from pipeline.matches.rows import GAME_ROWS, GameJournal, GameRow
from pipeline.matches.tournament import GameJob, Tournament, check_rules, game_journal
from pipeline.reports.replays import write_replays
from pipeline.requests.matches import MatchRequest
from pipeline.tables.names import GAMES_FILE
from solver.commands.subjects import find_game
from solver.compiling.user_files import errors_told_later
from solver.contract.domain import Game
from solver.contract.rules import reset
from solver.errors import InputError
from solver.system.files import replacing
from solver.system.interrupt import stop_on_interrupt

SUMMARY_FILE = "summary.md"
REPORT_FILE = "report.html"
#: Page of the games of a plan, beside the report of its runs.
GAMES_PAGE = "games.html"


@dataclass(frozen=True)
class MatchComparison(Comparison[GameJob, tuple[Any, ...], GameRow]):
    """Games between methods, as a request asks for them."""

    request: MatchRequest
    game: Game
    tournaments: list[Tournament]
    """One for each choice of options."""
    jobs: list[GameJob]
    """Games, tournament by tournament."""

    unit = "games"
    kind = GAME_ROWS

    @classmethod
    def of(cls, request: MatchRequest) -> MatchComparison:
        """Plan every game of `request`.

        Raises
        ------
        InputError
            If something that it names does not exist or does not fit.
        """
        game = find_game(request.subject)
        methods = [Method.of(method).checked(game) for method in request.methods]
        tournaments = [
            _tournament(game, request, game.options(**fields), methods)
            for fields in request.options
        ]
        jobs = [job for tournament in tournaments for job in tournament.jobs]
        return cls(request, game, tournaments, jobs)

    @property
    def journal_path(self) -> Path:
        """See `Comparison.journal_path`."""
        return self.out / GAMES_FILE

    def open_journal(self) -> GameJournal:
        """See `Comparison.open_journal`."""
        journal = game_journal(self.out)
        check_rules(journal, self.game)
        return journal

    def key(self, job: GameJob) -> tuple[Any, ...]:
        """See `Comparison.key`."""
        return job.key

    def identity(self, job: GameJob) -> str:
        """See `Comparison.identity`."""
        return hashlib.sha256(json.dumps(job.key).encode()).hexdigest()[:16]

    def is_finished(self, job: GameJob, journal: GameJournal) -> bool:
        """See `Comparison.is_finished`."""
        return job.is_finished(journal)

    def compilations(self, jobs: Sequence[GameJob]) -> Iterator[tuple[str, Callable[[], None]]]:
        """See `Comparison.compilations`."""
        for tournament in self.tournaments:
            if any(job.tournament is tournament for job in jobs):
                yield self.game.name, Seats(tournament).compile

    def run(
        self,
        jobs: Sequence[GameJob],
        journal: GameJournal,
        *,
        threads: int = 1,
        progress: Callable[[int], None] | None = None,
    ) -> bool:
        """See `Comparison.run`."""
        stop = threading.Event()
        with stop_on_interrupt(stop):
            play_games(jobs, journal, threads=threads, stop=stop, progress=progress)
        return not stop.is_set()  # also when the last game ended after it

    def keep(self, journal: GameJournal) -> None:
        """Write the results in Markdown, and a page with games to click through."""
        # The page first: it says which moves the rules do not have before anything is written.
        write_matches([(self, journal)], self.out / REPORT_FILE, f"Matches of {self.game.name}")
        with replacing(self.out / SUMMARY_FILE) as partial:
            partial.write_text(summary(journal.rows.values()), encoding="utf-8")

    def failed(self, journal: GameJournal) -> list[str]:
        """Return nothing: a game that fails ends the command."""
        return []


def _tournament(
    game: Game, request: MatchRequest, options: Any, methods: Sequence[Method]
) -> Tournament:
    problem = game.start(options)
    if request.position is not None:
        name, text = request.position
        (parsed,) = game.parse(text, name)
        problem = dataclasses.replace(parsed, name=name)
    for method in methods:
        game.instance(problem, method.options_of(options))  # refused before any is played
    players = game.players(game.instance(problem, options))
    matches = matches_of(methods, request.playouts, request.seconds, players)
    found = Tournament(game, problem, options, matches, request.games, request.seed, request.memory)
    if request.position is not None:
        is_over = False
        with errors_told_later():
            seats = Seats(found)
            reset(seats.instance, seats.state)
            is_over = seats.is_over()
        if is_over:
            raise InputError(f"{problem.name}: the game is over, nothing to play")
    return found


def write_matches(
    kept: Sequence[tuple[MatchComparison, GameJournal]], path: Path, title: str
) -> None:
    """Write a page of results and games, of one comparison or several.

    Raises
    ------
    InputError
        If the rules do not have the moves of a game that is shown.
    """
    rows = [row for _, journal in kept for row in journal.rows.values()]
    sources = [(t, journal) for comparison, journal in kept for t in comparison.tournaments]
    most = max(1, MOST_MATCHES // len(sources))
    shown = [game for t, journal in sources for game in replays(t, journal, most)]
    write_replays(path, title, results(rows), shown)
