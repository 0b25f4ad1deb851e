"""Several threads in one tree: what they count is what they have played."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from solver.algorithms.tree import Mcps, TreeAlgorithm, Uct
from solver.compiling.atomics import compare_and_set, fetch_add, give_way, publish
from solver.compiling.jit import kernel
from solver.compiling.random import new_stream
from solver.contract.rules import key, play, reset
from solver.games import load_game
from solver.kernels.tree.arrays import KEPT, NONE, ROOT
from solver.kernels.tree.run import TreeRun

PLAYOUTS, THREADS = 20_000, 4


def _new_run(algorithm: TreeAlgorithm, memory: int = 1 << 30, **options: Any) -> TreeRun:
    """Return a search of Hex by several threads."""
    game = load_game("hex")
    chosen = game.options(**options)
    instance = game.instance(game.start(chosen), chosen)
    return TreeRun(game, instance, algorithm.parameters, memory, threads=THREADS)


@kernel
def _step(total: Any, shared: Any, lock: Any, guarded: Any, steps: int) -> int:
    for _ in range(steps):
        fetch_add(total, 0, 0.5)
        fetch_add(shared, 0, 3)
        while not compare_and_set(lock, 0, 0, 1):
            give_way()
        guarded[0] += 1
        publish(lock, 0, 0)
    return steps


def test_no_step_is_lost() -> None:
    """Threads add to the same numbers, and take turns at a lock."""
    total, shared, lock, guarded = (np.zeros(1, kind) for kind in (float, "i4", "i4", "i8"))
    _step(total, shared, lock, guarded, 1)
    arguments = total, shared, lock, guarded, 50_000
    threads = [threading.Thread(target=_step, args=arguments) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (total[0], shared[0], guarded[0]) == (75_000.5, 450_003, 150_001)


@pytest.mark.parametrize("algorithm", [Uct(proofs=True, decisive=True), Mcps(20)], ids=str)
def test_counts_are_those_of_the_playouts_made(algorithm: TreeAlgorithm) -> None:
    """Budgets are kept exactly, visits of all states add up, and no playout is left lost."""
    run = _new_run(algorithm, size=9)  # of a smaller board the winner may be proved before
    for playouts in (1, 100, PLAYOUTS):
        run.begin(new_stream(2))
        run.advance(playouts)
        moves, nodes, edges = run.moves_of(), run.tree.nodes, run.tree.edges
        assert run.played == playouts == nodes.visits[ROOT]
        assert moves.visits.sum() == playouts
        numbers = run.numbers
        through = np.zeros(numbers[-1] + 1, np.int64)
        for node in numbers:
            rows = slice(int(nodes.first[node]), int(nodes.first[node] + max(nodes.size[node], 0)))
            assert edges.n[rows].sum() <= nodes.visits[node]
            assert (edges.total[rows] <= edges.n[rows]).all()
            children = edges.child[rows]
            np.add.at(through, children[children != NONE], edges.n[rows][children != NONE])
        assert (through[numbers[1:]] == nodes.visits[numbers[1:]]).all()
        assert len(set(nodes.key[numbers].tolist())) == run.nodes


def test_little_memory_is_shared() -> None:
    """Threads pause while states are freed, and what they hold back is counted before."""
    run = _new_run(Mcps(20), 4 << 20, size=7)
    run.begin(new_stream(2))
    for playouts in (PLAYOUTS // 2, PLAYOUTS - 1, PLAYOUTS):
        run.advance(playouts)
        visits = run.tree.nodes.visits[ROOT]
        assert run.played == run.moves_of().visits.sum() == visits == playouts
    assert run.freed > 0
    numbers, tree = run.numbers, run.tree
    assert (tree.nodes.visits[numbers] >= 0).all()
    assert sorted(tree.hash[tree.hash != NONE]) == numbers.tolist()


def test_permutations_are_those_of_the_playouts_kept() -> None:
    """Each playout is counted once for each move of the root, whoever counts it."""
    run = _new_run(Mcps(20), size=5)
    run.begin(new_stream(2))
    run.advance(PLAYOUTS)
    tree = run.tree
    assert tree.counters[KEPT] == PLAYOUTS
    words = tree.playouts.having[:, : -(-PLAYOUTS // 64)]
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    begin, counted = int(tree.nodes.first[ROOT]), int(tree.nodes.counted[ROOT])
    assert counted > PLAYOUTS // 2
    for edge in range(begin, begin + int(tree.nodes.size[ROOT])):
        having = bits[tree.edges.code[edge]]
        assert tree.edges.permuted[0, edge] == having[:counted].sum()
        spans = np.diff(tree.playouts.begin[: PLAYOUTS + 1])
        assert spans.min() > 0


def test_a_win_is_proved_together() -> None:
    """Proofs of several threads are sound: who begins wins Hex."""
    run = _new_run(Mcps(proofs=True), size=3, first="none")
    run.begin(new_stream(5))
    run.advance(200_000)
    assert run.is_proved()
    assert run.sure(0) == 1.0
    assert run.played < 200_000


def test_moves_lead_to_their_positions() -> None:
    """Whoever adds the node of a position, each move leads to that of the position behind it."""
    run = _new_run(Uct(), size=4)
    run.begin(new_stream(3))
    run.advance(PLAYOUTS)
    nodes, edges = run.tree.nodes, run.tree.edges
    instance, state = run.searched.instance, run.searched.state
    ways = {ROOT: list[int]()}
    for node in (reached := [ROOT]):
        begin, size = int(nodes.first[node]), max(int(nodes.size[node]), 0)
        for edge in range(begin, begin + size):
            child, way = int(edges.child[edge]), [*ways[node], int(edges.move[edge])]
            if child == NONE:
                continue
            reset(instance, state)
            with np.errstate(over="ignore"):
                for move in way:
                    play(instance, state, move)
                assert nodes.key[child] == np.uint64(key(instance, state))
            if child not in ways:
                ways[child] = way
                reached.append(child)
    assert len(reached) > PLAYOUTS // 100
