"""Parallel tempering of orders: kernels of the turns of temperatures, and of what follows a round.

In a round each temperature has a turn. Turns need nothing of each other, so threads share a round:
each temperature has a random stream of its own, and what turns have found is put together in the
order of the temperatures.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.copies import copy_items
from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream, next_uniform
from solver.contract.orders import (
    go_on,
    go_to,
    keep,
    list_items,
    list_moves,
    order_score,
    shaped_order_score,
)
from solver.contract.rules import Floats, Moves
from solver.kernels.bounds import STEPS, Broken, note_broken
from solver.kernels.changes.change import TemperingParameters, change_order
from solver.kernels.monitor import PLAYOUTS, TRACE_LENGTH, Monitor, best_score, note_improvement
from solver.kernels.records import LAST, Records
from solver.kernels.status import PAUSED, REACHED

NOT_BEGUN = -1


class Replicas(NamedTuple):
    """An order for each temperature, and what the turns of a round have found."""

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
    stream: npt.NDArray[np.uint64]
    """uint64[replicas, 4]: stream of each temperature."""
    improvements: npt.NDArray[np.int64]
    """int64[replicas]: how often each temperature had a better score in this round than it, or any
    before the round."""
    trace_change: npt.NDArray[np.int64]
    """int64[replicas, TRACE_LENGTH]: changes of the round before each of these improvements."""
    trace_score: Floats
    """float64[replicas, TRACE_LENGTH]: its score. A full trace replaces its last entry."""
    moves: Moves
    """int64[replicas, steps]: moves of the last improvement of each temperature."""
    n_moves: npt.NDArray[np.int64]
    """int64[replicas]: how many these are."""


class Scratch(NamedTuple):
    """Scratch of a thread."""

    changed: Moves
    """int64[steps + 1]: items of an order after a change."""
    played: Moves
    """int64[steps]: those of them that were played."""
    stream: Stream
    """uint64[4]: stream of the temperature whose turn it is."""
    broken: Broken
    """int64[3]: a bound that the rules broke."""


class Part(NamedTuple):
    """Part of a round: the turns of every n-th temperature, n being the number of threads."""

    thread: int
    """First temperature."""
    threads: int
    begin: int
    """Changes of the round, of all temperatures one after the other, from this one on."""
    end: int
    """The change behind the last."""
    best: float
    """Best score before the round."""
    target: float
    """Score at which a search ends, inf for none."""


@inlined
def _take(
    orders: Any, instance: Any, order: Moves, played: Moves, step: int, before: int, steps: int
) -> None:
    """Make the items that were played from `step` to `steps` the order from there on.

    It had `before` steps.
    """
    same = steps == before
    for index in range(step, steps):
        same &= order[index] == played[index]
        order[index] = played[index]
    if not same:
        keep(orders, instance, order[:steps], step)


@inlined
def _note_found(replicas: Replicas, place: int, change: int, score: float) -> None:
    """Add the score of a change to the improvements of a temperature."""
    index = min(replicas.improvements[place], TRACE_LENGTH - 1)
    replicas.trace_change[place, index] = change
    replicas.trace_score[place, index] = score
    replicas.improvements[place] = index + 1


@inlined
def _best_found(replicas: Replicas, place: int, best: float) -> float:
    improvements = replicas.improvements[place]
    return float(replicas.trace_score[place, improvements - 1]) if improvements > 0 else best


@kernel
def play_part(
    instance: Any,
    parameters: TemperingParameters,
    orders: Any,
    replicas: Replicas,
    scratch: Scratch,
    part: Part,
) -> None:
    """Change orders, and accept better results, or worse ones the more the hotter."""
    changed, played, stream = scratch.changed, scratch.played, scratch.stream
    for place in range(part.thread, len(replicas.temperature), part.threads):
        before = place * parameters.turn
        begin = max(part.begin, before)
        end = min(part.end, before + parameters.turn)
        if begin >= end:
            continue
        row, temperature = replicas.row_of[place], replicas.temperature[place]
        order, steps, shaped = replicas.order[row], replicas.steps[row], replicas.shaped[row]
        best = _best_found(replicas, place, part.best)
        copy_items(replicas.stream[place], stream)
        if steps != NOT_BEGUN:
            keep(orders, instance, order[:steps], 0)
        for change in range(begin, end):
            begins, step, length, floor = steps == NOT_BEGUN, 0, 0, -np.inf
            if begins:
                go_to(orders, instance, order[:0], 0)
            else:
                floor = shaped + temperature * np.log(1.0 - next_uniform(stream))
                step, length = change_order(
                    parameters, orders, instance, order[:steps], changed, stream
                )
            made = go_on(orders, instance, changed[:length], step, stream, played, min(floor, best))
            if not 0 <= made <= len(played):
                note_broken(scratch.broken, STEPS, made, len(played))
                return
            score = order_score(orders, instance)
            reached = shaped_order_score(orders, instance) if parameters.shaping else score
            better = score > best
            if better or reached >= floor:
                _take(orders, instance, order, played, step, steps, made)
                steps, shaped = made, reached
            if better:
                best = score
                _note_found(replicas, place, change, score)
                replicas.n_moves[place] = steps
                list_moves(orders, instance, order[:steps], replicas.moves[place])
                if score >= part.target:
                    break
        replicas.steps[row], replicas.shaped[row] = steps, shaped
        copy_items(stream, replicas.stream[place])


@kernel
def merge_found(
    replicas: Replicas, records: Records, before: int, target: float, monitor: Monitor
) -> int:
    """Note what the temperatures have found in a round, which began after `before` playouts.

    Returns
    -------
    int
        `PAUSED` or `REACHED`.
    """
    for place in range(len(replicas.temperature)):
        for index in range(replicas.improvements[place]):
            score = replicas.trace_score[place, index]
            if score > best_score(monitor):
                monitor.counters[PLAYOUTS] = before + replicas.trace_change[place, index] + 1
                note_improvement(monitor, score)
                records.score[LAST], records.steps[LAST] = score, replicas.n_moves[place]
                for step in range(replicas.n_moves[place]):
                    records.move[LAST, step] = replicas.moves[place, step]
                if score >= target:
                    return REACHED
    return PAUSED


@kernel
def exchange_orders(replicas: Replicas, stream: Stream) -> None:
    """Let orders of neighbouring temperatures change places; a new round begins."""
    row_of, temperature = replicas.row_of, replicas.temperature
    for place in range(len(temperature) - 1):
        colder, hotter = row_of[place], row_of[place + 1]
        exponent = 1.0 / temperature[place] - 1.0 / temperature[place + 1]
        exponent *= replicas.shaped[hotter] - replicas.shaped[colder]
        if exponent >= 0.0 or next_uniform(stream) < np.exp(exponent):
            row_of[place], row_of[place + 1] = hotter, colder
    for place in range(len(temperature)):
        replicas.improvements[place] = 0


@kernel
def begin_orders(
    instance: Any,
    shaping: bool,
    orders: Any,
    replicas: Replicas,
    scratch: Scratch,
    moves: Moves,
) -> None:
    """Make the playout of `moves` the order of every temperature; consumes the first's stream."""
    changed = scratch.changed[: len(moves)]
    list_items(orders, instance, moves, changed)
    go_to(orders, instance, changed, 0)
    stream = replicas.stream[0]
    steps = go_on(orders, instance, changed, 0, stream, scratch.played, -np.inf)
    shaped = shaped_order_score(orders, instance) if shaping else order_score(orders, instance)
    for row in range(len(replicas.steps)):
        replicas.steps[row], replicas.shaped[row] = steps, shaped
        for step in range(steps):
            replicas.order[row, step] = scratch.played[step]
