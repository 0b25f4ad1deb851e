"""Replay of moves: for their final state, and for what a prior is learned from.

That are counts, or the decisions themselves: a part of the same kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.generic import generic
from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream
from solver.contract.domain import Limits
from solver.contract.rules import (
    Floats,
    Moves,
    is_equal_choice,
    is_solution_move,
    legal_moves,
    play,
    player,
    prior_code,
    reset,
    rewards,
    score,
    write_rows,
)
from solver.kernels.arguments import Task
from solver.kernels.bounds import CHOICES, MOVES, PLAYERS, ROWS, Broken, new_broken, note_broken

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


class Decisions(NamedTuple):
    """Decisions of one replay, a row for each possible move of each."""

    rows: Int64s
    """int64[choices, codes]: row of the move in the table of each code of the prior."""
    decision: Int64s
    """int64[choices]: number of the decision."""
    group: Int64s
    """int64[choices]: moves of a decision with the same number are equally right."""
    played: Int64s
    """int64[choices]: 1 for the move played, else 0."""
    used: Int64s
    """int64[2]: choices and decisions so far."""
    sizes: Int64s
    """int64[codes]: rows of each code."""
    broken: Broken
    """int64[3]: a bound that the rules broke."""


def new_decisions(sizes: Sequence[int], limits: Limits) -> Decisions:
    """Allocate the decisions of a replay within `limits`; `sizes` are the rows of each code."""
    most = limits.choices
    return Decisions(
        rows=np.zeros((most, len(sizes)), np.int64),
        decision=np.zeros(most, np.int64),
        group=np.zeros(most, np.int64),
        played=np.zeros(most, np.int64),
        used=np.zeros(2, np.int64),
        sizes=np.array(sizes, np.int64),
        broken=new_broken(),
    )


@kernel
def replay_moves(instance: Any, state: Any, played: Moves) -> float:
    """Play `played` from the start; `state` is where they lead. Returns its score."""
    reset(instance, state)
    for step in range(len(played)):
        play(instance, state, played[step])
    return float(score(instance, state))


@kernel
def count_solution(task: Task, solution: Moves, moves: Moves, stream: Stream, record: Any) -> float:
    """Replay `solution` and add to `record` (paper 'learned-prior', Algorithm 4).

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
    record : Counted or Decisions
        Gets the counts, or the decisions, added.

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
        if not _fits(moves, n, record.broken):
            return np.nan
        chosen = NOT_LEGAL
        for index in range(n):
            if is_solution_move(instance, state, solution, step, moves[index]):
                chosen = index
                break
        if chosen == NOT_LEGAL:
            return np.nan
        if n > 1:
            note_decision(record, task, solution, step, moves, n, chosen)
        play(instance, state, moves[chosen])
        step += 1


@generic
def note_decision(
    record: Any, task: Task, solution: Moves, step: int, moves: Moves, n: int, chosen: int
) -> None:
    """Note in `record` that of `n` moves `solution` plays number `chosen` at `step`."""


@note_decision.register(Counted)
def _count_decision(
    record: Counted, task: Task, solution: Moves, step: int, moves: Moves, n: int, chosen: int
) -> None:
    for index in range(n):
        row = prior_code(task.prior, task.instance, task.state, moves[index])
        if not 0 <= row < len(record.nb):
            note_broken(record.broken, ROWS, row, len(record.nb))
            return
        record.nb[row] += 1
        record.played[row] += index == chosen


@note_decision.register(Decisions)
def _keep_decision(
    record: Decisions, task: Task, solution: Moves, step: int, moves: Moves, n: int, chosen: int
) -> None:
    begin = record.used[0]
    if begin + n > len(record.decision):
        note_broken(record.broken, CHOICES, begin + n, len(record.decision))
        return
    for index in range(n):
        place, move = begin + index, moves[index]
        write_rows(task.prior, task.instance, task.state, move, record.rows[place], 0)
        for code in range(len(record.sizes)):
            row = record.rows[place, code]
            if not 0 <= row < record.sizes[code]:
                note_broken(record.broken, ROWS, row, record.sizes[code])
                return
        record.decision[place] = record.used[1]
        record.played[place] = index == chosen
        record.group[place] = index
        if index == chosen or is_equal_choice(task.instance, task.state, solution, step, move):
            record.group[place] = chosen
    record.used[0] += n
    record.used[1] += 1


@inlined
def _fits(moves: Moves, n: int, broken: Broken) -> bool:
    """True if `n` is a number of moves that `moves` may hold; else that is noted."""
    if 0 <= n <= len(moves):
        return True
    note_broken(broken, MOVES, n, len(moves))
    return False


class PlayedGame(NamedTuple):
    """A game that was played."""

    moves: Moves
    """int64[steps]: from the start."""
    opening: int
    """So many of them, the first ones, are not learned from."""
    begin: Int64s
    """int64[steps + 1]: step s has the votes from begin[s] to begin[s + 1]; none of any step where
    the moves of the winner are learned."""
    choice: Moves
    """int64[...]: a move that gets votes."""
    votes: Int64s
    """int64[...]: number of its votes."""


@kernel
def count_game(
    task: Task, game: PlayedGame, worth: Floats, moves: Moves, stream: Stream, record: Any
) -> bool:
    """Replay a game and add decisions to `record`, as `count_solution` does.

    With votes these are one for each vote, of all players. Else those of the winner: a game that is
    worth the same to all players adds nothing.

    Parameters
    ----------
    game : PlayedGame
        Moves from the start, those that are learned from behind the others.
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
    instance, state, played = task.instance, task.state, game.moves
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
        if not _fits(moves, n, record.broken):
            return False
        mover = player(instance, state)
        if not 0 <= mover < len(worth):
            note_broken(record.broken, PLAYERS, mover, len(worth))
            return False
        if step >= game.opening and n > 1:
            wins = len(game.votes) == 0 and most > least and worth[mover] == most
            for index in range(n):
                times = int(wins and moves[index] == played[step])
                for entry in range(game.begin[step], game.begin[step + 1]):
                    if game.choice[entry] == moves[index]:
                        times += game.votes[entry]
                for _ in range(times):
                    note_decision(record, task, played, step, moves, n, index)
        play(instance, state, played[step])
    return True
