"""Prior codes of a stone by its groups and by its place on the board.

They are of no size of board, and seen by who moves. Boards that turns and mirrors make alike have
the same rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.rules import Floats
from solver.games.boards.grid import TEMPERATURE
from solver.games.boards.liberties import root_of
from solver.games.boards.placement import FREE, TURN
from solver.priors.priors import table_odds

#: Distances from the sides that are told apart, and quarters of the game.
SIDE, QUARTERS = 4, 4
#: Pairs of a stone and a free cell beside it that are told apart, of a group after the move, of one
#: of others; and groups beside the cell.
AFTER, LEFT, GROUPS = 8, 6, 3


class PlaceTable(NamedTuple):
    """Distances from the two nearest sides, the smaller one first, by quarters of the game."""

    table: Floats


class LifeTable(NamedTuple):
    """Room of the group that the stone joins, and of those of others beside it."""

    table: Floats


PLACE = PriorCode(
    "place", {"quarter": QUARTERS, "near": SIDE, "far": SIDE}, PlaceTable, TEMPERATURE
)
LIFE = PriorCode(
    "life", {"room": AFTER, "joins": GROUPS, "others": GROUPS, "weakest": LEFT + 1},
    LifeTable, TEMPERATURE,
)  # fmt: skip


@rules.prior_code.register(PlaceTable)
def place_code(prior: PlaceTable, instance: Any, state: Any, move: int) -> int:
    cells, columns = len(instance.board.cells), instance.board.width - 2
    number = instance.board.ordinal[move]
    row, column = number // columns, number % columns
    one = min(row, cells // columns - 1 - row, SIDE - 1)
    other = min(column, columns - 1 - column, SIDE - 1)
    quarter = min((cells - state.board.counters[FREE]) * QUARTERS // cells, QUARTERS - 1)
    return int((quarter * SIDE + min(one, other)) * SIDE + max(one, other))


@rules.prior_code.register(LifeTable)
def life_code(prior: LifeTable, instance: Any, state: Any, move: int) -> int:
    """Count pairs of a stone and a free cell beside it, of each group once."""
    owner, mover, width = state.board.owner, state.board.counters[TURN], instance.board.width
    groups, steps = state.groups, (-width, 1, width, -1)
    room, joins, others, weakest = groups.room[move], 0, 0, LEFT
    for place in range(4):
        near = move + steps[place]
        if owner[near] < 0:
            continue
        root, again, touching = root_of(groups.parent, near), False, 0
        for number in range(4):
            at = move + steps[number]
            same = owner[at] >= 0 and root_of(groups.parent, at) == root
            again |= same and number < place
            touching += same
        if again:
            continue
        left = groups.pairs[root] - touching
        if owner[near] == mover:
            room, joins = room + left, joins + 1
        else:
            weakest, others = min(weakest, left), others + 1
    row = min(room, AFTER - 1) * GROUPS + min(joins, GROUPS - 1)
    return int((row * GROUPS + min(others, GROUPS - 1)) * (LEFT + 1) + weakest)


for _table_class in (PlaceTable, LifeTable):
    rules.odds.register(_table_class)(table_odds)
