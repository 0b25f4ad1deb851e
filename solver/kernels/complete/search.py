"""Complete search: depth first, with restarts, as a kernel that stops and can go on.

It branches by `branching_moves` on the move that the prior, or what held before, makes the most of.
Where a domain has `exclude`, a move that led nowhere is excluded, and the variable is chosen anew
(two ways at each decision); else the other moves of the same variable are tried. Every dead end
counts as a playout, and every solution. After a solution the search goes on behind it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.compiling.jit import called, inlined, kernel
from solver.compiling.random import Stream, next_below, next_uniform
from solver.contract.branching import branching_moves
from solver.contract.rules import mark, note_dead_end, odds, reset, score, undo
from solver.kernels.arguments import Course, Task
from solver.kernels.bounds import CHOICES, MOVES, STEPS, note_broken
from solver.kernels.complete.branching import (
    back_out,
    has_room,
    learn,
    may_restart,
    moves_held,
    open_decision,
    play_move,
    refute_last,
    settle_down,
)
from solver.kernels.complete.memory import (
    BEGUN,
    CONFLICT,
    DEPTH,
    FAILS,
    FAILS_LEFT,
    N_ARENA,
    N_BEST,
    N_HELD,
    N_PATH,
    N_REFUTED,
    NODES,
    RESTARTING,
    RESTARTS,
    ROOT_HELD,
    ROOT_MARK,
    SOLUTIONS,
    SOLVED,
    Memory,
)
from solver.kernels.monitor import PLAYOUTS, best_score, note_improvement
from solver.kernels.status import EXHAUSTED, FULL, PAUSED, REACHED

#: Ways to choose among the moves of a decision.
DRAWN, BEST = 0, 1
NEVER = 1 << 62


class CompleteParameters(NamedTuple):
    """Parameters of a complete search."""

    branching: Any
    """`Excluding` or `Listing`."""
    fails: int
    """Dead ends before the first restart, 0 for no restarts."""
    values: int
    """`BEST`: the move of the largest odds; `DRAWN`: one drawn by them."""
    phases: int
    """1: the move that held last goes first."""
    full: int
    """1: there is no more room to be had for nogoods."""


@kernel
def complete(task: Task, parameters: CompleteParameters, memory: Memory, course: Course) -> int:
    """Search until the course ends, a solution is found or everything was tried.

    Returns
    -------
    int
        `PAUSED`, `REACHED`, `EXHAUSTED`, or `FULL` where a restart needs more room for nogoods.
    """
    numbers, counters = memory.numbers, course.monitor.counters
    if course.max_playouts > 0 and numbers[BEGUN] == 0:
        _begin(task, parameters, memory)
    while counters[PLAYOUTS] < course.max_playouts:
        if numbers[RESTARTING]:
            if not _restart(task, parameters, memory):
                return FULL
        elif numbers[SOLVED]:
            numbers[SOLVED] = 0
            if not back_out(parameters.branching, task, memory):
                return EXHAUSTED
        elif not _branch(task, parameters, memory, course):
            counters[PLAYOUTS] += 1
            if _is_solution(task, parameters, memory, course):
                numbers[SOLVED] = 1
                numbers[SOLUTIONS] += 1
                return REACHED
            if numbers[CONFLICT] == 0:
                note_dead_end(task.instance, task.state)
            numbers[FAILS] += 1
            numbers[FAILS_LEFT] -= 1
            if numbers[DEPTH] == 0:
                return EXHAUSTED
            if numbers[FAILS_LEFT] <= 0 and may_restart(parameters.branching, memory):
                refute_last(parameters.branching, memory)
                numbers[RESTARTING] = 1
            elif not back_out(parameters.branching, task, memory):
                return EXHAUSTED
    return PAUSED


@called
def _begin(task: Task, parameters: CompleteParameters, memory: Memory) -> None:
    numbers = memory.numbers
    reset(task.instance, task.state)
    numbers[BEGUN] = 1
    numbers[FAILS_LEFT] = parameters.fails if parameters.fails > 0 else NEVER
    settle_down(parameters.branching, task, memory)
    numbers[ROOT_MARK] = mark(task.instance, task.state)
    numbers[ROOT_HELD] = numbers[N_HELD]


@inlined
def _branch(task: Task, parameters: CompleteParameters, memory: Memory, course: Course) -> bool:
    """Take a decision; False where there is none, or a bound is broken."""
    numbers, way = memory.numbers, memory.way
    if numbers[CONFLICT]:
        return False
    n = branching_moves(task.instance, task.state, course.stream, way.listed)
    if n == 0:
        return False
    depth = numbers[DEPTH]
    broken = course.monitor.broken
    if not 0 <= n <= len(way.listed):
        note_broken(broken, MOVES, n, len(way.listed))
        return False
    if numbers[N_PATH] >= len(way.path) - 1:
        note_broken(broken, STEPS, numbers[N_PATH] + 1, len(way.path) - 1)
        return False
    if n == 1:
        play_move(task, memory, way.listed[0])
        settle_down(parameters.branching, task, memory)
        return True
    numbers[NODES] += 1
    chosen = _chosen(task, parameters, memory, n, course.stream)
    if not open_decision(parameters.branching, memory, chosen, n):
        note_broken(broken, CHOICES, numbers[N_ARENA] + n, len(way.untried))
        return False
    way.mark[depth] = mark(task.instance, task.state)
    way.held[depth] = numbers[N_HELD]
    way.path_before[depth] = numbers[N_PATH]
    way.refuted_before[depth] = numbers[N_REFUTED]
    way.move[depth] = way.listed[chosen]
    numbers[DEPTH] = depth + 1
    play_move(task, memory, way.listed[chosen])
    settle_down(parameters.branching, task, memory)
    return True


@inlined
def _chosen(
    task: Task, parameters: CompleteParameters, memory: Memory, n: int, stream: Stream
) -> int:
    """Place of the move to try first among the `n` listed; their weights are then known."""
    way = memory.way
    total = 0.0
    best, most, ties = 0, -1.0, 0
    latest, since = -1, 0
    for index in range(n):
        move = way.listed[index]
        weight = odds(task.prior, task.instance, task.state, move)
        way.weight[index] = weight
        total += weight
        if weight > most:
            best, most, ties = index, weight, 1
        elif weight == most:
            ties += 1
            if next_below(stream, ties) == 0:
                best = index
        if parameters.phases and memory.nogoods.stamp[move] > since:
            latest, since = index, memory.nogoods.stamp[move]
    if latest >= 0:
        return latest
    if parameters.values == DRAWN:
        rest = next_uniform(stream) * total
        for index in range(n):
            rest -= way.weight[index]
            if rest < 0.0:
                return index
    return best


@called
def _is_solution(
    task: Task, parameters: CompleteParameters, memory: Memory, course: Course
) -> bool:
    """Return whether the state is a solution; if it is better than the best, its moves are kept."""
    if memory.numbers[CONFLICT]:
        return False
    reached = score(task.instance, task.state)
    if reached >= course.target or reached > best_score(course.monitor):
        # A playout without the exclusions may end before the state: its score is what counts.
        steps, worth = moves_held(parameters.branching, task, memory, course.stream)
        if reached >= course.target or worth > best_score(course.monitor):
            for step in range(steps):
                memory.best[step] = memory.tried[step]
            memory.numbers[N_BEST] = steps
        if worth > best_score(course.monitor):
            note_improvement(course.monitor, worth)
    return bool(reached >= course.target)


@called
def _restart(task: Task, parameters: CompleteParameters, memory: Memory) -> bool:
    """Go back to the root with the nogoods of the way; False if they need more room."""
    numbers = memory.numbers
    if not has_room(parameters.branching, parameters.full, memory):
        if not parameters.full:
            return False
        numbers[FAILS_LEFT] = NEVER
        numbers[RESTARTING] = 0
        if not back_out(parameters.branching, task, memory):
            numbers[CONFLICT] = 1
        return True
    undo(task.instance, task.state, numbers[ROOT_MARK])
    learn(parameters.branching, task, memory)
    numbers[ROOT_MARK] = mark(task.instance, task.state)
    numbers[ROOT_HELD] = numbers[N_HELD]
    numbers[DEPTH] = numbers[N_PATH] = numbers[N_ARENA] = numbers[N_REFUTED] = 0
    numbers[RESTARTING] = 0
    numbers[RESTARTS] += 1
    numbers[FAILS_LEFT] = parameters.fails * luby(numbers[RESTARTS] + 1)
    return True


@inlined
def luby(number: int) -> int:
    """Return entry `number`, from 1, of the sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...

    M. Luby, A. Sinclair, D. Zuckerman, Optimal Speedup of Las Vegas Algorithms, 1993.
    """
    size = 1
    while size < number + 1:
        size *= 2
    while size - 1 != number:
        size //= 2
        number -= size - 1
        size = 1
        while size < number + 1:
            size *= 2
    return size // 2
