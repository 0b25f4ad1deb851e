"""The way of a playout through the tree: select moves, expand nodes, until the tree ends."""

from __future__ import annotations

from typing import NamedTuple

from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract.rules import copy_state, play, solved_move
from solver.kernels.tree.arrays import (
    CLOSED,
    FLAT,
    NO_STATISTICS,
    NONE,
    PERMUTATIONS,
    ROOT,
    Scratch,
    Searched,
    Tree,
    TreeParameters,
)
from solver.kernels.tree.expand import add_node, expand, has_room, node_at, slot_of
from solver.kernels.tree.levels.second import is_second, lists_no_moves, steps_held
from solver.kernels.tree.playouts import note_beyond
from solver.kernels.tree.proofs import is_proved, is_won
from solver.kernels.tree.puzzles import child_key, note_move
from solver.kernels.tree.select import Visit, select
from solver.kernels.tree.statistics import count_permutations, make_table
from solver.kernels.tree.teams.team import CODES, acquire, halt, lose, release, take

#: Ends of a node: a move is to be selected, or its value is played out, or known.
INNER, OUTER, KNOWN = range(3)


class Leaf(NamedTuple):
    """End of the way."""

    node: int
    """The last one."""
    depth: int
    """Moves played, `NONE` where the tree had no room for what they add."""
    on_node: bool
    """False where the last move has led out of the tree."""
    known: bool
    """True if the value of the node is proved."""


@inlined
def _end_of(
    searched: Searched,
    tree: Tree,
    scratch: Scratch,
    stream: Stream,
    node: int,
    step: int,
    proofs: bool,
) -> int:
    """Return the end of a node; its moves are listed when it is met again: most are not."""
    nodes = tree.nodes
    if proofs and is_proved(tree, node):
        return KNOWN
    if nodes.size[node] < 0:
        is_new = nodes.visits[node] == 0 and node != ROOT
        if tree.counters[CLOSED] != 0 or is_new or lists_no_moves(tree, node, step):
            wins = proofs and is_won(tree, node, searched.instance, searched.state)
            return KNOWN if wins else OUTER
        if not take(scratch.team, nodes.size, node, NONE):
            return OUTER
        expand(searched, tree, scratch, stream, node, step, proofs)
    if nodes.size[node] == 0:
        return OUTER
    if step >= len(scratch.code):
        note_beyond(searched.broken, 0, 0, step, len(scratch.code))
        return OUTER
    return INNER


@inlined
def _table_of(
    tree: Tree, scratch: Scratch, parameters: TreeParameters, node: int, above: int
) -> int:
    """Return the table of a node, made after enough visits; before, that `above` it."""
    nodes, team = tree.nodes, scratch.team
    # The root has one at once, for those below it whose ancestors have none.
    if node == ROOT or (nodes.visits[node] > parameters.ref and not is_second(tree, node)):
        if nodes.table[node] == NONE and tree.counters[CLOSED] == 0:
            acquire(team, CODES)
            if nodes.table[node] == NONE:
                make_table(team, tree, node)
            release(team, CODES)
        if nodes.table[node] != NONE:
            return int(nodes.table[node])
    return above


@inlined
def _child_of(searched: Searched, tree: Tree, scratch: Scratch, node: int, edge: int) -> int:
    """Return the node that a move has led to, added where there is none, or `NONE`."""
    edges, team = tree.edges, scratch.team
    child = edges.child[edge]
    if child != NONE:
        return int(child)
    way = tree.nodes.key[node], edges.move[edge]
    found = child_key(searched.kept, searched.instance, searched.state, *way)
    slot = slot_of(tree, found)
    child = node_at(team, tree, slot, found)
    if child == NONE and tree.counters[CLOSED] == 0:
        child = add_node(team, tree, slot, found, node, edges.code[edge])
    if child != NONE:
        edges.child[edge] = child
    return int(child)


@inlined
def solve_root(searched: Searched, tree: Tree, scratch: Scratch) -> None:
    """Prove the root, whose moves are listed, if the rules know one that wins."""
    nodes, edges = tree.nodes, tree.edges
    copy_state(searched.instance, searched.root, searched.state)
    move, longest = solved_move(searched.instance, searched.state)
    if move < 0 or is_proved(tree, ROOT) or tree.counters[CLOSED] != 0:
        return
    for edge in range(nodes.first[ROOT], nodes.first[ROOT] + nodes.size[ROOT]):
        if edges.move[edge] == move:
            play(searched.instance, searched.state, move)
            child, mover = _child_of(searched, tree, scratch, ROOT, edge), nodes.mover[ROOT]
            nodes.low[child, mover] = nodes.low[ROOT, mover] = 1.0
            nodes.longest[child] = longest - 1
            return


@inlined
def descend(
    searched: Searched,
    tree: Tree,
    scratch: Scratch,
    parameters: TreeParameters,
    stream: Stream,
    proofs: bool,
) -> Leaf:
    """Play from the root to the end of the tree.

    Where there is no room, `stream` is as before: what was added is found again when the playout
    begins anew.
    """
    nodes, edges, team = tree.nodes, tree.edges, scratch.team
    counted, closed = parameters.statistics != NO_STATISTICS, tree.counters[CLOSED] != 0
    before = stream[0], stream[1], stream[2], stream[3]
    copy_state(searched.instance, searched.root, searched.state)
    node, step, table, held = ROOT, 0, NONE, steps_held(tree)
    while True:
        if not closed and not has_room(tree, scratch, counted):
            stream[0], stream[1], stream[2], stream[3] = before
            for number in range(step):
                lose(team, tree, scratch.nodes[number], scratch.edges[number], -1)
            halt(team)
            return Leaf(node, NONE, True, False)
        scratch.nodes[step] = node
        end = _end_of(searched, tree, scratch, stream, node, step, proofs)
        if end != INNER:
            return Leaf(node, step, True, end == KNOWN)
        if counted:
            table = _table_of(tree, scratch, parameters, node, table)
        if parameters.statistics == PERMUTATIONS and not closed:
            count_permutations(team, tree, node)
        if step < held:
            edge = scratch.edges[step]
        else:
            visit = Visit(node, table, step)
            edge = select(tree, scratch, parameters, stream, visit, searched.worth)
        lose(team, tree, node, edge, 1)
        scratch.edges[step] = edge
        scratch.code[step], scratch.player[step] = edges.code[edge], nodes.mover[node]
        note_move(searched.kept, step, edges.move[edge])
        play(searched.instance, searched.state, edges.move[edge])
        step += 1
        child = NONE
        if parameters.rule != FLAT:
            child = _child_of(searched, tree, scratch, node, edge)
        if child == NONE:
            return Leaf(node, step, False, False)
        node = child
