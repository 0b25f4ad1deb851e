"""The decisions of the playout under way, so that it can back out of a dead end."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from solver.compiling.generic import generic
from solver.compiling.jit import called, inlined
from solver.compiling.memory import unshared
from solver.compiling.random import Stream, next_uniform
from solver.contract.domain import Limits
from solver.contract.rules import Moves, mark, note_dead_end, undo
from solver.kernels.arguments import Course, Off
from solver.kernels.bounds import CHOICES, MOVES, STEPS, Broken, new_moves, note_broken
from solver.kernels.monitor import LONGEST, PLAYOUTS

#: In place of the weight of a move that was tried; one that was not may have weight 0.
TRIED = -1.0


class Choices(NamedTuple):
    """The moves of every decision, flat; decision d has those from end[d] to end[d + 1]."""

    listed: Moves
    """int64[moves]: scratch for the moves of one state."""
    move: Moves
    """int64[choices]: moves of the decisions."""
    weight: npt.NDArray[np.float64]
    """float64[choices]: their weights, `TRIED` once tried."""
    end: npt.NDArray[np.uint32]
    """uint32[steps + 1]."""
    left: npt.NDArray[np.uint32]
    """uint32[steps]: moves not tried yet."""
    step: npt.NDArray[np.uint32]
    """uint32[steps]: number of the step at which the decision was taken."""
    mark: npt.NDArray[np.int64]
    """int64[steps]: where to go back to for another choice."""


def new_choices(limits: Limits) -> Choices:
    """Allocate the choices of playouts within `limits`, on cache lines of their own."""
    choices = Choices(
        listed=np.zeros(0, np.int64),
        move=np.zeros(limits.choices, np.int64),
        weight=np.zeros(limits.choices),
        end=np.zeros(limits.steps + 1, np.uint32),
        left=np.zeros(limits.steps, np.uint32),
        step=np.zeros(limits.steps, np.uint32),
        mark=np.zeros(limits.steps, np.int64),
    )
    return cast(Choices, unshared(choices)._replace(listed=new_moves(limits)))


class DeadEnds(NamedTuple):
    """Playouts may back out of dead ends; `Off` in its place compiles nothing for it."""

    most: int
    """Most dead ends that a playout may back out of."""


class GrowingDeadEnds(NamedTuple):
    """Like `DeadEnds`, with a longer playout now and then; failures are noted for the next.

    Whatever the size of the tree, one of them sees all of it at last, which proves that there is
    no solution; the others are as they would be without.
    """

    most: int


#: A longer playout begins when so many times its dead ends have been met; the next has twice as
#: many, so these take a quarter of all playouts at most.
LONGER_AFTER = 4


@inlined
def has_place(choices: Choices, decision: int, step: int, n: int, broken: Broken) -> bool:
    """True if `n` moves at `step`, of which one is played, are within limits; else that is noted.

    Two moves or more are those of `decision`.
    """
    fits = 0 <= n <= len(choices.listed) and step < len(choices.left)
    if fits and (n < 2 or choices.end[decision] + n <= len(choices.move)):
        return True
    _note_beyond(choices, decision, step, n, broken)
    return False


@called
def _note_beyond(choices: Choices, decision: int, step: int, n: int, broken: Broken) -> None:
    if not 0 <= n <= len(choices.listed):
        note_broken(broken, MOVES, n, len(choices.listed))
    elif step >= len(choices.left):
        note_broken(broken, STEPS, step + 1, len(choices.left))
    else:
        note_broken(broken, CHOICES, choices.end[decision] + n, len(choices.move))


@inlined
def open_decision(choices: Choices, decision: int, n: int) -> None:
    """Begin decision number `decision`, with `n` moves."""
    choices.end[decision + 1] = choices.end[decision] + n
    choices.left[decision] = n


@generic
def note_mark(
    dead_ends: Any, instance: Any, state: Any, choices: Choices, decision: int, step: int
) -> None:
    """Note how to come back to `decision`, taken at `step` in this very state."""


@note_mark.register(Off)
def _note_nothing(
    dead_ends: Off, instance: Any, state: Any, choices: Choices, decision: int, step: int
) -> None:
    return


@note_mark.register(GrowingDeadEnds)
@note_mark.register(DeadEnds)
def _note_mark(
    dead_ends: Any, instance: Any, state: Any, choices: Choices, decision: int, step: int
) -> None:
    choices.step[decision] = step
    choices.mark[decision] = mark(instance, state)


@inlined
def weight_left(choices: Choices, decision: int) -> float:
    """Sum of the weights of the untried moves of the decision."""
    total = 0.0
    for index in range(choices.end[decision], choices.end[decision + 1]):
        if choices.weight[index] != TRIED:
            total += choices.weight[index]
    return total


@inlined
def choose(choices: Choices, decision: int, total: float, stream: Stream) -> int:
    """Index of an untried move of the decision, drawn by weight and now tried; uses `stream`.

    `total` is their `weight_left`. Where all of them have weight 0, the first is taken.
    """
    begin, end = choices.end[decision], choices.end[decision + 1]
    rest = next_uniform(stream) * total
    chosen, is_untried = begin, False
    for index in range(begin, end):
        weight = choices.weight[index]
        if weight > 0.0 or (weight == 0.0 and not is_untried):
            chosen, is_untried = index, True
            rest -= weight
            if rest < 0.0:
                break
    choices.weight[chosen] = TRIED
    choices.left[decision] -= 1
    return int(chosen - begin)


@inlined
def all_tried(choices: Choices, decisions: int) -> bool:
    """Return whether none of the first `decisions` decisions has an untried move."""
    for decision in range(decisions):
        if choices.left[decision] > 0:
            return False
    return True


@generic
def dead_ends_left(dead_ends: Any, course: Course) -> int:
    """Return the number of dead ends that the next playout may back out of."""


@dead_ends_left.register(Off)
def _none_left(dead_ends: Off, course: Course) -> int:
    return 0


@dead_ends_left.register(DeadEnds)
def _as_many_left(dead_ends: DeadEnds, course: Course) -> int:
    return int(min(dead_ends.most, course.run_playouts - course.monitor.counters[PLAYOUTS] - 1))


@dead_ends_left.register(GrowingDeadEnds)
def _more_left(dead_ends: GrowingDeadEnds, course: Course) -> int:
    counters = course.monitor.counters
    left = course.run_playouts - counters[PLAYOUTS] - 1
    longer = 2 * max(counters[LONGEST], dead_ends.most)
    if counters[PLAYOUTS] // LONGER_AFTER < longer:
        return int(min(dead_ends.most, left))
    counters[LONGEST] = longer
    return int(min(longer, left))


@generic
def back_out(
    dead_ends: Any,
    instance: Any,
    state: Any,
    choices: Choices,
    decisions: int,
    met: int,
    left: int,
) -> int:
    """Undo to the last of `decisions` decisions with an untried move; -1 if there is none.

    Also -1, with nothing undone, where `met` dead ends are more than the `dead_ends_left`.
    """


@back_out.register(Off)
def _stay(
    dead_ends: Off, instance: Any, state: Any, choices: Choices, decisions: int, met: int, left: int
) -> int:
    return -1


@back_out.register(DeadEnds)
def _back_out(
    dead_ends: DeadEnds,
    instance: Any,
    state: Any,
    choices: Choices,
    decisions: int,
    met: int,
    left: int,
) -> int:
    return _undo_last(instance, state, choices, decisions) if met <= left else -1


@back_out.register(GrowingDeadEnds)
def _back_out_noting(
    dead_ends: GrowingDeadEnds,
    instance: Any,
    state: Any,
    choices: Choices,
    decisions: int,
    met: int,
    left: int,
) -> int:
    if met > left:
        return -1
    note_dead_end(instance, state)
    return _undo_last(instance, state, choices, decisions)


@inlined
def _undo_last(instance: Any, state: Any, choices: Choices, decisions: int) -> int:
    for decision in range(decisions - 1, -1, -1):
        if choices.left[decision] > 0:
            undo(instance, state, choices.mark[decision])
            return decision
    return -1
