"""Replaying moves: to see where they lead, and to count what a prior is learned from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import kernel
from solver.compiling.random import Stream
from solver.domain import Moves, is_solution_move, legal_moves, play, prior_code, reset, score

Int64s = npt.NDArray[np.int64]

NOT_LEGAL = -1


@kernel
def replay_moves(instance: Any, state: Any, played: Moves) -> float:
    """Play `played` from the start; `state` is where they lead. Returns its score."""
    reset(instance, state)
    for step in range(len(played)):
        play(instance, state, played[step])
    return float(score(instance, state))


@kernel
def count_solution(
    instance: Any,
    state: Any,
    prior: Any,
    solution: Moves,
    moves: Moves,
    codes: Int64s,
    stream: Stream,
    count: Int64s,
    nb: Int64s,
) -> float:
    """Replay `solution` and add to the counts (paper 'learned-prior', Algorithm 4).

    Every possible move adds one to `nb`, the move played adds one to `count`, in
    the row of its prior code. States with a single possible move are no decisions
    and are not counted. At the first state where no possible move is the
    solution's the replay ends.

    Parameters
    ----------
    solution : int64[...]
        What `is_solution_move` compares with.
    moves, codes : int64[moves]
        Scratch.
    stream : uint64[4]
        Consumed.
    count, nb : int64[rows]
        Changed in place.

    Returns
    -------
    float
        Score of the final state, nan if the solution could not be played.
    """
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
                codes[index] = prior_code(prior, instance, state, moves[index])
                nb[codes[index]] += 1
            count[codes[chosen]] += 1
        play(instance, state, moves[chosen])
        step += 1
