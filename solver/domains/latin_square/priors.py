"""Codes of moves on Latin squares: sizes of the sets of a candidate, and the belief in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.domains.latin_square.kernels import CELL, COLUMN, ROW, LatinSquare
from solver.priors.priors import table_odds
from solver.propagation.belief import BELIEF
from solver.propagation.exact_cover import CoverState

DUAL_CAP = 31  # order 20 stays below; larger counts share the last row
TRIPLE_CAP = 16


class DualTable(NamedTuple):
    """The paper's Dual prior: where else the value is possible in the column and the row."""

    table: npt.NDArray[np.float64]


class TripleTable(NamedTuple):
    """Sizes of the three sets of a candidate, in ascending order: cells, rows, columns alike."""

    table: npt.NDArray[np.float64]


@rules.prior_code.register(DualTable)
def dual_code(prior: DualTable, instance: LatinSquare, state: CoverState, move: int) -> int:
    in_column = min(state.size[instance.cover.sets[move, COLUMN]], DUAL_CAP)
    in_row = min(state.size[instance.cover.sets[move, ROW]], DUAL_CAP)
    return int(in_column * (DUAL_CAP + 1) + in_row)


@rules.prior_code.register(TripleTable)
def triple_code(prior: TripleTable, instance: LatinSquare, state: CoverState, move: int) -> int:
    a = min(state.size[instance.cover.sets[move, CELL]], TRIPLE_CAP)
    b = min(state.size[instance.cover.sets[move, ROW]], TRIPLE_CAP)
    c = min(state.size[instance.cover.sets[move, COLUMN]], TRIPLE_CAP)
    low, high = min(a, b, c), max(a, b, c)
    middle = a + b + c - low - high
    return int((low * (TRIPLE_CAP + 1) + middle) * (TRIPLE_CAP + 1) + high)


rules.odds.register(DualTable)(table_odds)
rules.odds.register(TripleTable)(table_odds)

#: Codes that a prior can be learned for.
PRIORS = {
    "triple": PriorCode(
        "triple",
        {"smallest": TRIPLE_CAP + 1, "middle": TRIPLE_CAP + 1, "largest": TRIPLE_CAP + 1},
        TripleTable,
        temperature=32.0,
    ),
    "dual": PriorCode(
        "dual",
        {"in_column": DUAL_CAP + 1, "in_row": DUAL_CAP + 1},
        DualTable,
        temperature=3.0,
    ),
    "belief": BELIEF,
}
