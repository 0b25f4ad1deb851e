"""The kernel of tree search: select, expand, play out, update (papers 'grave' and 'mcps')."""

from __future__ import annotations

from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream
from solver.contract.rules import (
    copy_state,
    play,
    rewards,
)
from solver.kernels.bounds import (
    BOUND,
    NONE_BROKEN,
)  # fmt: skip
from solver.kernels.status import CROWDED, FULL, PAUSED, REACHED
from solver.kernels.tree.arrays import (
    ASKED,
    CLOSED,
    DEPTH,
    FLAT,
    KEPT,
    N_NODES,
    NO_STATISTICS,
    NONE,
    PERMUTATIONS,
    PLAYED,
    ROOT,
    Scratch,
    Searched,
    Tree,
    TreeParameters,
)
from solver.kernels.tree.expand import (
    add_node,
    are_codes,
    are_players,
    expand,
    fills_memory,
    has_room,
    slot_of,
)
from solver.kernels.tree.playouts import note_beyond, play_out
from solver.kernels.tree.proofs import (
    copy_proved,
    is_proved,
    note_sum,
    prove_end,
    prove_path,
    proves,
    wins_at_once,
)
from solver.kernels.tree.puzzles import child_key, note_end, note_move, root_key
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
from solver.kernels.tree.team import (
    acquire,
    add,
    claim,
    count,
    halt,
    lose,
    release,
    take,
    threads_of,
)


@inlined
def _update(tree: Tree, scratch: Scratch, depth: int, on_node: bool) -> None:
    """Count a playout in the nodes and moves that it went through."""
    for step in range(depth):
        node, edge = scratch.nodes[step], scratch.edges[step]
        count(scratch.team, tree, node, edge, scratch.rewards[tree.nodes.mover[node]])
    if on_node:
        add(scratch.team, tree.nodes.visits, scratch.nodes[depth], 1)


@inlined
def _update_codes(
    tree: Tree, scratch: Scratch, statistics: int, depth: int, steps: int, on_node: bool
) -> None:
    """Count the codes of a playout in the tables of the nodes that it went through."""
    mark_last(scratch, steps, tree.counters[PLAYED] + 1)
    acquire(scratch.team)
    closed = tree.counters[CLOSED] != 0
    for step in range(depth + on_node):
        node = scratch.nodes[step]
        if tree.nodes.table[node] == NONE:
            scratch.nodes[step] = NONE  # a table that is made from here on has the playout
            if not closed:
                note_passed(tree, node, step)
    if not closed:
        keep_playout(tree, scratch, steps)
        if statistics == PERMUTATIONS:
            set_bits(tree, scratch, steps)
        tree.counters[KEPT] += 1
    release(scratch.team)
    for step in range(depth + on_node):
        if scratch.nodes[step] != NONE:
            table = tree.nodes.table[scratch.nodes[step]]
            add_to_table(tree, scratch, table, step, steps)


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
        `PAUSED`, `FULL`, `CROWDED` where what is in use takes more memory than it may, or of a
        puzzle `REACHED`. Also `PAUSED` once the rules break a bound.
    """
    instance, state, worth = searched.instance, searched.state, searched.worth
    nodes, edges, counters, rule = tree.nodes, tree.edges, tree.counters, parameters.rule
    statistics, team = parameters.statistics, scratch.team
    counted = statistics != NO_STATISTICS
    if counters[N_NODES] == 0:
        copy_state(instance, searched.root, state)
        found = root_key(searched.kept, instance, state, stream)
        add_node(team, tree, slot_of(tree, found), found, NONE, NONE)
    while claim(team, tree, max_playouts):
        proofs = proves(tree, parameters)
        if proofs and is_proved(tree, ROOT):
            return PAUSED
        if counters[ASKED] == counters[PLAYED] or threads_of(team) > 1:
            # Not of a playout that begins anew, a part of whose nodes is there already.
            if counters[CLOSED] == 0 and fills_memory(tree):
                halt(team)
                return CROWDED
            counters[ASKED] = counters[PLAYED] + 1
        closed = counters[CLOSED] != 0
        before = stream[0], stream[1], stream[2], stream[3]
        copy_state(instance, searched.root, state)
        node, step, table, on_node, going, known = ROOT, 0, NONE, True, True, False
        while going:
            if not closed and not has_room(tree, scratch, counted):
                # What was added is found again when the playout begins anew.
                stream[0], stream[1], stream[2], stream[3] = before
                for number in range(step):
                    lose(team, tree, scratch.nodes[number], scratch.edges[number], -1)
                halt(team)
                return FULL
            scratch.nodes[step] = node
            if proofs and is_proved(tree, node):
                known = True
                break
            if nodes.size[node] < 0:
                # Listed when a state is met again: most are not.
                if closed or (nodes.visits[node] == 0 and node != ROOT):
                    known = proofs and wins_at_once(tree, node, instance, state)
                    break
                if not take(team, nodes.size, node, NONE):
                    break
                expand(searched, tree, scratch, stream, node, step, proofs)
            if nodes.size[node] == 0:
                break
            if step >= len(scratch.code):
                note_beyond(searched.broken, 0, 0, step, len(scratch.code))
                break
            # The root has one at once, for those below it whose ancestors have none.
            if counted and (node == ROOT or nodes.visits[node] > parameters.ref):
                if nodes.table[node] == NONE and not closed:
                    acquire(team)
                    if nodes.table[node] == NONE:
                        make_table(team, tree, node)
                    release(team)
                table = nodes.table[node] if nodes.table[node] != NONE else table
            if statistics == PERMUTATIONS and not closed:
                count_permutations(team, tree, node)
            edge = select(tree, scratch, parameters, stream, Visit(node, table, step), worth)
            lose(team, tree, node, edge, 1)
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
                acquire(team)
                slot = slot_of(tree, found)
                child = tree.hash[slot]
                if child == NONE and not closed:
                    child = add_node(team, tree, slot, found, node, edges.code[edge])
                release(team)
                if child != NONE:
                    node = child
                    edges.child[edge] = node
                else:
                    on_node = going = False
        depth = step
        counters[DEPTH] = max(counters[DEPTH], depth)
        steps = depth
        if not known:
            steps = play_out(searched, scratch, stream, depth, counted, parameters.decisive)
        if counted:
            are_codes(searched, scratch.code, depth, steps, len(scratch.stamp))
            are_players(searched, scratch, depth, steps)
        if searched.broken[BOUND] != NONE_BROKEN:
            halt(team)
            return PAUSED
        if known:
            copy_proved(tree, node, scratch.rewards)
        else:
            rewards(instance, state, scratch.rewards)
            if proofs:
                note_sum(tree, scratch.rewards)
                if on_node and steps == depth:
                    acquire(team)
                    prove_end(tree, node, scratch.rewards)
                    release(team)
        for number in range(len(scratch.rewards)):
            worth[0] = min(worth[0], scratch.rewards[number])
            worth[1] = max(worth[1], scratch.rewards[number])
        if proofs:
            acquire(team)
            prove_path(tree, scratch, depth)
            release(team)
        _update(tree, scratch, depth, on_node)
        if counted:
            _update_codes(tree, scratch, statistics, depth, steps, on_node)
        add(team, counters, PLAYED, 1)
        if note_end(searched.kept, scratch.rewards[0], steps):
            return REACHED
    return PAUSED
