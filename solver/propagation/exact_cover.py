"""Exact cover with propagation, the engine of grid puzzles.

A *candidate* belongs to up to `kinds` *sets*, candidates share as many sets as they
like, and every set must keep exactly one candidate. Assigning a candidate covers
its sets and removes all others of theirs (forward checking). A set that is propagated
and has one candidate left is forced (naked and hidden singles); an empty one is a dead
end. Sets from `n_propagated` on are neither: they hold one candidate at most. The sets
stand sorted by size in the array of bins of Batagelj and Zaversnik (An O(m) algorithm
for cores decomposition, 2003), where a set moves to the next bin in constant time; a
trail of what was removed and assigned allows to go back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import allocating_kernel, inlined, kernel
from solver.contract.rules import Moves
from solver.errors import InputError
from solver.propagation.sharing import AnyShared, OneShared, is_apart, note_covered, reset_covered

#: Numbers without a sign: an index that cannot be negative need not be looked at for it.
UInt32s = npt.NDArray[np.uint32]
ONE = np.uint32(1)

#: Scalars of a state.
N_ASSIGNED, FAILED, N_FORCED, N_TRAIL, EMPTY, N_OPEN, N_FAILURES = range(7)
LISTED, WEIGHED = 0, 1  # entries of `listed`
#: Bits of an entry of the trail that tell how a candidate went: a division takes longer than the
#: rest of its way back.
WAY_BITS = 8
MOST_KINDS, MOST_CANDIDATES = (1 << WAY_BITS) - 2, 1 << (32 - WAY_BITS)


class Cover(NamedTuple):
    """An exact cover problem with c candidates in s sets."""

    sets: UInt32s
    """uint32[c, kinds]: the sets of a candidate; s, which is no set, for those it lacks."""
    first: UInt32s
    """uint32[s + 1]: where a set's candidates begin in `members`."""
    members: UInt32s
    """uint32[sum of the sizes]: candidates of every set, ascending."""
    size: UInt32s
    """uint32[s]: number of candidates of a set."""
    link: UInt32s
    """uint32[s]: exclusive or of a set's candidates; names the last one left."""
    by_size: UInt32s
    """uint32[n_variables]: sets in ascending order of size."""
    place: UInt32s
    """uint32[n_variables]: index of a set in `by_size`."""
    start: UInt32s
    """uint32[largest size + 2]: index in `by_size` of the first set of at least this size."""
    n_variables: int
    """Sets below this number may be branched on; a cover is complete when they are covered."""
    n_propagated: int
    """Sets below this number are forced when one candidate is left."""
    n_assignments: int
    """Candidates in a complete cover, or the most that one has."""
    random_ties: int
    """1: branch on a random one of the smallest sets; 0: on the first."""
    sharing: OneShared | AnyShared
    """Compiled for its class: where one set is shared, the others need not be looked at."""


class CoverState(NamedTuple):
    """The arrays of `Cover` that a playout changes."""

    alive: npt.NDArray[np.uint8]
    """uint8[c]: 1 while the candidate is possible and not assigned."""
    covered: npt.NDArray[np.uint8]
    """uint8[s + 1]: 1 once a candidate of the set is assigned, and for what is no set; not kept
    where one set is shared."""
    size: UInt32s
    link: UInt32s
    by_size: UInt32s
    place: UInt32s
    start: UInt32s
    assigned: UInt32s
    """uint32[n_assignments]: candidates assigned so far, `scalars[N_ASSIGNED]` of them."""
    forced: UInt32s
    """uint32[s]: stack of sets with one candidate left, `scalars[N_FORCED]` of them."""
    trail: UInt32s
    """uint32[c]: what happened, `scalars[N_TRAIL]` entries (candidate << WAY_BITS) + kind for a
    removal through the set of that kind, + kinds for one without, + kinds + 1 for an assignment."""
    failures: UInt32s
    """uint32[s]: dead ends that `note_failure` counted for a set; `reset_cover` keeps them."""
    odds: npt.NDArray[np.float64]
    """float64[c]: scratch of `solver.propagation.belief`."""
    listed: npt.NDArray[np.int64]
    """int64[2]: scratch, the set listed last, and 1 once `odds` has those of its candidates."""
    scalars: npt.NDArray[np.int64]


@allocating_kernel
def _index_members(sets: UInt32s, n_sets: int) -> tuple[UInt32s, UInt32s, UInt32s, UInt32s]:
    """Sizes, links, firsts and members of the sets."""
    candidates, kinds = sets.shape
    size = np.zeros(n_sets + 1, np.uint32)
    link = np.zeros(n_sets + 1, np.uint32)
    for candidate in range(candidates):
        for kind in range(kinds):
            size[sets[candidate, kind]] += 1
            link[sets[candidate, kind]] ^= candidate
    size, link = size[:-1].copy(), link[:-1].copy()  # without the place of what is no set
    first = np.zeros(n_sets + 1, np.uint32)
    for item in range(n_sets):
        first[item + 1] = first[item] + size[item]
    filled = first[:-1].copy()
    members = np.empty(first[-1], np.uint32)
    for candidate in range(candidates):
        for kind in range(kinds):
            item = sets[candidate, kind]
            if item < n_sets:
                members[filled[item]] = candidate
                filled[item] += 1
    return size, link, first, members


def new_cover(
    sets: npt.NDArray[np.integer[Any]],
    n_sets: int,
    *,
    n_variables: int,
    n_propagated: int,
    n_assignments: int,
    random_ties: bool,
    sharing: OneShared | AnyShared = AnyShared(),  # noqa: B008 - a constant
) -> Cover:
    """Build a cover from the sets (c, kinds) of its candidates, `n_sets` for those one lacks.

    `n_variables`, `n_propagated`: how many of the sets, the first, are branched on and forced.

    Raises
    ------
    InputError
        If there are more than `MOST_KINDS` kinds, or `MOST_CANDIDATES` candidates.
    """
    given: UInt32s = np.ascontiguousarray(sets, np.uint32)
    for number, what, most in (
        (given.shape[1], "kinds of sets", MOST_KINDS),
        (len(given), "candidates", MOST_CANDIDATES),
    ):
        if number > most:
            raise InputError(f"an exact cover of {number:,} {what}, expected {most:,} or fewer")
    size, link, first, members = _index_members(given, n_sets)
    by_size = np.argsort(size[:n_variables], kind="stable").astype(np.uint32)
    place = np.empty(n_variables, np.uint32)
    place[by_size] = np.arange(n_variables, dtype=np.uint32)
    largest = int(size.max(initial=0))
    start = np.searchsorted(size[:n_variables][by_size], np.arange(largest + 2)).astype(np.uint32)
    return Cover(
        given, first, members, size, link, by_size, place, start,
        n_variables, n_propagated, n_assignments, int(random_ties), sharing,
    )  # fmt: skip


def new_cover_state(cover: Cover) -> CoverState:
    """Allocate a state of `cover`; `reset_cover` fills it."""
    return CoverState(
        alive=np.zeros(len(cover.sets), np.uint8),
        covered=np.zeros(len(cover.size) + 1, np.uint8),
        size=np.zeros_like(cover.size),
        link=np.zeros_like(cover.link),
        by_size=np.zeros_like(cover.by_size),
        place=np.zeros_like(cover.place),
        start=np.zeros_like(cover.start),
        assigned=np.zeros(cover.n_assignments, np.uint32),
        forced=np.zeros(len(cover.size), np.uint32),
        trail=np.zeros(len(cover.sets), np.uint32),
        failures=np.zeros_like(cover.size),
        odds=np.zeros(len(cover.sets)),
        listed=np.zeros(2, np.int64),
        scalars=np.zeros(7, np.int64),
    )


@inlined
def reset_cover(cover: Cover, state: CoverState) -> None:
    """Make `state` the start state: nothing assigned, nothing propagated."""
    for candidate in range(len(cover.sets)):
        state.alive[candidate] = 1
    for item in range(len(cover.size)):
        state.size[item] = cover.size[item]
        state.link[item] = cover.link[item]
    reset_covered(cover.sharing, state)
    for item in range(cover.n_variables):
        state.by_size[item] = cover.by_size[item]
        state.place[item] = cover.place[item]
    for size in range(len(cover.start)):
        state.start[size] = cover.start[size]
    state.scalars[N_ASSIGNED] = 0
    state.scalars[FAILED] = 0
    state.scalars[N_FORCED] = 0
    state.scalars[N_TRAIL] = 0
    state.scalars[N_OPEN] = cover.n_variables


@inlined
def list_candidates(cover: Cover, state: CoverState, item: int, moves: Moves) -> int:
    """Write the candidates left in set `item` into `moves`, ascending; return how many."""
    count = np.uint64(0)
    for index in range(cover.first[item], cover.first[item + 1]):
        candidate = cover.members[index]
        if state.alive[candidate]:
            moves[count] = candidate
            count += np.uint64(1)
    note_listed(state, item)
    return int(np.int64(count))


@inlined
def note_listed(state: Any, item: int) -> None:
    """Note that the candidates of set `item` were listed last, and have no odds yet."""
    state.listed[LISTED] = item
    state.listed[WEIGHED] = 0


@inlined
def _move_down(state: CoverState, item: int, size: int) -> None:
    """Move set `item` from the bin of `size` to the one below."""
    here, there = state.place[item], state.start[size]
    other = state.by_size[there]
    state.by_size[here] = other
    state.place[other] = here
    state.by_size[there] = item
    state.place[item] = there
    state.start[size] = there + 1


@inlined
def _move_up(state: CoverState, item: int, size: np.uint32) -> None:
    """Move set `item` from the bin of `size` to the one above."""
    above = size + ONE
    here, there = state.place[item], state.start[above] - ONE
    other = state.by_size[there]
    state.by_size[here] = other
    state.place[other] = here
    state.by_size[there] = item
    state.place[item] = there
    state.start[above] = there


@inlined
def _note(state: CoverState, entry: int) -> None:
    state.trail[np.uint64(state.scalars[N_TRAIL])] = entry
    state.scalars[N_TRAIL] += 1


@inlined
def _remove(cover: Cover, state: CoverState, candidate: int, way: int) -> bool:
    """Remove `candidate`, through its set of kind `way`, from the others; False at a dead end."""
    kinds = cover.sets.shape[1]
    state.alive[candidate] = 0
    _note(state, (candidate << WAY_BITS) + way)
    possible = True
    for kind in range(kinds):
        if is_apart(cover.sharing, cover, state, candidate, kind, way):
            continue
        item = cover.sets[candidate, kind]
        size = state.size[item]
        state.size[item] = size - 1
        state.link[item] ^= candidate
        if item < cover.n_variables:
            _move_down(state, item, size)
        if size <= 2 and item < cover.n_propagated:
            if size == 1:
                possible = False
                state.scalars[EMPTY] = item
            else:
                state.forced[state.scalars[N_FORCED]] = item
                state.scalars[N_FORCED] += 1
    return possible


@inlined
def _assign(cover: Cover, state: CoverState, candidate: int) -> bool:
    """Assign `candidate` and remove its rivals; False at a dead end."""
    state.assigned[state.scalars[N_ASSIGNED]] = candidate
    state.scalars[N_ASSIGNED] += 1
    state.alive[candidate] = 0
    kinds = cover.sets.shape[1]
    _note(state, (candidate << WAY_BITS) + kinds + 1)
    covered = 0
    for kind in range(kinds):
        item = cover.sets[candidate, kind]
        note_covered(cover.sharing, cover, state, item, 1)
        if item < cover.n_variables:  # out of the way, into the bin of size 0
            covered += 1
            for size in range(state.size[item], 0, -1):
                _move_down(state, item, size)
    state.scalars[N_OPEN] -= covered
    for kind in range(kinds):
        item = cover.sets[candidate, kind]
        if not note_covered(cover.sharing, cover, state, item, 1):
            continue
        for index in range(cover.first[item], cover.first[item + 1]):
            rival = cover.members[index]
            if state.alive[rival] and not _remove(cover, state, rival, kind):
                return False
    return True


@inlined
def propagate(cover: Cover, state: CoverState, possible: bool) -> None:
    """Assign every forced set, to a fixpoint or a dead end; it is one if not `possible`."""
    while possible and state.scalars[N_FORCED] > 0:
        state.scalars[N_FORCED] -= 1
        candidate = state.link[state.forced[state.scalars[N_FORCED]]]
        if state.alive[candidate]:  # else it was assigned through another of its sets
            possible = _assign(cover, state, candidate)
    if not possible:
        state.scalars[FAILED] = 1


@inlined
def assign(cover: Cover, state: CoverState, candidate: int) -> None:
    """Assign `candidate`, then every forced set, to a fixpoint or a dead end."""
    propagate(cover, state, _assign(cover, state, candidate))


@inlined
def remove(cover: Cover, state: CoverState, candidate: int) -> None:
    """Remove `candidate`, which is possible, for a reason of the caller's; then as `assign`."""
    propagate(cover, state, _remove(cover, state, candidate, cover.sets.shape[1]))


@inlined
def undo_to(cover: Cover, state: CoverState, mark: int) -> None:
    """Undo all changes since the trail had `mark` entries."""
    kinds = cover.sets.shape[1]
    top, last = np.uint64(state.scalars[N_TRAIL]), np.uint64(mark)
    while top > last:
        top -= np.uint64(1)
        entry = state.trail[top]
        candidate, way = entry >> np.uint32(WAY_BITS), entry & np.uint32((1 << WAY_BITS) - 1)
        assigned = way == kinds + 1
        state.alive[candidate] = 1
        if assigned:
            state.scalars[N_ASSIGNED] -= 1
        for kind in range(kinds):
            item = cover.sets[candidate, kind]
            if assigned:
                note_covered(cover.sharing, cover, state, item, 0)
                if item < cover.n_variables:
                    state.scalars[N_OPEN] += 1
                    for size in range(state.size[item]):
                        _move_up(state, item, np.uint32(size))
            elif not is_apart(cover.sharing, cover, state, candidate, kind, way):
                if item < cover.n_variables:
                    _move_up(state, item, state.size[item])
                state.size[item] += 1
                state.link[item] ^= candidate
    state.scalars[N_TRAIL] = top
    state.scalars[FAILED] = 0
    state.scalars[N_FORCED] = 0


@kernel
def propagate_root(cover: Cover, state: CoverState) -> None:
    """Make `state` the start state with the sets that are forced there assigned."""
    reset_cover(cover, state)
    for item in range(cover.n_propagated):
        if cover.size[item] == 0:
            state.scalars[FAILED] = 1
    for item in range(cover.n_propagated):
        if state.scalars[FAILED] == 0 and state.size[item] == 1 and state.alive[state.link[item]]:
            assign(cover, state, state.link[item])


@inlined
def is_over(cover: Cover, state: CoverState) -> bool:
    """Return whether the cover is complete or a dead end."""
    return bool(state.scalars[FAILED]) or state.scalars[N_OPEN] == 0


@inlined
def n_unassigned(cover: Cover, state: CoverState) -> int:
    """Candidates missing for a complete cover."""
    return int(cover.n_assignments - state.scalars[N_ASSIGNED])
