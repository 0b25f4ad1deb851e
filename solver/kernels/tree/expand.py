"""Growth of a tree: nodes, the moves of nodes, and whether there is room for more."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.atomics import compare_and_set
from solver.compiling.generic import generic
from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract.rules import code, odds, player, saving_moves
from solver.kernels.arguments import Off
from solver.kernels.bounds import CODES, FAR_CODES, PLAYERS, note_broken
from solver.kernels.tree.arrays import (
    CLOSED,
    KEPT,
    N_CODES,
    N_EDGES,
    N_NODES,
    N_PASSED,
    N_TABLES,
    NONE,
    Ints,
    Scratch,
    Searched,
    Tree,
)
from solver.kernels.tree.held import most_held
from solver.kernels.tree.playouts import note_beyond
from solver.kernels.tree.proofs import QUIET, move_for_all
from solver.kernels.tree.puzzles import list_moves
from solver.kernels.tree.teams.team import (
    NEXT,
    Team,
    most_new,
    new_number,
    put,
    reserve,
    threads_of,
)

#: Codes are kept in 32 bits with a sign.
LARGEST = 0x7FFFFFFF


@inlined
def are_codes(searched: Searched, codes: Ints, begin: int, end: int, n_codes: int) -> bool:
    """True if `codes` from `begin` to `end` are below `n_codes`; else that is noted."""
    most = np.uint32(0)
    for place in range(begin, end):
        most = max(most, np.uint32(codes[place]))
    if most < n_codes:
        return True
    note_broken(searched.broken, FAR_CODES if most > LARGEST else CODES, int(most), n_codes)
    return False


@inlined
def are_players(searched: Searched, scratch: Scratch, begin: int, end: int) -> bool:
    """True if the movers from step `begin` to `end` are players; else that is noted."""
    least, most = np.int32(0), np.int32(0)
    for step in range(begin, end):
        least = min(least, scratch.player[step])
        most = max(most, scratch.player[step])
    if least >= 0 and most < len(scratch.rewards):
        return True
    worst = int(least) if least < 0 else int(most)
    note_broken(searched.broken, PLAYERS, worst, len(scratch.rewards))
    return False


@inlined
def slot_of(tree: Tree, found: np.uint64) -> int:
    """Place of a key in the hash table, or the free one for it."""
    mask = len(tree.hash) - 1
    slot = int(found >> np.uint64(1)) & mask
    while tree.hash[slot] != NONE and tree.nodes.key[tree.hash[slot]] != found:
        slot = (slot + 1) & mask
    return slot


@generic
def node_at(team: Any, tree: Tree, slot: int, found: np.uint64) -> int:
    """Number of the node of a key where `slot_of` has found its place, NONE if it is free.

    Of a team another key may have been put there since.
    """


@node_at.register(Off)
def _found_alone(team: Off, tree: Tree, slot: int, found: np.uint64) -> int:
    return int(tree.hash[slot])


@node_at.register(Team)
def _found_beside_others(team: Team, tree: Tree, slot: int, found: np.uint64) -> int:
    number = tree.hash[slot]
    return int(number) if number != NONE and tree.nodes.key[number] == found else NONE


@generic
def put_node(team: Any, tree: Tree, slot: int, found: np.uint64, number: int) -> int:
    """Put a node into the hash table; returns the number of the node that has its key there."""


@put_node.register(Off)
def _put_alone(team: Off, tree: Tree, slot: int, found: np.uint64, number: int) -> int:
    tree.hash[slot] = number
    return int(number)


@put_node.register(Team)
def _put_first(team: Team, tree: Tree, slot: int, found: np.uint64, number: int) -> int:
    while not compare_and_set(tree.hash, slot, NONE, number):
        slot = slot_of(tree, found)
        there = node_at(team, tree, slot, found)
        if there != NONE:
            team.own[NEXT] -= 1
            return int(there)
    return int(number)


@inlined
def add_node(
    team: Any, tree: Tree, slot: int, found: np.uint64, parent: int, move_code: int
) -> int:
    """Add the node of a key where `slot_of` has not found it, unless another thread does."""
    nodes, number = tree.nodes, new_number(team, tree)
    nodes.key[number], nodes.parent[number], nodes.code[number] = found, parent, move_code
    nodes.visits[number] = nodes.counted[number] = 0
    nodes.size[number] = nodes.table[number] = nodes.entry[number] = NONE
    if len(nodes.low) > 0:
        nodes.longest[number] = 0
        for player_number in range(nodes.low.shape[1]):
            nodes.low[number, player_number] = 0.0
    return put_node(team, tree, slot, found, number)


@inlined
def expand(
    searched: Searched,
    tree: Tree,
    scratch: Scratch,
    stream: Stream,
    node: int,
    step: int,
    proofs: bool,
) -> None:
    """List the moves of a node at `step`, none beyond limits; the state is that of it.

    With `proofs` an urgent move stands for all, or several do: the others lose at once or by force,
    or win no sooner.
    """
    instance, state = searched.instance, searched.state
    nodes, edges, moves = tree.nodes, tree.edges, scratch.moves
    n, urgent = 1, -1
    asks = proofs and nodes.longest[node] != QUIET
    if asks:
        urgent = move_for_all(instance, state)
    if urgent >= 0:
        moves[0] = urgent
    else:
        n = list_moves(searched.kept, instance, state, stream, nodes.key[node], moves)
        if asks and 1 < n <= len(moves):
            n, nodes.longest[node] = saving_moves(instance, state, moves, n)
    if not 0 <= n <= len(moves):
        note_beyond(searched.broken, n, len(moves), step, len(scratch.code))
        n = 0
    if n > 0:
        scratch.player[step] = nodes.mover[node] = player(instance, state)
        if not are_players(searched, scratch, step, step + 1):
            n = 0
    begin = reserve(scratch.team, tree.counters, N_EDGES, n)
    nodes.first[node] = begin
    for number in range(n):
        edge = begin + number
        edges.move[edge] = scratch.moves[number]
        edges.code[edge] = code(instance, state, scratch.moves[number]) & searched.mask
        edges.child[edge] = NONE
        edges.n[edge], edges.total[edge] = 0, 0.0
        if edges.permuted.shape[1] > 0:
            edges.permuted[0, edge] = edges.permuted[1, edge] = 0.0
    if not are_codes(searched, edges.code, begin, begin + n, len(scratch.stamp)):
        n = 0
    if len(edges.prior) > 0:
        total = 0.0
        for number in range(n):
            edges.prior[begin + number] = odds(
                searched.guides.tree, instance, state, scratch.moves[number]
            )
            total += edges.prior[begin + number]
        for number in range(n):  # odds of 0 for all moves tell none of them from the others
            share = edges.prior[begin + number] / total if total > 0.0 else 1.0 / n
            edges.prior[begin + number] = share
    put(scratch.team, nodes.size, node, n)


@inlined
def has_room(tree: Tree, scratch: Scratch, counted: bool) -> bool:
    """True if the states and moves that a playout adds to the tree have room.

    Other threads may add as much before they look, numbers of nodes by blocks, and what all hold
    back is still to come.
    """
    counters, playouts, threads = tree.counters, tree.playouts, threads_of(scratch.team)
    held = most_held(scratch.team)
    room = counters[N_NODES] + most_new(scratch.team) <= len(tree.nodes.key)
    room &= counters[N_EDGES] + len(scratch.moves) * threads <= len(tree.edges.move)
    if counted:
        room &= counters[N_TABLES] + threads <= len(tree.tables.sums)
        room &= counters[N_CODES] + len(scratch.code) * held <= len(playouts.code)
        room &= counters[N_PASSED] + len(scratch.nodes) * held <= len(playouts.passed)
        room &= counters[KEPT] + held <= len(playouts.worth)
    return room


@inlined
def fills_memory(tree: Tree) -> bool:
    """True if the arrays in use take more memory than allowed, however large they are."""
    used = 0
    for number in range(CLOSED):
        used += tree.counters[number] * tree.cost[number]
    return used > tree.cost[CLOSED]
