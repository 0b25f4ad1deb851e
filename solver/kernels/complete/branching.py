"""Two ways to go through the tree: excluding what led nowhere, or trying all moves in turn."""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.compiling.generic import generic
from solver.compiling.jit import called, inlined
from solver.compiling.random import Stream
from solver.contract.branching import exclude, is_open
from solver.contract.rules import legal_moves, play, reset, score, undo
from solver.kernels.arguments import Task
from solver.kernels.complete.memory import (
    DEPTH,
    LITERALS,
    N_ARENA,
    N_HELD,
    N_PATH,
    N_REFUTED,
    ROOT_HELD,
    SOLUTIONS,
    Memory,
)
from solver.kernels.complete.nogoods import add_nogood, release, settle


class Excluding(NamedTuple):
    """The domain has `exclude`, and nogoods are kept from restart to restart."""

    unused: int = 0


class Listing(NamedTuple):
    """The domain has `mark` and `undo` alone: all moves of a decision are tried in turn."""

    unused: int = 0


@called
def play_move(task: Task, memory: Memory, move: int) -> None:
    """Play `move`, which is noted as part of the path."""
    memory.way.path[memory.numbers[N_PATH]] = move
    memory.numbers[N_PATH] += 1
    play(task.instance, task.state, move)


@generic
def moves_held(branching: Any, task: Task, memory: Memory, stream: Stream) -> tuple[int, float]:
    """Write the moves of a playout that ends like the state into `tried`.

    Returns the number of moves and the score of the playout.
    """


@moves_held.register(Listing)
def _path_held(branching: Listing, task: Task, memory: Memory, stream: Stream) -> tuple[int, float]:
    steps = memory.numbers[N_PATH]
    for step in range(steps):
        memory.tried[step] = memory.way.path[step]
    return steps, score(task.instance, task.state)


@moves_held.register(Excluding)
def _assigned_held(
    branching: Excluding, task: Task, memory: Memory, stream: Stream
) -> tuple[int, float]:
    """Moves that hold are played where they still can be: no playout excludes any.

    A playout may end before all are played: at a dead end, after which no rule may be called.
    """
    instance, spare, numbers, tried = task.instance, memory.spare, memory.numbers, memory.tried
    reset(instance, spare)
    step, index = 0, 0
    n = legal_moves(instance, spare, stream, memory.way.listed)
    while n > 0 and step < len(tried) and index < numbers[N_HELD]:
        move = memory.way.order[index]
        index += 1
        if is_open(instance, spare, move):
            play(instance, spare, move)
            tried[step] = move
            step += 1
            n = legal_moves(instance, spare, stream, memory.way.listed)
    while n > 0 and step < len(tried):
        tried[step] = memory.way.listed[0]
        play(instance, spare, memory.way.listed[0])
        step += 1
        n = legal_moves(instance, spare, stream, memory.way.listed)
    return step, score(instance, spare)


@generic
def settle_down(branching: Any, task: Task, memory: Memory) -> None:
    """Note what holds, and let nogoods exclude moves."""


@settle_down.register(Listing)
def _settle_nothing(branching: Listing, task: Task, memory: Memory) -> None:
    return


@settle_down.register(Excluding)
def _settle_nogoods(branching: Excluding, task: Task, memory: Memory) -> None:
    settle(task, memory)


@generic
def open_decision(branching: Any, memory: Memory, chosen: int, n: int) -> bool:
    """Note the moves of a decision that are tried later; False if there is no room."""


@open_decision.register(Excluding)
def _open_one(branching: Excluding, memory: Memory, chosen: int, n: int) -> bool:
    return True


@open_decision.register(Listing)
def _open_all(branching: Listing, memory: Memory, chosen: int, n: int) -> bool:
    """Those of the largest odds are tried first, so they stand last."""
    numbers, way = memory.numbers, memory.way
    begin = numbers[N_ARENA]
    if begin + n > len(way.untried):
        return False
    way.weight[chosen] = -1.0
    for place in range(begin, begin + n - 1):
        least = -1
        for index in range(n):
            if way.weight[index] >= 0.0 and (least < 0 or way.weight[index] < way.weight[least]):
                least = index
        way.untried[place] = way.listed[least]
        way.weight[least] = -1.0
    numbers[N_ARENA] = begin + n - 1
    way.end[numbers[DEPTH]] = begin
    return True


@generic
def back_out(branching: Any, task: Task, memory: Memory) -> bool:
    """Go back to the last decision that has another way, and take it; False if none has."""


@back_out.register(Excluding)
def _exclude_last(branching: Excluding, task: Task, memory: Memory) -> bool:
    numbers, way = memory.numbers, memory.way
    if numbers[DEPTH] == 0:
        return False
    depth = numbers[DEPTH] - 1
    undo(task.instance, task.state, way.mark[depth])
    release(memory, way.held[depth])
    numbers[N_PATH] = way.path_before[depth]
    refute_last(branching, memory)
    numbers[DEPTH] = depth
    exclude(task.instance, task.state, way.move[depth])
    settle(task, memory)
    return True


@back_out.register(Listing)
def _try_next(branching: Listing, task: Task, memory: Memory) -> bool:
    numbers, way = memory.numbers, memory.way
    while numbers[DEPTH] > 0:
        depth = numbers[DEPTH] - 1
        if numbers[N_ARENA] > way.end[depth]:
            undo(task.instance, task.state, way.mark[depth])
            numbers[N_PATH] = way.path_before[depth]
            numbers[N_ARENA] -= 1
            way.move[depth] = way.untried[numbers[N_ARENA]]
            play_move(task, memory, way.move[depth])
            return True
        numbers[DEPTH] = depth
    return False


@generic
def refute_last(branching: Any, memory: Memory) -> None:
    """Note that the last decision's move is refuted, on the way to it."""


@refute_last.register(Listing)
def _refute_nothing(branching: Listing, memory: Memory) -> None:
    return


@refute_last.register(Excluding)
def _refute_last_move(branching: Excluding, memory: Memory) -> None:
    numbers, way = memory.numbers, memory.way
    depth = numbers[DEPTH] - 1
    numbers[N_REFUTED] = way.refuted_before[depth]
    way.refuted[numbers[N_REFUTED]] = way.move[depth]
    numbers[N_REFUTED] += 1


@generic
def may_restart(branching: Any, memory: Memory) -> bool:
    """Return whether a restart loses no solution that was found, nor finds it again."""


@may_restart.register(Excluding)
def _may_always(branching: Excluding, memory: Memory) -> bool:
    return True


@may_restart.register(Listing)
def _may_before_solutions(branching: Listing, memory: Memory) -> bool:
    return memory.numbers[SOLUTIONS] == 0


@generic
def has_room(branching: Any, full: int, memory: Memory) -> bool:
    """Return whether there is room for the nogoods of the way, or they may be left out."""


@has_room.register(Listing)
def _needs_none(branching: Listing, full: int, memory: Memory) -> bool:
    return True


@has_room.register(Excluding)
def _has_room_for_all(branching: Excluding, full: int, memory: Memory) -> bool:
    """Before the first solution a nogood that is lost costs time, afterwards it costs the count."""
    numbers = memory.numbers
    if full and numbers[SOLUTIONS] == 0:
        return True
    needed = numbers[N_REFUTED] * (numbers[DEPTH] + 1)
    return _room_left(memory) >= needed


@inlined
def _room_left(memory: Memory) -> int:
    """Room for moves of nogoods; their number has as much room for each two moves."""
    return len(memory.nogoods.literals) - memory.numbers[LITERALS] - 2


@generic
def learn(branching: Any, task: Task, memory: Memory) -> None:
    """Keep the nogoods of the way, at the root."""


@learn.register(Listing)
def _learn_nothing(branching: Listing, task: Task, memory: Memory) -> None:
    return


@learn.register(Excluding)
def _learn_nogoods(branching: Excluding, task: Task, memory: Memory) -> None:
    numbers, way = memory.numbers, memory.way
    release(memory, numbers[ROOT_HELD])
    index = 0
    for depth in range(numbers[DEPTH]):  # the last decision's move is refuted, too
        last = depth == numbers[DEPTH] - 1
        end = numbers[N_REFUTED] if last else way.refuted_before[depth]
        while index < end:
            add_nogood(task, memory, depth, way.refuted[index])
            index += 1
