"""The code of priors for Breakthrough and Knightthrough, of no size of board."""

from __future__ import annotations

from typing import NamedTuple

from solver.compiling.jit import inlined
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.rules import Floats
from solver.games.boards.grid import TEMPERATURE
from solver.games.boards.runners import NOBODY, STEPS, TURN, RunnersBoard, RunnersState
from solver.priors.priors import table_odds


class ExchangesTable(NamedTuple):
    """Progress of a move, and the pieces of both players that could capture after it."""

    table: Floats


#: Numbers of pieces are told apart up to FEW, rows left to the goal and rows from home up to NEAR.
FEW, NEAR = 2, 3
EXCHANGES = PriorCode(
    "exchanges",
    {
        "rows": 2 * NEAR + 2, "captures": 2, "attackers": FEW + 1, "defenders": FEW + 1,
        "attacked": FEW + 1, "escapes": FEW + 1,
    },
    ExchangesTable,
    TEMPERATURE,
)  # fmt: skip


@inlined
def _capturing(instance: RunnersBoard, state: RunnersState, cell: int, player: int) -> int:
    """Return the number of pieces of `player` that could capture on a cell."""
    found = 0
    for step in range(instance.quiet, STEPS):
        to = instance.steps[player, step]
        found += to != 0 and state.owner[cell - to] == player
    return found


@inlined
def _captured(instance: RunnersBoard, state: RunnersState, cell: int, player: int) -> int:
    """Return the number of opposing pieces that a piece of `player` on a cell could capture."""
    found = 0
    for step in range(instance.quiet, STEPS):
        to = instance.steps[player, step]
        found += to != 0 and state.owner[cell + to] == 1 - player
    return found


@rules.prior_code.register(ExchangesTable)
def exchanges_code(
    prior: ExchangesTable, instance: RunnersBoard, state: RunnersState, move: int
) -> int:
    mover, cell, step = state.counters[TURN], move // STEPS, move % STEPS
    target, columns = cell + instance.steps[mover, step], instance.columns
    row, last = instance.ordinal[target] // columns, len(instance.cells) // columns - 1
    left = row if mover == 0 else last - row
    rows = left if left <= NEAR else max(2 * NEAR + 1 - (last - left), NEAR + 1)
    # The piece itself does not defend the cell that it goes to.
    defenders = _capturing(instance, state, target, mover) - (step >= instance.quiet)
    found = 2 * rows + (state.owner[target] != NOBODY)
    for few in (
        _capturing(instance, state, target, 1 - mover), defenders,
        _captured(instance, state, target, mover),
        _capturing(instance, state, cell, 1 - mover),
    ):  # fmt: skip
        found = found * (FEW + 1) + min(few, FEW)
    return int(found)


rules.odds.register(ExchangesTable)(table_odds)
