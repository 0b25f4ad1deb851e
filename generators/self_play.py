"""Games that a tree search plays against itself, from which priors of games are learned."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from generators.solved import SHARD_PLAYOUTS
from solver.algorithms import tree_algorithm_named
from solver.compiling.random import new_stream, next_below
from solver.contract.domain import Problem
from solver.contract.rules import legal_moves, play, reset
from solver.domains import load_rules
from solver.games.moves import OPENING
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

    Raises
    ------
    InputError
        If there is no such search, or a number is out of range.
    """

    algorithm: str = "mcps"
    playouts: Annotated[int, Range(1)] = 500
    openings: Annotated[int, Range(0)] = 0
    guide: str = NO_PRIOR.name

    def __post_init__(self) -> None:
        check_fields(self, SelfPlaySearch)
        tree_algorithm_named(self.algorithm)


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

        Behind those at random stands the word `OPENING`.
        """
        game = self._game
        options = game.options(**self.options)
        start = game.start(options)
        instance = game.instance(start, options)
        guides = guides_by(self._prior, "tree")
        analyst = Analyst(game, instance, tree_algorithm_named(self.algorithm)(), guides=guides)
        words: list[str] = []
        state = game.new_state(instance)
        moves = np.zeros(max(game.limits(instance).moves, 1), np.int64)
        reset(instance, state)
        with np.errstate(over="ignore"):  # streams wrap around
            chance = new_stream(seed, number)
            left = int(next_below(chance, self.openings + 1)) if self.openings else 0
            while n := legal_moves(instance, state, new_stream(seed), moves):
                if len(words) < left:
                    move = int(moves[next_below(chance, n)])
                else:
                    move = analyst.choose(state, Budget(self.playouts), seed, number, len(words))
                words.append(game.format_move(instance, state, move))
                play(instance, state, move)
                if len(words) == left:
                    words.append(OPENING)
        if len(words) < left:  # over before the search played
            words.append(OPENING)
        return Problem(f"{game.name}-{seed}-{number}", start.data), words
