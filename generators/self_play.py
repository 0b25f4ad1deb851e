"""Games that a tree search plays against itself, from which priors of games are learned."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from generators.solved import SHARD_PLAYOUTS
from solver.algorithms import tree_algorithm_named
from solver.compiling.random import new_stream, next_below
from solver.contract.domain import Problem
from solver.contract.rules import legal_moves, play, reset
from solver.domains import load_rules
from solver.errors import InputError
from solver.games.records import OPENING, written_visits
from solver.kernels.tree.arrays import FLAT
from solver.kernels.tree.proofs import NEARLY
from solver.priors.priors import NO_PRIOR, Prior, named_prior
from solver.searching.analysis import Analyst, guides_by
from solver.searching.driver import Budget
from solver.system.datasets import sha256
from solver.system.fields import Range, check_fields

#: Moves that a game may have, to size shards.
MOVES = 50


@dataclasses.dataclass(frozen=True)
class SelfPlaySearch:
    """Players of the games: the search of both sides.

    Parameters
    ----------
    algorithm : str
        Tree search of both sides, or a file that defines it.
    playouts : int
        Playouts of each move.
    openings : int
        Moves at random before the search plays, a number up to this one; nothing is learned of
        them.
    guide : str
        Prior of that search in its tree: a name, or the file of a table that was learned before.
    learn_from : str
        "winner": the moves of who wins; or "visits": playouts of each move of a search, of all
        players. The move chosen has all where it is proved to win, none have those proved to lose.

    Raises
    ------
    InputError
        If there is no such search, or a number is out of range.
    """

    algorithm: str = "mcps"
    playouts: Annotated[int, Range(1)] = 500
    openings: Annotated[int, Range(0)] = 0
    guide: str = NO_PRIOR.name
    learn_from: Literal["winner", "visits"] = "winner"

    def __post_init__(self) -> None:
        check_fields(self, SelfPlaySearch)
        searches = tree_algorithm_named(self.algorithm)
        if self.learn_from == "visits" and searches().parameters.rule == FLAT:
            raise InputError(
                f"{searches.name} visits all moves alike, expected another search where visits are "
                "learned from"
            )


@dataclasses.dataclass(frozen=True, kw_only=True)
class SelfPlay(SelfPlaySearch):
    """Generator of games by self-play.

    Parameters
    ----------
    game : str
        Its name.
    options : dict
        Its options: sizes and variants.
    """

    game: str
    options: dict[str, Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self._prior

    @cached_property
    def _game(self) -> Any:
        return load_rules(self.game)

    @cached_property
    def _prior(self) -> Prior:
        return named_prior(self.guide, self._game)

    @property
    def source(self) -> dict[str, str]:
        """Name and SHA-256 of the guide's file, wherever it lies."""
        path = self._prior.path
        return {} if path is None else {"guide": Path(path).stem, "guide_sha256": sha256(path)}

    @property
    def made_with(self) -> tuple[type, ...]:
        """Classes whose sources the games depend on."""
        return (tree_algorithm_named(self.algorithm),)

    @property
    def shard_instances(self) -> int:
        """Games that are played in less than a minute, or one."""
        return max(1, SHARD_PLAYOUTS // (MOVES * self.playouts))

    def generate(self, seed: int, number: int) -> tuple[Problem, list[str]]:
        """Return the start of game `number` of `seed` and its moves, as they are written.

        Behind those at random stands the word `OPENING`, and before the others their visits if
        they are learned from.

        Raises
        ------
        InputError
            If nobody can move at the start.
        """
        game = self._game
        options = game.options(**self.options)
        start = game.start(options)
        instance = game.instance(start, options)
        guides = guides_by(self._prior, "tree")
        analyst = Analyst(game, instance, tree_algorithm_named(self.algorithm)(), guides=guides)
        words, n_played = list[str](), 0
        state = game.new_state(instance)
        moves = np.zeros(max(game.limits(instance).moves, 1), np.int64)
        reset(instance, state)
        with np.errstate(over="ignore"):  # streams wrap around
            chance = new_stream(seed, number)
            left = int(next_below(chance, self.openings + 1)) if self.openings else 0
            while n := legal_moves(instance, state, new_stream(seed), moves):
                if n_played < left:
                    move = int(moves[next_below(chance, n)])
                else:
                    move = analyst.choose(state, Budget(self.playouts), seed, number, n_played)
                    if self.learn_from == "visits" and n > 1:
                        words += written_visits(visits_of(game, instance, state, analyst, move))
                words.append(game.format_move(instance, state, move))
                play(instance, state, move)
                n_played += 1
                if n_played == left:
                    words.append(OPENING)
        if not n_played:
            raise InputError(f"{start.name}: the game is over at its start, nothing to learn from")
        if n_played < left:  # over before the search played
            words.append(OPENING)
        return Problem(f"{game.name}-{seed}-{number}", start.data), words


def visits_of(
    game: Any, instance: Any, state: Any, analyst: Analyst, chosen: int
) -> dict[str, int]:
    """Visits of the moves of a search that has ended, by their texts.

    Where a win is proved, or the outcome, the move chosen has all of them; where a move is proved
    to lose, it has none.
    """
    run = analyst.run
    moves = run.moves_of()
    visits = np.where(moves.most > NEARLY, moves.visits, 0)
    if run.is_over or visits[moves.move == chosen].max() < visits.max():
        visits = np.where(moves.move == chosen, 1, 0)
    return {
        game.format_move(instance, state, int(move)): int(number)
        for move, number in zip(moves.move, visits, strict=True)
        if number
    }
