"""Replaying moves: to see where they lead, and to count what a prior is learned from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import kernel
from solver.compiling.random import Stream
from solver.domain import Moves, is_solution_move, legal_moves, play, prior_code, reset, score
from solver.kernels.arguments import Task

Int64s = npt.NDArray[np.int64]

NOT_LEGAL = -1


class Counted(NamedTuple):
    """How often each row of a prior was possible and played; a scratch for the rows of moves."""

    played: Int64s
    """int64[rows]: times played."""
    nb: Int64s
    """int64[rows]: times possible."""
    codes: Int64s
    """int64[moves]: scratch."""


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
        What `is_solution_move` compares with.
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
    instance, state, codes = task.instance, task.state, counted.codes
    reset(instance, state)
    step = 0
    while True:
        n = legal_moves(instance, state, stream, moves)
        if n == 0:
            return float(score(instance, state))
        chosen = NOT_LEGAL
        for index in range(n):
            if is_solution_move(instance, state, solution, step, moves[index]):
                chosen = index
                break
        if chosen == NOT_LEGAL:
            return np.nan
        if n > 1:
            for index in range(n):
                codes[index] = prior_code(task.prior, instance, state, moves[index])
                counted.nb[codes[index]] += 1
            counted.played[codes[chosen]] += 1
        play(instance, state, moves[chosen])
        step += 1
