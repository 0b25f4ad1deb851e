"""A recorded playout made better by the domain's local search, and recorded again."""

from __future__ import annotations

from typing import Any

from solver.domain import code, improve, legal_moves, odds, play, reset, score, shaped_score
from solver.jit import inlined
from solver.kernels.choices import Choices
from solver.kernels.policy import Policy, intern
from solver.kernels.records import Records
from solver.random import Stream


@inlined
def improve_record(
    instance: Any,
    state: Any,
    prior: Any,
    policy: Policy,
    records: Records,
    row: int,
    choices: Choices,
    stream: Stream,
    shaping: bool,
) -> bool:
    """Let the local search rewrite the moves of record `row`; the rest of it follows.

    The record is then what a playout that chose these moves would have left, so adapt needs to
    know nothing of it. Where `legal_moves`, which may prune, does not list the move, that
    becomes one more possible move, the last: adapt makes it likelier wherever else it is listed.
    Returns whether anything changed. `stream` is consumed as by a playout.
    """
    steps = records.steps[row]
    if not improve(instance, state, records.move[row, :steps]):
        return False
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
                records.odds[row, begin + index] = odds(prior, instance, state, option)
            records.chosen[row, decision] = chosen
            decision += 1
            begin += n
            records.end[row, decision] = begin
        play(instance, state, move)
    records.decisions[row] = decision
    reached = score(instance, state)
    records.score[row] = reached
    records.shaped[row] = shaped_score(instance, state, reached) if shaping else reached
    return True
