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
from solver.kernels.bounds import BOUND, CODES, MOVES, NONE_BROKEN, Broken, note_broken


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


@inlined
def _fits(games: Games, n: int) -> bool:
    """True if `moves` has place for `n` moves; else that is noted."""
    if 0 <= n <= len(games.moves):
        return True
    note_broken(games.broken, MOVES, n, len(games.moves))
    return False


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
        while n != 0:
            if not _fits(games, n):
                return
            move = moves[next_below(stream, n)]
            played = code(instance, state, move)
            if not 0 <= played < len(having):
                note_broken(games.broken, CODES, played, len(having))
                return
            if latest[played] != playout:
                latest[played] = playout
                having[played] += 1
            play(instance, state, move)
            n = legal_moves(instance, state, stream, moves)
