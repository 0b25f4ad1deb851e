"""Codes of playouts for the statistics of moves as first, and of permutations.

One thread counts those of a playout at once. Of a team each holds back a few playouts and counts
their codes together: there are dozens in a playout, which lie far apart, and every cache line that
was written has to be fetched again by the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.generic import generic
from solver.compiling.jit import called, inlined
from solver.contract.rules import Floats
from solver.kernels.arguments import Off
from solver.kernels.tree.arrays import (
    CLOSED,
    COUNTERS,
    KEPT,
    N_CODES,
    N_PASSED,
    NONE,
    PERMUTATIONS,
    ROOT,
    Ints,
    Scratch,
    Tree,
)
from solver.kernels.tree.statistics import (
    add_to_table,
    keep_playout,
    mark_last,
    note_passed,
    set_bits,
)
from solver.kernels.tree.teams.team import CODES, HELD, Held, Team, acquire, release, stamp_of

#: Playouts that a thread holds back at most; one more for so many that the tree has seen.
MOST_HELD, HOLDS_ONE_MORE = 16, 64


def new_held(steps: int, players: int) -> Held:
    """Allocate room for the playouts that a thread holds back."""
    n = MOST_HELD
    return Held(
        length=np.zeros((n, 2), np.int64),
        nodes=np.zeros((n, steps + 1), np.int32),
        code=np.zeros((n, steps), np.int32),
        player=np.zeros((n, steps), np.int32),
        gain=np.zeros((n, steps)),
        rewards=np.zeros((n, players)),
        counters=np.zeros(COUNTERS, np.int64),
    )


@inlined
def _keep(
    tree: Tree, nodes: Ints, codes: Ints, players: Ints, rewards: Floats, statistics: int
) -> None:
    """Keep a playout, from which tables of nodes are made that have none yet.

    Those nodes are NONE from here on: a table that is made has the playout.
    """
    closed = tree.counters[CLOSED] != 0
    for step in range(len(nodes)):
        node = nodes[step]
        if tree.nodes.table[node] == NONE:
            nodes[step] = NONE
            if not closed:
                note_passed(tree, node, step)
    if not closed:
        keep_playout(tree, codes, players, rewards)
        if statistics == PERMUTATIONS:
            set_bits(tree, codes, rewards)
        tree.counters[KEPT] += 1


@inlined
def _add(tree: Tree, nodes: Ints, codes: Ints, gain: Floats) -> None:
    """Count a playout in the tables that its nodes have."""
    for step in range(len(nodes)):
        if nodes[step] != NONE:
            add_to_table(tree, tree.nodes.table[nodes[step]], codes[step:], gain[step:])


@inlined
def _row_of(held: Held, number: int) -> tuple[Ints, Ints]:
    """Nodes and codes of a playout."""
    passed, steps = held.length[number, 0], held.length[number, 1]
    return held.nodes[number, :passed], held.code[number, :steps]


@called
def _count_all(team: Team, tree: Tree, statistics: int) -> None:
    """Count the codes of all playouts that are held back."""
    held, n = team.held, team.own[HELD]
    if n == 0:
        return
    acquire(team, CODES)
    counters = held.counters  # others read those of the tree all the time
    for number in range(COUNTERS):
        counters[number] = tree.counters[number]
    alone = Tree(tree.hash, tree.nodes, tree.edges, tree.tables, tree.playouts, counters, tree.cost)
    for number in range(n):
        nodes, codes = _row_of(held, number)
        rewards = held.rewards[number]
        _keep(alone, nodes, codes, held.player[number], rewards, statistics)
    for number in KEPT, N_CODES, N_PASSED:
        tree.counters[number] = counters[number]
    release(team, CODES)
    for number in range(n):
        nodes, codes = _row_of(held, number)
        _add(tree, nodes, codes, held.gain[number])
    team.own[HELD] = 0


@generic
def note_codes(
    team: Any, tree: Tree, scratch: Scratch, statistics: int, passed: int, steps: int
) -> None:
    """Count the codes of a playout in the tables of the nodes that it went through, or soon.

    Parameters
    ----------
    passed : int
        Number of these nodes.
    """


@note_codes.register(Off)
def _count_at_once(
    team: Off, tree: Tree, scratch: Scratch, statistics: int, passed: int, steps: int
) -> None:
    mark_last(scratch, steps, stamp_of(team, tree))
    nodes, codes, gain = scratch.nodes[:passed], scratch.code[:steps], scratch.gain[:steps]
    _keep(tree, nodes, codes, scratch.player, scratch.rewards, statistics)
    _add(tree, nodes, codes, gain)


@note_codes.register(Team)
def _hold(
    team: Team, tree: Tree, scratch: Scratch, statistics: int, passed: int, steps: int
) -> None:
    mark_last(scratch, steps, stamp_of(team, tree))
    held, number = team.held, team.own[HELD]
    held.length[number, 0], held.length[number, 1] = passed, steps
    for step in range(passed):
        held.nodes[number, step] = scratch.nodes[step]
    for step in range(steps):
        held.code[number, step] = scratch.code[step]
        held.player[number, step] = scratch.player[step]
        held.gain[number, step] = scratch.gain[step]
    for player in range(len(scratch.rewards)):
        held.rewards[number, player] = scratch.rewards[player]
    team.own[HELD] = number + 1
    if number + 1 >= min(MOST_HELD, 1 + tree.nodes.visits[ROOT] // HOLDS_ONE_MORE):
        _count_all(team, tree, statistics)


@generic
def count_held(team: Any, tree: Tree, statistics: int) -> None:
    """Count the codes of the playouts that are held back."""


@count_held.register(Off)
def _none_held(team: Off, tree: Tree, statistics: int) -> None:
    return


@count_held.register(Team)
def _count_rest(team: Team, tree: Tree, statistics: int) -> None:
    _count_all(team, tree, statistics)


@generic
def most_held(team: Any) -> int:
    """Return how many playouts all threads may have to count, that at hand included."""


@most_held.register(Off)
def _one_playout(team: Off) -> int:
    return 1


@most_held.register(Team)
def _of_all(team: Team) -> int:
    return team.threads * MOST_HELD
