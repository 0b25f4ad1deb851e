"""Lines of different values with given sums, the engine of Kakuro.

A cell lies in two lines and takes one of `n_values` values that follow each other;
the values of a line differ and add up to its total. Values of cells and of lines
are sets of bits, counted from the least value. `exact` lines know every set of
values with their total, and keep those that the cells can still form: each value
in all of them must be placed, each value in none is impossible. Lines that are
not exact look at the total when one cell is left. A trail allows to go back.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined, kernel
from solver.compiling.random import Stream, next_below
from solver.contract.rules import Moves
from solver.propagation.bits import count_bits, lowest_bit

Int32s = npt.NDArray[np.int32]
#: Numbers of cells, lines and sets: as in `solver.propagation.exact_cover` they have no sign.
UInt32s = npt.NDArray[np.uint32]
Int64s = npt.NDArray[np.int64]
Bits = int | np.int64
"""A set of values."""

N_OPEN, FAILED, N_FORCED, N_DIRTY, N_TRAIL, STUCK, N_FAILURES = range(7)  # scalars of a state
LISTED, WEIGHED = 0, 1  # entries of `listed`


class LinesState(NamedTuple):
    """State of a playout, for c cells in l lines."""

    domain: Int64s
    """int64[c]: values that are possible; 0 once the cell is assigned."""
    value: Int32s
    """int32[c]: the value assigned, counted from the least, -1 before."""
    used: Int64s
    """int64[l]: values assigned in a line."""
    left: Int32s
    """int32[l]: cells of a line that are not assigned."""
    rest: Int32s
    """int32[l]: sum that they must have."""
    live: Int32s
    """int32[l]: sets of a line that are still possible, the first of its sets; 0 if not exact."""
    sets: Int64s
    """int64[s]: sets of the lines, in any order within a line."""
    forced: UInt32s
    """uint32[c]: stack of cells with one value left, `scalars[N_FORCED]` of them."""
    dirty: UInt32s
    """uint32[l]: stack of lines to look at, `scalars[N_DIRTY]` of them."""
    is_dirty: npt.NDArray[np.uint8]
    """uint8[l]: 1 for lines on that stack."""
    trail: Int64s
    """int64[t, 2]: what changed and what it was; a cell's domain, then a line's `live`, then a
    cell's assignment."""
    failures: UInt32s
    """uint32[l]: dead ends that `note_failure` counted for a line; `copy_start` keeps them."""
    odds: npt.NDArray[np.float64]
    """float64[n_values]: scratch of `solver.propagation.line_belief`."""
    listed: Int64s
    """int64[2]: scratch, the cell listed last, and 1 once `odds` has those of its values."""
    scalars: Int64s


class Lines(NamedTuple):
    """Cells in lines with totals; c cells, l lines."""

    lines: UInt32s
    """uint32[c, 2]: the two lines of a cell."""
    first: UInt32s
    """uint32[l + 1]: where a line's cells begin in `members`."""
    members: UInt32s
    """uint32[2 c]: cells of every line, ascending."""
    total: Int32s
    """int32[l]: sum of the values of a line."""
    first_set: UInt32s
    """uint32[l + 1]: where a line's sets begin in `sets` of the state."""
    least: int
    n_values: int
    exact: int
    random_ties: int
    """1: branch on a random one of the smallest cells; 0: on the first."""
    root: LinesState
    """The start state, with everything propagated."""


@functools.lru_cache(maxsize=1 << 16)
def count_sets(n: int, least: int, size: int, total: int) -> int:
    """Count the sets of `size` values among least ... least + n - 1 that add up to `total`."""
    if size == 0 or total <= 0 or n < size:
        return int(size == 0 and total == 0)
    without = count_sets(n - 1, least, size, total)
    return without + count_sets(n - 1, least, size - 1, total - least - n + 1)


@functools.lru_cache(maxsize=1 << 12)
def sets_of(n: int, least: int, size: int, total: int) -> Int64s:
    """Return those sets as bits, int64[count]."""
    if count_sets(n, least, size, total) == 0:
        return np.zeros(0, np.int64)
    if size == 0:
        return np.zeros(1, np.int64)
    without = sets_of(n - 1, least, size, total)
    including = sets_of(n - 1, least, size - 1, total - least - n + 1)
    return np.concatenate([without, including | np.int64(1 << (n - 1))])


@inlined
def _note(state: LinesState, what: int, before: int) -> None:
    state.trail[state.scalars[N_TRAIL], 0] = what
    state.trail[state.scalars[N_TRAIL], 1] = before
    state.scalars[N_TRAIL] += 1


@inlined
def _push_dirty(state: LinesState, line: int) -> None:
    if state.is_dirty[line] == 0:
        state.is_dirty[line] = 1
        state.dirty[state.scalars[N_DIRTY]] = line
        state.scalars[N_DIRTY] += 1


@inlined
def _restrict(lines: Lines, state: LinesState, cell: int, allowed: Bits) -> bool:
    """Keep the `allowed` values of an open `cell`; False at a dead end."""
    before = state.domain[cell]
    after = before & allowed
    if after == before:
        return True
    if after == 0:
        return False
    _note(state, cell, before)
    state.domain[cell] = after
    if after & (after - 1) == 0:
        state.forced[state.scalars[N_FORCED]] = cell
        state.scalars[N_FORCED] += 1
    if lines.exact:
        _push_dirty(state, lines.lines[cell, 0])
        _push_dirty(state, lines.lines[cell, 1])
    return True


@inlined
def _last_value(lines: Lines, state: LinesState, line: int) -> Bits:
    """The value that makes the total where one cell of `line` is left; empty if none does."""
    last = state.rest[line] - lines.least
    if 0 <= last < lines.n_values:
        return np.int64(1) << last
    return np.int64(0)


@inlined
def _assign(lines: Lines, state: LinesState, cell: int) -> bool:
    """Assign the only value left of `cell` and take it from its lines; False at a dead end."""
    bit = state.domain[cell]
    value = lowest_bit(bit)
    _note(state, len(state.domain) + len(state.used) + cell, bit)
    state.domain[cell] = 0
    state.value[cell] = value
    state.scalars[N_OPEN] -= 1
    for side in range(2):
        line = lines.lines[cell, side]
        state.used[line] |= bit
        state.left[line] -= 1
        state.rest[line] -= lines.least + value
    for side in range(2):
        line = lines.lines[cell, side]
        allowed = ~bit
        if state.left[line] == 1:
            allowed &= _last_value(lines, state, line)
        for index in range(lines.first[line], lines.first[line + 1]):
            other = lines.members[index]
            if state.domain[other] and not _restrict(lines, state, other, allowed):
                state.scalars[STUCK] = line
                return False
    return True


@inlined
def _forms(lines: Lines, state: LinesState, line: int, values: Bits) -> bool:
    """Return whether each open cell of `line` has a value in the set `values`."""
    for index in range(lines.first[line], lines.first[line + 1]):
        domain = state.domain[lines.members[index]]
        if domain and domain & values == 0:
            return False
    return True


@inlined
def _filter_sets(lines: Lines, state: LinesState, line: int) -> tuple[Bits, Bits]:
    """Drop the sets that `line` cannot form; return the values of any and of all that are left."""
    used = state.used[line]
    possible = used
    for index in range(lines.first[line], lines.first[line + 1]):
        possible |= state.domain[lines.members[index]]
    begin, live = lines.first_set[line], state.live[line]
    in_any, in_all = np.int64(0), np.int64(-1)
    index = 0
    while index < live:
        values = state.sets[begin + index]
        open_values = values & ~used
        if (
            values & used == used
            and values & ~possible == 0
            and _forms(lines, state, line, open_values)
        ):
            in_any |= open_values
            in_all &= open_values
            index += 1
        else:
            live -= 1
            state.sets[begin + index] = state.sets[begin + live]
            state.sets[begin + live] = values
    if live < state.live[line]:
        _note(state, len(state.domain) + line, state.live[line])
        state.live[line] = live
    return in_any, in_all


@inlined
def _revise(lines: Lines, state: LinesState, line: int) -> bool:
    """Take from the cells of `line` what no set allows, place what all demand; False if stuck."""
    in_any, in_all = _filter_sets(lines, state, line)
    if state.live[line] == 0:
        return False
    once, twice = np.int64(0), np.int64(0)
    for index in range(lines.first[line], lines.first[line + 1]):
        cell = lines.members[index]
        if state.domain[cell]:
            if not _restrict(lines, state, cell, in_any):
                return False
            twice |= once & state.domain[cell]
            once |= state.domain[cell]
    lone = once & ~twice & in_all
    if lone == 0:
        return True
    for index in range(lines.first[line], lines.first[line + 1]):
        cell = lines.members[index]
        here = state.domain[cell] & lone
        if here and (here & (here - 1) or not _restrict(lines, state, cell, here)):
            return False
    return True


@inlined
def _propagate(lines: Lines, state: LinesState) -> None:
    """Assign forced values and revise lines to a fixpoint or a dead end."""
    possible = True
    while possible:
        if state.scalars[N_FORCED] > 0:
            state.scalars[N_FORCED] -= 1
            possible = _assign(lines, state, state.forced[state.scalars[N_FORCED]])
        elif state.scalars[N_DIRTY] > 0:
            state.scalars[N_DIRTY] -= 1
            line = state.dirty[state.scalars[N_DIRTY]]
            state.is_dirty[line] = 0
            possible = _revise(lines, state, line)
            if not possible:
                state.scalars[STUCK] = line
        else:
            return
    state.scalars[FAILED] = 1
    state.scalars[N_FORCED] = 0
    while state.scalars[N_DIRTY] > 0:
        state.scalars[N_DIRTY] -= 1
        state.is_dirty[state.dirty[state.scalars[N_DIRTY]]] = 0


@inlined
def assign(lines: Lines, state: LinesState, cell: int, value: int) -> None:
    """Give `cell` one of its values and propagate."""
    _restrict(lines, state, cell, np.int64(1) << value)
    _propagate(lines, state)


@kernel
def propagate_root(lines: Lines, state: LinesState) -> None:
    """Propagate the start: cells with one value, lines with one cell, and every exact line."""
    for cell in range(len(state.domain)):
        domain = state.domain[cell]
        if domain & (domain - 1) == 0:
            state.forced[state.scalars[N_FORCED]] = cell
            state.scalars[N_FORCED] += 1
    for line in range(len(state.used)):
        if lines.exact:
            _push_dirty(state, line)
        elif state.left[line] == 1:
            allowed = _last_value(lines, state, line)
            if not _restrict(lines, state, lines.members[lines.first[line]], allowed):
                state.scalars[FAILED] = 1
    if state.scalars[FAILED] == 0:
        _propagate(lines, state)
    state.scalars[N_FORCED] = 0
    state.scalars[N_TRAIL] = 0


@inlined
def undo_to(lines: Lines, state: LinesState, mark: int) -> None:
    """Undo all changes since the trail had `mark` entries."""
    cells, all_lines = len(state.domain), len(state.used)
    while state.scalars[N_TRAIL] > mark:
        state.scalars[N_TRAIL] -= 1
        what = state.trail[state.scalars[N_TRAIL], 0]
        before = state.trail[state.scalars[N_TRAIL], 1]
        if what < cells:
            state.domain[what] = before
        elif what < cells + all_lines:
            state.live[what - cells] = before
        else:
            cell = what - cells - all_lines
            for side in range(2):
                line = lines.lines[cell, side]
                state.used[line] ^= before
                state.left[line] += 1
                state.rest[line] += lines.least + state.value[cell]
            state.domain[cell] = before
            state.value[cell] = -1
            state.scalars[N_OPEN] += 1
    state.scalars[FAILED] = 0


@inlined
def note_failure(state: LinesState) -> None:
    """Count the dead end that `state` is for the line that nothing fits."""
    if state.scalars[FAILED]:
        state.failures[state.scalars[STUCK]] += 1
        state.scalars[N_FAILURES] += 1


@inlined
def smallest_cell(lines: Lines, state: LinesState, stream: Stream) -> int:
    """One of the open cells of fewest values, of those a random one whose lines failed most."""
    fewest = 64
    smallest = -1
    ties = 0
    for cell in range(len(state.domain)):
        domain = state.domain[cell]
        if domain:
            size = count_bits(domain)
            if size < fewest:
                fewest, smallest, ties = size, cell, 1
                if size == 2 and not lines.random_ties:
                    break
            elif size == fewest:
                ties += 1
    if not lines.random_ties or ties == 1:
        return smallest
    skip = next_below(stream, ties)
    # Among equals the first from number `skip` on, those before it being the last.
    best, most, best_before, most_before = -1, -1, -1, -1
    for cell in range(smallest, len(state.domain)):
        if state.domain[cell] and count_bits(state.domain[cell]) == fewest:
            if skip == 0 and state.scalars[N_FAILURES] == 0:
                return cell
            failures = np.int64(state.failures[lines.lines[cell, 0]])
            failures += state.failures[lines.lines[cell, 1]]
            if skip > 0:
                if failures > most_before:
                    best_before, most_before = cell, failures
            elif failures > most:
                best, most = cell, failures
            skip -= 1
    return best_before if most_before > most else best


@inlined
def list_values(lines: Lines, state: LinesState, cell: int, moves: Moves) -> int:
    """Write the moves cell * n_values + value of `cell`, ascending; return how many."""
    count = 0
    domain = state.domain[cell]
    while domain:
        moves[count] = cell * lines.n_values + lowest_bit(domain)
        domain &= domain - 1
        count += 1
    state.listed[LISTED] = cell
    state.listed[WEIGHED] = 0
    return count


@inlined
def copy_start(source: LinesState, target: LinesState) -> None:
    """Copy a start state: its sets are in any order, its stacks and trail are empty."""
    for cell in range(len(source.domain)):  # kernels cannot slice: that counts references
        target.domain[cell] = source.domain[cell]
        target.value[cell] = source.value[cell]
    for line in range(len(source.used)):
        target.used[line] = source.used[line]
        target.left[line] = source.left[line]
        target.rest[line] = source.rest[line]
        target.live[line] = source.live[line]
        target.is_dirty[line] = source.is_dirty[line]
    for index in range(N_FAILURES):
        target.scalars[index] = source.scalars[index]
