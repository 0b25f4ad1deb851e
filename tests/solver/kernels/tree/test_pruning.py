"""Trees that shrink: what stays is what it was, and the search goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver.algorithms.tree import Grave, Mcps, TreeAlgorithm, Uct
from solver.algorithms.trees.two_level_grave import TwoLevelGrave
from solver.compiling.random import new_stream
from solver.contract.rules import play, reset
from solver.games import load_game
from solver.kernels.tree.arrays import CLOSED, KEPT, N_NODES, NONE, ROOT
from solver.kernels.tree.run import TreeRun

PLAYOUTS = 3000
ALGORITHMS = [Uct(proofs=True), Grave(20), Mcps(20), TwoLevelGrave(20)]


def new_run(algorithm: TreeAlgorithm, memory: int = 1 << 30) -> TreeRun:
    """Return a run of a small game."""
    game = load_game("hex")
    options = game.options(size=4, first="none")
    instance = game.instance(game.start(options), options)
    return TreeRun(game, instance, algorithm.parameters, memory)


def after(run: TreeRun, move: int) -> Any:
    """Return the state after a move of the start."""
    state = load_game("hex").new_state(run.searched.instance)
    reset(run.searched.instance, state)
    play(run.searched.instance, state, move)
    return state


def known(run: TreeRun, node: int) -> dict[str, Any]:
    """Return what a tree has of a node, by what does not change with its number."""
    nodes, edges, tree = run.tree.nodes, run.tree.edges, run.tree
    rows = slice(int(nodes.first[node]), int(nodes.first[node]) + max(int(nodes.size[node]), 0))
    table = int(nodes.table[node])
    found = {
        "visits": int(nodes.visits[node]),
        "size": int(nodes.size[node]),
        "move": edges.move[rows].tolist(),
        "n": edges.n[rows].tolist(),
        "total": edges.total[rows].tolist(),
        "permuted": edges.permuted[:, rows].tolist(),
        "sums": tree.tables.sums[table].tolist() if table != NONE else None,
    }
    if len(nodes.low):
        found["low"] = nodes.low[node].tolist()
    if run.parameters.statistics and table == NONE:
        entry, codes = int(nodes.entry[node]), []
        while entry != NONE:
            playout, step, entry = tree.playouts.passed[entry].tolist()
            begin, end = tree.playouts.begin[playout : playout + 2].tolist()
            codes.append((tree.playouts.code[begin + step : end].tolist(), step))
        found["passed"] = sorted(codes)
    return found


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=str)
def test_a_tree_is_kept_below_a_move(algorithm: TreeAlgorithm) -> None:
    """All states below it have all that was known of them, and nothing else stays."""
    run = new_run(algorithm)
    run.begin(new_stream(1))
    run.advance(PLAYOUTS)
    moves = run.moves_of()
    best = run.best()
    below, open_nodes = {int(moves.child[best])}, [int(moves.child[best])]
    while open_nodes:
        children = run.moves_of(open_nodes.pop()).child
        new = set(children[children != NONE].tolist()) - below
        below |= new
        open_nodes += new
    before = {int(run.tree.nodes.key[node]): known(run, node) for node in below}
    root = run.tree.nodes.key[moves.child[best]]
    run.begin(new_stream(2), after(run, int(moves.move[best])), keep=True)
    assert run.played == 0
    assert run.tree.nodes.key[ROOT] == root
    assert {int(run.tree.nodes.key[n]): known(run, n) for n in range(run.nodes)} == before
    visits = int(run.tree.nodes.visits[ROOT])
    run.advance(500)
    assert run.is_proved() or run.tree.nodes.visits[ROOT] == visits + 500


def test_permutations_of_a_kept_tree_are_counted_on() -> None:
    """Playouts without the move that was played are forgotten, all others count once."""
    run = new_run(Mcps(20))
    run.begin(new_stream(1))
    run.advance(PLAYOUTS)
    moves, best = run.moves_of(), run.best()
    having = run.tree.playouts.having
    code = int(run.tree.edges.code[run.tree.nodes.first[ROOT] + best])
    kept = sum(int(word).bit_count() for word in having[code, : -(-PLAYOUTS // 64)])
    run.begin(new_stream(2), after(run, int(moves.move[best])), keep=True)
    assert run.tree.counters[KEPT] == kept
    run.advance(PLAYOUTS)
    tree, count = run.tree, int(run.tree.counters[KEPT])
    assert count == kept + PLAYOUTS
    words = tree.playouts.having[:, : -(-count // 64)]
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    counted = int(tree.nodes.counted[ROOT])
    begin = int(tree.nodes.first[ROOT])
    for edge in range(begin, begin + int(tree.nodes.size[ROOT])):
        assert tree.edges.permuted[0, edge] == bits[tree.edges.code[edge], :counted].sum()


@pytest.mark.parametrize("algorithm", [Uct(), Mcps(20)], ids=str)
def test_a_full_tree_goes_on_growing(algorithm: TreeAlgorithm) -> None:
    """The least visited states are freed, again and again, and new ones are added."""
    run = new_run(algorithm, 1 << 19)
    run.begin(new_stream(1))
    run.advance(2000)
    while run.freed < 3:
        run.advance(run.played + 500)
    counters, nodes = run.tree.counters, run.tree.nodes
    assert counters[CLOSED] == 0
    assert counters[:CLOSED] @ run.tree.cost[:CLOSED] <= run.tree.cost[CLOSED]
    assert nodes.visits[ROOT] == run.moves_of().visits.sum() == run.played
    used = nodes.parent[1 : counters[N_NODES]]
    assert (used >= 0).all()
    assert (used < np.arange(1, counters[N_NODES])).all()


def test_bits_of_playouts_leave_room_for_states() -> None:
    """The most visited states stay where many playouts are held, not the root alone."""
    run = new_run(Mcps(20), 1 << 19)
    run.begin(new_stream(1))
    while run.freed < 10:
        run.advance(run.played + 5000)
        if run.freed:
            assert run.nodes > 20
    assert run.tree.counters[CLOSED] == 0


def test_every_state_is_found_after_the_tree_has_grown() -> None:
    """No slot from where its key is looked for to where it is is free, and none has two states."""
    run = new_run(Uct())
    run.begin(new_stream(1))
    sizes = set()
    for playouts in (500, 2000, 6000):
        run.advance(playouts)
        found, keys = run.tree.hash, run.tree.nodes.key
        sizes.add(len(found))
        assert sorted(found[found != NONE].tolist()) == list(range(run.nodes))
        for number in range(run.nodes):
            slot = int(keys[number] >> np.uint64(1)) % len(found)
            while found[slot] != number:
                assert found[slot] != NONE
                slot = (slot + 1) % len(found)
    assert len(sizes) > 1


def test_a_state_that_is_not_in_the_tree_is_searched_afresh() -> None:
    """So is one whose moves nobody has listed."""
    run, fresh = new_run(Uct()), new_run(Uct())
    run.begin(new_stream(1))
    run.advance(2)
    state = after(run, int(run.moves_of().move[3]))
    for one in (run, fresh):
        one.begin(new_stream(2), state, keep=one is run)
        one.advance(300)
    assert run.moves_of().visits.tolist() == fresh.moves_of().visits.tolist()
    assert run.nodes == fresh.nodes
