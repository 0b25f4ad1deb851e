"""Several threads in one tree: virtual losses, counts without a lock, locks for what is shared.

A playout counts as lost in every move on its way until it is made, so that others go elsewhere
[1]_. Counts of visits and rewards are atomic [2]_, sums of codes may lose a playout now and then.
Tables, kept playouts and proofs are added by one thread at a time. What a thread writes, others
wait for when they read it next: so playouts are claimed and counted by a few at once, and numbers
of nodes taken. `Off` in place of a `Team` is one thread: nothing of this is compiled.

References
----------
.. [1] G. Chaslot, M. Winands and J. van den Herik, Parallel Monte-Carlo tree search, Computers and
   Games 2008.
.. [2] M. Enzenberger and M. Müller, A lock-free multithreaded Monte-Carlo tree search algorithm,
   Advances in Computer Games 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from solver.compiling.atomics import Array, compare_and_set, fetch_add, give_way, publish
from solver.compiling.generic import generic
from solver.compiling.memory import LINE_BYTES, unshared, unshared_zeros
from solver.contract.rules import Floats
from solver.kernels.arguments import Off
from solver.kernels.tree.arrays import BUSY, N_NODES, PLAYED, Ints, Longs, Tree

#: Of `Team.claims`: playouts that were claimed, and whether all are to pause.
CLAIMED, HALTED = 0, 1
#: Of `Team.own`: playouts claimed and not yet begun, those made and not yet counted, all that were
#: made, and those held back; the next number of a node, and where its numbers end.
LEFT, MADE, ALL_MADE, HELD, NEXT, END = range(6)
#: Numbers of nodes that a thread takes at once: most lines of what it writes of them are its own.
NODE_BLOCK = LINE_BYTES // 4
#: Locks of `Team.locks`, each on cache lines of its own: of proofs, of tables and kept playouts.
PROOFS, CODES = 0, LINE_BYTES // 4
#: Bits of a stamp: it comes again after 2**30 playouts.
STAMP_BITS = (1 << 30) - 1
#: Playouts that a thread claims at once.
CLAIM = 8
#: Looks at a lock before the processor is given to others.
PATIENCE = 200


class Held(NamedTuple):
    """Playouts whose codes a thread has still to count, see `solver.kernels.tree.held`."""

    length: Longs
    """int64[held, 2]: nodes that the playout went through, and its steps."""
    nodes: Ints
    """int32[held, steps + 1]."""
    code: Ints
    """int32[held, steps]."""
    player: Ints
    """int32[held, steps]."""
    gain: Floats
    """float64[held, steps]."""
    rewards: Floats
    """float64[held, players]."""
    counters: Longs
    """int64[COUNTERS]: scratch, those of the tree."""


class Team(NamedTuple):
    """Counts that the threads of one tree share, and those of one of them."""

    claims: Longs
    """int64[2]."""
    locks: Ints
    """int32: 1 while a thread adds to the tree, at `PROOFS` and `CODES`."""
    own: Longs
    """int64[6]: of the thread."""
    held: Held
    """Playouts of the thread that are held back."""
    threads: int
    number: int
    """Number of the thread."""


def new_team(threads: int, held: Held) -> list[Team]:
    """Return a `Team` for each thread, with a copy of `held` of its own."""
    claims, locks = unshared_zeros((2,), np.int64), unshared_zeros((2 * CODES,), np.int32)
    return [
        Team(claims, locks, unshared_zeros((6,), np.int64), unshared(held), threads, number)
        for number in range(threads)
    ]


def forget(teams: Sequence[Team]) -> None:
    """Discard what threads have set aside of a tree: numbers of nodes, playouts held back."""
    for team in teams:
        team.own[MADE] = team.own[HELD] = team.own[NEXT] = team.own[END] = 0


def unused_numbers(teams: Sequence[Team]) -> list[int]:
    """Return the numbers that threads have and that no node has."""
    return [number for team in teams for number in range(team.own[NEXT], team.own[END])]


def start(teams: Sequence[Team], played: int) -> None:
    """Let all threads go on after so many playouts."""
    teams[0].claims[:] = played, 0
    for team in teams:
        team.own[LEFT] = 0


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
    own = team.own
    if team.claims[HALTED] != 0:
        return False
    if own[LEFT] == 0:
        count_made(team, tree)
        own[LEFT] = min(CLAIM, max_playouts - fetch_add(team.claims, CLAIMED, CLAIM))
        if own[LEFT] <= 0:
            own[LEFT] = 0
            return False
    own[LEFT] -= 1
    return True


@generic
def note_made(team: Any, tree: Tree) -> None:
    """Note that a playout was made."""


@note_made.register(Off)
def _note_made_alone(team: Off, tree: Tree) -> None:
    tree.counters[PLAYED] += 1


@note_made.register(Team)
def _note_made(team: Team, tree: Tree) -> None:
    team.own[MADE] += 1
    team.own[ALL_MADE] += 1


@generic
def count_made(team: Any, tree: Tree) -> None:
    """Count the playouts that were made and are not counted yet."""


@count_made.register(Off)
def _count_none(team: Off, tree: Tree) -> None:
    return


@count_made.register(Team)
def _count_made(team: Team, tree: Tree) -> None:
    if team.own[MADE] > 0:
        fetch_add(tree.counters, PLAYED, team.own[MADE])
        team.own[MADE] = 0


@generic
def stamp_of(team: Any, tree: Tree) -> int:
    """Return the number of the playout at hand among those of the thread, from 1."""


@stamp_of.register(Off)
def _stamp_alone(team: Off, tree: Tree) -> int:
    return int(tree.counters[PLAYED] + 1)


@stamp_of.register(Team)
def _stamp(team: Team, tree: Tree) -> int:
    return int(1 + (team.own[ALL_MADE] & STAMP_BITS))


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
def new_number(team: Any, tree: Tree) -> int:
    """Return the number of a new node."""


@new_number.register(Off)
def _next_number(team: Off, tree: Tree) -> int:
    number = tree.counters[N_NODES]
    tree.counters[N_NODES] = number + 1
    return int(number)


@new_number.register(Team)
def _own_number(team: Team, tree: Tree) -> int:
    own = team.own
    if own[NEXT] == own[END]:
        own[NEXT] = fetch_add(tree.counters, N_NODES, NODE_BLOCK)
        own[END] = own[NEXT] + NODE_BLOCK
    own[NEXT] += 1
    return int(own[NEXT] - 1)


@generic
def most_new(team: Any) -> int:
    """Return how many numbers of nodes all threads may take in a playout."""


@most_new.register(Off)
def _two(team: Off) -> int:
    return 2


@most_new.register(Team)
def _blocks(team: Team) -> int:
    return team.threads * NODE_BLOCK


@generic
def acquire(team: Any, lock: int) -> None:
    """Wait for a lock."""


@acquire.register(Off)
def _acquire_nothing(team: Off, lock: int) -> None:
    return


@acquire.register(Team)
def _acquire(team: Team, lock: int) -> None:
    looks = 0
    while team.locks[lock] != 0 or not compare_and_set(team.locks, lock, 0, 1):
        looks += 1
        if looks >= PATIENCE:
            give_way()
            looks = 0


@generic
def release(team: Any, lock: int) -> None:
    """Give a lock back."""


@release.register(Off)
def _release_nothing(team: Off, lock: int) -> None:
    return


@release.register(Team)
def _release(team: Team, lock: int) -> None:
    publish(team.locks, lock, 0)


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
