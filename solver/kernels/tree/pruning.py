"""Smaller trees: what is below a move that was played, and what was visited often enough.

States that go are met anew if a playout comes to them again; the visits and rewards of the moves
that lead to them stay. Playouts that do not have all moves on the way to the new root are
forgotten: none of the states that stay counts them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import Words, lowest_one
from solver.compiling.jit import inlined, kernel
from solver.kernels.tree.arrays import (
    KEPT,
    N_CODES,
    N_EDGES,
    N_NODES,
    N_PASSED,
    N_TABLES,
    NONE,
    ROOT,
    WORD,
    Ints,
    Longs,
    Tree,
)
from solver.kernels.tree.expand import slot_of
from solver.kernels.tree.proofs import is_proved

#: Words of playouts that stay when memory is full.
LATEST = 1024
_ALL, _ONE = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(1)


class Survivors(NamedTuple):
    """Parts of a tree that are kept."""

    node: Ints
    """int32[nodes]: old numbers of the nodes that stay, the new root first."""
    number: Ints
    """int32[nodes]: new numbers of old nodes, NONE of those that go."""
    parent: Ints
    """int32[nodes]: new parents of new nodes."""
    edge: Longs
    """int64[nodes]: the old edge by which each was reached."""
    alive: Words
    """uint64[words]: bits of the playouts that stay."""
    needed: Words
    """uint64[words]: bits of those whose codes tables may be made of."""
    playout: Ints
    """int32[playouts]: new numbers of old playouts, or -1 - n for one that goes, n before stay."""
    counters: Longs
    """int64[6]: how much of each array stays, as the first of `Tree.counters`."""


def new_survivors(tree: Tree) -> Survivors:
    """Allocate room for those of a tree."""
    nodes, playouts = int(tree.counters[N_NODES]), int(tree.counters[KEPT])
    numbers = np.zeros((3, nodes), np.int32)
    bits = np.zeros((2, -(-playouts // WORD) + 1), np.uint64)
    return Survivors(
        node=numbers[0],
        number=numbers[1],
        parent=numbers[2],
        edge=np.zeros(nodes, np.int64),
        alive=bits[0],
        needed=bits[1],
        playout=np.zeros(playouts, np.int32),
        counters=np.zeros(N_PASSED + 1, np.int64),
    )


@kernel
def find_survivors(tree: Tree, root: int, least: int, first: int, found: Survivors) -> int:
    """Find the states below `root` that have `least` visits, or are proved; returns how many.

    Playouts in words before number `first` are forgotten.
    """
    nodes, edges, counters = tree.nodes, tree.edges, found.counters
    found.number[:] = NONE
    counters[:] = 0
    found.number[root], found.node[0], found.parent[0], found.edge[0] = 0, root, NONE, NONE
    n, at, proofs = 1, 0, len(nodes.low) > 0
    while at < n:
        node = found.node[at]
        begin = nodes.first[node]
        for edge in range(begin, begin + max(nodes.size[node], 0)):
            child = edges.child[edge]
            if child == NONE or found.number[child] != NONE:
                continue
            if nodes.visits[child] >= least or (proofs and is_proved(tree, child)):
                found.number[child], found.node[n] = n, child
                found.parent[n], found.edge[n] = at, edge
                n += 1
        counters[N_EDGES] += max(nodes.size[node], 0)
        counters[N_TABLES] += nodes.table[node] != NONE
        at += 1
    counters[N_NODES] = n
    if len(tree.playouts.worth) > 0:
        _find_playouts(tree, root, first, found)
    return n


@inlined
def _find_playouts(tree: Tree, root: int, first: int, found: Survivors) -> None:
    """Find the playouts that have all moves on the way to `root`, and whose codes are needed."""
    playouts, kept, counters = tree.playouts, tree.counters[KEPT], found.counters
    found.alive[:] = _ALL
    found.alive[:first] = np.uint64(0)
    node = root
    while node != ROOT and len(playouts.won) > 0 and playouts.having.shape[1] > 0:
        for word in range((kept + WORD - 1) // WORD):
            found.alive[word] &= playouts.having[tree.nodes.code[node], word]
        node = tree.nodes.parent[node]
    found.needed[:] = np.uint64(0)
    for number in range(counters[N_NODES]):
        old = found.node[number]
        entry = tree.nodes.entry[old]
        while tree.nodes.table[old] == NONE and entry != NONE:
            playout = playouts.passed[entry, 0]
            bit = _ONE << np.uint64(playout % WORD)
            if found.alive[playout // WORD] & bit != 0:
                counters[N_PASSED] += 1
                if found.needed[playout // WORD] & bit == 0:
                    found.needed[playout // WORD] |= bit
                    counters[N_CODES] += playouts.begin[playout + 1] - playouts.begin[playout]
            entry = playouts.passed[entry, 2]
    n = 0
    for playout in range(kept):
        found.playout[playout] = -1 - n
        if (found.alive[playout // WORD] >> np.uint64(playout % WORD)) & _ONE != 0:
            found.playout[playout] = n
            n += 1
    counters[KEPT] = n


@kernel
def copy_survivors(old: Tree, found: Survivors, new: Tree) -> int:
    """Copy what stays of a tree into `new`, all of whose arrays are zeros and large enough."""
    new.hash[:] = NONE
    if len(old.playouts.worth) > 0:
        _copy_playouts(old, found, new)
    n_edges = n_tables = n_passed = 0
    for number in range(found.counters[N_NODES]):
        node = found.node[number]
        nodes, before = new.nodes, old.nodes
        nodes.key[number], nodes.visits[number] = before.key[node], before.visits[node]
        nodes.mover[number], nodes.size[number] = before.mover[node], before.size[node]
        nodes.parent[number], nodes.first[number] = found.parent[number], n_edges
        nodes.code[number] = old.edges.code[found.edge[number]] if number > 0 else NONE
        nodes.counted[number] = _playouts_before(found, before.counted[node])
        if len(before.low) > 0:
            nodes.longest[number] = before.longest[node]
            for player in range(before.low.shape[1]):
                nodes.low[number, player] = before.low[node, player]
        new.hash[slot_of(new, before.key[node])] = number
        begin, size = before.first[node], max(before.size[node], 0)
        for place in range(size):
            _copy_edge(old, found, new, begin + place, n_edges + place)
        n_edges += size
        nodes.table[number] = nodes.entry[number] = NONE
        if before.table[node] != NONE:
            for code in range(new.tables.sums.shape[1]):
                for part in range(2):
                    total = old.tables.sums[before.table[node], code, part]
                    new.tables.sums[n_tables, code, part] = total
            nodes.table[number] = n_tables
            n_tables += 1
        else:
            n_passed = _copy_entries(old, found, new, node, number, n_passed)
    for counter in range(len(found.counters)):
        new.counters[counter] = found.counters[counter]
    return n_edges


@inlined
def _playouts_before(found: Survivors, counted: int) -> int:
    """Return how many of the first `counted` playouts stay."""
    if counted == len(found.playout):
        return found.counters[KEPT]
    number = found.playout[counted]
    return number if number >= 0 else -1 - number


@inlined
def _copy_edge(old: Tree, found: Survivors, new: Tree, source: int, to: int) -> None:
    before, edges = old.edges, new.edges
    edges.move[to], edges.code[to] = before.move[source], before.code[source]
    edges.n[to], edges.total[to] = before.n[source], before.total[source]
    child = before.child[source]
    edges.child[to] = found.number[child] if child != NONE else NONE
    if before.permuted.shape[1] > 0:
        edges.permuted[0, to], edges.permuted[1, to] = (
            before.permuted[0, source],
            before.permuted[1, source],
        )
    if len(before.prior) > 0:
        edges.prior[to] = before.prior[source]


@inlined
def _copy_entries(
    old: Tree, found: Survivors, new: Tree, node: int, number: int, n_passed: int
) -> int:
    """Copy the notes of playouts through a node without a table; returns how many there are."""
    entry = old.nodes.entry[node] if len(old.playouts.worth) > 0 else NONE
    while entry != NONE:
        playout = found.playout[old.playouts.passed[entry, 0]]
        if playout >= 0:
            new.playouts.passed[n_passed, 0] = playout
            new.playouts.passed[n_passed, 1] = old.playouts.passed[entry, 1]
            new.playouts.passed[n_passed, 2] = new.nodes.entry[number]
            new.nodes.entry[number] = n_passed
            n_passed += 1
        entry = old.playouts.passed[entry, 2]
    return n_passed


@inlined
def _copy_playouts(old: Tree, found: Survivors, new: Tree) -> None:
    """Copy rewards and bits of playouts that stay, and the codes of those that are needed."""
    before, playouts, n_codes = old.playouts, new.playouts, 0
    for playout in range(old.counters[KEPT]):
        number = found.playout[playout]
        if number < 0:
            continue
        for player in range(before.worth.shape[1]):
            playouts.worth[number, player] = before.worth[playout, player]
        if (found.needed[playout // WORD] >> np.uint64(playout % WORD)) & _ONE != 0:
            for at in range(before.begin[playout], before.begin[playout + 1]):
                playouts.code[n_codes] = before.code[at]
                playouts.player[n_codes] = before.player[at]
                n_codes += 1
        playouts.begin[number + 1] = n_codes
    for code in range(len(before.having)):
        _copy_bits(found, before.having[code], playouts.having[code])
    if len(before.having) > 0:
        for player in range(len(before.won)):
            _copy_bits(found, before.won[player], playouts.won[player])
            _copy_bits(found, before.shared[player], playouts.shared[player])


@inlined
def _copy_bits(found: Survivors, source: Words, to: Words) -> None:
    """Copy the bits of playouts that stay."""
    kept = len(found.playout)
    for word in range(min(len(source), (kept + WORD - 1) // WORD)):
        rest = source[word] & found.alive[word]
        if WORD * (word + 1) > kept:
            rest &= _ALL >> np.uint64(-kept % WORD)
        while rest != 0:
            number = found.playout[word * WORD + lowest_one(rest)]
            to[number // WORD] |= _ONE << np.uint64(number % WORD)
            rest &= rest - _ONE


def survivors_of(tree: Tree, root: int, most: int | None) -> Survivors:
    """Find what stays below `root`: all of it, or the most visited that take `most` bytes at most.

    In the latter case the latest playouts alone stay, which new states are compared with, in half
    of the bytes at most. Where even the most visited take more, the root alone stays, and what it
    takes.
    """
    found, least, first = new_survivors(tree), 0, 0
    cost: Any = tree.cost[: len(found.counters)]
    if most is not None:
        words = min(LATEST, max(1, most // int(2 * WORD * max(cost[KEPT], 1))))
        first = max(0, int(tree.counters[KEPT]) // WORD - words)
    find_survivors(tree, root, least, first, found)
    visits = int(tree.nodes.visits[root])
    while most is not None and found.counters @ cost > most and least <= visits:
        least = max(2, 2 * least)
        find_survivors(tree, root, least, first, found)
    return found


def fill_hash(tree: Tree, numbers: npt.NDArray[np.int64]) -> None:
    """Put the nodes of these numbers, and no others, where their keys are looked for."""
    found, mask = tree.hash, np.uint64(len(tree.hash) - 1)
    found[:] = NONE
    slots = (tree.nodes.key[numbers] >> np.uint64(1)) & mask
    while len(numbers) > 0:
        free = found[slots] == NONE
        found[slots[free]] = numbers[free]
        left = found[slots] != numbers
        numbers, slots = numbers[left], (slots[left] + np.uint64(1)) & mask
