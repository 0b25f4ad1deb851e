"""Random playouts of games of any number of players."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream
from solver.contract.rules import Floats, Moves, copy_state, draw_move, play, rewards
from solver.kernels.bounds import BOUND, MOVES, NONE_BROKEN, Broken, note_broken


class Games(NamedTuple):
    """Instance, start and scratch memory of random games."""

    instance: Any
    start: Any
    """The state they begin in."""
    state: Any
    """Scratch: where a game is."""
    moves: Moves
    """int64[moves]: scratch."""
    broken: Broken
    """int64[3]: a bound that the rules broke; no more games are played then."""


@inlined
def play_out(games: Games, stream: Stream) -> int:
    """Play uniformly from the state to a terminal state; returns how many moves that took.

    A single move draws no random number.
    """
    instance, state, moves = games.instance, games.state, games.moves
    steps = 0
    n = draw_move(instance, state, stream, moves)
    while 0 < n <= len(moves):
        play(instance, state, moves[0])
        steps += 1
        n = draw_move(instance, state, stream, moves)
    if n != 0:
        note_broken(games.broken, MOVES, n, len(moves))
    return steps


@kernel
def play_games(games: Games, stream: Stream, steps: npt.NDArray[np.int64], worth: Floats) -> None:
    """Play a random game for each entry of `steps`.

    Parameters
    ----------
    stream : uint64[4]
        Consumed.
    steps : int64[playouts]
        Gets the moves made.
    worth : float64[playouts, players]
        Gets the rewards.
    """
    instance, state = games.instance, games.state
    for playout in range(len(steps)):
        copy_state(instance, games.start, state)
        steps[playout] = play_out(games, stream)
        if games.broken[BOUND] != NONE_BROKEN:
            return
        rewards(instance, state, worth[playout])
