"""Nested Monte Carlo search, as a kernel that stops after some playouts and goes on.

The recursion is unrolled: each level has a search under way, at a node that moves from the start of
the problem lead to. Only the node of the lowest one is a state; the others are played again when
their turn comes, once for a whole search of the level below.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.compiling.memory import unshared
from solver.compiling.random import Stream
from solver.contract.domain import Limits, Puzzle
from solver.contract.rules import copy_state, legal_moves, play, reset
from solver.kernels.arguments import Course, Off, On, Task
from solver.kernels.bounds import BOUND, NONE_BROKEN, STEPS, note_broken
from solver.kernels.choices import has_place
from solver.kernels.monitor import PLAYOUTS, best_score, note_improvement
from solver.kernels.playout import PlayoutParameters, Workspace, playout
from solver.kernels.policy import NoPolicy
from solver.kernels.records import LAST, Records, copy_record
from solver.kernels.run import KernelRun, dead_ends_of
from solver.kernels.status import EXHAUSTED, PAUSED, REACHED

Int64s = npt.NDArray[np.int64]

LOWEST = 1  # level whose searches make playouts
NOT_BEGUN = 0  # of `Searches.turn`


class NmcsParameters(NamedTuple):
    """See `solver.algorithms.nmcs.Nmcs`."""

    level: int
    memorise: bool
    playouts: PlayoutParameters


class Searches(NamedTuple):
    """The search under way on each level, from 1; its best is the record of that number."""

    turn: Int64s
    """int64[1]: level of the search that makes the next playout, `NOT_BEGUN` if there is none."""
    depth: Int64s
    """int64[level + 1]: moves on the way to its node."""
    path: Int64s
    """int64[level + 1, steps]: these, and at the lowest level the move tried."""
    n_moves: Int64s
    """int64[level + 1]: moves possible at the node."""
    listed: Int64s
    """int64[level + 1, moves]: these."""
    tried: Int64s
    """int64[level + 1]: how many of them were tried."""
    decisions: Int64s
    """int64[level + 1]: nodes with two moves or more on the way to this one."""


def new_searches(level: int, limits: Limits) -> Searches:
    """Allocate the searches of `level` levels."""
    numbers = (np.zeros(level + 1, np.int64) for _ in range(4))
    depth, n_moves, tried, decisions = numbers
    return Searches(
        turn=np.full(1, NOT_BEGUN, np.int64),
        depth=depth,
        path=np.zeros((level + 1, limits.steps), np.int64),
        n_moves=n_moves,
        listed=np.zeros((level + 1, max(limits.moves, 1)), np.int64),
        tried=tried,
        decisions=decisions,
    )


@inlined
def _open_node(
    task: Task, node: Any, workspace: Workspace, searches: Searches, level: int, course: Course
) -> None:
    """Make `node` the node of the search of `level`, and list its moves; none beyond limits."""
    moves, depth = workspace.choices.listed, searches.depth[level]
    reset(task.instance, node)
    for step in range(depth):
        play(task.instance, node, searches.path[level, step])
    n = legal_moves(task.instance, node, course.stream, moves)
    if n != 0 and not has_place(workspace.choices, 0, depth, n, course.monitor.broken):
        n = 0
    for index in range(n):
        searches.listed[level, index] = moves[index]
    searches.n_moves[level] = n
    searches.tried[level] = 0


@inlined
def _descend(
    task: Task, node: Any, workspace: Workspace, searches: Searches, level: int, course: Course
) -> int:
    """Begin the searches below that of `level`, of the move tried there; returns the last level.

    A search that begins where nothing can be played is the last.
    """
    records = workspace.records
    while level > LOWEST and searches.n_moves[level] > 0:
        below, depth = level - 1, searches.depth[level]
        for step in range(depth):
            searches.path[below, step] = searches.path[level, step]
        searches.path[below, depth] = searches.listed[level, searches.tried[level]]
        searches.depth[below] = depth + 1
        searches.decisions[below] = searches.decisions[level] + (searches.n_moves[level] > 1)
        records.score[below] = records.shaped[below] = -np.inf
        _open_node(task, node, workspace, searches, below, course)
        level = below
    return level


@inlined
def _keep(records: Records, path: Int64s, depth: int, row: int) -> None:
    """Make record `row` the first `depth` moves of `path`, and those of the last playout."""
    steps = records.steps[LAST]
    for step in range(depth):
        records.move[row, step] = path[step]
    for step in range(steps):
        records.move[row, depth + step] = records.move[LAST, step]
    records.steps[row] = depth + steps
    records.score[row] = records.score[LAST]
    records.shaped[row] = records.shaped[LAST]


@inlined
def _go_on(
    task: Task,
    node: Any,
    parameters: NmcsParameters,
    workspace: Workspace,
    searches: Searches,
    course: Course,
) -> int:
    """Go to the next playout, and return the level that makes it, or `NOT_BEGUN` at the end."""
    records, level = workspace.records, searches.turn[0]
    while True:
        if searches.n_moves[level] > 0:
            searches.tried[level] += 1
            if searches.tried[level] == searches.n_moves[level]:
                depth = searches.depth[level]
                searches.decisions[level] += searches.n_moves[level] > 1
                searches.path[level, depth] = records.move[level, depth]
                searches.depth[level] = depth + 1
                _open_node(task, node, workspace, searches, level, course)
                if searches.n_moves[level] > 0 and not parameters.memorise:
                    records.score[level] = records.shaped[level] = -np.inf
            if searches.n_moves[level] > 0:
                return _descend(task, node, workspace, searches, level, course)
        if level == parameters.level:
            return NOT_BEGUN
        if records.shaped[level] > records.shaped[level + 1]:
            copy_record(records, level, level + 1)
        level += 1


@kernel
def search_nmcs(
    task: Task,
    node: Any,
    parameters: NmcsParameters,
    workspace: Workspace,
    searches: Searches,
    course: Course,
) -> int:
    """Nested Monte Carlo search (paper 'beam-nrpa', Algorithm 1), restarted until the course ends.

    Parameters
    ----------
    node : NamedTuple
        State of the node whose moves are tried by playouts.

    Returns
    -------
    int
        `PAUSED`, `REACHED` or `EXHAUSTED`.
    """
    records, counters, broken = workspace.records, course.monitor.counters, course.monitor.broken
    top = parameters.level
    exhausted = False
    while counters[PLAYOUTS] < course.max_playouts and not exhausted:
        if searches.turn[0] == NOT_BEGUN:
            searches.depth[top] = searches.decisions[top] = 0
            records.score[top] = records.shaped[top] = -np.inf
            _open_node(task, node, workspace, searches, top, course)
            searches.turn[0] = _descend(task, node, workspace, searches, top, course)
        level = searches.turn[0]
        path, depth, n = searches.path[level], searches.depth[level], searches.n_moves[level]
        copy_state(task.instance, node, task.state)
        if n > 0:
            path[depth] = searches.listed[level, searches.tried[level]]
            play(task.instance, task.state, path[depth])
            depth += 1
        floor = records.shaped[level]
        met, all_seen = playout(task, parameters.playouts, workspace, course, floor)
        counters[PLAYOUTS] += met
        if broken[BOUND] == NONE_BROKEN and depth + records.steps[LAST] > len(path):
            note_broken(broken, STEPS, depth + records.steps[LAST], len(path))
        if broken[BOUND] != NONE_BROKEN:
            return EXHAUSTED
        reached = records.score[LAST]
        if reached > best_score(course.monitor):
            note_improvement(course.monitor, reached)
            _keep(records, path, depth, top + 1)
            if reached >= course.target:
                return REACHED
        if records.shaped[LAST] > floor:
            _keep(records, path, depth, level)
        exhausted = all_seen and searches.decisions[level] + (n > 1) == 0
        searches.turn[0] = _go_on(task, node, parameters, workspace, searches, course)
    return EXHAUSTED if exhausted else PAUSED


class NmcsRun(KernelRun):
    """A run of nested Monte Carlo searches, see `solver.algorithms.nmcs.Nmcs`."""

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        prior: Any,
        *,
        level: int,
        memorise: bool,
        dead_ends: int,
        shaping: bool,
    ) -> None:
        super().__init__(domain, instance, prior, NoPolicy(), rows=level + 2)
        self.node = unshared(domain.new_state(instance))
        self.searches = unshared(new_searches(level, self.limits))
        playouts = PlayoutParameters(dead_ends_of(dead_ends), On() if shaping else Off())
        self.parameters = NmcsParameters(level, memorise, playouts)

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        super().begin(stream)
        self.searches.turn[0] = NOT_BEGUN

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        course = self.course(max_playouts, run_playouts)
        return search_nmcs(
            self.task, self.node, self.parameters, self.workspace, self.searches, course
        )
