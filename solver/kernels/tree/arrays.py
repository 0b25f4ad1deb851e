"""Arrays of a tree search: nodes and their moves, playouts, and the places of codes in them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import Words
from solver.contract.rules import Floats
from solver.kernels.arguments import Off
from solver.kernels.bounds import Broken

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

#: Rules that select moves, see `solver.algorithms.tree`; OWN is one of `solver.kernels.tree.node`.
FLAT, UCT, GRAVE, MCPS, PUCT, OWN = range(6)
#: Statistics of codes: none, all moves as first (AMAF), or these and those of permutations.
NO_STATISTICS, AMAF, PERMUTATIONS = range(3)

ROOT = 0
#: Instead of a number: there is none, or nobody has looked.
NONE = -1
#: Instead of a number: another thread is about it.
BUSY = -2
#: Bits of a word.
WORD = 64


class TreeParameters(NamedTuple):
    """Parameters of a tree search."""

    rule: int
    statistics: int
    needs_prior: bool = False
    """True if there are P(s, a) without a prior, too, those of all moves of s alike."""
    exploration: float = 0.0
    ref: int = 0
    bias: float = 0.0
    weight: float = 0.0
    guidance: float = 0.0
    proofs: bool = False
    """True if wins and losses are proved, see `solver.kernels.tree.proofs`."""
    decisive: bool = False
    """True if playouts take `decisive_move` and `saving_move`."""
    leaf_playouts: int = 1
    """Playouts from each state that is added, see `solver.kernels.tree.levels.second`."""
    estimates: bool = False
    """True if `estimate` is taken in the place of playouts, where the game has one."""
    own: Any = Off()
    """NamedTuple of parameters of a search from elsewhere, else `Off`."""


class Guides(NamedTuple):
    """Places where a prior acts, each `Off` without a prior."""

    tree: Any = Off()
    """Prior of the moves of nodes."""
    playouts: Any = Off()
    """Prior that playouts draw moves by, with probability proportional to its odds."""


class Nodes(NamedTuple):
    """States that were met, by number; the first is the root."""

    key: Words
    """uint64[nodes]."""
    visits: Ints
    """int32[nodes]: playouts that went through a state."""
    mover: Ints
    """int32[nodes]: who moves."""
    first: Longs
    """int64[nodes]: its first move among those of `Edges`, in which they follow each other."""
    size: Ints
    """int32[nodes]: how many there are, NONE until they are listed, BUSY meanwhile."""
    parent: Ints
    """int32[nodes]: the node that it was first reached from."""
    code: Ints
    """int32[nodes]: code of the move there."""
    table: Ints
    """int32[nodes]: row of `Tables.sums`, NONE without one."""
    entry: Longs
    """int64[nodes]: the latest of its entries among `Playouts.passed`, while it has no table."""
    counted: Ints
    """int32[nodes]: playouts that the permutation statistics of its moves have counted, BUSY
    while a thread counts."""
    low: Floats
    """float64[nodes, players]: reward that a player can get from a state whatever others do, as far
    as it is proved; with `TreeParameters.proofs` only, else float64[0, players]."""
    longest: npt.NDArray[np.int16]
    """int16[nodes]: moves in which a game ends at the latest after a move that was left out, as it
    loses by force, or from a state that the rules tell the winner of; 0 without such, QUIET where
    the rules have no more to say, and int16[0] where `low` has none."""


class Edges(NamedTuple):
    """Moves of nodes."""

    move: Longs
    """int64[edges]."""
    code: Ints
    """int32[edges]."""
    child: Ints
    """int32[edges]: the node it leads to, NONE until it is looked up."""
    n: Ints
    """int32[edges]: playouts that went on with it, n(s, a)."""
    total: Floats
    """float64[edges]: what these were worth to who moves there."""
    permuted: Floats
    """float64[2, edges]: playouts that have it and all moves before it, and what they were worth,
    n^(s, a) and its sum; with PERMUTATIONS only, else float64[2, 0]."""
    prior: Floats
    """float64[edges]: P(s, a), the share of its odds in those of all moves of s; with a prior in
    the tree or `TreeParameters.needs_prior` only, else float64[0]."""


class Tables(NamedTuple):
    """All-moves-as-first statistics of nodes."""

    sums: Floats
    """float64[tables, codes, 2]: playouts with a code from the node on, and what they were worth to
    who played it; without statistics float64[1, 0, 2]."""


class Playouts(NamedTuple):
    """Playouts that were made."""

    code: Ints
    """int32[arena]: codes, one playout behind the other; NONE where the code occurs again."""
    player: Ints
    """int8[arena] or int32[arena]: who played them."""
    begin: Longs
    """int64[playouts + 1]: where the codes of a playout begin."""
    worth: Floats
    """float64[playouts, players]: rewards."""
    passed: Longs
    """int64[entries, 3]: of a node, a playout through it, the step at which it was there, and the
    entry before."""
    having: Words
    """uint64[codes, words]: bit p is set where playout p has a code; with PERMUTATIONS only."""
    won: Words
    """uint64[players, words]: bit p is set where playout p was worth 1."""
    shared: Words
    """uint64[players, words]: and here where it was worth neither 1 nor 0."""
    way: Words
    """uint64[threads, words]: scratch, playouts that have all moves on the way to a node."""


class Scratch(NamedTuple):
    """Record of the current playout."""

    moves: Longs
    """int64[moves]."""
    nodes: Ints
    """int32[steps + 1]: nodes on the way."""
    edges: Longs
    """int64[steps + 1]: moves on the way."""
    code: Ints
    """int32[steps]: all codes, those of the moves on the way first."""
    player: Ints
    """int32[steps]."""
    stamp: Ints
    """int32[codes]: the last playout that a code occurred in, from 1."""
    values: Floats
    """float64[moves]."""
    rewards: Floats
    """float64[players]."""
    gain: Floats
    """float64[steps]: the reward of who made a step."""
    team: Any = Off()
    """`Team` of the threads that search the tree; `Off` for one."""
    learner: Any = Off()
    """`Learner` of a policy of playouts; `Off` without one."""


class Searched(NamedTuple):
    """Subject of a search: the root, a state to play with, rewards of playouts, and a prior."""

    instance: Any
    root: Any
    state: Any
    worth: Floats
    """float64[2]: least and highest reward there is; playouts widen it."""
    guides: Guides
    kept: Any
    """`Kept` or `Off`."""
    mask: int
    """Bits of codes that are told apart, -1 for all."""
    broken: Broken
    """int64[3]: a bound that the rules broke."""


# Indices into `Tree.counters`.
#: Playouts kept in `Playouts`.
KEPT = 0
#: Nodes in use; each of several threads has reserved some more than it uses.
N_NODES = 1
#: Moves of nodes in use.
N_EDGES = 2
#: Rows of `Tables.sums` in use.
N_TABLES = 3
#: Codes in use, of all playouts kept.
N_CODES = 4
#: Entries of `Playouts.passed` in use.
N_PASSED = 5
#: 1 if nothing is added any more: too little memory was left after nodes were freed.
CLOSED = 6
#: Depth of the tree.
DEPTH = 7
#: Playouts made when a single thread next compares the memory in use with the limit.
ASKED = 8
#: 1 if rewards are not always 0 ... 1 with the sum 1.
VARIED = 9
#: Playouts made.
PLAYED = 10
#: Playouts still to be made in a second tree, 0 without one.
DUE = 11
#: Root of the second tree.
LEAF = 12
#: Depth of that root.
LEVEL = 13
COUNTERS = LEVEL + 1
#: Fields of `Room` counted by the first counters, in their order.
COUNTED = ("playouts", "nodes", "edges", "tables", "arena", "passed")


class Tree(NamedTuple):
    """All of it."""

    hash: Ints
    """int32[2**k]: nodes by their keys, NONE where free."""
    nodes: Nodes
    edges: Edges
    tables: Tables
    playouts: Playouts
    counters: Longs
    """int64[COUNTERS]."""
    cost: Longs
    """int64[CLOSED + 1]: bytes that one of what the first counters count takes, and at CLOSED those
    that all may take."""


class Room(NamedTuple):
    """Capacity of the arrays of a tree."""

    nodes: int
    edges: int
    tables: int
    arena: int
    passed: int
    playouts: int


class Layout(NamedTuple):
    """Shape and dtype of an array."""

    shape: tuple[int, ...]
    dtype: type[np.generic]

    @property
    def bytes(self) -> int:
        """Size in bytes."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize


def layout(
    room: Room,
    statistics: int,
    codes: int,
    players: int,
    guided: bool,
    proofs: bool = False,
    threads: int = 1,
) -> Tree:
    """Return a `Layout` for each array of a tree.

    Arrays that `statistics`, `guided` or `proofs` do not ask for are empty, and `begin` of the
    playouts has a single entry without statistics.
    """
    counted, permuted = statistics != NO_STATISTICS, statistics == PERMUTATIONS
    sums = (room.tables, codes, 2) if counted else (1, 0, 2)
    words = -(-room.playouts // WORD) if permuted else 0

    def array(dtype: type[np.generic], *shape: int) -> Any:
        return Layout(shape, dtype)

    def ints(size: int) -> Any:
        return Layout((size,), np.int32)

    n = room.nodes
    longs = array(np.int64, n)
    nodes = Nodes(
        array(np.uint64, n), ints(n), ints(n), longs, ints(n), ints(n), ints(n), ints(n),
        longs, ints(n), array(np.float64, n * proofs, players), array(np.int16, n * proofs),
    )  # fmt: skip
    n = room.edges
    edges = Edges(
        array(np.int64, n), ints(n), ints(n), ints(n), array(np.float64, n),
        array(np.float64, 2, n if permuted else 0),
        array(np.float64, n if guided else 0),
    )  # fmt: skip
    n = room.playouts * counted
    having, won, shared = (array(np.uint64, size, words) for size in (codes, players, players))
    small = np.int8 if players < 128 else np.int32
    playouts = Playouts(
        ints(room.arena * counted), array(small, room.arena * counted), array(np.int64, n + 1),
        array(np.float64, n, players), array(np.int64, room.passed * counted, 3),
        having, won, shared, array(np.uint64, threads, words),
    )  # fmt: skip
    slots = 1 << max(2 * room.nodes - 1, 1).bit_length()
    return Tree(
        ints(slots), nodes, edges, Tables(array(np.float64, *sums)), playouts,
        array(np.int64, COUNTERS), array(np.int64, CLOSED + 1),
    )  # fmt: skip


def leaves(arrays: Any) -> list[Any]:
    """All arrays of a tuple, or their layouts, in order."""
    if isinstance(arrays, tuple) and not isinstance(arrays, Layout):
        return [leaf for one in arrays for leaf in leaves(one)]
    return [arrays]


def filled(like: Any, items: Iterator[Any]) -> Any:
    """A tuple such as `like` with `items` for its leaves."""
    if isinstance(like, tuple) and not isinstance(like, Layout):
        return type(like)(*(filled(one, items) for one in like))
    return next(items)


def bytes_of(layouts: Any) -> int:
    """Size of all arrays of these layouts."""
    return sum(leaf.bytes for leaf in leaves(layouts))


def costs(*kind: Any) -> Longs:
    """Bytes that one more of each counter takes, int64[CLOSED + 1], the last for the limit.

    `kind` is what `layout` is told besides the room.
    """
    many, none = 1 << 20, Room(0, 0, 0, 0, 0, 0)
    found = np.zeros(CLOSED + 1, np.int64)
    for number, name in enumerate(COUNTED):
        room = none._replace(**{name: many})
        of: Any = layout(room, *kind)
        # The hash has up to eight slots a node; rows of bits are in memory before they are filled.
        twice = of.hash.bytes * 3 * (name == "nodes") + of.playouts.having.bytes
        found[number] = (bytes_of(of) + twice) // many
    return found
