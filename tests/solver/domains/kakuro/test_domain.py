"""Kakuro, and the runs below it, against plain Python."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.compiling.jit import kernel
from solver.compiling.random import new_stream
from solver.contract import rules as contract
from solver.contract.domain import Problem
from solver.domains.kakuro.board import Board
from solver.domains.kakuro.kernels import KakuroOptions
from solver.errors import InputError, VerificationError
from solver.propagation.bits import count_bits, lowest_bit
from solver.propagation.combinations import FAILED, count_sets, sets_of
from tests.solver.domains.kakuro.plain_kakuro import (
    DOMAIN,
    SEED,
    arbitrary,
    assert_recount,
    cell_and_value,
    domains_of,
    fillable,
    fillings,
    instance_of,
    message_odds,
    narrowed,
    possible_sets,
    random_states,
    runs,
    snapshot,
    start,
)

every_option = pytest.mark.parametrize(
    "options",
    [
        KakuroOptions("combinations", "random"),
        KakuroOptions("combinations", "first"),
        KakuroOptions("forward", "random"),
        KakuroOptions("forward", "first"),
    ],
    ids=lambda options: f"{options.propagation}-{options.ties}",
)


@every_option
@settings(max_examples=15)
@given(board=fillable() | arbitrary(), seed=SEED)
def test_state_equals_a_count_from_scratch(board: Board, options: KakuroOptions, seed: int) -> None:
    """After every move what is known of the runs equals what is counted from the cells."""
    instance = instance_of(board, options)
    for state, _, _ in random_states(instance, seed):
        if not state.scalars[FAILED]:
            assert_recount(board, instance, state)


@every_option
@settings(max_examples=15)
@given(board=fillable() | arbitrary(), seed=SEED)
def test_undo_brings_back_every_state(board: Board, options: KakuroOptions, seed: int) -> None:
    """Going back from the end, a dead end too, gives each earlier state again."""
    instance = instance_of(board, options)
    seen = [
        (contract.mark(instance, state), snapshot(instance, state))
        for state, _, _ in random_states(instance, seed)
        if not state.scalars[FAILED]
    ]
    *_, (state, _, _) = random_states(instance, seed)
    for mark, before in reversed(seen):
        contract.undo(instance, state, mark)
        assert snapshot(instance, state) == before
        assert not state.scalars[FAILED]


@every_option
@settings(max_examples=15)
@given(board=fillable() | arbitrary(), seed=SEED)
def test_propagation_equals_plain_propagation(
    board: Board, options: KakuroOptions, seed: int
) -> None:
    """Clues, givens and every move narrow the cells, or meet a dead end, as plain Python does."""
    exact = options.propagation == "combinations"
    instance = instance_of(board, options)
    expected = narrowed(board, start(board), exact)
    for state, moves, move in random_states(instance, seed):
        if expected is None:
            assert state.scalars[FAILED]
            assert not moves
            return
        assert not state.scalars[FAILED]
        assert domains_of(instance, state) == expected
        if move is None:
            assert all(len(values) == 1 for values in expected.values())
            return
        smallest = min(len(values) for values in expected.values() if len(values) > 1)
        cell, value = cell_and_value(instance, move)
        assert len(expected[cell]) == smallest
        assert [cell_and_value(instance, one) for one in moves] == [
            (cell, one) for one in sorted(expected[cell])
        ]
        expected = narrowed(board, {**expected, cell: {value}}, exact)


@pytest.mark.slow
@every_option
@settings(max_examples=15)
@given(board=fillable(4) | arbitrary(), seed=SEED)
def test_propagation_loses_no_filling(board: Board, options: KakuroOptions, seed: int) -> None:
    """Whatever is played, the fillings that agree with the moves stay possible."""
    instance = instance_of(board, options)
    remaining = list(itertools.islice(fillings(board), 200))
    for state, moves, move in random_states(instance, seed):
        domains = domains_of(instance, state)
        if not state.scalars[FAILED]:
            for full in remaining:
                assert all(int(full[cell]) in values for cell, values in domains.items())
        if move is None:
            assert not remaining or (not moves and not state.scalars[FAILED])
            return
        cell, value = cell_and_value(instance, move)
        remaining = [full for full in remaining if full[cell] == value]


@every_option
@settings(max_examples=15)
@given(board=fillable(4), seed=SEED)
def test_every_filling_can_be_reached(board: Board, options: KakuroOptions, seed: int) -> None:
    """Playing the moves of any filling leads to it, which is what `learn` replays."""
    instance = instance_of(board, options)
    moves = np.zeros(max(DOMAIN.limits(instance).moves, 1), np.int64)
    state = DOMAIN.new_state(instance)
    reached = 0
    for full in itertools.islice(fillings(board), 5):
        DOMAIN.verify(Problem("board", board), full)
        solution = DOMAIN.solution(Problem("board", board), full)
        contract.reset(instance, state)
        stream = new_stream(seed)
        with np.errstate(over="ignore"):
            while n := contract.legal_moves(instance, state, stream, moves):
                (move,) = [
                    int(m) for m in moves[:n]
                    if contract.is_solution_move(instance, state, solution, 0, m)
                ]  # fmt: skip
                contract.play(instance, state, move)
        assert np.array_equal(DOMAIN.answer(instance, state), full)
        assert contract.score(instance, state) == 0.0
        reached += 1
    assert reached


@given(board=fillable(), seed=SEED)
def test_first_ties_ignore_the_stream(board: Board, seed: int) -> None:
    """With `ties=first` the first of the smallest cells is listed, and nothing is drawn."""
    instance = instance_of(board, KakuroOptions(ties="first"))
    moves = np.zeros(max(DOMAIN.limits(instance).moves, 1), np.int64)
    for state, listed, _ in random_states(instance, seed):
        stream = new_stream(seed + 1)
        n = contract.legal_moves(instance, state, stream, moves)
        assert moves[:n].tolist() == listed
        assert np.array_equal(stream, new_stream(seed + 1))
        if listed:
            sizes = {c: len(v) for c, v in domains_of(instance, state).items() if len(v) > 1}
            assert cell_and_value(instance, listed[0])[0] == min(sizes, key=lambda c: sizes[c])


def test_random_ties_reach_every_smallest_cell() -> None:
    """With `ties=random` each of the cells with the fewest values is listed for some stream."""
    board = DOMAIN.parse("values 1-5\ncolumns 9 9 9\nrows 9 9 9\n", "x")[0].data
    instance = instance_of(board, KakuroOptions("forward", "random"))
    cells = {next(iter(random_states(instance, seed)))[1][0] for seed in range(80)}
    assert len(cells) == 9


@given(
    st.integers(1, 9), st.integers(1, 4), st.integers(0, 6), st.integers(0, 40)
)  # fmt: skip
def test_sets_are_those_of_itertools(n: int, least: int, size: int, total: int) -> None:
    """The sets of values with a size and sum are found once each, and counted."""
    expected = [
        sum(1 << (value - least) for value in values)
        for values in itertools.combinations(range(least, least + n), size)
        if sum(values) == total
    ]
    assert sorted(sets_of(n, least, size, total).tolist()) == sorted(expected)
    assert count_sets(n, least, size, total) == len(expected)


@kernel
def compiled_bits(bits: int) -> int:
    return count_bits(bits) * 64 + lowest_bit(bits)


@given(st.integers(1, 2**62 - 1))
def test_bits(bits: int) -> None:
    """Compiled and interpreted, sets are counted and their least number found alike."""
    text = f"{bits:b}"
    assert (count_bits(bits), lowest_bit(bits)) == (text.count("1"), text[::-1].index("1"))
    assert compiled_bits(bits) == count_bits(bits) * 64 + lowest_bit(bits)


@every_option
@settings(max_examples=15)
@given(board=fillable(), seed=SEED)
def test_chances_are_shares_of_sets_and_places(
    board: Board, options: KakuroOptions, seed: int
) -> None:
    """`chance` is how many of a run's sets hold the value, over its places, for both runs."""
    instance = instance_of(board, options)
    prior = DOMAIN.priors["chance"]
    for state, moves, _ in random_states(instance, seed):
        domains = domains_of(instance, state)
        for move in moves:
            cell, value = cell_and_value(instance, move)
            steps = []
            for cells, total in lines_through(board, *cell):
                places = sum(value in domains[c] for c in cells)
                share = 1.0
                if options.propagation == "combinations":
                    sets = possible_sets(board, cells, total, domains)
                    share = sum(value in one for one in sets) / len(sets)
                steps.append(max(int(15 + 3 * math.log2(share / places)), 0))
            expected = [min(len(domains[cell]), 7), *sorted(steps)]
            assert components(prior, instance, state, move) == expected


@every_option
@settings(max_examples=15)
@given(board=fillable() | arbitrary(), seed=SEED)
def test_belief_is_what_messages_say(board: Board, options: KakuroOptions, seed: int) -> None:
    """`belief` is the logarithm of the odds that two steps of messages give, in steps of 1/8."""
    instance = instance_of(board, options)
    prior = DOMAIN.priors["belief"]
    for state, moves, _ in random_states(instance, seed):
        if not moves:
            return
        told = message_odds(
            board, domains_of(instance, state), options.propagation == "combinations"
        )
        odds = [told[cell_and_value(instance, move)] for move in moves]
        for move, its_odds in zip(moves, odds, strict=True):
            (code,) = components(prior, instance, state, move)
            exact = 8 * math.log(its_odds / max(sum(odds) - its_odds, 1e-12))
            assert abs(code - 64 - min(max(exact, -64), 64)) < 0.5 + 1e-6


@given(board=fillable(), seed=SEED)
def test_prior_codes_of_the_paper_are_the_components(board: Board, seed: int) -> None:
    """`hints` is the value and the sums of its runs, `remaining` what is left of the runs."""
    instance = instance_of(board, KakuroOptions("forward"))
    hints, remaining = DOMAIN.priors["hints"], DOMAIN.priors["remaining"]
    for state, moves, _ in random_states(instance, seed):
        domains = domains_of(instance, state)
        for move in moves:
            (row, column), value = cell_and_value(instance, move)
            across, down = lines_through(board, row, column)
            assert components(hints, instance, state, move) == [
                value, across[1], down[1],
            ]  # fmt: skip
            places = [sum(value in domains[c] for c in cells) for cells, _ in (across, down)]
            rest = [
                total - sum(min(domains[c]) for c in cells if len(domains[c]) == 1)
                for cells, total in (across, down)
            ]
            assert components(remaining, instance, state, move) == [*places, *rest]


def lines_through(board: Board, row: int, column: int) -> list[Any]:
    return [(cells, total) for cells, total in runs(board) if (row, column) in cells]


def components(prior: Any, instance: Any, state: Any, move: int) -> list[int]:
    row = contract.prior_code(prior.table_class(np.zeros(1)), instance, state, move)
    return [int(c) for c in np.unravel_index(row, list(prior.components.values()))]


def test_score_counts_the_cells_left() -> None:
    """A filled board has score 0, a dead end minus its number of open cells, at least 1."""
    for text, expected in (
        ("columns 3 4\nrows 3 4\n", 0.0),
        ("columns 3 17\nrows 3 17\n", -4.0),
        ("X 5\\ 5\\\n\\3 1 2\n\\7 4 3\n", 0.0),
    ):
        instance = DOMAIN.instance(DOMAIN.parse(text, "text")[0], KakuroOptions())
        *_, (state, _, _) = random_states(instance, 0)
        assert contract.score(instance, state) == expected
    wrong = Board(np.array([[-1, -1], [-1, 5]]), np.array([[[0, 0], [0, 6]], [[6, 0], [0, 0]]]))
    instance = instance_of(wrong, KakuroOptions())
    *_, (state, _, _) = random_states(instance, 0)
    assert contract.score(instance, state) == -1.0


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("propagation", "full", "combinations or forward"),
        ("ties", "last", "random or first"),
    ],
)
def test_options_are_validated(name: str, given: Any, expected: str) -> None:
    """An option that does not exist is refused with what does."""
    message = f"{name} is {given!r}, expected {expected}"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        KakuroOptions(**{name: given})


def test_too_many_sets_are_refused() -> None:
    """Runs with millions of possible sets need forward checking, and the message says so."""
    text = f"values 1-40\ncolumns{' 300' * 15}\nrows{' 300' * 15}\n"
    (problem,) = DOMAIN.parse(text, "wide")
    with pytest.raises(InputError, match=r"^wide: [\d,]+ sets .*: use propagation=forward$"):
        DOMAIN.instance(problem, KakuroOptions())
    assert DOMAIN.instance(problem, KakuroOptions("forward")).lines.n_values == 40


BOARD = "   X 4\\ 11\\\n\\3  .   .\n\\12 .   9\n"
ANSWER = np.array([[0, 0, 0], [0, 1, 2], [0, 3, 9]])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (ANSWER[:2], "the board is (2, 3), expected (3, 3)"),
        (ANSWER + np.eye(3, dtype=int), "row 1, column 1: a value in a black cell"),
        (ANSWER * 0, "row 2, column 2: no value 1 ... 9"),
        (np.where(ANSWER == 3, 10, ANSWER), "row 3, column 2: no value 1 ... 9"),
        (np.where(ANSWER == 9, 8, ANSWER), "row 3, column 3: a given was changed"),
        (
            np.where(ANSWER == 2, 1, ANSWER),
            "the run across after place 1 of line 2 holds a value twice",
        ),
        (
            np.where(ANSWER == 3, 2, ANSWER),
            "the run across after place 1 of line 3 has the sum 11, expected 12",
        ),
        (
            np.array([[0, 0, 0], [0, 2, 1], [0, 3, 9]]),
            "the run down after place 1 of line 2 has the sum 5, expected 4",
        ),
    ],
)
def test_verify_names_the_rule(answer: Any, message: str) -> None:
    """A broken answer is refused with the rule and the place, counted from 1."""
    (problem,) = DOMAIN.parse(BOARD, "board")
    DOMAIN.verify(problem, ANSWER)
    with pytest.raises(VerificationError, match=f"^{re.escape(message)}$"):
        DOMAIN.verify(problem, answer)


def test_boards_that_were_never_parsed_are_checked() -> None:
    """An instance made of a board without a clue is refused as in a file."""
    board = Board(np.array([[-1, -1], [-1, 0]]), np.array([[[0, 0], [0, 0]], [[5, 0], [0, 0]]]))
    with pytest.raises(InputError, match=r"^made: row 2, entry 2: the run down .* has no clue$"):
        DOMAIN.instance(Problem("made", board), KakuroOptions())
