"""Searching a position of a game: which move is best, and what is expected to follow."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from solver.algorithms.tree import PRIOR_IN, TreeAlgorithm
from solver.compiling.random import Stream, new_stream
from solver.contract.checks import rewards_of
from solver.contract.domain import Game
from solver.contract.limits import check_limits, within_limits
from solver.contract.rules import copy_state, estimate, play, player, rewards
from solver.errors import InputError, quoted
from solver.kernels.arguments import Off
from solver.kernels.tree.arrays import ROOT, Guides
from solver.kernels.tree.proofs import NEARLY
from solver.kernels.tree.run import UNGUIDED, TreeRun
from solver.priors.priors import NO_PRIOR, Prior, default_prior
from solver.searching import arguments
from solver.searching.arguments import is_whole_number, refuse_puzzles
from solver.searching.driver import SLICE_SECONDS, Budget
from solver.searching.proofs import moves_to_end

#: Bytes of a tree by default.
MEMORY = 1 << 30
#: Threads of a tree.
MOST_THREADS = 256
#: Playouts that kernels can count.
MOST_PLAYOUTS = 1 << 30
#: Seconds between two looks at the clock where several threads search: all pause for each.
TEAM_SECONDS = 0.1

Progress = Callable[[int], None]
"""Called with the playouts made so far."""


@dataclass(frozen=True)
class Candidate:
    """A move of the position."""

    move: str
    """The move as `Game.format_move` writes it."""
    visits: int
    """Playouts."""
    value: float | None
    """Mean reward of who moves; None without playouts."""
    proved: float | None = None
    """Reward of who moves where it is proved, 1 for a win; else None."""


@dataclass(frozen=True)
class Analysis:
    """Result of a search of a position."""

    player: int
    """Player to move, from 0."""
    candidates: tuple[Candidate, ...]
    """All moves, the best first (`TreeRun.ranking`); none where the game is over. With proofs moves
    that the rules tell to lose by force are left out, unless all do."""
    chosen: int | None
    """The best move, as `play` takes it; None where the game is over."""
    variation: tuple[str, ...]
    """The best move, and the best ones after it."""
    playouts: int
    seconds: float
    """Seconds of the wall clock."""
    nodes: int
    """States in the tree."""
    proved: float | None
    """Reward of who moves where it is proved, else None."""
    moves_to_end: int | None
    """Upper bound on the moves until the proved win or loss; None without, or of a huge proof."""
    rewards: tuple[float, ...] | None
    """Rewards of all players where the game is over, else None."""
    full: bool
    """True if memory was not enough for all nodes: the least visited ones were freed."""
    interrupted: bool
    """True if `stop` ended the search."""


def guides_by(prior: Prior, where: str) -> Guides:
    """Return the `Guides` that apply `prior` in the tree, in playouts, or in both.

    Parameters
    ----------
    prior : Prior
        As `named_prior` or `load_prior` return it; nothing is guided by `NO_PRIOR`.
    where : {"tree", "playouts", "both"}
        Place of the prior: moves of nodes, moves of playouts, or both.

    Raises
    ------
    InputError
        If `prior` is no `Prior`, or `where` is none of these.
    """
    if not isinstance(prior, Prior):
        raise InputError(f"the prior is a {type(prior).__name__}, expected a Prior")
    if where not in PRIOR_IN:
        raise InputError(f"a prior acts in {quoted(where)}, expected one of: {', '.join(PRIOR_IN)}")
    if prior is NO_PRIOR:
        return UNGUIDED
    tree = Off() if where == "playouts" else prior.table
    return Guides(tree, Off() if where == "tree" else prior.table)


def usual_guides(game: Game) -> Guides:
    """Return the default guides of `game`: its shipped prior, at its place and temperature.

    Parameters
    ----------
    game : Game
        Its `shipped_prior`, `prior_in` and `prior_temperature` are read.

    Returns
    -------
    Guides
        Those of `NO_PRIOR` if the game has no prior, or the table is not installed.

    Raises
    ------
    InputError
        If `game` is a puzzle, or as `default_prior` and `guides_by`.
    """
    refuse_puzzles(game)
    return guides_by(default_prior(game, game.prior_temperature), game.prior_in)


def wrong_players(game: Game, instance: Any) -> str | None:
    """Return the error in `players`, `player_names` or the registered rules; None without one."""
    players, names = game.players(instance), game.player_names
    for name, function in (("player", player), ("rewards", rewards)):
        if players > 1 and not game.has(function):
            return f"no {name} is registered, and there are {players}"
    if len(names) < players or len(set(names)) < len(names):
        return f"player_names is {quoted(names)}, expected {players} different letters"
    return None


class Analyst:
    """Searches positions of an instance, one after the other, with the same memory.

    With `threads` above 1 several search a tree together; then answers differ from run to run.

    Raises
    ------
    InputError
        If the game has no dense codes and `algorithm` keeps statistics of them, or no estimates
        that it takes; its limits are no numbers; `memory` is not enough to begin with; the game
        does not say who its players are; or there are no, too many, or for second trees several
        `threads`.
    """

    def __init__(
        self,
        game: Game,
        instance: Any,
        algorithm: TreeAlgorithm,
        memory: int = MEMORY,
        guides: Guides = UNGUIDED,
        threads: int = 1,
    ) -> None:
        refuse_puzzles(game)
        check_limits(game, instance)
        if not isinstance(algorithm, TreeAlgorithm):
            raise InputError(f"{type(algorithm).__name__} is no tree search")
        if not isinstance(guides, Guides):
            raise InputError(f"guides are a {type(guides).__name__}, expected those of guides_by")
        arguments.refuse_other_memory(memory)
        if not is_whole_number(threads, 1, MOST_THREADS):
            raise InputError(f"threads is {quoted(threads)}, expected 1 ... {MOST_THREADS}")
        threads = int(threads)
        if game.limits(instance).codes == 0 and algorithm.keeps_codes:
            raise InputError(
                f"{game.name}: {algorithm.name} needs codes that are numbers below some bound"
            )
        if algorithm.estimates and not game.has_estimates(instance):
            misere = " with --misere" if game.has(estimate) else ""
            raise InputError(f"{game.name} has no estimates of positions{misere}")
        if wrong := wrong_players(game, instance):
            raise InputError(f"{game.name}: {wrong}")
        if threads > 1 and algorithm.parameters.leaf_playouts > 1:
            raise InputError(f"{algorithm.name} is a search by one thread, threads is {threads}")
        self.game, self.instance = game, instance
        self._slice = SLICE_SECONDS if threads == 1 else TEAM_SECONDS
        try:
            self.run = TreeRun(
                game, instance, algorithm.parameters, memory, guides, threads=threads,
                policy=algorithm.new_policy,
            )  # fmt: skip
        except MemoryError as error:
            raise InputError(str(error)) from error
        self._state = game.new_state(instance)

    def compile(self, *, keep: bool = False) -> None:
        """Compile the kernel, or load it: it makes a playout; with `keep` those that keep trees."""
        self._search(new_stream(0), None, Budget(playouts=1), None, None)
        if keep:
            copy_state(self.instance, self.run.searched.root, self._state)
            self._search(new_stream(0), self._state, Budget(playouts=1), None, None, keep=True)

    def choose(
        self,
        state: Any,
        budget: Budget,
        seed: int,
        *key: int,
        stop: threading.Event | None = None,
        keep: bool = False,
    ) -> int:
        """Return the best move of `state`, in which the game is not over.

        With `keep` what the search before has found of `state` is kept.
        `key` tells the random numbers of a search from those of others with the same `seed`.
        """
        self._search(new_stream(seed, *key), state, budget, stop, None, keep=keep)
        return int(self.run.moves_of().move[self.run.best()])

    def analyse(
        self,
        budget: Budget,
        *,
        state: Any = None,
        seed: int = 0,
        stop: threading.Event | None = None,
        progress: Progress | None = None,
        keep: bool = False,
    ) -> Analysis:
        """Search `state`, or the start; one playout is made however short the time is.

        With `keep` what the search before has found of `state` is kept.
        """
        begin = time.perf_counter()
        interrupted = self._search(new_stream(seed), state, budget, stop, progress, keep=keep)
        return self._found(time.perf_counter() - begin, interrupted)

    def _search(
        self,
        stream: Stream,
        state: Any,
        budget: Budget,
        stop: threading.Event | None,
        progress: Progress | None,
        *,
        keep: bool = False,
    ) -> bool:
        """Search `state`, or the start; returns whether `stop` ended it."""
        begin = time.perf_counter()  # what is kept of a tree takes time, too
        with within_limits(self.game, self.instance, self.game.name):
            self.run.begin(stream, state, keep=keep)
            return self._spend(budget, stop, progress, begin)

    def _spend(
        self,
        budget: Budget,
        stop: threading.Event | None,
        progress: Progress | None,
        begin: float,
    ) -> bool:
        """Search until `budget`, since `begin`, is spent; returns whether `stop` ended it."""
        now, step = time.perf_counter() - begin, 1
        most = min(budget.playouts or MOST_PLAYOUTS, MOST_PLAYOUTS)
        while self.run.played < most and not self.run.is_over:
            before, then = self.run.played, now
            self.run.advance(min(before + step, most))
            now = time.perf_counter() - begin
            if stop is not None and stop.is_set():
                return True
            if progress is not None:
                progress(self.run.played)
            left = np.inf if budget.seconds is None else budget.seconds - now
            if left <= 0.0:
                break
            pace = max((now - then) / max(self.run.played - before, 1), 1e-9)
            # Near the end slices are short: paces change.
            share = min(self._slice, left, max(SLICE_SECONDS, left / 2))
            step = int(np.clip(share / pace, 1, 4 * step))
        return False

    def _found(self, seconds: float, interrupted: bool) -> Analysis:
        game, instance, run, root = self.game, self.instance, self.run, self.run.searched.root
        moves = run.moves_of()
        ending = None if len(moves.move) else tuple(rewards_of(game, instance, root))
        if not np.isfinite([*moves.value[moves.visits > 0], *(ending or ())]).all():
            raise InputError(f"{game.name}: rewards are not all numbers")
        order = run.ranking()
        candidates = tuple(
            Candidate(
                game.format_move(instance, root, int(moves.move[place])),
                int(moves.visits[place]),
                float(moves.value[place]) if moves.visits[place] else None,
                _outcome(moves.sure[place], moves.most[place]),
            )
            for place in order
        )
        mover = int(player(instance, root))
        proved = run.sure(mover) if len(order) and run.is_proved() else None
        return Analysis(
            player=mover,
            candidates=candidates,
            chosen=int(moves.move[order[0]]) if len(order) else None,
            variation=self._variation(),
            playouts=run.played,
            seconds=seconds,
            nodes=run.nodes,
            proved=proved,
            moves_to_end=None if proved is None else moves_to_end(run.tree, mover),
            rewards=ending,
            full=run.full,
            interrupted=interrupted,
        )

    def _variation(self) -> tuple[str, ...]:
        """Best moves from the root on, as far as they were played."""
        game, instance, run, state = self.game, self.instance, self.run, self._state
        copy_state(instance, run.searched.root, state)
        node, words = ROOT, []
        while node >= 0 and len((moves := run.moves_of(node)).move):
            best = run.best(node)
            if moves.visits[best] == 0 and _outcome(moves.sure[best], moves.most[best]) is None:
                break
            words.append(game.format_move(instance, state, int(moves.move[best])))
            play(instance, state, int(moves.move[best]))
            node = int(moves.child[best])
        return tuple(words)


def _outcome(sure: float, most: float) -> float | None:
    """Reward of a move where it is proved: what is sure is all that the others leave."""
    return float(sure) if most - sure < NEARLY else None


def analyse(
    game: Game,
    instance: Any,
    algorithm: TreeAlgorithm,
    budget: Budget,
    *,
    state: Any = None,
    seed: int = 0,
    stop: threading.Event | None = None,
    progress: Progress | None = None,
    memory: int = MEMORY,
    guides: Guides = UNGUIDED,
    threads: int = 1,
) -> Analysis:
    """Search a position of `instance`: `state`, or the start.

    Parameters
    ----------
    game : Game
        Domain of the rules.
    instance : NamedTuple
        As `game.instance` returns it.
    algorithm : TreeAlgorithm
        Parameters of it that are None have the values for games.
    budget : Budget
        Playouts, seconds or both. One playout is made at least.
    state : NamedTuple, optional
        A state of `instance`, which is copied; by default the position `instance` begins with.
    seed : int
        Seed of all random streams, 0 or more.
    stop : threading.Event, optional
        Ends the search when set; it needs no budget then.
    progress : callable, optional
        Called after every slice with the playouts made so far.
    memory : int
        Bytes for the tree.
    guides : Guides
        Prior in the tree and in playouts, see `guides_by`; none by default. `solve` takes those
        of `usual_guides`.
    threads : int
        Threads that search the tree together; with more than one answers differ from run to run.

    Returns
    -------
    Analysis
        Moves, the best first, and proofs if `algorithm` looks for them.

    Raises
    ------
    InputError
        If there is neither a budget nor `stop`, `seed` is out of range, rewards are no numbers, or
        for a reason of `Analyst`.
    LimitsError
        If the rules return more than their `Limits`, or numbers out of range.
    """
    arguments.refuse_other_budgets(budget)
    if budget.playouts is None and budget.seconds is None and stop is None:
        raise InputError("a search has no budget, expected playouts or seconds")
    arguments.refuse_other_seeds(seed)
    analyst = Analyst(game, instance, algorithm, memory, guides, threads)
    if budget.seconds is not None:
        analyst.compile()  # so that the clock does not see it
    return analyst.analyse(budget, state=state, seed=seed, stop=stop, progress=progress)
