"""Latin squares, and the exact cover below them, against plain Python."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.latin_square.kernels import LatinSquareOptions
from solver.errors import InputError, VerificationError
from solver.propagation.belief import belief
from solver.propagation.exact_cover import EMPTY, FAILED
from tests.solver.domains.latin_square.plain_latin_square import (
    DOMAIN,
    LISTABLE,
    SEED,
    agrees,
    alive,
    arbitrary,
    assert_recount,
    candidates,
    completable,
    completions,
    instance_of,
    message_odds,
    propagated,
    random_states,
    sorted_group,
    variables,
)

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

    def counts(state: Any) -> list[int]:
        """Scalars but `EMPTY`, which tells of the last dead end only."""
        return np.delete(state.scalars, EMPTY).tolist()

    seen = [
        (contract.mark(instance, state), alive(instance, state), counts(state))
        for state, _, _ in random_states(instance, seed)
        if not state.scalars[FAILED]
    ]
    *_, (state, _, _) = random_states(instance, seed)
    for mark, left, scalars in reversed(seen):
        contract.undo(instance, state, mark)
        assert alive(instance, state) == left
        assert counts(state) == scalars
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


@pytest.mark.slow
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


@pytest.mark.slow
@every_option
@settings(max_examples=15)
@given(grid=completable() | arbitrary(), seed=SEED)
def test_belief_is_what_messages_say(grid: Any, options: LatinSquareOptions, seed: int) -> None:
    """`belief` is the logarithm of the odds that two steps of messages give, in steps of 1/8."""
    instance = instance_of(grid, options)
    code_of = DOMAIN.priors["belief"]
    table = code_of.table_class(np.zeros(code_of.rows))
    for state, moves, _ in random_states(instance, seed):
        if not moves:
            return
        told = message_odds(DOMAIN.answer(instance, state), steps=2)
        odds = [told[sorted_group(instance, [move])[0]] for move in moves]
        for move, its_odds in zip(moves, odds, strict=True):
            code = contract.prior_code(table, instance, state, move)
            exact = 8 * np.log(its_odds / max(sum(odds) - its_odds, 1e-12 * its_odds))
            assert abs(code - 64 - np.clip(exact, -64, 64)) < 0.5 + 1e-6


def test_beliefs_in_equal_candidates_are_equal() -> None:
    """All candidates of an empty square are equally good, whatever the order."""
    for order in (2, 5, 12):
        instance = instance_of(np.full((order, order), -1, np.int16), LatinSquareOptions())
        for state, moves, _ in random_states(instance, seed=1):
            odds = [belief(instance.cover, state, move) for move in moves]
            assert odds == pytest.approx([1 / (order - 1)] * order)
            break


def test_large_counts_share_the_last_row() -> None:
    """Counts beyond the cap of a prior code are capped."""
    instance = instance_of(np.full((40, 40), -1, np.int16), LatinSquareOptions())
    state = DOMAIN.new_state(instance)
    contract.reset(instance, state)
    for prior in (DOMAIN.priors["dual"], DOMAIN.priors["triple"]):
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
def test_options_are_validated(name: str, given: Any, expected: str) -> None:
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
