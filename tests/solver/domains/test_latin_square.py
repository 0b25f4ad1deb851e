"""Latin squares, and the exact cover below them, against plain Python."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import domain as contract
from solver.domain import Problem
from solver.domains.latin_square import LatinSquare, LatinSquareDomain, LatinSquareOptions
from solver.errors import InputError, VerificationError
from solver.exact_cover import FAILED, N_ASSIGNED, CoverState
from solver.random import new_stream, next_below

DOMAIN = LatinSquareDomain()

every_option = pytest.mark.parametrize(
    "options",
    [
        LatinSquareOptions("channeling", "sets", "random"),
        LatinSquareOptions("channeling", "sets", "first"),
        LatinSquareOptions("channeling", "cells", "random"),
        LatinSquareOptions("forward", "cells", "first"),
    ],
    ids=lambda options: f"{options.propagation}-{options.variables}-{options.ties}",
)
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


@every_option
@settings(max_examples=15)
@given(grid=completable() | arbitrary(), seed=SEED)
def test_state_equals_a_count_from_scratch(
    grid: Any, options: LatinSquareOptions, seed: int
) -> None:
    """After every move sizes, links and bins equal those counted from the candidates left."""
    instance = instance_of(grid, options)
    for state, _, _ in random_states(instance, seed):
        if not state.scalars[FAILED]:
            assert_recount(instance, state)


@every_option
@settings(max_examples=15)
@given(grid=completable() | arbitrary(), seed=SEED)
def test_undo_equals_a_count_from_scratch(
    grid: Any, options: LatinSquareOptions, seed: int
) -> None:
    """Going back from the end, a dead end too, gives each earlier state's candidates again."""
    instance = instance_of(grid, options)
    seen = [
        (contract.mark(instance, state), alive(instance, state), state.scalars.tolist())
        for state, _, _ in random_states(instance, seed)
        if not state.scalars[FAILED]
    ]
    *_, (state, _, _) = random_states(instance, seed)
    for mark, left, scalars in reversed(seen):
        contract.undo(instance, state, mark)
        assert alive(instance, state) == left
        assert state.scalars.tolist() == scalars
        assert_recount(instance, state)


@every_option
@settings(max_examples=15)
@given(grid=completable() | arbitrary(), seed=SEED)
def test_propagation_equals_plain_propagation(
    grid: Any, options: LatinSquareOptions, seed: int
) -> None:
    """Givens and every move force the same cells, and the same dead ends, as plain Python."""
    channeling = options.propagation == "channeling"
    instance = instance_of(grid, options)
    expected = propagated(grid, channeling)
    for state, moves, move in random_states(instance, seed):
        if expected is None:
            assert state.scalars[FAILED]
            assert not moves
            return
        answer = DOMAIN.answer(instance, state)
        assert np.array_equal(answer, expected)
        assert not state.scalars[FAILED]
        assert alive(instance, state) == candidates(expected)
        if not moves:
            assert answer.min() >= 0
            return
        assert sorted_group(instance, moves) in variables(expected, options)
        answer.ravel()[instance.cell[move]] = instance.value[move]
        expected = propagated(answer, channeling)


def sorted_group(instance: LatinSquare, moves: list[int]) -> list[tuple[int, int, int]]:
    """Moves as (row, column, value)."""
    return sorted(
        (*divmod(int(instance.cell[m]), instance.order), int(instance.value[m])) for m in moves
    )


def variables(grid: Any, options: LatinSquareOptions) -> list[list[tuple[int, int, int]]]:
    """The smallest groups of candidates that may be branched on."""
    sets = options.propagation == "channeling" and options.variables == "sets"
    found = [sorted(group) for group in groups(grid, sets)]
    smallest = min(len(group) for group in found)
    return [group for group in found if len(group) == smallest]


@every_option
@settings(max_examples=15)
@given(grid=LISTABLE, seed=SEED)
def test_propagation_loses_no_completion(grid: Any, options: LatinSquareOptions, seed: int) -> None:
    """Whatever is played, the completions that agree with the moves stay possible, no others."""
    instance = instance_of(grid, options)
    remaining = list(completions(grid.copy()))
    for state, moves, _ in random_states(instance, seed):
        answer = DOMAIN.answer(instance, state)
        if state.scalars[FAILED]:
            # The moves, and what they force, fit no completion.
            assert not [full for full in remaining if agrees(instance, state, full)]
            return
        remaining = [full for full in remaining if agrees(instance, state, full)]
        left = alive(instance, state)
        for full in remaining:
            assert (full[answer >= 0] == answer[answer >= 0]).all()
            assert all(int(full[cell]) in values for cell, values in left.items())
            if moves:
                its = [m for m in moves if full.ravel()[instance.cell[m]] == instance.value[m]]
                assert len(its) == 1
    assert len(remaining) == 1


def agrees(instance: LatinSquare, state: CoverState, full: Any) -> bool:
    """Whether `full` holds the candidates assigned so far."""
    assigned = state.assigned[: state.scalars[N_ASSIGNED]]
    return bool((full.ravel()[instance.cell[assigned]] == instance.value[assigned]).all())


@every_option
@settings(max_examples=15)
@given(grid=completable((2, 3, 4, 5)), seed=SEED)
def test_every_completion_can_be_reached(grid: Any, options: LatinSquareOptions, seed: int) -> None:
    """Playing the moves of any completion leads to it."""
    instance = instance_of(grid, options)
    moves = np.zeros(max(DOMAIN.limits(instance).moves, 1), np.int64)
    state = DOMAIN.new_state(instance)
    reached = 0
    for _, full in zip(range(5), completions(grid.copy()), strict=False):
        solution = DOMAIN.solution(Problem("grid", grid), full)
        contract.reset(instance, state)
        stream = new_stream(seed)
        step = 0
        with np.errstate(over="ignore"):
            while n := contract.legal_moves(instance, state, stream, moves):
                (move,) = [
                    int(m) for m in moves[:n]
                    if contract.is_solution_move(instance, state, solution, step, m)
                ]  # fmt: skip
                contract.play(instance, state, move)
                step += 1
        assert np.array_equal(DOMAIN.answer(instance, state), full)
        assert contract.score(instance, state) == 0.0
        reached += 1
    assert reached


@every_option
@settings(max_examples=15)
@given(grid=completable(), seed=SEED)
def test_prior_codes_count_places(grid: Any, options: LatinSquareOptions, seed: int) -> None:
    """`dual` counts where a value fits in column and row; `triple` adds its cell, sorted."""
    instance = instance_of(grid, options)
    dual, triple = DOMAIN.priors["dual"], DOMAIN.priors["triple"]
    tables = [prior.table_class(np.zeros(prior.rows)) for prior in (dual, triple)]
    for state, moves, _ in random_states(instance, seed):
        left = [(r, c, v) for (r, c), vs in alive(instance, state).items() for v in vs]
        for move in moves:
            ((row, column, value),) = sorted_group(instance, [move])
            in_column = sum((c, v) == (column, value) for _, c, v in left)
            in_row = sum((r, v) == (row, value) for r, _, v in left)
            in_cell = sum((r, c) == (row, column) for r, c, _ in left)
            codes = [contract.prior_code(table, instance, state, move) for table in tables]
            assert np.unravel_index(codes[0], list(dual.components.values())) == (
                in_column, in_row,
            )  # fmt: skip
            assert np.unravel_index(codes[1], list(triple.components.values())) == tuple(
                sorted((in_cell, in_row, in_column))
            )


def test_large_counts_share_the_last_row() -> None:
    """Counts beyond the cap of a prior code are capped."""
    instance = instance_of(np.full((40, 40), -1, np.int16), LatinSquareOptions())
    state = DOMAIN.new_state(instance)
    contract.reset(instance, state)
    for prior in DOMAIN.priors.values():
        table = prior.table_class(np.zeros(prior.rows))
        assert contract.prior_code(table, instance, state, 5) == prior.rows - 1


@given(grid=completable(), seed=SEED)
def test_first_ties_ignore_the_stream(grid: Any, seed: int) -> None:
    """With `ties=first` the moves listed depend on the state alone, and nothing is drawn."""
    instance = instance_of(grid, LatinSquareOptions(ties="first"))
    moves = np.zeros(max(DOMAIN.limits(instance).moves, 1), np.int64)
    for state, listed, _ in random_states(instance, seed):
        stream = new_stream(seed + 1)
        n = contract.legal_moves(instance, state, stream, moves)
        assert moves[:n].tolist() == listed
        assert np.array_equal(stream, new_stream(seed + 1))


def test_score_counts_the_cells_left() -> None:
    """A complete square has score 0, a dead end minus its number of holes."""
    for text, expected in (("12\n21\n", 0.0), ("12.\n..3\n...\n", None)):
        instance = DOMAIN.instance(DOMAIN.parse(text, "text")[0], LatinSquareOptions())
        for state, moves, _ in random_states(instance, 0):
            if not moves:
                holes = int((DOMAIN.answer(instance, state) < 0).sum())
                assert contract.score(instance, state) == -holes
                assert expected is None or contract.score(instance, state) == expected


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("propagation", "full", "channeling or forward"),
        ("variables", "rows", "sets or cells"),
        ("ties", "last", "random or first"),
    ],
)
def test_options_are_validated(name: str, given: str, expected: str) -> None:
    """An option that does not exist is refused with what does."""
    message = f"{name} is {given!r}, expected {expected}"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        LatinSquareOptions(**{name: given})


SQUARE = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]])
GIVENS = np.array([[0, -1, -1], [-1, -1, -1], [-1, -1, 1]])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (SQUARE[:2], "the grid is (2, 3), expected (3, 3)"),
        (SQUARE[[1, 0, 2]], "row 1, column 1: a given was changed"),
        (np.where(GIVENS < 0, -1, SQUARE), "row 1 does not hold every value once"),
        (np.array([[0, 1, 2], [1, 2, 2], [2, 0, 1]]), "row 2 does not hold every value once"),
        (np.array([[0, 1, 2], [0, 2, 1], [2, 0, 1]]), "column 1 does not hold every value once"),
        (np.array([[0, 1, 3], [1, 3, 0], [3, 0, 1]]), "row 1 does not hold every value once"),
    ],
)
def test_verify_names_the_rule(answer: Any, message: str) -> None:
    """A broken answer is refused with the rule and the place, counted from 1."""
    problem = Problem("p", GIVENS)
    DOMAIN.verify(problem, SQUARE)
    with pytest.raises(VerificationError, match=f"^{re.escape(message)}$"):
        DOMAIN.verify(problem, answer)


def test_contradicting_givens_are_refused() -> None:
    """An instance made of a grid that was never parsed is checked as well."""
    grid = np.array([[0, -1], [0, -1]])
    message = "made: the same given stands in rows 1 and 2 of column 1"
    with pytest.raises(InputError, match=f"^{message}$"):
        DOMAIN.instance(Problem("made", grid), LatinSquareOptions())
