"""Parallel tempering of orders, as a kernel that stops after some changes and goes on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.compiling.memory import unshared
from solver.compiling.random import Stream, next_below, next_uniform
from solver.contract.domain import Puzzle
from solver.contract.orders import (
    draw_item,
    go_on,
    go_to,
    keep,
    list_items,
    list_moves,
    order_score,
    shaped_order_score,
)
from solver.contract.rules import Floats, Moves
from solver.kernels.arguments import Course, Task
from solver.kernels.bounds import STEPS, note_broken
from solver.kernels.monitor import PLAYOUTS, best_score, note_improvement
from solver.kernels.policy import NoPolicy
from solver.kernels.records import LAST, Records
from solver.kernels.run import KernelRun
from solver.kernels.status import PAUSED, REACHED

TURN, CHANGES = range(2)  # scalars of replicas
NOT_BEGUN = -1
#: Steps that an item is shifted by, at most.
LONGEST_SHIFT = 5


class TemperingParameters(NamedTuple):
    """Parameters of the search."""

    turn: int
    """Changes of an order before it is the turn of the next."""
    add: int
    """Percentage of changes that add an item."""
    move: int
    """Percentage of changes that move an item to any step."""
    shift: int
    """Percentage of changes that move an item by a few steps."""
    take: int
    """Percentage of changes that take an item out; the rest replace one."""
    shaping: bool
    """True if orders are compared by shaped scores."""


class Replicas(NamedTuple):
    """An order for each temperature."""

    temperature: Floats
    """float64[replicas], from the lowest."""
    row_of: npt.NDArray[np.int64]
    """int64[replicas]: row of the order that each temperature has."""
    order: Moves
    """int64[replicas, steps]: items of each."""
    steps: npt.NDArray[np.int64]
    """int64[replicas]: how many these are, `NOT_BEGUN` before its first playout."""
    shaped: Floats
    """float64[replicas]: scores by which orders are compared."""
    changed: Moves
    """int64[steps + 1]: scratch, items of an order after a change."""
    played: Moves
    """int64[steps]: scratch, those of them that were played."""
    scalars: npt.NDArray[np.int64]
    """int64[2]: place of the temperature whose turn it is, and changes in that turn so far."""


@inlined
def _with_item(order: Moves, changed: Moves, place: int, item: int) -> int:
    """Make `changed` the order with `item` before step `place`; returns its length."""
    for step in range(place):
        changed[step] = order[step]
    changed[place] = item
    for step in range(place, len(order)):
        changed[step + 1] = order[step]
    return len(order) + 1


@inlined
def _with_moved(order: Moves, changed: Moves, source: int, target: int) -> int:
    """Make `changed` the order with the item of step `source` at step `target`."""
    for step in range(len(order)):
        changed[step] = order[step]
    for step in range(source, target):
        changed[step] = order[step + 1]
    for step in range(source, target, -1):
        changed[step] = order[step - 1]
    changed[target] = order[source]
    return len(order)


@inlined
def _without(order: Moves, changed: Moves, place: int) -> int:
    """Make `changed` the order without the item of step `place`; returns its length."""
    for step in range(place):
        changed[step] = order[step]
    for step in range(place + 1, len(order)):
        changed[step - 1] = order[step]
    return len(order) - 1


@inlined
def _with_another(order: Moves, changed: Moves, place: int, item: int) -> int:
    """Make `changed` the order with `item` at step `place`; returns its length."""
    for step in range(len(order)):
        changed[step] = order[step]
    changed[place] = item
    return len(order)


@inlined
def _change(
    parameters: TemperingParameters,
    orders: Any,
    instance: Any,
    order: Moves,
    changed: Moves,
    stream: Stream,
) -> tuple[int, int]:
    """Make `changed` the order after a change, and go there; returns its step and the length."""
    n = len(order)
    kind = next_below(stream, 100)
    if n < 2 or kind < parameters.add:
        step = next_below(stream, n + 1)
        go_to(orders, instance, order, step)
        return step, _with_item(order, changed, step, draw_item(orders, instance, stream))
    source = next_below(stream, n)
    kind -= parameters.add
    if kind < parameters.move + parameters.shift:
        if kind < parameters.move:
            target = next_below(stream, n)
        else:
            target = source + next_below(stream, 2 * LONGEST_SHIFT + 1) - LONGEST_SHIFT
            target = min(max(target, 0), n - 1)
        step = min(source, target)
        go_to(orders, instance, order, step)
        return step, _with_moved(order, changed, source, target)
    go_to(orders, instance, order, source)
    if kind < parameters.move + parameters.shift + parameters.take:
        return source, _without(order, changed, source)
    return source, _with_another(order, changed, source, draw_item(orders, instance, stream))


@inlined
def _take(orders: Any, instance: Any, replicas: Replicas, row: int, step: int, steps: int) -> None:
    """Make the items that were played from `step` to `steps` the order from there on."""
    same = steps == replicas.steps[row]
    for index in range(step, steps):
        same &= replicas.order[row, index] == replicas.played[index]
        replicas.order[row, index] = replicas.played[index]
    replicas.steps[row] = steps
    if not same:
        keep(orders, instance, replicas.order[row, :steps], step)


@inlined
def _exchange(replicas: Replicas, stream: Stream) -> None:
    """Let orders of neighbouring temperatures change places."""
    row_of, temperature = replicas.row_of, replicas.temperature
    for place in range(len(temperature) - 1):
        colder, hotter = row_of[place], row_of[place + 1]
        exponent = 1.0 / temperature[place] - 1.0 / temperature[place + 1]
        exponent *= replicas.shaped[hotter] - replicas.shaped[colder]
        if exponent >= 0.0 or next_uniform(stream) < np.exp(exponent):
            row_of[place], row_of[place + 1] = hotter, colder


@inlined
def _begin_turn(orders: Any, instance: Any, replicas: Replicas, turn: int, stream: Stream) -> None:
    """Let the next temperature have its turn, where the last one's is over."""
    scalars = replicas.scalars
    if scalars[CHANGES] == turn:
        scalars[CHANGES] = 0
        scalars[TURN] += 1
    if scalars[TURN] == len(replicas.temperature):
        scalars[TURN] = 0
        _exchange(replicas, stream)
    row = replicas.row_of[scalars[TURN]]
    if scalars[CHANGES] == 0 and replicas.steps[row] != NOT_BEGUN:
        keep(orders, instance, replicas.order[row, : replicas.steps[row]], 0)


@kernel
def search_tempering(
    task: Task,
    parameters: TemperingParameters,
    records: Records,
    orders: Any,
    replicas: Replicas,
    course: Course,
) -> int:
    """Change orders, and accept better results, or worse ones the more the hotter.

    Returns
    -------
    int
        `PAUSED` or `REACHED`.
    """
    instance, stream, monitor = task.instance, course.stream, course.monitor
    while monitor.counters[PLAYOUTS] < course.max_playouts:
        _begin_turn(orders, instance, replicas, parameters.turn, stream)
        place = replicas.scalars[TURN]
        row = replicas.row_of[place]
        begins = replicas.steps[row] == NOT_BEGUN
        order, changed = replicas.order[row, : max(replicas.steps[row], 0)], replicas.changed
        step, length = 0, 0
        if begins:
            go_to(orders, instance, order, 0)
        else:
            step, length = _change(parameters, orders, instance, order, changed, stream)
        steps = go_on(orders, instance, changed[:length], step, stream, replicas.played)
        monitor.counters[PLAYOUTS] += 1
        if not 0 <= steps <= len(replicas.played):
            note_broken(monitor.broken, STEPS, steps, len(replicas.played))
            return PAUSED
        replicas.scalars[CHANGES] += 1
        score = order_score(orders, instance)
        shaped = shaped_order_score(orders, instance) if parameters.shaping else score
        better = score > best_score(monitor)
        exponent = (shaped - replicas.shaped[row]) / replicas.temperature[place]
        if begins or better or exponent >= 0.0 or next_uniform(stream) < np.exp(exponent):
            replicas.shaped[row] = shaped
            _take(orders, instance, replicas, row, step, steps)
        if better:
            note_improvement(monitor, score)
            list_moves(orders, instance, replicas.order[row, :steps], records.move[LAST])
            records.steps[LAST], records.score[LAST] = steps, score
            if score >= course.target:
                return REACHED
    return PAUSED


@kernel
def begin_orders(
    task: Task,
    shaping: bool,
    orders: Any,
    replicas: Replicas,
    moves: Moves,
    stream: Stream,
) -> None:
    """Make the playout of `moves` the order of every temperature."""
    instance, changed = task.instance, replicas.changed[: len(moves)]
    list_items(orders, instance, moves, changed)
    go_to(orders, instance, changed, 0)
    steps = go_on(orders, instance, changed, 0, stream, replicas.played)
    shaped = shaped_order_score(orders, instance) if shaping else order_score(orders, instance)
    for row in range(len(replicas.steps)):
        replicas.steps[row], replicas.shaped[row] = steps, shaped
        for step in range(steps):
            replicas.order[row, step] = replicas.played[step]


class TemperingRun(KernelRun):
    """A run of parallel tempering, see `solver.algorithms.tempering.Tempering`.

    Parameters
    ----------
    orders : NamedTuple
        From `Puzzle.new_orders`.
    temperatures : float64[replicas]
        From the lowest.
    """

    def __init__(
        self,
        domain: Puzzle,
        instance: Any,
        prior: Any,
        orders: Any,
        temperatures: Floats,
        parameters: TemperingParameters,
    ) -> None:
        super().__init__(domain, instance, prior, NoPolicy(), rows=1)
        n, steps = len(temperatures), self.limits.steps
        self.parameters = parameters
        self.orders = unshared(orders)
        self.replicas = unshared(
            Replicas(
                temperature=temperatures,
                row_of=np.arange(n),
                order=np.zeros((n, steps), np.int64),
                steps=np.full(n, NOT_BEGUN),
                shaped=np.zeros(n),
                changed=np.zeros(steps + 1, np.int64),
                played=np.zeros(steps, np.int64),
                scalars=np.zeros(CHANGES + 1, np.int64),
            )
        )

    def begin(self, stream: Stream) -> None:
        """Start afresh with `stream`."""
        super().begin(stream)
        self.replicas.row_of[:] = np.arange(len(self.replicas.row_of))
        self.replicas.steps[:] = NOT_BEGUN
        self.replicas.scalars[:] = 0

    def advance(self, max_playouts: int, run_playouts: int) -> int:
        """See `solver.algorithms.run.Run`."""
        course = self.course(max_playouts, run_playouts)
        return search_tempering(
            self.task, self.parameters, self.records, self.orders, self.replicas, course
        )

    def begin_orders(self, moves: Moves, score: float) -> None:
        """Begin with the playout of `moves`, of `score`, the best so far; consumes the stream."""
        records, n = self.records, len(moves)
        records.move[LAST, :n], records.steps[LAST], records.score[LAST] = moves, n, score
        begin_orders(
            self.task, self.parameters.shaping, self.orders, self.replicas, moves, self.stream
        )
