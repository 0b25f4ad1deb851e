"""Nogoods of restarts, with two watched moves each.

When a search restarts, each move refuted on its way is a nogood with the decisions before it, those
taken positively: a part of the tree that needs no second visit (C. Lecoutre, L. Sais, S. Tabary,
V. Vidal, Recording and Minimizing Nogoods from Restarts, 2007). A nogood all of whose moves hold
but one excludes that one. Two of its moves are watched (M. Moskewicz et al., Chaff, 2001): nothing
is looked at before one of these holds, and nothing is to be taken back.
"""

from __future__ import annotations

from solver.compiling.jit import called, inlined
from solver.contract.branching import exclude, held_move, is_open, n_held
from solver.kernels.arguments import Task
from solver.kernels.complete.memory import (
    CLOCK,
    CONFLICT,
    LITERALS,
    N_HELD,
    NOGOODS,
    NONE,
    Memory,
    Nogoods,
)


@inlined
def _other_to_watch(nogoods: Nogoods, number: int, one: int, two: int) -> int:
    """Return a move of nogood `number` that does not hold, besides those watched; -1 for none."""
    for index in range(nogoods.begin[number], nogoods.begin[number + 1]):
        move = nogoods.literals[index]
        if move != one and move != two and nogoods.holds[move] == 0:
            return move
    return NONE


@inlined
def _watch(nogoods: Nogoods, place: int, move: int) -> None:
    nogoods.watched[place] = move
    nogoods.next[place] = nogoods.head[move]
    nogoods.head[move] = place


@inlined
def _note_held(task: Task, memory: Memory, move: int) -> None:
    """Look at the nogoods that watch `move`, which holds from now on."""
    nogoods = memory.nogoods
    nogoods.holds[move] = 1
    before, place = NONE, nogoods.head[move]
    while place != NONE:
        following = nogoods.next[place]
        other = nogoods.watched[place ^ 1]
        instead = _other_to_watch(nogoods, place >> 1, move, other)
        if instead != NONE:
            if before == NONE:
                nogoods.head[move] = following
            else:
                nogoods.next[before] = following
            _watch(nogoods, place, instead)
        else:
            before = place
            if nogoods.holds[other]:
                memory.numbers[CONFLICT] = 1
            elif is_open(task.instance, task.state, other):
                exclude(task.instance, task.state, other)
        place = following


@called
def settle(task: Task, memory: Memory) -> None:
    """Take note of the moves that have come to hold, and exclude what nogoods then exclude."""
    numbers = memory.numbers
    while numbers[N_HELD] < n_held(task.instance, task.state):
        move = held_move(task.instance, task.state, numbers[N_HELD])
        memory.way.order[numbers[N_HELD]] = move
        numbers[N_HELD] += 1
        _note_held(task, memory, move)


@inlined
def release(memory: Memory, held: int) -> None:
    """Forget the moves that hold, but for the first `held` of them."""
    numbers, nogoods = memory.numbers, memory.nogoods
    numbers[CLOCK] += 1
    while numbers[N_HELD] > held:
        numbers[N_HELD] -= 1
        move = memory.way.order[numbers[N_HELD]]
        nogoods.holds[move] = 0
        nogoods.stamp[move] = numbers[CLOCK]
    numbers[CONFLICT] = 0


@called
def add_nogood(task: Task, memory: Memory, decisions: int, refuted: int) -> bool:
    """Add the nogood of the first `decisions` decisions and the move `refuted`, at the root.

    Moves that hold at the root are left out; one that has a single move left excludes it.
    Returns False if there was no room for it.
    """
    numbers, nogoods, way = memory.numbers, memory.nogoods, memory.way
    begin = numbers[LITERALS]
    number = numbers[NOGOODS]
    if begin + decisions + 1 > len(nogoods.literals) or number + 2 > len(nogoods.begin):
        return False
    end = begin
    for depth in range(decisions + 1):
        move = way.move[depth] if depth < decisions else refuted
        if nogoods.holds[move]:
            continue
        if not is_open(task.instance, task.state, move):
            return True
        nogoods.literals[end] = move
        end += 1
    if end == begin:
        numbers[CONFLICT] = 1
    elif end == begin + 1:
        exclude(task.instance, task.state, nogoods.literals[begin])
        settle(task, memory)
    else:
        nogoods.begin[number] = begin
        nogoods.begin[number + 1] = end
        _watch(nogoods, 2 * number, nogoods.literals[end - 1])
        _watch(nogoods, 2 * number + 1, nogoods.literals[end - 2])
        numbers[NOGOODS] += 1
        numbers[LITERALS] = end
    return True
