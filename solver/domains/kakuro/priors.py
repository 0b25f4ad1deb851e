"""Codes of moves in Kakuro that a prior may know: the paper's, and one for hard boards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.jit import inlined
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.domains.kakuro.kernels import Kakuro
from solver.priors.priors import table_odds
from solver.propagation.bits import count_bits
from solver.propagation.combinations import Lines, LinesState
from solver.propagation.line_belief import belief

SIZE_CAP = 7
#: Chances from 1 down to 1 / 32 in steps of a factor of 2 ** (1 / 3); smaller ones share a row.
CHANCE_STEPS = 15
STEPS_PER_HALF = 3
#: Logarithms of odds from -8 to 8, in so many steps for each.
BELIEF_STEPS, BELIEF_CAP = 8, 64
VALUE_CAP = 19
HINT_CAP = 127
PLACES_CAP = 11
LEFT_CAP = 79


class ChanceTable(NamedTuple):
    """Values left for the cell, and the chance that each of its runs gives the move."""

    table: npt.NDArray[np.float64]


class BeliefTable(NamedTuple):
    """Odds of a value in its cell, by two steps of belief propagation."""

    table: npt.NDArray[np.float64]


class HintsTable(NamedTuple):
    """The value and the sums of its two runs, which gives the numbers of the paper's table."""

    table: npt.NDArray[np.float64]


class RemainingTable(NamedTuple):
    """Code as in the paper's text: places for the value, and remainders of the sums."""

    table: npt.NDArray[np.float64]


@inlined
def _places(lines: Lines, state: LinesState, line: int, value: int) -> int:
    """Cells of `line` where `value` is possible."""
    places = 0
    for index in range(lines.first[line], lines.first[line + 1]):
        places += (state.domain[lines.members[index]] >> value) & 1
    return places


@inlined
def _chance_step(lines: Lines, state: LinesState, line: int, value: int) -> int:
    """Share of the run's sets that hold `value`, over the places for it, on a scale of steps."""
    begin, live = lines.first_set[line], state.live[line]
    holding = 0
    for index in range(begin, begin + live):
        holding += (state.sets[index] >> value) & 1
    share = holding / live if live else 1.0  # forward checking knows no sets
    chance = share / _places(lines, state, line, value)
    return max(int(CHANCE_STEPS + STEPS_PER_HALF * np.log2(chance)), 0)


@rules.prior_code.register(ChanceTable)
def chance_code(prior: ChanceTable, instance: Kakuro, state: LinesState, move: int) -> int:
    lines = instance.lines
    cell, value = move // lines.n_values, move % lines.n_values
    across = _chance_step(lines, state, lines.lines[cell, 0], value)
    down = _chance_step(lines, state, lines.lines[cell, 1], value)
    row = min(count_bits(state.domain[cell]), SIZE_CAP)
    row = row * (CHANCE_STEPS + 1) + min(across, down)
    return int(row * (CHANCE_STEPS + 1) + max(across, down))


@rules.prior_code.register(BeliefTable)
def belief_code(prior: BeliefTable, instance: Kakuro, state: LinesState, move: int) -> int:
    odds = belief(instance.lines, state, move % instance.lines.n_values)
    step = np.rint(BELIEF_STEPS * np.log(odds))
    return int(min(max(step, -BELIEF_CAP), BELIEF_CAP)) + BELIEF_CAP


@rules.prior_code.register(HintsTable)
def hints_code(prior: HintsTable, instance: Kakuro, state: LinesState, move: int) -> int:
    lines = instance.lines
    cell = move // lines.n_values
    row = min(lines.least + move % lines.n_values, VALUE_CAP)
    for side in range(2):
        row = row * (HINT_CAP + 1) + min(lines.total[lines.lines[cell, side]], HINT_CAP)
    return int(row)


@rules.prior_code.register(RemainingTable)
def remaining_code(prior: RemainingTable, instance: Kakuro, state: LinesState, move: int) -> int:
    lines = instance.lines
    cell, value = move // lines.n_values, move % lines.n_values
    row = 0
    for side in range(2):
        places = _places(lines, state, lines.lines[cell, side], value)
        row = row * (PLACES_CAP + 1) + min(places, PLACES_CAP)
    for side in range(2):
        row = row * (LEFT_CAP + 1) + min(state.rest[lines.lines[cell, side]], LEFT_CAP)
    return int(row)


for _table_class in (ChanceTable, BeliefTable, HintsTable, RemainingTable):
    rules.odds.register(_table_class)(table_odds)


PRIORS = {
    code.name: code
    for code in (
        PriorCode(
            "chance",
            {"values": SIZE_CAP + 1, "less": CHANCE_STEPS + 1, "more": CHANCE_STEPS + 1},
            ChanceTable,
            temperature=32.0,
        ),
        PriorCode("belief", {"odds": 2 * BELIEF_CAP + 1}, BeliefTable, temperature=64.0),
        PriorCode(
            "hints",
            {"value": VALUE_CAP + 1, "across": HINT_CAP + 1, "down": HINT_CAP + 1},
            HintsTable,
        ),
        PriorCode(
            "remaining",
            {
                "in_row": PLACES_CAP + 1,
                "in_column": PLACES_CAP + 1,
                "left_across": LEFT_CAP + 1,
                "left_down": LEFT_CAP + 1,
            },
            RemainingTable,
        ),
    )
}
