"""Replay of moves: for their final state, and for the counts that a prior is learned from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream
from solver.contract.rules import (
    Floats,
    Moves,
    is_solution_move,
    legal_moves,
    play,
    player,
    prior_code,
    reset,
    rewards,
    score,
)
from solver.kernels.arguments import Task
from solver.kernels.bounds import MOVES, PLAYERS, ROWS, Broken, new_broken, note_broken

Int64s = npt.NDArray[np.int64]

NOT_LEGAL = -1


class Counted(NamedTuple):
    """Numbers of times that each row of a prior was possible and played."""

    played: Int64s
    """int64[rows]: times played."""
    nb: Int64s
    """int64[rows]: times possible."""
    broken: Broken
    """int64[3]: a bound that the rules broke."""


def new_counted(rows: int) -> Counted:
    """Allocate counts of 0."""
    return Counted(np.zeros(rows, np.int64), np.zeros(rows, np.int64), new_broken())


@kernel
def replay_moves(instance: Any, state: Any, played: Moves) -> float:
    """Play `played` from the start; `state` is where they lead. Returns its score."""
    reset(instance, state)
    for step in range(len(played)):
        play(instance, state, played[step])
    return float(score(instance, state))


@kernel
def count_solution(
    task: Task, solution: Moves, moves: Moves, stream: Stream, counted: Counted
) -> float:
    """Replay `solution` and add to the counts (paper 'learned-prior', Algorithm 4).

    Every possible move adds one to `nb`, the move played one to `played`, in
    the row of its prior code. States with a single possible move are no decisions
    and are not counted. At the first state where no possible move is the
    solution's the replay ends.

    Parameters
    ----------
    solution : int64[...]
        Solution that `is_solution_move` compares with.
    moves : int64[moves]
        Scratch.
    stream : uint64[4]
        Consumed.
    counted : Counted
        Gets the counts added.

    Returns
    -------
    float
        Score of the final state, nan if the solution could not be played.
    """
    instance, state = task.instance, task.state
    reset(instance, state)
    step = 0
    while True:
        n = legal_moves(instance, state, stream, moves)
        if n == 0:
            return float(score(instance, state))
        if not _fits(moves, n, counted.broken):
            return np.nan
        chosen = NOT_LEGAL
        for index in range(n):
            if is_solution_move(instance, state, solution, step, moves[index]):
                chosen = index
                break
        if chosen == NOT_LEGAL:
            return np.nan
        if n > 1:
            _count_decision(task, moves, n, chosen, counted)
        play(instance, state, moves[chosen])
        step += 1


@inlined
def _count_decision(task: Task, moves: Moves, n: int, chosen: int, counted: Counted) -> None:
    """Count that of `n` moves that number `chosen` was played."""
    for index in range(n):
        row = prior_code(task.prior, task.instance, task.state, moves[index])
        if not 0 <= row < len(counted.nb):
            note_broken(counted.broken, ROWS, row, len(counted.nb))
            return
        counted.nb[row] += 1
        counted.played[row] += index == chosen


@inlined
def _fits(moves: Moves, n: int, broken: Broken) -> bool:
    """Whether `n` is a number of moves that `moves` may hold; else that is noted."""
    if 0 <= n <= len(moves):
        return True
    note_broken(broken, MOVES, n, len(moves))
    return False


@kernel
def count_game(
    task: Task, played: Moves, worth: Floats, moves: Moves, stream: Stream, counted: Counted
) -> bool:
    """Replay a game and count the winner's decisions, as `count_solution` does.

    A game that is worth the same to all players counts nothing.

    Parameters
    ----------
    played : int64[steps]
        Moves from the start.
    worth : float64[players]
        Gets the rewards.
    moves : int64[moves]
        Scratch.
    stream : uint64[4]
        Consumed.

    Returns
    -------
    bool
        True if the game was over after these moves.
    """
    instance, state = task.instance, task.state
    reset(instance, state)
    for step in range(len(played)):
        play(instance, state, played[step])
    if legal_moves(instance, state, stream, moves) > 0:
        return False
    rewards(instance, state, worth)
    most, least = worth[0], worth[0]
    for number in range(1, len(worth)):
        most, least = max(most, worth[number]), min(least, worth[number])
    reset(instance, state)
    for step in range(len(played)):
        n = legal_moves(instance, state, stream, moves)
        if not _fits(moves, n, counted.broken):
            return False
        mover = player(instance, state)
        if not 0 <= mover < len(worth):
            note_broken(counted.broken, PLAYERS, mover, len(worth))
            return False
        if n > 1 and most > least and worth[mover] == most:
            for index in range(n):
                if moves[index] == played[step]:
                    _count_decision(task, moves, n, index, counted)
        play(instance, state, played[step])
    return True
