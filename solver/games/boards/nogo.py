"""Nogo, for two or three: captures and suicide are forbidden, the last who can move wins.

A player who cannot move has lost; the others go on (paper 'mcps', 4.5). A cell that is forbidden to
a player stays so: liberties are only ever lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from solver.compiling.bits import hash_items
from solver.compiling.copies import copy_arrays, copy_items
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_place
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Problem
from solver.contract.rules import Moves
from solver.errors import FieldError, InputError
from solver.games.boards.codes.ring import RING, STONES
from solver.games.boards.codes.stones import LIFE, PLACE
from solver.games.boards.endgames.nogo import move_of_endgame, winner_of_endgame
from solver.games.boards.endgames.sets import Endgame, new_endgame
from solver.games.boards.grid import LARGEST, MARKS, GridPosition
from solver.games.boards.liberties import (
    Groups,
    breathes,
    captures,
    new_groups,
    set_stone,
    set_up,
    stifled,
)  # fmt: skip
from solver.games.boards.placement import (
    FREE,
    TURN,
    WINNER,
    Board,
    Ints,
    Placed,
    PlacementGame,
    new_board,
    new_placed,
    stone_code,
    stones_key,
    who_moves,
    winner_takes_all,
)  # fmt: skip
from solver.games.boards.replies import LAST, SECOND
from solver.system.fields import Range, check_fields


class NogoBoard(NamedTuple):
    """A position."""

    board: Board
    lost: Ints
    """int32[players]: 1 for those who cannot move."""
    misere: int
    """1 if the last who can move loses."""


class NogoState(NamedTuple):
    """Stones and their groups, and the legal moves of the player to move."""

    board: Placed
    groups: Groups
    lost: Ints
    """int32[players]."""
    legal: Ints
    """int32[1 + cells]: how many cells are possible, and which."""
    endgame: Endgame
    """Scratch of searches for its winner."""


@inlined
def _list(instance: NogoBoard, state: NogoState, mover: int) -> int:
    """Note the moves of `mover`; returns how many there are."""
    n, board = 0, instance.board
    for number in range(state.board.counters[FREE]):
        cell = state.board.free[number]
        state.legal[1 + n] = cell
        n += breathes(board, state.groups, cell, mover) & (
            not captures(board, state.groups, cell, mover)
        )
    state.legal[0] = n
    return n


@inlined
def _pass_over(instance: NogoBoard, state: NogoState) -> None:
    """Go to the first player who can move; those before him have lost."""
    left, players, counters = 0, len(state.lost), state.board.counters
    for number in range(players):
        left += 1 - state.lost[number]
    state.legal[0] = 0
    while left > 1:
        if state.lost[counters[TURN]] == 0:
            if _list(instance, state, counters[TURN]) > 0:
                return
            state.lost[counters[TURN]] = 1
            left -= 1
        counters[TURN] = (counters[TURN] + 1) % players
    for number in range(players):
        if state.lost[number] == 0:
            counters[TURN] = number
            counters[WINNER] = number ^ instance.misere


@rules.reset.register(NogoBoard)
def reset(instance: NogoBoard, state: NogoState) -> None:
    set_up(instance.board, state.board, state.groups)
    copy_items(instance.lost, state.lost)
    _pass_over(instance, state)


@rules.legal_moves.register(NogoBoard)
def legal_moves(instance: NogoBoard, state: NogoState, stream: Stream, moves: Moves) -> int:
    for number in range(state.legal[0]):
        moves[number] = state.legal[1 + number]
    return int(state.legal[0])


@rules.draw_move.register(NogoBoard)
def draw_move(instance: NogoBoard, state: NogoState, stream: Stream, moves: Moves) -> int:
    n = state.legal[0]
    if n > 0:
        moves[0] = state.legal[1 + next_place(stream, n)]
    return int(n)


@rules.play.register(NogoBoard)
def play(instance: NogoBoard, state: NogoState, move: int) -> None:
    mover = state.board.counters[TURN]
    set_stone(instance.board, state.board, state.groups, move, mover)
    state.board.counters[TURN] = (mover + 1) % len(state.lost)
    _pass_over(instance, state)


@rules.copy_state.register(NogoBoard)
def copy_state(instance: NogoBoard, source: NogoState, target: NogoState) -> None:
    copy_arrays(source.board, target.board)
    copy_arrays(source.groups, target.groups)
    copy_items(source.lost, target.lost)
    copy_items(source.legal, target.legal)


rules.won_by_force.register(NogoBoard)(winner_of_endgame)
rules.solved_move.register(NogoBoard)(move_of_endgame)
rules.player.register(NogoBoard)(who_moves)
rules.rewards.register(NogoBoard)(winner_takes_all)
rules.code.register(NogoBoard)(stone_code)


@rules.key.register(NogoBoard)
def key(instance: NogoBoard, state: NogoState) -> np.uint64:
    return stones_key(instance, state) + hash_items(state.lost, 4)


@dataclass(frozen=True)
class NogoOptions:
    """Size of the board, and how many play.

    Parameters
    ----------
    size : int
        Rows and columns.
    rows : int or None
        Rows, if other than the columns.
    players : int
        2 or 3.
    misere : bool
        The last who can move loses; of two players only.
    """

    size: Annotated[int, Range(1, LARGEST)] = 5
    rows: Annotated[int, Range(1, LARGEST)] | None = None
    players: Literal[2, 3] = 2
    misere: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if self.misere and self.players != 2:
            raise FieldError("misere", "is of two players, expected players 2")


class Nogo(PlacementGame):
    """Nogo: captures are forbidden; columns have the letters of Go boards, without i."""

    name: ClassVar[str] = "nogo"
    instance_class: ClassVar[type] = NogoBoard
    options: ClassVar[type[NogoOptions]] = NogoOptions
    shipped_prior: ClassVar[str | None] = "nogo-visits"
    prior_in: ClassVar[str] = "both"
    prior_temperature: ClassVar[float | None] = 4.0
    drawing: ClassVar[str] = "pipeline.reports.drawings.stones"
    priors: ClassVar[dict[str, PriorCode]] = {
        code.name: code for code in (STONES, LAST, SECOND, RING, PLACE, LIFE)
    }
    start_options: ClassVar[tuple[str, ...]] = ("size", "rows")
    marks: ClassVar[str] = MARKS
    some_lose: ClassVar[bool] = True
    letters: ClassVar[str] = "abcdefghjklmnopqrst"

    def players(self, instance: NogoBoard) -> int:
        """Two or three."""
        return len(instance.lost)

    def start(self, options: NogoOptions) -> Problem:
        """Return the start, without stones."""
        return self.empty(options.rows or options.size, options.size)

    def position(self, instance: NogoBoard, state: NogoState) -> GridPosition:
        """Return the stones, the turn, and the players who have lost."""
        lost = tuple(np.flatnonzero(state.lost).tolist())
        return super().position(instance, state)._replace(lost=lost)

    def check(self, position: GridPosition, source: str) -> None:
        """All groups have liberties."""
        super().check(position, source)
        if marks := stifled(position):
            raise InputError(f"{source}: a group of {marks[0]} has no liberty")

    def instance(self, problem: Problem, options: NogoOptions) -> NogoBoard:
        """Compile a position."""
        position = problem.data
        used = {int(position.cells.max()) - 1, position.turn, *position.lost}
        if max(used) >= options.players:
            mark = self.marks[1 + max(used)]
            raise InputError(f"{problem.name}: {mark} plays, expected --players {max(used) + 1}")
        if len({*position.lost}) == options.players:
            raise InputError(f"{problem.name}: all have lost, expected one who has not")
        lost = np.zeros(options.players, np.int32)
        lost[list(position.lost)] = 1
        return NogoBoard(new_board(position), lost, int(options.misere))

    def new_state(self, instance: NogoBoard) -> NogoState:
        """Allocate a state."""
        placed, groups = new_placed(instance.board), new_groups(instance.board)
        legal = np.zeros(1 + len(instance.board.cells), np.int32)
        lost, endgame = np.zeros(len(instance.lost), np.int32), new_endgame(len(groups.room))
        return NogoState(placed, groups, lost, legal, endgame)
