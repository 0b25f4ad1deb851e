"""The kernel of tree search: select, expand, play out, update (papers 'grave' and 'mcps')."""

from __future__ import annotations

from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream
from solver.contract.rules import copy_state, estimate, rewards
from solver.kernels.bounds import BOUND, NONE_BROKEN
from solver.kernels.status import CROWDED, FULL, PAUSED, REACHED
from solver.kernels.tree.arrays import (
    ASKED,
    CLOSED,
    DEPTH,
    DUE,
    N_NODES,
    NO_STATISTICS,
    NONE,
    PLAYED,
    ROOT,
    Scratch,
    Searched,
    Tree,
    TreeParameters,
)
from solver.kernels.tree.descent import Leaf, descend, solve_root
from solver.kernels.tree.expand import add_node, are_codes, are_players, fills_memory, slot_of
from solver.kernels.tree.held import count_held, note_codes
from solver.kernels.tree.levels.second import begin_second, end_playout
from solver.kernels.tree.playouts import play_out
from solver.kernels.tree.policies.draws import learns, tell_playout
from solver.kernels.tree.proofs import (
    copy_proved,
    is_news,
    is_proved,
    note_sum,
    prove_end,
    prove_path,
    proves,
)
from solver.kernels.tree.puzzles import note_end, root_key
from solver.kernels.tree.teams.team import (
    PROOFS,
    acquire,
    add,
    claim,
    count,
    count_made,
    halt,
    note_made,
    release,
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
def _reward(
    searched: Searched,
    tree: Tree,
    scratch: Scratch,
    leaf: Leaf,
    steps: int,
    proofs: bool,
    estimated: bool,
) -> None:
    """Find the rewards of a playout unless they are `estimated`, and what they prove."""
    worth, team = searched.worth, scratch.team
    if leaf.known:
        copy_proved(tree, leaf.node, scratch.rewards)
    elif not estimated:
        rewards(searched.instance, searched.state, scratch.rewards)
        if proofs:
            note_sum(tree, scratch.rewards)
            if leaf.on_node and steps == leaf.depth:
                acquire(team, PROOFS)
                prove_end(tree, leaf.node, scratch.rewards)
                release(team, PROOFS)
    for number in range(len(scratch.rewards)):  # written where they change only: threads share them
        if scratch.rewards[number] < worth[0]:
            worth[0] = scratch.rewards[number]
        if scratch.rewards[number] > worth[1]:
            worth[1] = scratch.rewards[number]
    if proofs and is_news(team, tree, scratch, leaf.depth):
        acquire(team, PROOFS)
        prove_path(tree, scratch, leaf.depth)
        release(team, PROOFS)


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
    counters, statistics, team = tree.counters, parameters.statistics, scratch.team
    counted = statistics != NO_STATISTICS
    noted = counted or learns(scratch.learner)
    if counters[N_NODES] == 0:
        copy_state(searched.instance, searched.root, searched.state)
        found = root_key(searched.kept, searched.instance, searched.state, stream)
        add_node(team, tree, slot_of(tree, found), found, NONE, NONE)
    status = PAUSED
    while claim(team, tree, max_playouts):
        proofs = proves(tree, parameters)
        if proofs and counters[PLAYED] == 1 and threads_of(team) == 1:
            solve_root(searched, tree, scratch)
        if proofs and is_proved(tree, ROOT):
            break
        if counters[ASKED] == counters[PLAYED] or threads_of(team) > 1:
            # Not of a playout that begins anew, a part of whose nodes is there already.
            if counters[CLOSED] == 0 and fills_memory(tree):
                halt(team)
                counters[DUE] = 0  # what there is of a second tree is of the first from here on
                status = CROWDED
                break
            if threads_of(team) == 1:
                counters[ASKED] = counters[PLAYED] + 1
        leaf = descend(searched, tree, scratch, parameters, stream, proofs)
        depth = leaf.depth
        if depth == NONE:
            status = FULL
            break
        if depth > counters[DEPTH]:
            counters[DEPTH] = depth
        steps, estimated = depth, False
        if parameters.estimates and not leaf.known:
            estimated = estimate(searched.instance, searched.state, scratch.rewards)
        if not leaf.known and not estimated:
            decisive = parameters.decisive
            steps = play_out(searched, scratch, stream, depth, noted, decisive)
        if noted:
            are_codes(searched, scratch.code, depth, steps, len(scratch.stamp))
            are_players(searched, scratch, depth, steps)
        if searched.broken[BOUND] != NONE_BROKEN:
            halt(team)
            break
        _reward(searched, tree, scratch, leaf, steps, proofs, estimated)
        _update(tree, scratch, depth, leaf.on_node)
        if counted:
            note_codes(team, tree, scratch, statistics, depth + leaf.on_node, steps)
        tell_playout(scratch.learner, searched, tree, scratch, depth, steps)
        note_made(team, tree)
        if counters[DUE] > 0:
            end_playout(tree, scratch, depth, proofs)
        elif parameters.leaf_playouts > 1 and not leaf.known and (steps > depth or estimated):
            begin_second(tree, leaf.node, depth, parameters.leaf_playouts - 1)
        if note_end(searched.kept, scratch.rewards[0], steps):
            status = REACHED
            break
    count_made(team, tree)
    if counted:
        count_held(team, tree, statistics)
    return status
