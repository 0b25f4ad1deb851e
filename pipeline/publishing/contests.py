"""Matches that judge tables of games: what a race and a gate are for puzzles."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.comparing.journal import Journal
from pipeline.learning.learn import LearnPlan
from pipeline.matches.methods import Guide, Match, Method
from pipeline.matches.play import play_games
from pipeline.matches.rows import GAME_ROWS, GameJournal
from pipeline.matches.tournament import Tournament, check_rules
from pipeline.publishing.digests import read_digest
from pipeline.publishing.evaluate import BETTER, NOT_WORSE, PUBLISHED, UNDECIDED, WORSE
from pipeline.publishing.held_out import with_texts
from pipeline.requests.evaluation import parameters_in
from pipeline.results.statistics import Estimate, Floats, wilson_interval
from solver.algorithms import tree_algorithm_named
from solver.algorithms.words import name_in, parsed_settings, settings_in
from solver.contract.domain import Game
from solver.contract.identity import domain_digest
from solver.errors import WriteError
from solver.priors.priors import NO_PRIOR
from solver.priors.tables import BIAS
from solver.system.fields import fields_of
from solver.system.interrupt import stop_on_interrupt

#: Bytes of a tree: enough for some 100,000 playouts on the boards that ship.
MEMORY = 1 << 28
#: Unit of a gain.
POINTS = "points of a game more than an even match gives"


@dataclass(frozen=True)
class Contest:
    """Matches of a game at so many playouts a move; finished games are kept in a journal.

    Random numbers of a game depend on its number, the seed and the contents of the tables: results
    are the same bytes whatever the number of threads.
    """

    game: Game
    options: Any
    """Options of the game."""
    playouts: int
    seed: int
    threads: int
    path: Path
    """File of the journal."""
    progress: Callable[[int], None] | None = None

    @property
    def even(self) -> float:
        """Mean score of equals."""
        instance = self.game.instance(self.game.start(self.options), self.options)
        return 1.0 / self.game.players(instance)

    def scores(self, pairs: Sequence[tuple[Method, Method]], games: range) -> list[Floats]:
        """Scores of the first of each pair against the second, float64[games] each.

        Raises
        ------
        InputError
            If the journal has games of other rules.
        """
        start = self.game.start(self.options)
        matches = [Match(one, other, self.playouts, None) for one, other in pairs]
        tournaments = [
            Tournament(self.game, start, self.options, [match], games.stop, self.seed, MEMORY)
            for match in matches
        ]
        jobs = [job for one in tournaments for job in one.jobs if job.number in games]
        stop = threading.Event()
        try:
            journal: GameJournal = Journal(self.path, GAME_ROWS)
            check_rules(journal, self.game)
            with stop_on_interrupt(stop):
                play_games(jobs, journal, threads=self.threads, stop=stop, progress=self.progress)
        except OSError as error:
            raise WriteError(self.path, error) from error
        if stop.is_set():  # also when the last game ended after it
            raise KeyboardInterrupt
        found = [journal.rows[job.key].score for job in jobs]
        return list(np.array(found, np.float64).reshape(len(pairs), len(games)))


def contest_of(
    game: Game,
    plan: LearnPlan,
    changes: str,
    option: str,
    *,
    playouts: int,
    seed: int,
    threads: int,
    path: Path,
    progress: Callable[[int], None] | None = None,
) -> Contest:
    """Return matches with the options of the game of `plan`, but for `changes`.

    Parameters
    ----------
    path : Path
        File of the journal; its folder gets the digest of the sources behind its name.

    Raises
    ------
    InputError
        If an option that `changes` names is unknown or does not fit; `option` has given them.
    """
    sources = domain_digest(game, "pipeline.matches.play")
    kept = path.parent.with_name(f"{path.parent.name}-{sources}") / path.name
    texts = parameters_in(changes, option)
    options = with_texts(plan.options, texts, option)
    return Contest(game, options, playouts, seed, threads, kept, progress)


def guided(word: str, table: Path | None, temperature: float | None = None, **more: Any) -> Method:
    """Return the tree search of `word` with the table in its tree.

    Parameters
    ----------
    word : str
        Name of a search, perhaps with parameters, as mcps:ref=10.
    table : Path, optional
        File of the bias table; by default there is none.
    temperature : float, optional
        By default that of the table.
    **more
        Further parameters of the search; `within` says where the prior acts.

    Raises
    ------
    InputError
        If there is no such search, or a parameter does not fit.
    """
    cls = tree_algorithm_named(name_in(word))
    kinds = fields_of(cls)
    given = parsed_settings(word, settings_in(word, list(kinds)), kinds)
    within = more.pop("within", "tree")
    algorithm = cls(**{**given, **more})
    told = {**given, **more, "temperature": temperature, "in": within}
    words = [f"{name}={value}" for name, value in told.items() if value is not None]
    digest = NO_PRIOR.name if table is None else read_digest(table, BIAS)[:12]
    guide = Guide() if table is None else Guide(str(table), within, temperature)
    return Method(":".join([cls.name, *words, f"table={digest}"]), algorithm, (), guide)


def gain_of(scores: Floats, even: float) -> Estimate:
    """Mean score less that of an even match, with its Wilson interval."""
    low, high = wilson_interval(scores.sum(), len(scores))
    return Estimate(float(scores.mean()) - even, float(low) - even, float(high) - even)


def judged(scores: Floats, even: float, margin: float) -> dict[str, Any]:
    """Return the verdict on who has `scores`, and what it rests on.

    Better if the interval of the gain begins above 0, not worse if above minus `margin`.
    """
    gain = gain_of(scores, even)
    if gain.low > 0:
        verdict = BETTER
    elif gain.low >= -margin:
        verdict = NOT_WORSE
    else:
        verdict = WORSE if gain.high < 0 else UNDECIDED
    return {
        "verdict": verdict,
        "publish": verdict in PUBLISHED,
        "games": len(scores),
        "unit": POINTS,
        "gain": gain._asdict(),
    }
