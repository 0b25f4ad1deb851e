"""Latin squares in plain Python: grids drawn, their rules, and states recounted."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from solver.compiling.random import new_stream, next_below
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.latin_square.domain import LatinSquareDomain
from solver.domains.latin_square.kernels import LatinSquare, LatinSquareOptions
from solver.propagation.exact_cover import N_ASSIGNED, CoverState

DOMAIN = LatinSquareDomain()
SEED = st.integers(0, 2**32)


@st.composite
def completable(draw: st.DrawFn, orders: tuple[int, ...] = (1, 4, 5, 6, 6)) -> Any:
    """A Latin square, its rows, columns and values permuted, with many cells emptied."""
    order = draw(st.sampled_from(orders))
    rows, columns, values = (draw(st.permutations(range(order))) for _ in range(3))
    square = (np.array(rows)[:, None] + np.array(columns)) % order
    grid = np.array(values, np.int16)[square]
    filled = draw(st.integers(0, order * order // 3))
    cells = np.random.default_rng(draw(SEED)).permutation(order * order)
    grid.ravel()[cells[filled:]] = -1
    return grid


@st.composite
def arbitrary(draw: st.DrawFn) -> Any:
    """A few givens that differ in each line; often impossible to complete."""
    order = draw(st.integers(3, 5))
    grid = np.full((order, order), -1, np.int16)
    rng = np.random.default_rng(draw(SEED))
    for cell in rng.permutation(order * order)[: draw(st.integers(0, 2 * order))]:
        row, column = divmod(int(cell), order)
        free = candidates(grid)[row, column]
        if free:
            grid[row, column] = rng.choice(sorted(free))
    return grid


#: Grids of which all completions can be listed: 576 of the empty square of order 4.
LISTABLE = completable((2, 3, 4, 4, 4)) | arbitrary().filter(
    lambda grid: len(grid) < 5 or (grid >= 0).sum() >= 7
)


# The rules in plain Python

Candidates = dict[tuple[int, int], set[int]]


def candidates(grid: Any) -> Candidates:
    """Values of every hole that stand neither in its row nor in its column."""
    return {
        (int(row), int(column)): set(range(len(grid)))
        - set(grid[row].tolist())
        - set(grid[:, column].tolist())
        for row, column in np.argwhere(grid < 0)
    }


def groups(grid: Any, channeling: bool) -> list[list[tuple[int, int, int]]]:
    """The candidates of every hole; with channeling of every missing value of a line too."""
    left = candidates(grid)
    found: dict[tuple[str, int, int], list[tuple[int, int, int]]] = {
        ("cell", row, column): [] for row, column in left
    }
    if channeling:
        for line in range(len(grid)):
            for value in range(len(grid)):
                if value not in grid[line]:
                    found["row", line, value] = []
                if value not in grid[:, line]:
                    found["column", line, value] = []
    for (row, column), values in left.items():
        for value in values:
            found["cell", row, column].append((row, column, value))
            if channeling:
                found["row", row, value].append((row, column, value))
                found["column", column, value].append((row, column, value))
    return list(found.values())


def variables(grid: Any, options: LatinSquareOptions) -> list[list[tuple[int, int, int]]]:
    """The smallest groups of candidates that may be branched on."""
    sets = options.propagation == "channeling" and options.variables == "sets"
    found = [sorted(group) for group in groups(grid, sets)]
    smallest = min(len(group) for group in found)
    return [group for group in found if len(group) == smallest]


def propagated(grid: Any, channeling: bool) -> Any:
    """`grid` with everything forced filled in, None at a dead end."""
    grid = grid.copy()
    while True:
        found = groups(grid, channeling)
        if not all(found):
            return None
        single = [group[0] for group in found if len(group) == 1]
        if not single:
            return grid
        row, column, value = single[0]
        grid[row, column] = value


def completions(grid: Any) -> Iterator[Any]:
    """Every way to complete `grid`, by brute force."""
    left = candidates(grid)
    if not left:
        yield grid.copy()
        return
    cell = min(left, key=lambda c: len(left[c]))
    for value in left[cell]:
        grid[cell] = value
        yield from completions(grid)
        grid[cell] = -1


def message_odds(grid: Any, steps: int) -> dict[tuple[int, int, int], float]:
    """Odds of every candidate: the product of the messages of its sets, after so many steps.

    Messages of candidates begin at 1; a set of one tells as if it had half a rival, at first, and
    then as if its rivals were worth as good as nothing.
    """
    sets = groups(grid, channeling=True)
    of = {c: [i for i, group in enumerate(sets) if c in group] for group in sets for c in group}
    worth = {(c, i): 1.0 for c, its in of.items() for i in its}
    told: dict[tuple[tuple[int, int, int], int], float] = {}
    for step in range(steps):
        least = 0.5 if step == 0 else 1e-12
        for i, group in enumerate(sets):
            for c in group:
                told[c, i] = 1 / max(sum(worth[other, i] for other in group if other != c), least)
        for c, its in of.items():
            for i in its:
                worth[c, i] = float(np.prod([told[c, other] for other in its if other != i]))
    return {c: float(np.prod([told[c, i] for i in its])) for c, its in of.items()}


# States against them


def instance_of(grid: Any, options: LatinSquareOptions) -> LatinSquare:
    return DOMAIN.instance(Problem("grid", grid), options)


def alive(instance: LatinSquare, state: CoverState) -> Candidates:
    """Candidates of every hole as the state has them."""
    grid = DOMAIN.answer(instance, state)
    left: Candidates = {(int(r), int(c)): set() for r, c in np.argwhere(grid < 0)}
    for candidate in np.flatnonzero(state.alive):
        cell = divmod(int(instance.cell[candidate]), instance.order)
        left[cell].add(int(instance.value[candidate]))
    return left


def assert_recount(instance: LatinSquare, state: CoverState) -> None:
    """Sizes, links and bins are what a count from scratch gives."""
    cover = instance.cover
    assigned = state.assigned[: state.scalars[N_ASSIGNED]]
    covered = set(cover.sets[assigned].ravel().tolist())
    left: list[list[int]] = [[] for _ in range(len(cover.size))]
    for candidate in np.flatnonzero(state.alive).tolist():
        for item in cover.sets[candidate].tolist():
            left[item].append(candidate)
    for item, members in enumerate(left):
        if item in covered:
            assert not members
        else:
            assert state.size[item] == len(members)
            assert state.link[item] == functools.reduce(operator.xor, members, 0)
    bins = [len(members) for members in left]
    variables = bins[: cover.n_variables]
    assert sorted(state.by_size.tolist()) == list(range(cover.n_variables))
    assert state.place[state.by_size].tolist() == list(range(cover.n_variables))
    assert [variables[item] for item in state.by_size] == sorted(variables)
    sizes = range(len(state.start))
    assert state.start.tolist() == [sum(size < k for size in variables) for k in sizes]


def random_states(
    instance: LatinSquare, seed: int
) -> Iterator[tuple[CoverState, list[int], int | None]]:
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


def sorted_group(instance: LatinSquare, moves: list[int]) -> list[tuple[int, int, int]]:
    """Moves as (row, column, value)."""
    return sorted(
        (*divmod(int(instance.cell[m]), instance.order), int(instance.value[m])) for m in moves
    )


def agrees(instance: LatinSquare, state: CoverState, full: Any) -> bool:
    """True if `full` holds the candidates assigned so far."""
    assigned = state.assigned[: state.scalars[N_ASSIGNED]]
    return bool((full.ravel()[instance.cell[assigned]] == instance.value[assigned]).all())
