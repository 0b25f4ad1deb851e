"""Prior codes of Breakthrough and Knightthrough: places and races.

They are of no size of board, and seen by who moves; mirrored boards have the same rows.
"""

from __future__ import annotations

from typing import NamedTuple

from solver.compiling.jit import inlined
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.rules import Floats
from solver.games.boards.exchanges import FEW, NEAR
from solver.games.boards.grid import TEMPERATURE
from solver.games.boards.runners import PIECES, STEPS, TURN, RunnersBoard, RunnersState
from solver.priors.priors import table_odds

#: Distances from the nearer side, and rows to the goal in races, that are told apart.
SIDE, ROWS = 4, 6


class SitesTable(NamedTuple):
    """Row and column that a piece goes to, and to which side."""

    table: Floats


class RaceTable(NamedTuple):
    """Rows to the goal, defenders in the way, and rows that the foremost enemy has to go."""

    table: Floats


SITES = PriorCode(
    "sites", {"rows": 2 * NEAR + 2, "side": SIDE, "turns": 3}, SitesTable, TEMPERATURE
)
RACE = PriorCode(
    "race", {"rows": ROWS, "defenders": FEW + 1, "enemy": ROWS}, RaceTable, TEMPERATURE
)


@inlined
def _rows_left(instance: RunnersBoard, cell: int, player: int) -> int:
    """Rows from a cell to the goal of `player`."""
    row = instance.ordinal[cell] // instance.columns
    if player == 0:
        return int(row)
    return int(len(instance.cells) // instance.columns - 1 - row)


@inlined
def _from_side(instance: RunnersBoard, cell: int) -> int:
    column = instance.ordinal[cell] % instance.columns
    return int(min(column, instance.columns - 1 - column))


@rules.prior_code.register(SitesTable)
def sites_code(prior: SitesTable, instance: RunnersBoard, state: RunnersState, move: int) -> int:
    mover, cell = state.counters[TURN], move // STEPS
    target = cell + instance.steps[mover, move % STEPS]
    left, last = _rows_left(instance, target, mover), len(instance.cells) // instance.columns - 1
    rows = left if left <= NEAR else max(2 * NEAR + 1 - (last - left), NEAR + 1)
    before, side = _from_side(instance, cell), _from_side(instance, target)
    turns = 1 + (side > before) - (side < before)
    return int((rows * SIDE + min(side, SIDE - 1)) * 3 + turns)


@rules.prior_code.register(RaceTable)
def race_code(prior: RaceTable, instance: RunnersBoard, state: RunnersState, move: int) -> int:
    mover, cell = state.counters[TURN], move // STEPS
    target, enemy = cell + instance.steps[mover, move % STEPS], 1 - mover
    left, wide = _rows_left(instance, target, mover), 2 if instance.quiet == 0 else 1
    foremost, defenders = ROWS, 0
    column = instance.ordinal[target] % instance.columns
    for number in range(state.counters[PIECES + enemy]):
        at = state.pieces[enemy, number]
        if at == target:
            continue
        foremost = min(foremost, _rows_left(instance, at, enemy))
        ahead = left - _rows_left(instance, at, mover)
        aside = abs(instance.ordinal[at] % instance.columns - column)
        defenders += ahead > 0 and aside <= wide * ahead
    rows = min(left, ROWS - 1)
    enemy_rows = min(max(foremost - 1, 0), ROWS - 1)
    return int((rows * (FEW + 1) + min(defenders, FEW)) * ROWS + enemy_rows)


for _table_class in (SitesTable, RaceTable):
    rules.odds.register(_table_class)(table_odds)
