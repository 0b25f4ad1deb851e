"""Playing the games of matches, several at a time."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from pipeline.matches.methods import Match, Method
from pipeline.matches.rows import GameJournal, GameRow
from pipeline.matches.tournament import GameJob, Tournament, check_rules, sources_of
from solver.compiling.random import new_stream
from solver.contract.rules import Floats, legal_moves, play, player, reset, rewards
from solver.searching.analysis import Analyst, guides_by
from solver.searching.driver import Budget
from solver.system.interrupt import result_of


def share_of_win(worth: Floats, seat: int) -> float:
    """Return 1 for the highest reward, shared among equals, and 0 for the others."""
    best = worth == worth.max()
    return float(best[seat] / best.sum())


class Seats:
    """Players in the games of a thread: an analyst for each method, made once."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self._analysts: dict[str, Analyst] = {}
        self.instance = tournament.game.instance(tournament.problem, tournament.options)
        self.state = tournament.game.new_state(self.instance)
        moves = max(tournament.game.limits(self.instance).moves, 1)
        self._moves = np.zeros(moves, np.int64)

    def analyst(self, method: Method) -> Analyst:
        """Return that of a method."""
        if method.name not in self._analysts:
            game, problem = self.tournament.game, self.tournament.problem
            instance = game.instance(problem, method.options_of(self.tournament.options))
            prior, within = method.guide.load(game), method.guide.within
            guides = guides_by(prior, within)
            memory, threads = self.tournament.memory, method.means.threads
            new = Analyst(game, instance, method.algorithm, memory, guides, threads)
            new.compile(keep=method.means.keep)  # before a clock runs
            self._analysts[method.name] = new
        return self._analysts[method.name]

    def compile(self) -> None:
        """Compile the kernels of all methods, or load them."""
        for match in self.tournament.matches:
            for method in (match.one, match.other):
                self.analyst(method)

    def is_over(self) -> bool:
        """Return whether the game has come to its end."""
        with np.errstate(over="ignore"):
            return not legal_moves(self.instance, self.state, new_stream(0), self._moves)

    def play(self, match: Match, number: int, stop: threading.Event) -> GameRow | None:
        """Play a game; None if it was stopped.

        Random numbers depend on seed, match, game and move alone.
        """
        tournament, instance, state = self.tournament, self.instance, self.state
        game, players = tournament.game, tournament.players
        seat, name = number % players, zlib.crc32(match.name.encode())
        spent: dict[bool, list[float]] = {True: [0, 0.0], False: [0, 0.0]}
        words, begun = list[str](), set[str]()
        full = 0
        reset(instance, state)
        while not self.is_over():
            ours = int(player(instance, state)) == seat
            method = match.one if ours else match.other
            analyst, keep = self.analyst(method), method.means.keep and method.name in begun
            begun.add(method.name)
            budget, key = Budget(match.playouts, match.seconds), (name, number, len(words))
            begin = time.perf_counter()
            move = analyst.choose(state, budget, tournament.seed, *key, stop=stop, keep=keep)
            if stop.is_set():
                return None
            full += analyst.run.full
            spent[ours][0] += analyst.run.played
            spent[ours][1] += time.perf_counter() - begin
            words.append(game.format_move(instance, state, move))
            play(instance, state, move)
        worth = np.zeros(players)
        rewards(instance, state, worth)
        name, options, match_name, *_ = tournament.key(match, number)
        return GameRow(
            game=str(name), options=options, match=match_name, one=match.one.name,
            other=match.other.name, playouts=match.playouts, seconds=match.seconds, number=number,
            seed=tournament.seed, seat=seat, players=players, score=share_of_win(worth, seat),
            moves=" ".join(words), length=len(words),
            playouts_one=int(spent[True][0]), seconds_one=round(spent[True][1], 6),
            playouts_other=int(spent[False][0]), seconds_other=round(spent[False][1], 6),
            sources=sources_of(game), full=full, memory=tournament.memory,
        )  # fmt: skip


def play_games(
    jobs: Sequence[GameJob],
    journal: GameJournal,
    *,
    threads: int = 1,
    stop: threading.Event | None = None,
    progress: Callable[[int], None] | None = None,
) -> bool:
    """Play the games missing from `journal` and add them; returns whether all were played.

    Whatever the number of threads the games are the same, where budgets are of playouts and each
    method has a thread.

    Parameters
    ----------
    progress : callable, optional
        Called with the number of finished games.

    Raises
    ------
    InputError
        If games in `journal` were played by other rules, or by more or fewer players.
    """
    for game in {job.tournament.game.name: job.tournament.game for job in jobs}.values():
        check_rules(journal, game)
    stop = threading.Event() if stop is None else stop
    todo = [job for job in jobs if not job.is_finished(journal)]
    done = len(jobs) - len(todo)
    here = threading.local()

    def play_job(job: GameJob) -> GameRow | None:
        if stop.is_set():
            return None
        seats: Seats | None = getattr(here, "seats", None)
        if seats is None or seats.tournament is not job.tournament:
            seats = here.seats = Seats(job.tournament)
        return seats.play(job.match, job.number, stop)

    complete = True
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(play_job, job) for job in todo]
        try:
            for future in futures:
                row = result_of(future)
                complete = complete and row is not None
                if row is not None:
                    journal.append(row)
                    done += 1
                if progress is not None:
                    progress(done)
        except BaseException:
            stop.set()
            for future in futures:
                future.cancel()
            raise
    return complete
