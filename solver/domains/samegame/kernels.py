"""Rules of SameGame: the legal groups, the effect of removing one, and the score."""

from __future__ import annotations

from solver.compiling.copies import copy_items, copy_rows
from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.rules import Moves
from solver.domains.samegame.board import (
    CELL,
    CODE,
    COLOUR,
    FIRST,
    LAST,
    MASKS,
    N_COLUMNS,
    N_GROUPS,
    NOT_SUMMED,
    PLY,
    SCORE,
    SEEN,
    SIZE,
    SameGame,
    SameGameState,
    close_columns,
    drop_groups,
    drop_keys,
    fall,
    filled,
    link_column,
    link_columns,
    list_groups,
    see_unchanged,
    sum_keys,
)

CLEARED = 1000
#: Cost of a remaining cell in the shaped score; with 25 and 40 games end alike.
CELL_COST = 15.0
#: Moves after which pairs of the tabu colour may be played.
TABU_PLIES = 10


@rules.reset.register(SameGame)
def reset(instance: SameGame, state: SameGameState) -> None:
    _copy_board(instance.start, state)


@rules.copy_state.register(SameGame)
def copy_state(instance: SameGame, source: SameGameState, target: SameGameState) -> None:
    _copy_board(source, target)
    for ply in range(source.scalars[PLY]):
        target.played[ply] = source.played[ply]


@inlined
def _copy_board(source: SameGameState, target: SameGameState) -> None:
    """Copy all but the moves, and only groups in use."""
    copy_rows(source.column, target.column)
    copy_rows(source.key, target.key)
    for place in range(source.scalars[N_GROUPS]):
        for item in range(MASKS):
            target.group[place, item] = source.group[place, item]
        for x in range(source.group[place, FIRST], source.group[place, LAST] + 1):
            target.group[place, MASKS + x] = source.group[place, MASKS + x]
        target.group_of[source.group[place, CELL]] = place
    copy_items(source.left, target.left)
    copy_items(source.scalars, target.scalars)


@rules.legal_moves.register(SameGame)
def legal_moves(instance: SameGame, state: SameGameState, stream: Stream, moves: Moves) -> int:
    group = state.group
    n_groups = state.scalars[N_GROUPS]
    n = 0
    if instance.tabu:
        late = state.scalars[PLY] >= TABU_PLIES
        for place in range(n_groups):
            moves[n] = group[place, CELL]  # without a branch that nobody can predict
            n += (group[place, COLOUR] != instance.dominant) | (late & (group[place, SIZE] == 2))
        if n > 0:
            return n
    for place in range(n_groups):
        moves[place] = group[place, CELL]
    return n_groups


@rules.play.register(SameGame)
def play(instance: SameGame, state: SameGameState, move: int) -> None:
    column, group, scalars = state.column, state.group, state.scalars
    place = state.group_of[move]
    size, columns = group[place, SIZE], scalars[N_COLUMNS]
    first, last = group[place, FIRST], group[place, LAST]
    state.left[group[place, COLOUR]] -= size
    state.played[scalars[PLY]] = move
    scalars[PLY] += 1
    scalars[SCORE] += (size - 2) * (size - 2)
    begin, end = max(first - 1, 0), min(last + 2, columns)
    see_unchanged(column, group, place, begin, end)
    empty = False
    for x in range(first, last + 1):
        drop_keys(state.key, x, filled(column, x), group[place, MASKS + x])
        fall(column, x, group[place, MASKS + x])
        link_column(column, x)
        empty |= filled(column, x) == 0
    if empty:
        end = columns
        for x in range(begin, end):
            column[x, SEEN] = 0
    n_groups = drop_groups(column, group, state.group_of, scalars[N_GROUPS], begin, end)
    if empty:
        end = close_columns(column, state.key, first, columns)
        scalars[N_COLUMNS] = end
    for x in range(begin, end):
        link_columns(column, x)
    scalars[N_GROUPS] = list_groups(
        instance.height, column, group, state.group_of, n_groups, begin, end
    )


@rules.score.register(SameGame)
def score(instance: SameGame, state: SameGameState) -> float:
    cleared = CLEARED if state.scalars[N_COLUMNS] == 0 else 0
    return float(state.scalars[SCORE] + cleared)


@rules.shaped_score.register(SameGame)
def shaped_score(instance: SameGame, state: SameGameState, score: float) -> float:
    """Count every board as empty, less some points for each cell that is left.

    Otherwise nothing leads to an empty board, which most playouts are far from.
    """
    left = 0
    for colour in range(1, len(state.left)):
        left += state.left[colour]
    return score + CLEARED - CELL_COST * left if left > 0 else score


@rules.code.register(SameGame)
def code(instance: SameGame, state: SameGameState, move: int) -> int:
    group, place = state.group, state.group_of[move]
    if group[place, CODE] == NOT_SUMMED:
        group[place, CODE] = sum_keys(state.key, group, place)
    return group[place, CODE]


@rules.is_solution_move.register(SameGame)
def is_solution_move(
    instance: SameGame, state: SameGameState, solution: Moves, step: int, move: int
) -> bool:
    steps = len(solution) // (2 + instance.width * instance.height)  # see `choices`
    return bool(step < steps and solution[step] == move)
