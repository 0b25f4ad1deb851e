"""Kakuro in plain Python: boards drawn, their rules, and states recounted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from solver.compiling.random import new_stream, next_below
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.kakuro.board import ACROSS, BLACK, DOWN, Board, framed, runs_of, sum_range
from solver.domains.kakuro.domain import KakuroDomain
from solver.domains.kakuro.kernels import Kakuro, KakuroOptions
from solver.propagation.combinations import N_OPEN, N_TRAIL, LinesState

DOMAIN = KakuroDomain()
SEED = st.integers(0, 2**32)

Cell = tuple[int, int]
Domains = dict[Cell, set[int]]


@st.composite
def fillable(draw: st.DrawFn, largest: int = 5) -> Board:
    """A board of any shape, with runs of one cell too, that can be filled; some values given."""
    rows, columns = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(SEED))
    white = rng.random((rows, columns)) < draw(st.sampled_from([0.6, 0.85, 1.0]))
    white[0, 0] = True
    n_values = max(rows, columns) + draw(st.integers(0, 3))
    least = draw(st.integers(1, 4))
    shifts = np.add.outer(rng.permutation(rows), rng.permutation(columns)) % n_values
    answer = np.where(white, rng.permutation(n_values)[shifts] + least, 0).astype(np.int16)
    board = framed(white, answer, least, least + n_values - 1)
    given = rng.random(white.shape) < draw(st.sampled_from([0.0, 0.0, 0.3]))
    board.cells[1:, 1:][given & white] = answer[given & white]
    return board


@st.composite
def arbitrary(draw: st.DrawFn) -> Board:
    """Random sums, each possible by itself; the board often impossible to fill."""
    side = draw(st.integers(2, 4))
    n_values = side + draw(st.integers(0, 2))
    rng = np.random.default_rng(draw(SEED))
    white = np.ones((side, side), np.bool_)
    board = framed(white, np.zeros((side, side), np.int16), 1, n_values)
    smallest, largest = sum_range(side, 1, n_values)
    sums = rng.integers(smallest, largest + 1, side)
    board.clues[1:, 0, ACROSS], board.clues[0, 1:, DOWN] = sums, rng.permutation(sums)
    return board


# The rules in plain Python


def runs(board: Board) -> list[tuple[list[Cell], int]]:
    """Cells and sum of every run, in the order of the lines of an instance."""
    numbers = np.arange(board.cells.size).reshape(board.cells.shape)
    return [
        (
            [divmod(int(n), board.cells.shape[1]) for n in numbers[run.cells]],
            int(board.clues[run.clue]),
        )
        for run in runs_of(board.cells != BLACK)
    ]


def start(board: Board) -> Domains:
    """Every value in open cells, the given one in others."""
    every = range(board.least, board.most + 1)
    return {
        (int(row), int(column)): {int(board.cells[row, column])} - {0} or set(every)
        for row, column in np.argwhere(board.cells != BLACK)
    }


def possible_sets(board: Board, cells: list[Cell], total: int, domains: Domains) -> list[set[int]]:
    """Sets of values that make the sum of a run, of which its cells can still take each one."""
    fixed = {min(domains[cell]) for cell in cells if len(domains[cell]) == 1}
    union = set().union(*(domains[cell] for cell in cells))
    return [
        set(values)
        for values in itertools.combinations(range(board.least, board.most + 1), len(cells))
        if sum(values) == total and fixed <= set(values) <= union
        if all(
            domains[cell] & (set(values) - fixed) for cell in cells if len(domains[cell]) > 1
        )
    ]  # fmt: skip


def narrowed(board: Board, domains: Domains, exact: bool) -> Domains | None:
    """`domains` with everything that follows from single runs taken out; None at a dead end."""
    domains = {cell: set(values) for cell, values in domains.items()}
    before = None
    while before != domains:
        before = {cell: set(values) for cell, values in domains.items()}
        for cells, total in runs(board):
            for cell in cells:
                if len(domains[cell]) == 1:
                    for other in cells:
                        if other != cell:
                            domains[other] -= domains[cell]
            unknown = [cell for cell in cells if len(domains[cell]) > 1]
            known = [min(domains[cell]) for cell in cells if len(domains[cell]) == 1]
            if len(unknown) + len(known) < len(cells):
                return None
            if not unknown and sum(known) != total:
                return None
            if len(unknown) == 1:
                domains[unknown[0]] &= {total - sum(known)}
            elif exact and unknown:
                _narrow_by_sets(board, cells, total, domains)
            if not all(domains.values()):
                return None
    return domains


def _narrow_by_sets(board: Board, cells: list[Cell], total: int, domains: Domains) -> None:
    """Take out values in no possible set, and others where one that is in all must stand."""
    sets = possible_sets(board, cells, total, domains)
    unknown = [cell for cell in cells if len(domains[cell]) > 1]
    fixed = {min(domains[cell]) for cell in cells if len(domains[cell]) == 1}
    for cell in unknown:
        domains[cell] &= set().union(*sets) - fixed
    for value in set.intersection(*sets) - fixed if sets else ():
        places = [cell for cell in unknown if value in domains[cell]]
        if len(places) == 1:
            domains[places[0]] &= {value}


def message_odds(board: Board, domains: Domains, exact: bool) -> dict[tuple[Cell, int], float]:
    """Odds of each value of the open cells: the product of the second messages of its sets.

    These are its cell, and the places for it in either of its runs, where its rivals have one more:
    that the run leaves the value out.
    """
    open_cells = {cell: values for cell, values in domains.items() if len(values) > 1}
    sets: list[tuple[list[tuple[Cell, int]], float]] = [
        ([(cell, value) for value in values], 0.0) for cell, values in open_cells.items()
    ]
    for cells, total in runs(board):
        ways = possible_sets(board, cells, total, domains) if exact else []
        for value in range(board.least, board.most + 1):
            group = [(cell, value) for cell in cells if value in open_cells.get(cell, ())]
            holding = sum(value in way for way in ways)
            sets.append((group, (len(ways) - holding) / max(holding, 1)))
    first = [1 / max(len(group) - 1 + out, 0.5) for group, out in sets]
    its: dict[tuple[Cell, int], list[int]] = {}
    for number, (group, _) in enumerate(sets):
        for candidate in group:
            its.setdefault(candidate, []).append(number)
    worth = {
        (candidate, number): math.prod(first[other] for other in numbers if other != number)
        for candidate, numbers in its.items()
        for number in numbers
    }
    return {
        candidate: math.prod(
            1 / max(sum(worth[c, n] for c in sets[n][0] if c != candidate) + sets[n][1], 1e-12)
            for n in numbers
        )
        for candidate, numbers in its.items()
    }


def fillings(board: Board) -> Iterator[Any]:
    """Every way to fill `board`, by brute force."""

    def fill(domains: Domains) -> Iterator[Any]:
        left = narrowed(board, domains, exact=False)
        if left is None:
            return
        unknown = [cell for cell in left if len(left[cell]) > 1]
        if not unknown:
            grid = np.zeros(board.cells.shape, np.int16)
            for cell, values in left.items():
                grid[cell] = min(values)
            yield grid
            return
        cell = min(unknown, key=lambda c: len(left[c]))
        for value in left[cell]:
            yield from fill({**left, cell: {value}})

    return fill(start(board))


# States against them


def instance_of(board: Board, options: KakuroOptions) -> Kakuro:
    return DOMAIN.instance(Problem("board", board), options)


def domains_of(instance: Kakuro, state: LinesState) -> Domains:
    """Values of every cell as the state has them, one of an assigned cell."""
    least = instance.lines.least
    found = {}
    for index, place in enumerate(instance.place.tolist()):
        bits = int(state.domain[index])
        values = {least + v for v in range(instance.lines.n_values) if bits >> v & 1}
        if state.value[index] >= 0:
            assert not values
            values = {least + int(state.value[index])}
        found[divmod(place, instance.columns)] = values
    return found


def snapshot(instance: Kakuro, state: LinesState) -> Any:
    """Return the state that `undo` must restore."""
    lines = range(len(state.used))
    return (
        domains_of(instance, state),
        [array.tolist() for array in (state.value, state.used, state.left, state.rest, state.live)],
        [live_sets(instance, state, line) for line in lines],
        int(state.scalars[N_OPEN]),
        int(state.scalars[N_TRAIL]),
    )


def live_sets(instance: Kakuro, state: LinesState, line: int) -> list[set[int]]:
    """Sets of values that a line of the state may still have, sorted."""
    begin = instance.lines.first_set[line]
    masks = sorted(state.sets[begin : begin + state.live[line]].tolist())
    values = range(instance.lines.n_values)
    return [{instance.lines.least + v for v in values if mask >> v & 1} for mask in masks]


def assert_recount(board: Board, instance: Kakuro, state: LinesState) -> None:
    """Counts and sums of runs, and their sets, are what a count from scratch gives."""
    domains = domains_of(instance, state)
    assigned = {
        divmod(place, instance.columns)
        for place, value in zip(instance.place.tolist(), state.value.tolist(), strict=True)
        if value >= 0
    }
    assert state.scalars[N_OPEN] == len(domains) - len(assigned)
    for line, (cells, total) in enumerate(runs(board)):
        values = {min(domains[cell]) for cell in cells if cell in assigned}
        bits = sum(1 << (value - board.least) for value in values)
        assert state.used[line] == bits
        assert state.left[line] == len(cells) - len(values)
        assert state.rest[line] == total - sum(values)
        if instance.lines.exact:
            found = live_sets(instance, state, line)
            expected = possible_sets(board, cells, total, domains)
            assert sorted(map(sorted, found)) == sorted(map(sorted, expected))
    assert not state.is_dirty.any()


def random_states(
    instance: Kakuro, seed: int
) -> Iterator[tuple[LinesState, list[int], int | None]]:
    """One state, at the start and after every random move: legal moves and the next one."""
    stream = new_stream(seed)
    state = DOMAIN.new_state(instance)
    contract.reset(instance, state)
    buffer = np.zeros(max(DOMAIN.limits(instance).moves, 1), np.int64)
    with np.errstate(over="ignore"):
        while n := contract.legal_moves(instance, state, stream, buffer):
            moves = buffer[:n].tolist()
            move = moves[next_below(stream, n)]
            yield state, moves, move
            contract.play(instance, state, move)
    yield state, [], None


def cell_and_value(instance: Kakuro, move: int) -> tuple[Cell, int]:
    cell, value = divmod(move, instance.lines.n_values)
    return divmod(int(instance.place[cell]), instance.columns), value + instance.lines.least
