"""Statistics of random playouts of a game: their lengths and winners."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.random import new_stream
from solver.contract.domain import Domain, Game
from solver.contract.limits import limits_named
from solver.contract.rules import Floats, reset
from solver.errors import InputError
from solver.kernels.bounds import new_broken, new_moves, refuse_broken
from solver.kernels.games import Games, play_games

#: Playouts between two looks at Ctrl-C.
SLICE = 1000


class Playouts(NamedTuple):
    """Playouts, one a row."""

    steps: npt.NDArray[np.int64]
    """int64[playouts]: moves made."""
    rewards: Floats
    """float64[playouts, players]: reward of each player."""


def random_playouts(
    domain: Domain, instance: Any, playouts: int, *, state: Any = None, seed: int = 0
) -> Playouts:
    """Play uniformly random games of `instance`, from the start or from `state`, which stays.

    A puzzle counts, too: it has one player, whose reward is the score.

    Raises
    ------
    InputError
        If `playouts` is less than 1, or the rules break a bound.
    """
    if playouts < 1:
        raise InputError(f"playouts is {playouts}, expected 1 or more")
    start = domain.new_state(instance)
    if state is None:
        reset(instance, start)
    players = domain.players(instance) if isinstance(domain, Game) else 1
    steps, rewards = np.zeros(playouts, np.int64), np.zeros((playouts, players))
    stream, scratch = new_stream(seed), domain.new_state(instance)
    moves, broken = new_moves(domain.limits(instance)), new_broken()
    games = Games(instance, start if state is None else state, scratch, moves, broken)
    for begin in range(0, playouts, SLICE):
        part = slice(begin, begin + SLICE)
        play_games(games, stream, steps[part], rewards[part])
        with limits_named(domain, domain.name):
            refuse_broken(broken)
    return Playouts(steps, rewards)
