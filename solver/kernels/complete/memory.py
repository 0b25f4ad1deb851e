"""Memory of a complete search: the way to where it is, and what it has learned."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from solver.compiling.memory import unshared
from solver.contract.domain import Limits
from solver.kernels.bounds import new_moves

Int64s = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]

#: Numbers of a search, in `Memory.numbers`.
(
    BEGUN, DEPTH, N_PATH, N_ARENA, N_REFUTED, N_HELD, ROOT_MARK, ROOT_HELD, CONFLICT, SOLVED,
    RESTARTING, FAILS, FAILS_LEFT, RESTARTS, NOGOODS, LITERALS, CLOCK, SOLUTIONS, N_BEST, NODES,
) = range(20)  # fmt: skip
NONE = -1


class Way(NamedTuple):
    """Decisions from the root of the tree to where the search is."""

    listed: Int64s
    """int64[moves]: scratch for the moves of one state."""
    weight: npt.NDArray[np.float64]
    """float64[moves]: scratch for their weights."""
    move: Int64s
    """int64[steps + 1]: move of each decision."""
    mark: Int64s
    """int64[steps + 1]: where to go back to for another choice."""
    held: Int64s
    """int64[steps + 1]: moves that held before the decision."""
    refuted_before: Int64s
    """int64[steps + 1]: moves refuted, on this way, before the decision."""
    path_before: Int64s
    """int64[steps + 1]: moves played before the decision."""
    end: Int64s
    """int64[steps + 1]: end of the decision's untried moves in `untried`, without exclusion."""
    untried: Int64s
    """int64[choices]: untried moves, the next one last, without exclusion."""
    path: Int64s
    """int64[steps]: moves played, with those that were the only ones of their states."""
    refuted: Int64s
    """int64[codes]: moves refuted on this way."""
    order: Int64s
    """int64[codes]: moves that hold, in the order in which they came to hold."""


class Nogoods(NamedTuple):
    """Sets of moves of which one must not hold; each watches two of its moves."""

    holds: npt.NDArray[np.uint8]
    """uint8[codes]: 1 while a move holds."""
    stamp: Int64s
    """int64[codes]: when a move held last."""
    head: Int32s
    """int32[codes]: first watch of each move, -1 for none."""
    next: Int32s
    """int32[2 n]: the next watch of the same move; those of nogood i are 2 i and 2 i + 1."""
    watched: Int32s
    """int32[2 n]: move of each watch."""
    begin: Int32s
    """int32[n + 1]: where the moves of each nogood begin in `literals`."""
    literals: Int32s
    """int32[m]."""


class Memory(NamedTuple):
    """Arrays that a complete search reads and writes."""

    numbers: Int64s
    way: Way
    nogoods: Nogoods
    spare: Any
    """A second state, for the moves of an answer."""
    best: Int64s
    """int64[steps]: moves of the best playout, or of the solution just found."""
    tried: Int64s
    """int64[steps]: moves of a playout that may become the best."""


def new_way(limits: Limits) -> Way:
    """Allocate the way of searches within `limits`."""
    steps = limits.steps + 1
    return Way(
        listed=new_moves(limits),
        weight=np.zeros(limits.moves + 1),
        move=np.zeros(steps, np.int64),
        mark=np.zeros(steps, np.int64),
        held=np.zeros(steps, np.int64),
        refuted_before=np.zeros(steps, np.int64),
        path_before=np.zeros(steps, np.int64),
        end=np.zeros(steps, np.int64),
        untried=np.zeros(limits.choices + 1, np.int64),
        path=np.zeros(steps, np.int64),
        refuted=np.zeros(limits.codes + 1, np.int64),
        order=np.zeros(limits.codes + 1, np.int64),
    )


def new_nogoods(codes: int, room: int) -> Nogoods:
    """Allocate nogoods with room for `room` moves of them."""
    return Nogoods(
        holds=np.zeros(codes + 1, np.uint8),
        stamp=np.zeros(codes + 1, np.int64),
        head=np.full(codes + 1, NONE, np.int32),
        next=np.zeros(room + 2, np.int32),
        watched=np.zeros(room + 2, np.int32),
        begin=np.zeros(room // 2 + 2, np.int32),
        literals=np.zeros(room, np.int32),
    )


def enlarged(nogoods: Nogoods, room: int) -> Nogoods:
    """Return the same nogoods with room for `room` moves."""
    new = new_nogoods(len(nogoods.holds) - 1, room)
    for name, array in nogoods._asdict().items():
        getattr(new, name)[: len(array)] = array
    return cast(Nogoods, unshared(new))
