"""Prior code of Morpion Solitaire: lines that a move makes possible, and impossible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.contract import rules
from solver.domains.morpion.board import (
    AREA,
    DIRECTIONS,
    LENGTH,
    READY,
    STEP,
    Morpion,
    MorpionState,
    missing_dot,
)
from solver.priors.priors import table_odds

#: Places of the new dot in its line: at an end, next to one, in the middle.
PLACES = 3
#: Lines gained and lost are counted up to these, the last is "or more".
GAINS, LOSSES = 7, 7


class LineTable(NamedTuple):
    """Direction, where the new dot is in the line, lines that can be drawn more, and no more."""

    table: npt.NDArray[np.float64]


@rules.prior_code.register(LineTable)
def line_code(prior: LineTable, instance: Morpion, state: MorpionState, move: int) -> int:
    count, reach = state.on_line, instance.reach
    place = missing_dot(state.dot, move)
    along, step = move // AREA, STEP[move // AREA]
    number = (place - move % AREA) // step
    gained, lost = 0, 0
    for direction in range(len(DIRECTIONS)):
        through = direction * AREA + place
        for _ in range(LENGTH):
            if direction != along:
                gained += count[through] == READY - 1
                lost += count[through] == READY
            through -= STEP[direction]
    for k in range(-READY, LENGTH):
        # The others on its track: those across it are blocked, those beyond may get the dot.
        dots = count[move + k * step]
        if -reach <= k <= reach:
            lost += dots == READY
        elif (k < 0 and number == 0) or (k > 0 and number == READY):
            gained += dots == READY - 1
            lost += dots == READY
    lost -= 1  # the line itself
    gained, lost = min(gained, GAINS - 1), min(lost, LOSSES - 1)
    spot = min(number, READY - number)
    return int((((along > 1) * PLACES + spot) * GAINS + gained) * LOSSES + lost)


rules.odds.register(LineTable)(table_odds)
