"""A tree search from Python: the arrays that its kernel works on, and how they grow."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.memory import unshared
from solver.compiling.random import Stream
from solver.domain import Domain, Floats, Game, copy_state, reset
from solver.kernels.arguments import Off
from solver.kernels.status import FULL
from solver.kernels.tree.arrays import (
    CLOSED,
    N_CODES,
    N_EDGES,
    N_NODES,
    N_PASSED,
    N_TABLES,
    NONE,
    PLAYED,
    ROOT,
    Guides,
    Room,
    Scratch,
    Tree,
    TreeParameters,
    bytes_of,
    bytes_of_table,
    grown,
    new_tree,
)
from solver.kernels.tree.puzzles import FOLDED, Kept
from solver.kernels.tree.search import Searched, search_tree

#: Searches without a prior.
UNGUIDED = Guides()
NONE_KEPT = Off()
#: Nodes that there is room for at first.
FEW = 256


class MovesOfNode(NamedTuple):
    """What is known of the moves of a node, in the order in which they were listed."""

    move: npt.NDArray[np.int64]
    """int64[moves]."""
    visits: npt.NDArray[np.int64]
    """int64[moves]: playouts."""
    value: Floats
    """float64[moves]: mean reward of who moves; nan without playouts."""
    child: npt.NDArray[np.int64]
    """int64[moves]: the nodes they lead to, -1 where none is known."""


class TreeRun:
    """A search from a state, which goes on where it stopped.

    The same playouts are made however often it is paused, and whatever room there is at first.

    Parameters
    ----------
    memory : int
        Bytes that its arrays may have; where that is not enough, no more nodes are added.
    """

    def __init__(
        self,
        domain: Domain,
        instance: Any,
        parameters: TreeParameters,
        memory: int,
        guides: Guides = UNGUIDED,
        kept: Kept | Off = NONE_KEPT,
    ) -> None:
        limits = domain.limits(instance)
        self.parameters, self.memory = parameters, memory
        self.players = domain.players(instance) if isinstance(domain, Game) else 1
        self.codes = limits.codes or FOLDED
        mask = -1 if limits.codes else FOLDED - 1
        root, state = (unshared(domain.new_state(instance)) for _ in range(2))
        self.searched = Searched(instance, root, state, np.zeros(2), guides, kept, mask)
        moves, steps = max(limits.moves, 1), limits.steps
        longs = (np.zeros(n, np.int64) for n in (moves, steps + 1, moves))
        ints = (np.zeros(n, np.int32) for n in (steps + 1, steps, steps, self.codes))
        listed, edges, ties = longs
        nodes, code, player, stamp = ints
        values, rewards, gain = (np.zeros(n) for n in (moves, self.players, steps))
        self.scratch: Scratch = unshared(
            Scratch(listed, nodes, edges, code, player, stamp, ties, values, rewards, gain)
        )
        # Of a game rewards are known to be 0 ... 1, unless a playout is worth something else.
        self._least = (0.0, 1.0) if isinstance(domain, Game) else (np.inf, -np.inf)
        self.stream: Stream = np.zeros(4, np.uint64)
        self.needed = Room(2, moves, 1, steps, steps + 1, 1)
        room = Room(*(FEW + 2 * n for n in self.needed))
        tables = max(2, min(FEW, memory // (64 * bytes_of_table(self.codes))))
        self.tree = self._new_tree(room._replace(tables=tables))

    def _new_tree(self, room: Room) -> Tree:
        self.room = room
        guided = not isinstance(self.searched.guides.tree, Off)
        sizes = self.codes, self.players
        tree: Tree = unshared(new_tree(room, self.parameters.rule, *sizes, guided))
        return tree

    def begin(self, stream: Stream, state: Any = None) -> None:
        """Start afresh with `stream`, from `state` or from the start."""
        self.stream[:] = stream
        if state is None:
            reset(self.searched.instance, self.searched.root)
        else:
            copy_state(self.searched.instance, state, self.searched.root)
        self.tree.counters[:] = 0
        self.tree.hash[:] = NONE
        self.scratch.stamp[:] = 0
        self.searched.worth[:] = self._least

    def advance(self, max_playouts: int) -> int:
        """Go on until there were `max_playouts`, or a puzzle is solved; `PAUSED` or `REACHED`."""
        arguments = self.scratch, self.parameters, self.stream, max_playouts
        while (status := search_tree(self.searched, self.tree, *arguments)) == FULL:
            self._grow()
        return int(status)

    def _grow(self) -> None:
        """Make room for twice of what is there, or none for more if there is no memory for it."""
        used = (
            self.tree.counters[n] for n in (N_NODES, N_EDGES, N_TABLES, N_CODES, N_PASSED, PLAYED)
        )
        wanted = (2 * (int(n) + need) for n, need in zip(used, self.needed, strict=True))
        old, room = self.tree, self.room
        tree = self._new_tree(Room(*map(max, room, wanted)))
        if bytes_of(tree) > self.memory:
            self.room = room
            old.counters[CLOSED] = 1
            return
        grown(old._replace(hash=tree.hash[:0]), tree._replace(hash=tree.hash[:0]))
        mask = len(tree.hash) - 1
        for number in range(int(tree.counters[N_NODES])):
            slot = int(tree.nodes.key[number] >> np.uint64(1)) & mask
            while tree.hash[slot] != NONE:
                slot = (slot + 1) & mask
            tree.hash[slot] = number
        self.tree = tree

    @property
    def played(self) -> int:
        """Playouts since the search began."""
        return int(self.tree.counters[PLAYED])

    @property
    def nodes(self) -> int:
        """States in the tree."""
        return int(self.tree.counters[N_NODES])

    @property
    def full(self) -> bool:
        """Whether the memory was not enough for all nodes."""
        return bool(self.tree.counters[CLOSED])

    def moves_of(self, node: int = ROOT) -> MovesOfNode:
        """Return what is known of the moves of a node; none where they were not listed."""
        nodes, edges = self.tree.nodes, self.tree.edges
        begin, count = int(nodes.first[node]), max(int(nodes.size[node]), 0)
        rows = slice(begin, begin + count)
        visits = edges.n[rows].astype(np.int64)
        with np.errstate(invalid="ignore"):
            value = edges.total[rows] / visits
        return MovesOfNode(
            edges.move[rows].copy(), visits, value, edges.child[rows].astype(np.int64)
        )

    def best(self, node: int = ROOT) -> int:
        """Place of the best move of `moves_of`: of most visits, of these of the highest value."""
        moves = self.moves_of(node)
        return int(np.lexsort((np.nan_to_num(moves.value, nan=-np.inf), moves.visits))[-1])
