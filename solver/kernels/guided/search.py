"""Kernel of local search guided by counterexamples, which can be paused and resumed.

Two loops. The inner one changes an assignment until no known constraint is violated: WalkSAT's
choice of a violated constraint and a step in it, moves proposed by priors, accepted as in
Metropolis' algorithm, constraints that stay violated weighing more. The outer one has the
result checked, learns the counterexample, and goes on from there if it is near enough to a
solution (late acceptance), else from the nearest so far.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.compiling.copies import fill_items
from solver.compiling.jit import called, inlined, kernel
from solver.compiling.random import Stream, next_uniform
from solver.contract.constraints import (
    add_weight,
    assignment_cost,
    check,
    commit,
    evaluate,
    is_violated,
    move_cost,
    reset_weights,
    revisit,
    step_to_change,
    violated,
)
from solver.contract.rules import Floats, Moves, legal_moves, play, reset
from solver.kernels.arguments import Course, Task
from solver.kernels.bounds import MOVES, STEPS, note_broken
from solver.kernels.guided.palettes import apply_palette
from solver.kernels.guided.proposals import weigh_moves
from solver.kernels.monitor import PLAYOUTS
from solver.kernels.records import Records
from solver.kernels.status import EXHAUSTED, PAUSED

CURRENT, ANCHOR, BEST = 0, 1, 2
"""Records: the assignment, the nearest to a solution since the restart, that of the best score."""
CHECKS, GAIN, BEGUN, CHOICES = range(4)  # counters
#: Why the kernel returned, besides what `solver.kernels.status` has: nothing was gained for long,
#: or a gain is to be scored, which is rare and would be compiled a second time here.
STUCK, NEARER = 4, 5
NEAREST, NEAREST_OF_ALL = 0, 1  # distances


class GuidedParameters(NamedTuple):
    """Parameters of the search."""

    proposals: Any
    """A `Mixture`; the first of its priors makes the assignments to begin with."""
    palette: Any
    """A `Palette`, or `Off` for proposals by the priors alone."""
    moves: int
    """Moves tried between two checks."""
    fewest_moves: int
    """Moves after which no violated constraint is enough, though some are met without a margin."""
    noise: float
    """Temperature of the acceptance of moves, in the unit of costs."""
    weight: float
    """Weight added to a chosen constraint after a move that was not accepted."""
    patience: int
    """Checks without a gain before a restart."""


class GuidedWorkspace(NamedTuple):
    """Workspace: memory that the search reads and writes."""

    constraints: Any
    records: Records
    """Records, of which moves, steps and scores are used."""
    listed: Moves
    """int64[moves]: scratch."""
    weights: Floats
    """float64[moves]: scratch."""
    given: Moves
    """int64[steps]: moves to begin with, -1 for those to be drawn."""
    history: Floats
    """float64[memory]: distances of the last assignments gone on from."""
    distances: Floats
    """float64[2]: the least since the restart, and of all."""
    counters: Moves
    """int64[4]: checks since the restart, the last of them that gained, whether the search has
    begun, and steps with two moves or more."""


@kernel
def search_guided(
    task: Task, parameters: GuidedParameters, workspace: GuidedWorkspace, course: Course
) -> int:
    """Search until the course ends.

    Returns
    -------
    int
        `PAUSED`, `NEARER` where the assignment is nearer to a solution than all before, `STUCK`
        where the search should begin again, or `EXHAUSTED` if there is one assignment only.
    """
    instance, state = task.instance, task.state
    constraints, counters = workspace.constraints, workspace.counters
    playouts = course.monitor.counters
    if counters[CHECKS] > 0 and counters[CHOICES] == 0:
        return EXHAUSTED
    while playouts[PLAYOUTS] < course.max_playouts:
        if counters[BEGUN] == 0:
            if not _begin(task, parameters, workspace, course):
                return PAUSED
        elif counters[CHECKS] - counters[GAIN] > parameters.patience:
            return STUCK
        else:
            _improve(task, parameters, workspace, course)
        distance = check(constraints, instance, state)
        playouts[PLAYOUTS] += 1
        _go_on(task, workspace, distance)
        if distance < workspace.distances[NEAREST_OF_ALL]:
            workspace.distances[NEAREST_OF_ALL] = distance
            return NEARER
    return PAUSED


@kernel
def step_at_fault(constraints: Any, instance: Any, state: Any, stream: Stream) -> int:
    """A step that a violated constraint of the playout in `state` depends on, -1 if none is."""
    reset_weights(constraints)
    evaluate(constraints, instance, state)
    constraint = violated(constraints, stream)
    return -1 if constraint < 0 else step_to_change(constraints, constraint, stream)


@called
def _begin(
    task: Task, parameters: GuidedParameters, workspace: GuidedWorkspace, course: Course
) -> bool:
    """Make a playout: moves that are given, others by the first of the priors.

    Returns whether it is within limits.
    """
    stream, broken = course.stream, course.monitor.broken
    instance, state, moves = task.instance, task.state, workspace.listed
    workspace.counters[CHECKS] = workspace.counters[GAIN] = 0
    workspace.counters[BEGUN] = 1
    workspace.counters[CHOICES] = 0
    fill_items(workspace.history, np.inf)
    workspace.distances[NEAREST] = np.inf
    reset(instance, state)
    step = 0
    while True:
        n = legal_moves(instance, state, stream, moves)
        if n == 0:
            break
        if not 0 < n <= len(moves):
            note_broken(broken, MOVES, n, len(moves))
            return False
        if step >= len(workspace.given):
            note_broken(broken, STEPS, step + 1, len(workspace.given))
            return False
        workspace.counters[CHOICES] += n > 1
        move = workspace.given[step]
        if move < 0:
            weigh_moves(parameters.proposals, 0.0, instance, state, moves, n, workspace.weights)
            apply_palette(parameters.palette, 0.0, moves, n, workspace.weights)
            move = moves[_drawn(workspace.weights, n, stream)]
        workspace.records.move[CURRENT, step] = move
        play(instance, state, move)
        step += 1
    fill_items(workspace.records.steps, step)
    reset_weights(workspace.constraints)
    evaluate(workspace.constraints, instance, state)
    return True


@inlined
def _drawn(weights: Floats, n: int, stream: Stream) -> int:
    """Index drawn with probability proportional to the first `n` weights, -1 if all are 0."""
    total = 0.0
    for index in range(n):
        total += weights[index]
    left = next_uniform(stream) * total
    chosen = -1
    for index in range(n):
        if weights[index] > 0.0:
            chosen = index
            left -= weights[index]
            if left < 0.0:
                break
    return chosen


@inlined
def _improve(
    task: Task, parameters: GuidedParameters, workspace: GuidedWorkspace, course: Course
) -> None:
    """Change the assignment until no known constraint is violated, or moves are spent."""
    constraints, stream = workspace.constraints, course.stream
    for number in range(parameters.moves):
        constraint = violated(constraints, stream)
        if constraint < 0:
            return
        if number >= parameters.fewest_moves and not is_violated(constraints):
            return
        step = step_to_change(constraints, constraint, stream)
        move = _proposed(task, parameters, workspace, step, course)
        if move < 0:
            continue
        most = assignment_cost(constraints) - parameters.noise * np.log(1.0 - next_uniform(stream))
        if move_cost(constraints, task.instance, step, move, most) <= most:
            commit(constraints, task.instance, step, move)
            play(task.instance, task.state, move)
            workspace.records.move[CURRENT, step] = move
        else:
            add_weight(constraints, constraint, parameters.weight)


@inlined
def _proposed(
    task: Task,
    parameters: GuidedParameters,
    workspace: GuidedWorkspace,
    step: int,
    course: Course,
) -> int:
    """Draw another move for `step`, -1 if there is none."""
    stream = course.stream
    instance, state, moves = task.instance, task.state, workspace.listed
    revisit(instance, state, step)
    n = legal_moves(instance, state, stream, moves)
    if not 0 <= n <= len(moves):
        note_broken(course.monitor.broken, MOVES, n, len(moves))
        return -1
    drawn = next_uniform(stream)
    weigh_moves(parameters.proposals, drawn, instance, state, moves, n, workspace.weights)
    apply_palette(parameters.palette, drawn, moves, n, workspace.weights)
    for index in range(n):
        if moves[index] == workspace.records.move[CURRENT, step]:
            workspace.weights[index] = 0.0
    chosen = _drawn(workspace.weights, n, stream)
    return -1 if chosen < 0 else moves[chosen]


@inlined
def _go_on(task: Task, workspace: GuidedWorkspace, distance: float) -> None:
    """Accept the assignment, or go back to the nearest since the restart."""
    counters, history = workspace.counters, workspace.history
    place = counters[CHECKS] % len(history)
    counters[CHECKS] += 1
    nearest = workspace.distances[NEAREST]
    if distance <= nearest:
        if distance < nearest:
            counters[GAIN] = counters[CHECKS]
        workspace.distances[NEAREST] = distance
        _copy_moves(workspace.records, CURRENT, ANCHOR)
    elif distance > history[place]:
        distance = nearest
        _go_back(task, workspace)
    history[place] = distance


@called
def _go_back(task: Task, workspace: GuidedWorkspace) -> None:
    """Go on from the nearest assignment since the restart."""
    move = workspace.records.move
    for step in range(workspace.records.steps[CURRENT]):
        if move[CURRENT, step] != move[ANCHOR, step]:
            move[CURRENT, step] = move[ANCHOR, step]
            revisit(task.instance, task.state, step)
            play(task.instance, task.state, move[CURRENT, step])
    evaluate(workspace.constraints, task.instance, task.state)


@inlined
def _copy_moves(records: Records, source: int, target: int) -> None:
    for step in range(records.steps[source]):
        records.move[target, step] = records.move[source, step]
