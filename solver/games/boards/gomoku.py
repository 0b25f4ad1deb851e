"""Gomoku: the first player with five stones in a row, or more, wins; a full board is a draw.

With `exactly_five` longer rows win nothing; with `misere` who has such a row has lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.copies import copy_arrays
from solver.compiling.jit import inlined
from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Problem
from solver.contract.rules import Floats, Moves
from solver.errors import InputError
from solver.games.boards.codes.stones import PLACE
from solver.games.boards.grid import LARGEST, GridPosition
from solver.games.boards.patterns import FIVES
from solver.games.boards.placement import (
    FREE,
    NOBODY,
    TURN,
    WINNER,
    Board,
    Ints,
    Placed,
    PlacementGame,
    any_free_cell,
    clear,
    free_cells,
    new_board,
    new_placed,
    put,
    stone_code,
    stones_key,
    who_moves,
    winner_takes_all,
)  # fmt: skip
from solver.games.boards.replies import LAST, SECOND
from solver.games.boards.rows.fives import FIVE, fifth, row_wins
from solver.games.boards.rows.fours import MOVE, OTHER, REPLY, new_plan, wins_by_fours
from solver.games.boards.rows.threats import (
    FOUR,
    ODDS,
    Windows,
    chance,
    class_of,
    count_windows,
    new_windows,
    threat_odds,
)
from solver.system.fields import Range, check_fields

#: Most rows and columns: tournaments are on 20 x 20.
MOST = 20


class GomokuBoard(NamedTuple):
    """A position."""

    board: Board
    most: int
    """Stones of the longest row that wins."""
    misere: int
    """1 if who has such a row has lost."""


class GomokuState(NamedTuple):
    """Stones."""

    board: Placed
    plan: Ints
    """int32[...]: scratch of a search for wins by fours."""
    windows: Windows
    """Scratch: counted when moves are listed."""


@inlined
def _note_winner(instance: GomokuBoard, state: GomokuState, cell: int, player: int) -> None:
    """Look for rows through a stone."""
    width = instance.board.width
    for step in (1, width - 1, width, width + 1):
        if row_wins(instance, state.board, cell, step, player):
            state.board.counters[WINNER] = player ^ instance.misere


@rules.reset.register(GomokuBoard)
def reset(instance: GomokuBoard, state: GomokuState) -> None:
    clear(instance.board, state.board)
    for number in range(len(instance.board.cells)):
        if instance.board.stones[number] > 0:
            cell = instance.board.cells[number]
            put(state.board, cell, instance.board.stones[number] - 1)
    for number in range(len(instance.board.cells)):  # of all stones: six in a row are no five
        if instance.board.stones[number] > 0:
            cell = instance.board.cells[number]
            _note_winner(instance, state, cell, instance.board.stones[number] - 1)


@rules.play.register(GomokuBoard)
def play(instance: GomokuBoard, state: GomokuState, move: int) -> None:
    mover = state.board.counters[TURN]
    put(state.board, move, mover)
    _note_winner(instance, state, move, mover)
    state.board.counters[TURN] = 1 - mover


@rules.copy_state.register(GomokuBoard)
def copy_state(instance: GomokuBoard, source: GomokuState, target: GomokuState) -> None:
    copy_arrays(source.board, target.board)


@inlined
def _fifth_of_last(instance: GomokuBoard, state: GomokuState, turns: int, player: int) -> int:
    """Return `fifth` of the stone set `turns` turns ago, -1 where it is not of `player`.

    Stones of a position that was given are in any order.
    """
    placed = state.board
    place = placed.counters[FREE] + turns
    if placed.counters[WINNER] != NOBODY or place >= len(placed.free):
        return -1
    cell = int(placed.free[place])
    return fifth(instance, placed, cell, player) if placed.owner[cell] == player else -1


@inlined
def _fifth_of_mover(instance: GomokuBoard, state: GomokuState) -> int:
    placed, found = state.board, -1
    if placed.counters[WINNER] == NOBODY:
        for place in range(placed.counters[FREE], len(placed.free)):
            cell = int(placed.free[place])
            if found < 0 and placed.owner[cell] == placed.counters[TURN]:
                found = fifth(instance, placed, cell, placed.counters[TURN])
    return found


@rules.decisive_move.register(GomokuBoard)
def decisive_move(instance: GomokuBoard, state: GomokuState) -> int:
    return _fifth_of_mover(instance, state)


@rules.saving_move.register(GomokuBoard)
def saving_move(instance: GomokuBoard, state: GomokuState) -> int:
    return _fifth_of_last(instance, state, 0, 1 - state.board.counters[TURN])


@rules.forced_move.register(GomokuBoard)
def forced_move(instance: GomokuBoard, state: GomokuState) -> int:
    """Look for a win by fours."""
    found = wins_by_fours(instance, state.board, state.board.counters[TURN], state.plan)
    return int(state.plan[0, MOVE]) if found > 0 else -1


@inlined
def _may_break(instance: GomokuBoard, state: GomokuState, fours: int, moves: Moves, n: int) -> int:
    """Move those of `moves` to the front that may break the first `fours` of the plan, count them.

    They take a cell of it, make four, or make four together with replies of it.
    """
    plan, placed, kept = state.plan, state.board, 0
    mover = placed.counters[TURN]
    for level in range(fours - 1):
        placed.owner[plan[level, REPLY]] = mover
    count_windows(instance, placed, state.windows)
    for level in range(fours - 1):
        placed.owner[plan[level, REPLY]] = NOBODY
    for number in range(n):
        cell = moves[number]
        keeps = class_of(state.windows.through[mover, cell]) >= FOUR
        for level in range(fours):
            for row in (MOVE, REPLY, OTHER):
                keeps |= plan[level, row] == cell
        if keeps:
            moves[number], moves[kept] = moves[kept], cell
            kept += 1
    count_windows(instance, placed, state.windows)
    return kept


@rules.saving_moves.register(GomokuBoard)
def saving_moves(
    instance: GomokuBoard, state: GomokuState, moves: Moves, n: int
) -> tuple[int, int]:
    """Leave out moves after which the other wins by the fours by which it would win on the move.

    Each of these has a reply, and then there is the fifth stone.
    """
    fours = wins_by_fours(instance, state.board, 1 - state.board.counters[TURN], state.plan)
    if fours == 0:
        return n, 0
    return _may_break(instance, state, fours, moves, n), 2 * fours + 2


@rules.legal_moves.register(GomokuBoard)
def legal_moves(instance: GomokuBoard, state: GomokuState, stream: Stream, moves: Moves) -> int:
    n = free_cells(instance, state, stream, moves)
    if n > 0:
        count_windows(instance, state.board, state.windows)
    return n


@rules.estimate.register(GomokuBoard)
def estimate(instance: GomokuBoard, state: GomokuState, rewards: Floats) -> bool:
    """Look for wins by fours of who moves; else all rows count."""
    placed, mover = state.board, state.board.counters[TURN]
    if instance.misere or placed.counters[WINNER] != NOBODY or placed.counters[FREE] == 0:
        return False
    won = _fifth_of_mover(instance, state) >= 0
    won = won or wins_by_fours(instance, placed, mover, state.plan) > 0
    count_windows(instance, placed, state.windows)
    rewards[mover] = 1.0 if won else chance(state.windows, mover)
    rewards[1 - mover] = 1.0 - rewards[mover]
    return True


class ThreatOdds(NamedTuple):
    """Odds of a cell by the threats that stones of both sides would make there."""

    table: Floats
    """float64[2, CLASSES]: of the threats of who moves, and of those of the other."""


@rules.odds.register(ThreatOdds)
def _threat_odds(prior: ThreatOdds, instance: GomokuBoard, state: GomokuState, move: int) -> float:
    return threat_odds(prior.table, state.windows, move, state.board.counters[TURN])


@rules.urgent_move.register(GomokuBoard)
def urgent_move(instance: GomokuBoard, state: GomokuState) -> int:
    """Look at the two stones set last: in a playout older rows are complete by then."""
    mover = state.board.counters[TURN]
    found = _fifth_of_last(instance, state, 1, mover)
    return found if found >= 0 else _fifth_of_last(instance, state, 0, 1 - mover)


rules.draw_move.register(GomokuBoard)(any_free_cell)
rules.player.register(GomokuBoard)(who_moves)
rules.rewards.register(GomokuBoard)(winner_takes_all)
rules.code.register(GomokuBoard)(stone_code)
rules.key.register(GomokuBoard)(stones_key)


def _has_row(stones: npt.NDArray[np.bool_], most: int) -> bool:
    """Return whether a board, bool[rows, columns], has five to `most` stones in a row."""
    around = np.pad(stones, FIVE)
    for step in ((0, 1), (1, -1), (1, 0), (1, 1)):
        rows = [np.roll(around, np.multiply(place, step), (0, 1)) for place in range(-1, FIVE + 1)]
        five = np.all(rows[1:-1], axis=0)
        if most == FIVE:
            five &= ~rows[0] & ~rows[-1]
        if five.any():
            return True
    return False


@dataclass(frozen=True)
class GomokuOptions:
    """Size of the board, and its rules.

    Parameters
    ----------
    size : int
        Rows and columns.
    rows : int or None
        Rows, if other than the columns.
    exactly_five : bool
        Six in a row or more do not win.
    misere : bool
        Who has five in a row loses.
    """

    size: Annotated[int, Range(1, MOST)] = 9
    rows: Annotated[int, Range(1, MOST)] | None = None
    exactly_five: bool = False
    misere: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


class Gomoku(PlacementGame):
    """Gomoku: five in a row win."""

    name: ClassVar[str] = "gomoku"
    search: ClassVar[str | None] = "puct"
    search_parameters: ClassVar[Mapping[str, Any]] = {"exploration": 0.4, "estimates": True}
    shipped_prior: ClassVar[str | None] = "threats"
    instance_class: ClassVar[type] = GomokuBoard
    options: ClassVar[type[GomokuOptions]] = GomokuOptions
    drawing: ClassVar[str] = "pipeline.reports.drawings.stones"
    priors: ClassVar[dict[str, PriorCode]] = {
        code.name: code for code in (FIVES, LAST, SECOND, PLACE)
    }
    handmade: ClassVar[dict[str, Any]] = {"threats": ThreatOdds(ODDS)}
    start_options: ClassVar[tuple[str, ...]] = ("size", "rows")

    def start(self, options: GomokuOptions) -> Problem:
        """Return the start, without stones."""
        return self.empty(options.rows or options.size, options.size)

    def check(self, position: GridPosition, source: str) -> None:
        """Check the size of the board."""
        rows, columns = position.cells.shape
        if max(rows, columns) > MOST:
            raise InputError(f"{source}: {rows} rows of {columns}, expected {MOST} at most")
        # Other boards are smaller.
        super().check(position._replace(cells=position.cells[:LARGEST, :LARGEST]), source)

    def instance(self, problem: Problem, options: GomokuOptions) -> GomokuBoard:
        """Compile a position, of which at most one player has a row that wins."""
        most = FIVE if options.exactly_five else MOST
        if all(_has_row(problem.data.cells == mark, most) for mark in (1, 2)):
            raise InputError(f"{problem.name}: both players have five in a row")
        return GomokuBoard(new_board(problem.data), most, int(options.misere))

    def new_state(self, instance: GomokuBoard) -> GomokuState:
        """Allocate a state."""
        board = instance.board
        return GomokuState(new_placed(board), new_plan(), new_windows(len(board.ordinal)))
