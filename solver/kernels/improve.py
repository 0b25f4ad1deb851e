"""A recorded playout made better by the domain's local search, and recorded again."""

from __future__ import annotations

from typing import Any

from solver.compiling.generic import generic
from solver.compiling.random import Stream
from solver.contract.rules import code, improve, legal_moves, odds, play, reset, score
from solver.kernels.arguments import Off, On, Task
from solver.kernels.playout import PlayoutParameters, Workspace, compared_by
from solver.kernels.policy import intern
from solver.kernels.records import LAST


@generic
def improve_last(
    local_search: Any,
    task: Task,
    parameters: PlayoutParameters,
    workspace: Workspace,
    stream: Stream,
) -> None:
    """Make the last playout better if it is better than the best of level 1."""


@improve_last.register(Off)
def _leave_it(
    local_search: Off,
    task: Task,
    parameters: PlayoutParameters,
    workspace: Workspace,
    stream: Stream,
) -> None:
    return


@improve_last.register(On)
def _improve_last(
    local_search: On,
    task: Task,
    parameters: PlayoutParameters,
    workspace: Workspace,
    stream: Stream,
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
        chosen = 0
        while chosen < n and choices.listed[chosen] != move:
            chosen += 1
        if chosen == n:
            choices.listed[n] = move
            n += 1
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
    records.decisions[row] = decision
    reached = score(instance, state)
    records.score[row] = reached
    records.shaped[row] = compared_by(parameters.shaping, instance, state, reached)
