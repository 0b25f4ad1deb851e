"""A recorded playout made better by the domain's local search, and recorded again."""

from __future__ import annotations

from typing import Any

from solver.compiling.generic import generic
from solver.compiling.jit import called
from solver.compiling.random import Stream
from solver.contract.rules import code, improve, legal_moves, odds, play, reset, score
from solver.kernels.arguments import Off, On, Task
from solver.kernels.bounds import CHOICES, MOVES, Broken, note_broken
from solver.kernels.choices import Choices
from solver.kernels.playout import PlayoutParameters, Workspace, breaks_codes, compared_by, give_up
from solver.kernels.policy import intern
from solver.kernels.records import LAST


@generic
def improve_last(
    local_search: Any,
    task: Task,
    parameters: PlayoutParameters,
    workspace: Workspace,
    stream: Stream,
    broken: Broken,
) -> None:
    """Make the last playout better if it is better than the best of level 1."""


@improve_last.register(Off)
def _leave_it(
    local_search: Off,
    task: Task,
    parameters: PlayoutParameters,
    workspace: Workspace,
    stream: Stream,
    broken: Broken,
) -> None:
    return


@improve_last.register(On)
def _improve_last(
    local_search: On,
    task: Task,
    parameters: PlayoutParameters,
    workspace: Workspace,
    stream: Stream,
    broken: Broken,
) -> None:
    """Let the local search rewrite the moves of the last record; the rest of it follows.

    The record is then what a playout that chose these moves would have left, so adapt needs to
    know nothing of it. If `legal_moves`, which may prune, does not list the move, that
    becomes one more possible move, the last: adapt makes it likelier wherever else it is listed.
    `stream` is consumed as by a playout.
    """
    instance, state = task.instance, task.state
    policy, records, choices = workspace.policy, workspace.records, workspace.choices
    row, best = workspace.row_of[LAST], workspace.row_of[LAST + 1]
    if records.shaped[row] <= records.shaped[best]:
        return
    steps = records.steps[row]
    if not improve(instance, state, records.move[row, :steps]):
        return
    reset(instance, state)
    decision, begin = 0, 0
    records.end[row, 0] = 0
    for step in range(steps):
        move = records.move[row, step]
        n = legal_moves(instance, state, stream, choices.listed)
        chosen, within = 0, min(n, len(choices.listed))
        while chosen < within and choices.listed[chosen] != move:
            chosen += 1
        is_added = chosen == n
        n += is_added
        beyond = n > 1 and begin + n > len(choices.move)
        if n > len(choices.listed) or beyond:
            _note_beyond(choices, begin, n, broken)
            give_up(records, row, 0)
            return
        if is_added:
            choices.listed[chosen] = move
        if n > 1:
            for index in range(n):
                option = choices.listed[index]
                records.slot[row, begin + index] = intern(policy, code(instance, state, option))
                records.odds[row, begin + index] = odds(task.prior, instance, state, option)
            records.chosen[row, decision] = chosen
            decision += 1
            begin += n
            records.end[row, decision] = begin
        play(instance, state, move)
    if breaks_codes(policy, records, row, begin, broken):
        give_up(records, row, 0)
        return
    records.decisions[row] = decision
    reached = score(instance, state)
    records.score[row] = reached
    records.shaped[row] = compared_by(parameters.shaping, instance, state, reached)


@called
def _note_beyond(choices: Choices, begin: int, n: int, broken: Broken) -> None:
    if n > len(choices.listed):
        note_broken(broken, MOVES, n, len(choices.listed))
    else:
        note_broken(broken, CHOICES, begin + n, len(choices.move))
