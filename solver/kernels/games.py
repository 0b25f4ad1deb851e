"""Random playouts of games of any number of players."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream, next_below
from solver.contract.rules import (
    Floats,
    Moves,
    code,
    copy_state,
    draw_move,
    legal_moves,
    play,
    rewards,
)


class Games(NamedTuple):
    """Instance, start and scratch memory of random games."""

    instance: Any
    start: Any
    """The state they begin in."""
    state: Any
    """Scratch: where a game is."""
    moves: Moves
    """int64[moves]: scratch."""


@inlined
def play_out(instance: Any, state: Any, stream: Stream, moves: Moves) -> int:
    """Play uniformly from `state` to a terminal state; returns how many moves that took.

    A single move draws no random number. `moves` (int64[moves]) is scratch.
    """
    steps = 0
    while True:
        if draw_move(instance, state, stream, moves) == 0:
            return steps
        play(instance, state, moves[0])
        steps += 1


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
        steps[playout] = play_out(instance, state, stream, games.moves)
        rewards(instance, state, worth[playout])


@kernel
def count_codes(
    games: Games,
    stream: Stream,
    having: npt.NDArray[np.int64],
    latest: npt.NDArray[np.int64],
    playouts: int,
) -> None:
    """Count in how many random games each code occurs.

    Parameters
    ----------
    stream : uint64[4]
        Consumed.
    having : int64[codes]
        Gets the counts added.
    latest : int64[codes]
        Scratch: 0.
    """
    instance, state, moves = games.instance, games.state, games.moves
    for playout in range(1, playouts + 1):
        copy_state(instance, games.start, state)
        n = legal_moves(instance, state, stream, moves)
        while n > 0:
            move = moves[next_below(stream, n)]
            played = code(instance, state, move)
            if latest[played] != playout:
                latest[played] = playout
                having[played] += 1
            play(instance, state, move)
            n = legal_moves(instance, state, stream, moves)
