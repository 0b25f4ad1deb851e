"""A tree search from Python: the arrays that its kernel works on, and how they grow."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.memory import unshared, unshared_zeros
from solver.compiling.pages import zeros_within
from solver.compiling.random import Stream, jump_kernel
from solver.contract.domain import Domain, Game, Limits
from solver.contract.rules import Floats, copy_state, key, reset
from solver.kernels.arguments import Off
from solver.kernels.bounds import new_broken, new_moves, refuse_broken
from solver.kernels.status import CROWDED, FULL, PAUSED
from solver.kernels.tree.arrays import (
    CLOSED,
    COUNTED,
    COUNTERS,
    FLAT,
    N_NODES,
    NO_STATISTICS,
    NONE,
    PLAYED,
    ROOT,
    VARIED,
    Guides,
    Layout,
    Room,
    Scratch,
    Searched,
    Tree,
    TreeParameters,
    bytes_of,
    costs,
    filled,
    layout,
    leaves,
)
from solver.kernels.tree.expand import slot_of
from solver.kernels.tree.held import most_held, new_held
from solver.kernels.tree.policies.draws import forget, new_learner
from solver.kernels.tree.proofs import NEARLY, is_proved, most_that_others_leave, proves
from solver.kernels.tree.pruning import copy_survivors, fill_hash, survivors_of
from solver.kernels.tree.puzzles import FOLDED, Kept
from solver.kernels.tree.search import search_tree
from solver.kernels.tree.teams.team import Team, most_new, new_team, start, unused_numbers
from solver.kernels.tree.teams.team import forget as forget_teams

#: Makes a policy for so many codes.
NewPolicy = Callable[[int], Any]
#: Searches without a prior.
UNGUIDED = Guides()
NONE_KEPT = Off()
#: Nodes that there is room for at first.
FEW = 256
#: Sixteenths of the memory that are in use at most; the rest is for copies of what grows or stays,
#: and for the interpreter, so that a process of the default memory has less than 1 GB in all.
IN_USE = 7
#: Playouts for which another thread is started.
LEAST_SHARE = 64


class MovesOfNode(NamedTuple):
    """Statistics of the moves of a node, in the order in which they were listed."""

    move: npt.NDArray[np.int64]
    """int64[moves]."""
    visits: npt.NDArray[np.int64]
    """int64[moves]: playouts."""
    value: Floats
    """float64[moves]: mean reward of who moves; nan without playouts."""
    child: npt.NDArray[np.int64]
    """int64[moves]: the nodes they lead to, -1 where none is known."""
    sure: Floats
    """float64[moves]: reward that who moves is sure of, as far as it is proved."""
    most: Floats
    """float64[moves]: reward that the others cannot take from who moves."""


class _Mate(NamedTuple):
    """Arrays that each of several threads has to itself."""

    searched: Searched
    scratch: Scratch
    stream: Stream


def new_scratch(limits: Limits, codes: int, players: int) -> Scratch:
    """Allocate what a playout is put down in."""
    moves, steps = max(limits.moves, 1), limits.steps
    edges = np.zeros(steps + 1, np.int64)
    ints = (np.zeros(n, np.int32) for n in (steps + 1, steps, steps, codes))
    nodes, code, player, stamp = ints
    values, rewards, gain = (np.zeros(n) for n in (moves, players, steps))
    scratch = Scratch(edges[:0], nodes, edges, code, player, stamp, values, rewards, gain)
    made: Scratch = unshared(scratch)._replace(moves=new_moves(limits))
    return made


def _new_tree(like: Any) -> Tree:
    whole, kinds = bytes_of(like), leaves(like)
    made: Tree = filled(like, (zeros_within(whole, kind.shape, kind.dtype) for kind in kinds))
    return made


def _grown(array: npt.NDArray[Any], leaf: Layout, whole: int) -> npt.NDArray[Any]:
    """A larger array that begins with what is in `array`."""
    larger = zeros_within(whole, leaf.shape, leaf.dtype)
    larger[tuple(slice(size) for size in array.shape)] = array
    return larger


class TreeRun:
    """A search from a state, which goes on where it stopped.

    The same playouts are made however often it is paused, and whatever room there is at first.

    Parameters
    ----------
    memory : int
        Bytes that its arrays may take; where that is not enough, the least visited nodes are freed.
    threads : int
        Threads that search the tree together; with more than one answers differ from run to run.
    policy : callable, optional
        Makes a policy of playouts for so many codes. Each thread learns one of its own.

    Raises
    ------
    MemoryError
        If the memory is not enough to begin with.
    """

    def __init__(
        self,
        domain: Domain,
        instance: Any,
        parameters: TreeParameters,
        memory: int,
        guides: Guides = UNGUIDED,
        kept: Kept | Off = NONE_KEPT,
        threads: int = 1,
        policy: NewPolicy | None = None,
    ) -> None:
        limits = domain.limits(instance)
        self.parameters = parameters
        self.players = domain.players(instance) if isinstance(domain, Game) else 1
        self.codes = limits.codes or FOLDED
        mask = -1 if limits.codes else FOLDED - 1
        root, state = (unshared(domain.new_state(instance)) for _ in range(2))
        broken = new_broken() if isinstance(kept, Off) else kept.monitor.broken
        worth = unshared_zeros((2,), np.float64)
        self.searched = Searched(instance, root, state, worth, guides, kept, mask, broken)
        moves, steps = max(limits.moves, 1), limits.steps
        self._limits, self._policy, self.freed = limits, policy, 0
        self.scratch = self._new_scratch()
        # Of a game rewards are known to be 0 ... 1, unless a playout is worth something else.
        self._least = (0.0, 1.0) if isinstance(domain, Game) else (np.inf, -np.inf)
        self.stream: Stream = unshared_zeros((4,), np.uint64)
        held_steps = steps if parameters.statistics != NO_STATISTICS else 0
        self._teams = new_team(threads, new_held(held_steps, self.players))[threads == 1 :]
        team = self._teams[0] if self._teams else Off()
        held, new = most_held(team), most_new(team)
        self.needed = Room(new, threads * moves, threads, held * steps, held * (steps + 1), held)
        guided = parameters.needs_prior or not isinstance(guides.tree, Off)
        kept_of = parameters.statistics, self.codes, self.players
        self._kind = (*kept_of, guided, parameters.proofs, threads)
        self.room = Room(*(FEW + 2 * n for n in self.needed))._replace(tables=2)
        first = layout(self.room, *self._kind)
        if bytes_of(first) > memory:
            need = -(-bytes_of(first) >> 20)
            raise MemoryError(
                f"memory is {memory >> 20} MB, expected {need:,} or more for this tree"
            )
        self.tree = _new_tree(first)
        self.tree.cost[:] = costs(*self._kind)
        self.tree.cost[CLOSED] = memory // 16 * IN_USE
        self._mates = [self._new_mate(domain, team) for team in self._teams]

    def begin(self, stream: Stream, state: Any = None, *, keep: bool = False) -> None:
        """Start with `stream`, from `state` or from the start.

        Nothing of an earlier search is kept, or with `keep` what is below `state`.
        """
        root = self._node_of(state) if keep and state is not None else NONE
        if root != NONE:
            self._shrink(root, None)
            self.tree.counters[CLOSED:] *= np.arange(CLOSED, COUNTERS) == VARIED
        else:
            self.tree.counters[:] = 0
            forget_teams(self._teams)
            self.tree.hash[:] = NONE
            self.searched.worth[:] = self._least
            for scratch in (self.scratch, *(mate.scratch for mate in self._mates)):
                forget(scratch.learner)
        self.freed = 0
        self.searched.broken[:] = 0
        self.stream[:] = stream
        if state is None:
            reset(self.searched.instance, self.searched.root)
        else:
            copy_state(self.searched.instance, state, self.searched.root)
        self.scratch.stamp[:] = 0
        for before, mate in itertools.pairwise(self._mates):
            mate.scratch.stamp[:] = 0
            mate.stream[:] = before.stream
            jump_kernel(mate.stream)

    def _new_scratch(self) -> Scratch:
        """Allocate what a thread puts a playout down in, and a policy of its own."""
        scratch = new_scratch(self._limits, self.codes, self.players)
        if self._policy is None:
            return scratch
        learner = new_learner(self._policy(self.codes), self._limits, self.codes)
        return scratch._replace(learner=learner)

    def _new_mate(self, domain: Domain, team: Team) -> _Mate:
        """Make what a thread of several has of its own; the first has that of the run."""
        searched, scratch, stream = self.searched, self.scratch, self.stream
        if team.number > 0:
            state = unshared(domain.new_state(searched.instance))
            searched, scratch = searched._replace(state=state), self._new_scratch()
            stream = unshared(stream)
        return _Mate(searched, scratch._replace(team=team), stream)

    def advance(self, max_playouts: int) -> int:
        """Go on until there were `max_playouts`, or a puzzle is solved; `PAUSED` or `REACHED`.

        Raises
        ------
        LimitsError
            If the rules break a bound.
        """
        if self._mates and self.nodes == 0 and self.played + 1 < max_playouts:
            status = self.advance(self.played + 1)  # one thread adds the root
            if status != PAUSED:
                return status
        while (status := self._search(max_playouts)) in (FULL, CROWDED):
            if status == FULL:
                self._grow()
            else:
                self._free()
        refuse_broken(self.searched.broken)
        return status

    def _search(self, max_playouts: int) -> int:
        """Search until an array or the memory is full."""
        if not self._mates:
            arguments = self.scratch, self.parameters, self.stream, max_playouts
            return int(search_tree(self.searched, self.tree, *arguments))
        start(self._teams, self.played)
        shares = (max_playouts - self.played) // LEAST_SHARE
        many = 1 if self.nodes == 0 else min(len(self._mates), 1 + shares)  # one adds the root
        statuses = [PAUSED] * many

        def work(number: int) -> None:
            mate = self._mates[number]
            arguments = mate.scratch, self.parameters, mate.stream, max_playouts
            statuses[number] = int(search_tree(mate.searched, self.tree, *arguments))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, many)]
        for thread in threads:
            thread.start()
        work(0)
        for thread in threads:
            thread.join()
        return max(statuses)

    def _grow(self) -> None:
        """Make room for twice of what is there, in one array after the other."""
        counts = dict(zip(COUNTED, self.tree.counters.tolist(), strict=False))
        wanted = (2 * (counts[name] + getattr(self.needed, name)) for name in Room._fields)
        self.room = Room(*map(max, self.room, wanted))
        like = layout(self.room, *self._kind)
        arrays, slots, whole = leaves(self.tree), len(self.tree.hash), bytes_of(like)
        del self.tree  # or it would keep the arrays that others take the places of
        for number, leaf in enumerate(leaves(like)):
            if leaf.shape != arrays[number].shape:
                arrays[number] = _grown(arrays[number], leaf, whole)
        rehashed = len(arrays[0]) != slots
        self.tree = filled(like, iter(arrays))
        if rehashed:
            fill_hash(self.tree, self.numbers)

    def _free(self) -> None:
        """Free the least visited states; where that is not enough no more are added."""
        self.freed += 1
        most = int(self.tree.cost[CLOSED])
        self._shrink(ROOT, most // 3)
        used = int(self.tree.counters[:CLOSED] @ self.tree.cost[:CLOSED])
        self.tree.counters[CLOSED] = used > most // 2

    def _shrink(self, root: int, most: int | None) -> None:
        """Keep what is below a node, or the most visited of it that takes `most` bytes."""
        found = survivors_of(self.tree, root, most)
        kept = dict(zip(COUNTED, found.counters.tolist(), strict=True))
        room = (2 * (kept[name] + getattr(self.needed, name)) for name in Room._fields)
        self.room = Room(*room)
        like = layout(self.room, *self._kind)
        new = _new_tree(like)
        copy_survivors(self.tree, found, new)
        new.cost[:] = self.tree.cost
        new.counters[CLOSED:] = self.tree.counters[CLOSED:]
        self.tree = new
        forget_teams(self._teams)

    def _node_of(self, state: Any) -> int:
        """Number of the node of a state, NONE without one whose moves were listed."""
        if self.nodes == 0 or self.parameters.rule == FLAT:
            return NONE
        with np.errstate(over="ignore"):
            found = np.uint64(key(self.searched.instance, state))
            node = int(self.tree.hash[slot_of(self.tree, found)])
        return node if node != NONE and self.tree.nodes.size[node] > 0 else NONE

    @property
    def played(self) -> int:
        """Playouts since the search began."""
        return int(self.tree.counters[PLAYED])

    @property
    def nodes(self) -> int:
        """States in the tree."""
        return int(self.tree.counters[N_NODES]) - len(unused_numbers(self._teams))

    @property
    def numbers(self) -> npt.NDArray[np.int64]:
        """Numbers of the nodes, int64[nodes]: each of several threads has a few to come."""
        every = np.arange(int(self.tree.counters[N_NODES]))
        return np.setdiff1d(every, unused_numbers(self._teams)) if self._teams else every

    @property
    def is_over(self) -> bool:
        """True if the root has no moves, or its outcome is proved."""
        return self.nodes > 0 and (self.tree.nodes.size[ROOT] == 0 or self.is_proved())

    def is_proved(self, node: int = ROOT) -> bool:
        """True if the outcome of a node is known."""
        return self._proves and is_proved(self.tree, node)

    def sure(self, player: int) -> float:
        """Reward that `player` is sure of at the root, as far as it is proved."""
        return float(self.tree.nodes.low[ROOT, player]) if self._proves else 0.0

    @property
    def _proves(self) -> bool:
        return proves(self.tree, self.parameters)

    @property
    def full(self) -> bool:
        """True if the memory was not enough for all nodes."""
        return self.freed > 0

    def moves_of(self, node: int = ROOT) -> MovesOfNode:
        """Return what is known of the moves of a node; none where they were not listed."""
        nodes, edges = self.tree.nodes, self.tree.edges
        begin, count = int(nodes.first[node]), max(int(nodes.size[node]), 0)
        rows = slice(begin, begin + count)
        visits = edges.n[rows].astype(np.int64)
        with np.errstate(invalid="ignore"):
            value = edges.total[rows] / visits
        child = edges.child[rows].astype(np.int64)
        sure, most = np.zeros(count), np.ones(count)
        if self._proves:
            for place in np.flatnonzero(child != NONE):
                mover = int(nodes.mover[node])
                sure[place] = nodes.low[child[place], mover]
                most[place] = most_that_others_leave(nodes.low, int(child[place]), mover)
        return MovesOfNode(edges.move[rows].copy(), visits, value, child, sure, most)

    def ranking(self, node: int = ROOT) -> npt.NDArray[np.int64]:
        """Places of `moves_of` from the best to the worst move, int64[moves].

        That of most visits is the best, of these that of the highest value; where all have as many
        (`FLAT`), that of the highest value. Proved ones come where the others' values say so: a
        sure win first, a sure loss last.
        """
        moves = self.moves_of(node)
        value = np.nan_to_num(moves.value, nan=-np.inf)
        visits = moves.visits if self.parameters.rule != FLAT else np.zeros_like(moves.visits)
        order = np.lexsort((value, visits, moves.most > NEARLY))[::-1]
        if len(order) == 0:
            return order
        first, safest = order[0], np.lexsort((visits, moves.sure))[-1]
        sure = moves.sure[safest]
        if sure > NEARLY and min(moves.most[first], value[first]) <= sure:
            order = np.concatenate([[safest], order[order != safest]])
        return order

    def best(self, node: int = ROOT) -> int:
        """Place of the best move of `moves_of`: the first of `ranking`."""
        return int(self.ranking(node)[0])
