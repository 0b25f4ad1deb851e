"""The kernel of tree search: select, expand, play out, update (papers 'grave' and 'mcps')."""

from __future__ import annotations

import numpy as np

from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream
from solver.contract.rules import (
    code,
    copy_state,
    odds,
    play,
    player,
    rewards,
)
from solver.kernels.bounds import (
    BOUND,
    CODES,
    FAR_CODES,
    NONE_BROKEN,
    PLAYERS,
    note_broken,
)  # fmt: skip
from solver.kernels.status import FULL, PAUSED, REACHED
from solver.kernels.tree.arrays import (
    ASKED,
    CLOSED,
    DEPTH,
    FLAT,
    N_CODES,
    N_EDGES,
    N_NODES,
    N_PASSED,
    N_TABLES,
    NO_STATISTICS,
    NONE,
    PERMUTATIONS,
    PLAYED,
    ROOT,
    Ints,
    Scratch,
    Searched,
    Tree,
    TreeParameters,
)
from solver.kernels.tree.playouts import note_beyond, play_out
from solver.kernels.tree.proofs import (
    copy_proved,
    is_proved,
    move_for_all,
    note_sum,
    prove_end,
    prove_path,
    proves,
    wins_at_once,
)
from solver.kernels.tree.puzzles import child_key, list_moves, note_end, note_move, root_key
from solver.kernels.tree.select import Visit, select
from solver.kernels.tree.statistics import (
    add_to_table,
    count_permutations,
    keep_playout,
    make_table,
    mark_last,
    note_passed,
    set_bits,
)

#: Codes are kept in 32 bits with a sign.
LARGEST = 0x7FFFFFFF


@inlined
def _are_codes(searched: Searched, codes: Ints, begin: int, end: int, n_codes: int) -> bool:
    """Whether `codes` from `begin` to `end` are below `n_codes`; else that is noted."""
    most = np.uint32(0)
    for place in range(begin, end):
        most = max(most, np.uint32(codes[place]))
    if most < n_codes:
        return True
    note_broken(searched.broken, FAR_CODES if most > LARGEST else CODES, int(most), n_codes)
    return False


@inlined
def _are_players(searched: Searched, scratch: Scratch, begin: int, end: int) -> bool:
    """Whether those who move from step `begin` to `end` are players; else that is noted."""
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
def _slot(tree: Tree, found: np.uint64) -> int:
    """Where a key is in the hash, or would be."""
    mask = len(tree.hash) - 1
    slot = int(found >> np.uint64(1)) & mask
    while tree.hash[slot] != NONE and tree.nodes.key[tree.hash[slot]] != found:
        slot = (slot + 1) & mask
    return slot


@inlined
def _add_node(tree: Tree, slot: int, found: np.uint64, parent: int, move_code: int) -> int:
    nodes, number = tree.nodes, tree.counters[N_NODES]
    tree.counters[N_NODES] = number + 1
    tree.hash[slot] = number
    nodes.key[number], nodes.parent[number], nodes.code[number] = found, parent, move_code
    nodes.visits[number] = nodes.counted[number] = 0
    nodes.size[number] = nodes.table[number] = nodes.entry[number] = NONE
    if len(nodes.low) > 0:
        for player_number in range(nodes.low.shape[1]):
            nodes.low[number, player_number] = 0.0
    return number


@inlined
def _expand(
    searched: Searched,
    tree: Tree,
    scratch: Scratch,
    stream: Stream,
    node: int,
    step: int,
    proofs: bool,
) -> None:
    """List the moves of a node at `step`, none beyond limits; the state is that of it.

    With `proofs` an urgent move stands for all: the others lose at once, or win no sooner.
    """
    instance, state = searched.instance, searched.state
    nodes, edges, begin = tree.nodes, tree.edges, tree.counters[N_EDGES]
    moves = scratch.moves
    n, urgent = 1, -1
    if proofs:
        urgent = move_for_all(instance, state)
    if urgent >= 0:
        moves[0] = urgent
    else:
        n = list_moves(searched.kept, instance, state, stream, nodes.key[node], moves)
    if not 0 <= n <= len(moves):
        note_beyond(searched.broken, n, len(moves), step, len(scratch.code))
        n = 0
    nodes.first[node], nodes.size[node] = begin, n
    if n > 0:
        scratch.player[step] = nodes.mover[node] = player(instance, state)
        if not _are_players(searched, scratch, step, step + 1):
            n = nodes.size[node] = 0
    for number in range(n):
        edge = begin + number
        edges.move[edge] = scratch.moves[number]
        edges.code[edge] = code(instance, state, scratch.moves[number]) & searched.mask
        edges.child[edge] = NONE
        edges.n[edge], edges.total[edge] = 0, 0.0
        if edges.permuted.shape[1] > 0:
            edges.permuted[0, edge] = edges.permuted[1, edge] = 0.0
    if not _are_codes(searched, edges.code, begin, begin + n, len(scratch.stamp)):
        n = nodes.size[node] = 0
    if len(edges.prior) > 0:
        total = 0.0
        for number in range(n):
            edges.prior[begin + number] = odds(
                searched.guides.tree, instance, state, scratch.moves[number]
            )
            total += edges.prior[begin + number]
        for number in range(n):
            edges.prior[begin + number] /= total
    tree.counters[N_EDGES] = begin + n


@inlined
def _has_room(tree: Tree, scratch: Scratch, counted: bool) -> bool:
    """Whether what a playout adds beyond its way has room, and the moves of a node."""
    counters, playouts = tree.counters, tree.playouts
    room = counters[N_NODES] + 2 <= len(tree.nodes.key)
    room &= counters[N_EDGES] + len(scratch.moves) <= len(tree.edges.move)
    if counted:
        room &= counters[N_TABLES] + 1 <= len(tree.tables.sums)
        room &= counters[N_CODES] + len(scratch.code) <= len(playouts.code)
        room &= counters[N_PASSED] + len(scratch.nodes) <= len(playouts.passed)
        room &= counters[PLAYED] + 1 <= len(playouts.worth)
    return room


@inlined
def _fills_memory(tree: Tree) -> bool:
    """Whether what is in use takes more than it may, however large the arrays are."""
    used = 0
    for number in range(CLOSED):
        used += tree.counters[number] * tree.cost[number]
    return used > tree.cost[CLOSED]


@inlined
def _update(tree: Tree, scratch: Scratch, depth: int, on_node: bool) -> None:
    """Count a playout in the nodes and moves that it went through."""
    nodes, edges = tree.nodes, tree.edges
    for step in range(depth):
        node, edge = scratch.nodes[step], scratch.edges[step]
        nodes.visits[node] += 1
        edges.n[edge] += 1
        edges.total[edge] += scratch.rewards[nodes.mover[node]]
    if on_node:
        nodes.visits[scratch.nodes[depth]] += 1


@inlined
def _update_codes(
    tree: Tree, scratch: Scratch, statistics: int, depth: int, steps: int, on_node: bool
) -> None:
    """Count the codes of a playout in the tables of the nodes that it went through."""
    closed = tree.counters[CLOSED] != 0
    mark_last(scratch, steps, tree.counters[PLAYED] + 1)
    for step in range(depth + on_node):
        node = scratch.nodes[step]
        if tree.nodes.table[node] != NONE:
            add_to_table(tree, scratch, tree.nodes.table[node], step, steps)
        elif not closed:
            note_passed(tree, node, step)
    if not closed:
        keep_playout(tree, scratch, steps)
        if statistics == PERMUTATIONS:
            set_bits(tree, scratch, steps)


@kernel
def search_tree(
    searched: Searched,
    tree: Tree,
    scratch: Scratch,
    parameters: TreeParameters,
    stream: Stream,
    max_playouts: int,
) -> int:
    """Go on until the tree has seen `max_playouts`, or an array is full.

    Parameters
    ----------
    stream : uint64[4]
        Consumed.

    Returns
    -------
    int
        `PAUSED`, `FULL`, or of a puzzle `REACHED`. Also `PAUSED` once the rules break a bound.
    """
    instance, state, worth = searched.instance, searched.state, searched.worth
    nodes, edges, counters, rule = tree.nodes, tree.edges, tree.counters, parameters.rule
    statistics = parameters.statistics
    counted = statistics != NO_STATISTICS
    if counters[N_NODES] == 0:
        copy_state(instance, searched.root, state)
        found = root_key(searched.kept, instance, state, stream)
        node = _add_node(tree, _slot(tree, found), found, NONE, NONE)
    while counters[PLAYED] < max_playouts:
        proofs = proves(tree, parameters)
        if proofs and is_proved(tree, ROOT):
            return PAUSED
        if counters[ASKED] == counters[PLAYED]:
            # Not of a playout that begins anew, a part of whose nodes is there already.
            counters[CLOSED] = counters[CLOSED] != 0 or _fills_memory(tree)
            counters[ASKED] += 1
        closed = counters[CLOSED] != 0
        before = stream[0], stream[1], stream[2], stream[3]
        copy_state(instance, searched.root, state)
        node, step, table, on_node, going, known = ROOT, 0, NONE, True, True, False
        while going:
            if not closed and not _has_room(tree, scratch, counted):
                # What was added is found again when the playout begins anew.
                stream[0], stream[1], stream[2], stream[3] = before
                return FULL
            scratch.nodes[step] = node
            if proofs and is_proved(tree, node):
                known = True
                break
            if nodes.size[node] == NONE:
                # Listed when a state is met again: most are not.
                if closed or (nodes.visits[node] == 0 and node != ROOT):
                    known = proofs and wins_at_once(tree, node, instance, state)
                    break
                _expand(searched, tree, scratch, stream, node, step, proofs)
            if nodes.size[node] == 0:
                break
            if step >= len(scratch.code):
                note_beyond(searched.broken, 0, 0, step, len(scratch.code))
                break
            # The root has one at once, for those below it whose ancestors have none.
            if counted and (node == ROOT or nodes.visits[node] > parameters.ref):
                if nodes.table[node] == NONE and not closed:
                    make_table(tree, node)
                table = nodes.table[node] if nodes.table[node] != NONE else table
            if statistics == PERMUTATIONS and not closed:
                count_permutations(tree, node, counters[PLAYED])
            edge = select(tree, scratch, parameters, stream, Visit(node, table, step), worth)
            scratch.edges[step] = edge
            scratch.code[step], scratch.player[step] = edges.code[edge], nodes.mover[node]
            note_move(searched.kept, step, edges.move[edge])
            play(instance, state, edges.move[edge])
            step += 1
            child = edges.child[edge]
            if rule == FLAT:
                on_node = going = False
            elif child != NONE:
                node = child
            else:
                way = nodes.key[node], edges.move[edge]
                found = child_key(searched.kept, instance, state, *way)
                slot = _slot(tree, found)
                if tree.hash[slot] != NONE:
                    node = tree.hash[slot]
                    edges.child[edge] = node
                elif closed:
                    on_node = going = False
                else:
                    node = _add_node(tree, slot, found, node, edges.code[edge])
                    edges.child[edge] = node
        depth = step
        counters[DEPTH] = max(counters[DEPTH], depth)
        steps = depth
        if not known:
            steps = play_out(searched, scratch, stream, depth, counted, parameters.decisive)
        if counted:
            _are_codes(searched, scratch.code, depth, steps, len(scratch.stamp))
            _are_players(searched, scratch, depth, steps)
        if searched.broken[BOUND] != NONE_BROKEN:
            return PAUSED
        if known:
            copy_proved(tree, node, scratch.rewards)
        else:
            rewards(instance, state, scratch.rewards)
            if proofs:
                note_sum(tree, scratch.rewards)
                if on_node and steps == depth:
                    prove_end(tree, node, scratch.rewards)
        for number in range(len(scratch.rewards)):
            worth[0] = min(worth[0], scratch.rewards[number])
            worth[1] = max(worth[1], scratch.rewards[number])
        if proofs:
            prove_path(tree, scratch, depth)
        _update(tree, scratch, depth, on_node)
        if counted:
            _update_codes(tree, scratch, statistics, depth, steps, on_node)
        counters[PLAYED] += 1
        if note_end(searched.kept, scratch.rewards[0], steps):
            return REACHED
    return PAUSED
