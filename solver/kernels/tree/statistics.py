"""Statistics of codes: all moves as first below a node, and permutations of the way to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver.compiling.bits import Words, count_ones, lowest_one
from solver.compiling.jit import inlined
from solver.contract.rules import Floats
from solver.kernels.tree.arrays import (
    BUSY,
    KEPT,
    N_CODES,
    N_PASSED,
    N_TABLES,
    NONE,
    ROOT,
    WORD,
    Ints,
    Nodes,
    Playouts,
    Scratch,
    Tree,
)
from solver.kernels.tree.teams.team import number_of, put, take

#: Words that are counted one by one, however few there are, and where only one in so many counts.
FEW, SPARSE = 4, 8
_ALL, _ONE = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(1)


@inlined
def mark_last(scratch: Scratch, steps: int, stamp: int) -> None:
    """Leave of each code of a playout its last occurrence: so every end of it has each once."""
    for step in range(steps):
        scratch.gain[step] = scratch.rewards[scratch.player[step]]
    for step in range(steps - 1, -1, -1):
        code = scratch.code[step]
        if scratch.stamp[code] == stamp:
            scratch.code[step] = NONE
        scratch.stamp[code] = stamp


@inlined
def add_to_table(tree: Tree, table: int, codes: Ints, gain: Floats) -> None:
    """Count a playout, from the node that a table is of, in it."""
    sums = tree.tables.sums[table]
    for step in range(len(codes)):
        if codes[step] != NONE:
            code = np.uint32(codes[step])
            sums[code, 0] += 1.0
            sums[code, 1] += gain[step]


@inlined
def note_passed(tree: Tree, node: int, step: int) -> None:
    """Note that the playout just made was at a node that has no table yet."""
    at = tree.counters[N_PASSED]
    tree.playouts.passed[at, 0] = tree.counters[KEPT]
    tree.playouts.passed[at, 1] = step
    tree.playouts.passed[at, 2] = tree.nodes.entry[node]
    tree.nodes.entry[node] = at
    tree.counters[N_PASSED] = at + 1


@inlined
def make_table(team: Any, tree: Tree, node: int) -> None:
    """Give a node its table, of the playouts that went through it."""
    table = tree.counters[N_TABLES]
    tree.counters[N_TABLES] = table + 1
    playouts, sums = tree.playouts, tree.tables.sums
    for code in range(sums.shape[1]):
        sums[table, code, 0] = sums[table, code, 1] = 0.0
    entry = tree.nodes.entry[node]
    while entry != NONE:
        playout = playouts.passed[entry, 0]
        begin = playouts.begin[playout] + playouts.passed[entry, 1]
        for at in range(begin, playouts.begin[playout + 1]):
            code = playouts.code[at]
            if code != NONE:
                sums[table, code, 0] += 1.0
                sums[table, code, 1] += playouts.worth[playout, playouts.player[at]]
        entry = playouts.passed[entry, 2]
    put(team, tree.nodes.table, node, table)


@inlined
def keep_playout(tree: Tree, codes: Ints, players: Ints, rewards: Floats) -> None:
    """Put the codes of a playout, and its rewards, where tables are made of."""
    at, playouts, number = tree.counters[N_CODES], tree.playouts, tree.counters[KEPT]
    end = at + len(codes)
    for step in range(len(codes)):
        playouts.code[at + step] = codes[step]
        playouts.player[at + step] = players[step]
    playouts.begin[number + 1] = tree.counters[N_CODES] = end
    for player in range(len(rewards)):
        playouts.worth[number, player] = rewards[player]


@inlined
def set_bits(tree: Tree, codes: Ints, rewards: Floats) -> None:
    """Note for all codes of a playout, the next to be kept, that it has them."""
    playouts, number = tree.playouts, tree.counters[KEPT]
    word, bit = number // WORD, _ONE << np.uint64(number % WORD)
    if number % WORD == 0:
        for code in range(len(playouts.having)):
            playouts.having[code, word] = np.uint64(0)
        for player in range(len(rewards)):
            playouts.won[player, word] = playouts.shared[player, word] = np.uint64(0)
    for step in range(len(codes)):
        code = codes[step]
        if code != NONE:
            playouts.having[code, word] |= bit
    for player in range(len(rewards)):
        if rewards[player] == 1.0:
            playouts.won[player, word] |= bit
        elif rewards[player] != 0.0:
            playouts.shared[player, word] |= bit


@inlined
def _note_way(
    playouts: Playouts, nodes: Nodes, node: int, counted: int, kept: int, way: Words
) -> int:
    """Put playouts `counted` to `kept` that have all moves on the way to a node into `way`.

    Returns
    -------
    int
        Words in which there are some.
    """
    first, last, found = counted // WORD, (kept + WORD - 1) // WORD, 0
    for word in range(len(way)):
        way[word] = _ALL
    way[0] = _ALL << np.uint64(counted % WORD)
    way[len(way) - 1] &= _ALL >> np.uint64(-kept % WORD)  # another is being kept, of a team
    while node != ROOT:
        code = nodes.code[node]
        if len(way) > FEW:
            having = playouts.having[code, first:last]
            for word in range(len(way)):
                way[word] &= having[word]
        else:
            for word in range(first, last):
                way[word - first] &= playouts.having[code, word]
        node = nodes.parent[node]
    for word in range(len(way)):
        found += way[word] != 0
    return found


@inlined
def count_permutations(team: Any, tree: Tree, node: int) -> None:
    """Bring n^ and its sums for the moves of a node up to date, from where they were left.

    Playouts lie in the words of a code side by side, so that many are counted by one instruction.
    Far from the root few words have any that count, and only these are looked at. Nothing is done
    while another thread counts them.
    """
    nodes, edges, playouts, kept = tree.nodes, tree.edges, tree.playouts, tree.counters[KEPT]
    counted, begin, mover = nodes.counted[node], nodes.first[node], nodes.mover[node]
    first, last = counted // WORD, (kept + WORD - 1) // WORD
    if counted == BUSY or counted >= kept or not take(team, nodes.counted, node, counted):
        return
    way = playouts.way[number_of(team), : last - first]
    n_words = _note_way(playouts, nodes, node, counted, kept, way)
    end = begin + nodes.size[node]
    codes, permuted = edges.code[begin:end], edges.permuted[:, begin:end]
    if n_words > max(FEW, (last - first) // SPARSE):
        for place in range(len(codes)):
            n, wins, rest = _count_words(playouts, mover, codes[place], first, way)
            permuted[0, place] += n
            permuted[1, place] += wins
            if rest != 0:
                for word in range(first, last):
                    found = way[word - first] & playouts.having[codes[place], word]
                    permuted[1, place] += _shares(playouts, mover, word, found)
    else:
        for word in range(first, last):
            _count_word(playouts, mover, codes, permuted, word, way[word - first])
    put(team, nodes.counted, node, kept)


@inlined
def _count_word(
    playouts: Playouts, mover: int, codes: Ints, permuted: Floats, word: int, way: np.uint64
) -> None:
    """Count the playouts of `way`, which are in one word, for all moves of a node.

    There is a loop without branches, which lets the compiler take several moves at a time.
    """
    if way == 0:
        return
    won = way & playouts.won[mover, word]
    n, wins = permuted[0], permuted[1]
    for place in range(len(codes)):
        having = playouts.having[np.uint32(codes[place]), word]
        n[place] += count_ones(way & having)
        wins[place] += count_ones(won & having)
    if way & playouts.shared[mover, word] != 0:
        for place in range(len(codes)):
            found = way & playouts.having[codes[place], word]
            permuted[1, place] += _shares(playouts, mover, word, found)


@inlined
def _count_words(
    playouts: Playouts, mover: int, code: int, first: int, way: Words
) -> tuple[int, int, np.uint64]:
    """Count the playouts of `way` with a code and those of them worth 1; bits of others follow.

    Slices begin at 0, which lets the compiler take several words at a time.
    """
    last = first + len(way)
    having = playouts.having[code, first:last]
    won, shared = playouts.won[mover, first:last], playouts.shared[mover, first:last]
    n, wins, rest = 0, 0, np.uint64(0)
    for word in range(len(way)):
        found = way[word] & having[word]
        n += count_ones(found)
        wins += count_ones(found & won[word])
        rest |= found & shared[word]
    return n, wins, rest


@inlined
def _shares(playouts: Playouts, mover: int, word: int, found: np.uint64) -> float:
    """Rewards of the playouts of `found`, which are in one word, that are worth neither 1 nor 0."""
    total, rest = 0.0, found & playouts.shared[mover, word]
    while rest != 0:
        total += playouts.worth[word * WORD + lowest_one(rest), mover]
        rest &= rest - _ONE
    return total
