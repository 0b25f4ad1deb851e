"""Several threads in one tree: virtual losses, counts without a lock, and a lock for what grows.

A playout counts as lost in every move on its way until it is made, so that others go elsewhere
[1]_. Counts of visits and rewards are atomic [2]_, sums of codes may lose a playout now and then.
New nodes, tables and kept playouts are added by one thread at a time. `Off` in place of a `Team`
is one thread: nothing of this is compiled.

References
----------
.. [1] G. Chaslot, M. Winands and J. van den Herik, Parallel Monte-Carlo tree search, Computers and
   Games 2008.
.. [2] M. Enzenberger and M. Müller, A lock-free multithreaded Monte-Carlo tree search algorithm,
   Advances in Computer Games 2009.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from solver.compiling.atomics import Array, compare_and_set, fetch_add, give_way, publish
from solver.compiling.generic import generic
from solver.compiling.memory import unshared_zeros
from solver.kernels.arguments import Off
from solver.kernels.tree.arrays import BUSY, PLAYED, Ints, Longs, Tree

#: Of `Team.claims`: playouts that were begun, and whether all are to pause.
CLAIMED, HALTED = 0, 1
#: Looks at a lock before the processor is given to others.
PATIENCE = 200


class Team(NamedTuple):
    """Counts that the threads of one tree share."""

    claims: Longs
    """int64[2]."""
    lock: Ints
    """int32[1]: 1 while a thread adds to the tree."""
    threads: int
    number: int
    """Of the thread."""


def new_team(threads: int) -> list[Team]:
    """Return what each of so many threads is told."""
    claims, lock = unshared_zeros((2,), np.int64), unshared_zeros((1,), np.int32)
    return [Team(claims, lock, threads, number) for number in range(threads)]


@generic
def threads_of(team: Any) -> int:
    """Return the number of threads."""


@threads_of.register(Off)
def _one(team: Off) -> int:
    return 1


@threads_of.register(Team)
def _many(team: Team) -> int:
    return team.threads


@generic
def number_of(team: Any) -> int:
    """Return the number of the thread."""


@number_of.register(Off)
def _first(team: Off) -> int:
    return 0


@number_of.register(Team)
def _number(team: Team) -> int:
    return team.number


@generic
def claim(team: Any, tree: Tree, max_playouts: int) -> bool:
    """Return whether to make another playout, which is then the caller's."""


@claim.register(Off)
def _go_on(team: Off, tree: Tree, max_playouts: int) -> bool:
    return bool(tree.counters[PLAYED] < max_playouts)


@claim.register(Team)
def _claim(team: Team, tree: Tree, max_playouts: int) -> bool:
    return team.claims[HALTED] == 0 and fetch_add(team.claims, CLAIMED, 1) < max_playouts


@generic
def halt(team: Any) -> None:
    """Let all threads pause after the playout that they make."""


@halt.register(Off)
def _halt_alone(team: Off) -> None:
    return


@halt.register(Team)
def _halt(team: Team) -> None:
    team.claims[HALTED] = 1


@generic
def acquire(team: Any) -> None:
    """Wait until no other thread adds to the tree."""


@acquire.register(Off)
def _acquire_nothing(team: Off) -> None:
    return


@acquire.register(Team)
def _acquire(team: Team) -> None:
    looks = 0
    while team.lock[0] != 0 or not compare_and_set(team.lock, 0, 0, 1):
        looks += 1
        if looks >= PATIENCE:
            give_way()
            looks = 0


@generic
def release(team: Any) -> None:
    """Let others add to the tree."""


@release.register(Off)
def _release_nothing(team: Off) -> None:
    return


@release.register(Team)
def _release(team: Team) -> None:
    publish(team.lock, 0, 0)


@generic
def add(team: Any, counts: Array, place: int, amount: Any) -> None:
    """Add to a count that others may add to as well."""


@add.register(Off)
def _add_alone(team: Off, counts: Array, place: int, amount: Any) -> None:
    counts[place] += amount


@add.register(Team)
def _add(team: Team, counts: Array, place: int, amount: Any) -> None:
    fetch_add(counts, place, amount)


@generic
def reserve(team: Any, counts: Array, place: int, amount: int) -> int:
    """Add to a count and return what it was."""


@reserve.register(Off)
def _reserve_alone(team: Off, counts: Array, place: int, amount: int) -> int:
    before = counts[place]
    counts[place] = before + amount
    return int(before)


@reserve.register(Team)
def _reserve(team: Team, counts: Array, place: int, amount: int) -> int:
    return int(fetch_add(counts, place, amount))


@generic
def lose(team: Any, tree: Tree, node: int, edge: int, playouts: int) -> None:
    """Count lost playouts in a node and a move of it until they are made."""


@lose.register(Off)
def _lose_nothing(team: Off, tree: Tree, node: int, edge: int, playouts: int) -> None:
    return


@lose.register(Team)
def _lose(team: Team, tree: Tree, node: int, edge: int, playouts: int) -> None:
    fetch_add(tree.nodes.visits, node, playouts)
    fetch_add(tree.edges.n, edge, playouts)


@generic
def count(team: Any, tree: Tree, node: int, edge: int, reward: float) -> None:
    """Count a playout that was made in a node and a move of it."""


@count.register(Off)
def _count_alone(team: Off, tree: Tree, node: int, edge: int, reward: float) -> None:
    tree.nodes.visits[node] += 1
    tree.edges.n[edge] += 1
    tree.edges.total[edge] += reward


@count.register(Team)
def _count(team: Team, tree: Tree, node: int, edge: int, reward: float) -> None:
    """Visits and n were counted on the way."""
    if reward != 0.0:
        fetch_add(tree.edges.total, edge, reward)


@generic
def take(team: Any, items: Ints, place: int, expected: int) -> bool:
    """Make an item that is `expected` BUSY, for other threads; returns whether it was."""


@take.register(Off)
def _take_alone(team: Off, items: Ints, place: int, expected: int) -> bool:
    return True


@take.register(Team)
def _take(team: Team, items: Ints, place: int, expected: int) -> bool:
    return compare_and_set(items, place, expected, BUSY)


@generic
def put(team: Any, items: Ints, place: int, number: int) -> None:
    """Set an item; who sees it sees all that was written before, too."""


@put.register(Off)
def _put_alone(team: Off, items: Ints, place: int, number: int) -> None:
    items[place] = number


@put.register(Team)
def _put(team: Team, items: Ints, place: int, number: int) -> None:
    publish(items, place, number)
