"""Games that a tree search plays against itself, from which priors of games are learned."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any

import numpy as np

from generators.solved import SHARD_PLAYOUTS
from solver.algorithms import tree_algorithm_named
from solver.compiling.random import new_stream
from solver.contract.domain import Problem
from solver.contract.rules import legal_moves, play, reset
from solver.domains import load_rules
from solver.searching.analysis import Analyst
from solver.searching.driver import Budget
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

    Raises
    ------
    InputError
        If there is no such search, or the playouts are not positive.
    """

    algorithm: str = "mcps"
    playouts: Annotated[int, Range(1)] = 500

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

    @property
    def made_with(self) -> tuple[type, ...]:
        """Classes whose sources the games depend on."""
        return (tree_algorithm_named(self.algorithm),)

    @property
    def shard_instances(self) -> int:
        """Games that are played in less than a minute, or one."""
        return max(1, SHARD_PLAYOUTS // (MOVES * self.playouts))

    def generate(self, seed: int, number: int) -> tuple[Problem, list[str]]:
        """Return the start of game `number` of `seed` and its moves, as they are written."""
        game: Any = load_rules(self.game)
        options = game.options(**self.options)
        start = game.start(options)
        instance = game.instance(start, options)
        analyst = Analyst(game, instance, tree_algorithm_named(self.algorithm)())
        words: list[str] = []
        state = game.new_state(instance)
        moves = np.zeros(max(game.limits(instance).moves, 1), np.int64)
        reset(instance, state)
        with np.errstate(over="ignore"):  # streams wrap around
            while legal_moves(instance, state, new_stream(seed), moves):
                move = analyst.choose(state, Budget(self.playouts), seed, number, len(words))
                words.append(game.format_move(instance, state, move))
                play(instance, state, move)
        return Problem(f"{game.name}-{seed}-{number}", start.data), words
