"""Choices that are as right as the one that was made: groups that the solution removes later."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from solver.contract import rules
from solver.contract.rules import Moves
from solver.domains.samegame.board import FIRST, LAST, MASKS, SIZE, SameGame, SameGameState

Cell = tuple[int, int]

#: Entry for a cell that is never removed.
NEVER = -1


def solution_array(groups: Sequence[set[Cell]], width: int, height: int) -> Moves:
    """Return the solution that removes `groups`, for the replay.

    Returns
    -------
    int64[steps * (2 + width * height)]
        The moves; the sizes of their groups; and for each step the number of the step at which the
        cell is removed that lies in each place then, `NEVER` if it is not.
    """
    columns = [[(x, y) for y in range(height)] for x in range(width)]
    removed: dict[Cell, int] = {}
    layouts = []
    for step, group in enumerate(groups):
        layouts.append([list(column) for column in columns])
        removed |= {columns[x][y]: step for x, y in group}
        rest = [[c for c in column if c not in removed] for column in columns]
        columns = [column for column in rest if column]
    steps = np.full((len(groups), width * height), NEVER, np.int64)
    for step, layout in enumerate(layouts):
        for x, column in enumerate(layout):
            for y, cell in enumerate(column):
                steps[step, x * height + y] = removed.get(cell, NEVER)
    moves = [x * height + y for x, y in map(min, groups)]
    return np.concatenate([moves, [len(group) for group in groups], steps.ravel()]).astype(np.int64)


@rules.is_equal_choice.register(SameGame)
def is_equal_choice(
    instance: SameGame, state: SameGameState, solution: Moves, step: int, move: int
) -> bool:
    """Return whether the solution removes this very group later."""
    cells = instance.width * instance.height
    steps = len(solution) // (2 + cells)
    begin = 2 * steps + step * cells
    later = solution[begin + move]
    group, place = state.group, state.group_of[move]
    if later < 0 or solution[steps + later] != group[place, SIZE]:
        return False
    for x in range(group[place, FIRST], group[place, LAST] + 1):
        for y in range(instance.height):
            mine = (group[place, MASKS + x] >> y) & 1
            if mine and solution[begin + x * instance.height + y] != later:
                return False
    return True
