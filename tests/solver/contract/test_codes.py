"""Priors of several codes: their names, and the odds that searches get."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import solver
from solver.algorithms import ALGORITHMS
from solver.compiling.random import new_stream
from solver.contract import rules
from solver.contract.codes import PriorCode, code_named
from solver.errors import InputError
from solver.priors.priors import table_odds
from solver.searching.driver import Budget
from tests.helpers import toy
from tests.toys.sequence import N_PLAYED, WIDTH, Sequence, SequenceDomain, SequenceState

DOMAIN = SequenceDomain()
STEPS = 9


class StepTable(NamedTuple):
    """A prior on the number of values before."""

    table: npt.NDArray[np.float64]


class ValueTable(NamedTuple):
    """A prior on the value."""

    table: npt.NDArray[np.float64]


class TogetherTable(NamedTuple):
    """A prior on all that the three codes know."""

    table: npt.NDArray[np.float64]


@rules.prior_code.register(StepTable)
def step_code(prior: StepTable, instance: Sequence, state: SequenceState, move: int) -> int:
    return int(state.scalars[N_PLAYED] * 2 + move % 2)


@rules.prior_code.register(ValueTable)
def value_code(prior: ValueTable, instance: Sequence, state: SequenceState, move: int) -> int:
    return int(move)


@rules.prior_code.register(TogetherTable)
def together(prior: TogetherTable, instance: Sequence, state: SequenceState, move: int) -> int:
    before = state.values[state.scalars[N_PLAYED] - 1] if state.scalars[N_PLAYED] else WIDTH
    return int((state.scalars[N_PLAYED] * (WIDTH + 1) + before) * WIDTH + move)


for _class in (StepTable, ValueTable, TogetherTable):
    rules.odds.register(_class)(table_odds)

CODES = {
    **SequenceDomain.priors,
    "step": PriorCode("step", {"before": STEPS, "odd": 2}, StepTable),
    "value": PriorCode("value", {"value": WIDTH}, ValueTable),
}
TOGETHER = PriorCode(
    "together", {"step": STEPS, "before": WIDTH + 1, "value": WIDTH}, TogetherTable
)


def test_names_say_the_codes_in_their_order() -> None:
    """A name of several codes gives a code of parts, whose rows follow each other."""
    code = code_named(CODES, "value+pair")
    assert code.name == "value+pair"
    assert [part.name for part in code.singles] == ["value", "pair"]
    assert (code.rows, code.first_rows) == (8 + 72, [0, 8])
    assert code_named(CODES, "pair") is CODES["pair"]
    assert CODES["pair"].singles == (CODES["pair"],)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sum", "prior code 'sum' is unknown, expected one of: pair, step, value"),
        ("pair+", "prior code '' is unknown, expected one of: pair, step, value"),
        ("pair+pair", "prior code 'pair' is given 2 times"),
    ],
)
def test_unknown_names(name: str, message: str) -> None:
    """A code that is not there, or there twice, is named."""
    with pytest.raises(InputError) as error:
        code_named(CODES, name)
    assert str(error.value) == message


@pytest.mark.parametrize("name", ["pair+step", "value+step+pair"])
def test_a_search_sees_the_product_of_the_odds(name: str) -> None:
    """Playouts are those with one table that has the products, of every state and move."""
    code, rng = code_named(CODES, name), np.random.default_rng(2)
    odds = np.exp(rng.normal(0.0, 2.0, code.rows))
    tables = np.split(odds, code.first_rows[1:])
    together_odds = np.ones((STEPS, WIDTH + 1, WIDTH))
    for part, table in zip(code.parts, tables, strict=True):
        for step, before, value in np.ndindex(together_odds.shape):
            row = {"pair": before * WIDTH + value, "value": value, "step": step * 2 + value % 2}
            together_odds[step, before, value] *= table[row[part.name]]
    instance = toy("." * STEPS)

    def scores(prior: Any) -> Any:
        sampling = ALGORITHMS["sampling"]()
        found = solver.search(DOMAIN, instance, sampling, Budget(playouts=300), prior=prior, seed=1)
        return found.trace.playouts.tolist(), found.trace.score.tolist()

    assert scores(code.new_table(odds)) == scores(TOGETHER.new_table(together_odds.ravel()))


def test_rows_of_a_move() -> None:
    """Each part writes the row of its own table, in the order of the name."""
    code = code_named(CODES, "value+step+pair")
    instance, domain = toy("." * STEPS), SequenceDomain()
    state, rows = domain.new_state(instance), np.full(4, -1, np.int64)
    rules.reset(instance, state)
    for move in (5, 2):
        rules.play(instance, state, move)
    rules.legal_moves(instance, state, new_stream(1), np.zeros(WIDTH, np.int64))
    rules.write_rows(code.new_table(np.ones(code.rows)), instance, state, 7, rows, 1)
    assert rows.tolist() == [-1, 7, 2 * 2 + 1, 2 * WIDTH + 7]
