"""Atarigo: Go, won by the first capture. Suicide is forbidden; a player without a move loses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

from solver.compiling.random import Stream
from solver.contract import rules
from solver.contract.codes import PriorCode
from solver.contract.domain import Problem
from solver.contract.rules import Floats, Moves
from solver.errors import InputError
from solver.games.boards.codes.ring import RING, STONES
from solver.games.boards.codes.stones import LIFE, PLACE
from solver.games.boards.grid import LARGEST, GridPosition
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
    NOBODY,
    TURN,
    WINNER,
    Board,
    Placed,
    PlacementGame,
    new_board,
    new_placed,
    stone_code,
    stones_key,
    who_moves,
)  # fmt: skip
from solver.games.boards.replies import LAST, SECOND
from solver.system.fields import Range, check_fields


class AtarigoBoard(NamedTuple):
    """A position."""

    board: Board


class AtarigoState(NamedTuple):
    """Stones and their groups."""

    board: Placed
    groups: Groups


@rules.reset.register(AtarigoBoard)
def reset(instance: AtarigoBoard, state: AtarigoState) -> None:
    set_up(instance.board, state.board, state.groups)
    # A group without liberties was captured by the player who has moved last.
    for number in range(len(instance.board.cells)):
        cell = instance.board.cells[number]
        owner = state.board.owner[cell]
        root = state.groups.parent[cell]
        if owner != NOBODY and root == cell and state.groups.pairs[cell] == 0:
            state.board.counters[WINNER] = 1 - instance.board.turn


@rules.legal_moves.register(AtarigoBoard)
def legal_moves(instance: AtarigoBoard, state: AtarigoState, stream: Stream, moves: Moves) -> int:
    if state.board.counters[WINNER] != NOBODY:
        return 0
    n, board, mover = 0, instance.board, state.board.counters[TURN]
    for number in range(state.board.counters[FREE]):
        cell = state.board.free[number]
        if (
            state.groups.room[cell] > 0  # nearly always, and soon known
            or breathes(board, state.groups, cell, mover)
            or captures(board, state.groups, cell, mover)
        ):
            moves[n] = cell
            n += 1
    return n


@rules.play.register(AtarigoBoard)
def play(instance: AtarigoBoard, state: AtarigoState, move: int) -> None:
    mover = state.board.counters[TURN]
    if captures(instance.board, state.groups, move, mover):
        state.board.counters[WINNER] = mover
    set_stone(instance.board, state.board, state.groups, move, mover)
    state.board.counters[TURN] = 1 - mover


@rules.decisive_move.register(AtarigoBoard)
def decisive_move(instance: AtarigoBoard, state: AtarigoState) -> int:
    if state.board.counters[WINNER] != NOBODY:
        return -1
    for number in range(state.board.counters[FREE]):
        cell = state.board.free[number]
        if captures(instance.board, state.groups, cell, state.board.counters[TURN]):
            return int(cell)
    return -1


@rules.saving_move.register(AtarigoBoard)
def saving_move(instance: AtarigoBoard, state: AtarigoState) -> int:
    """Return the last liberty of a group of who moves, who captures nothing."""
    if state.board.counters[WINNER] != NOBODY:
        return -1
    board, groups, mover = instance.board, state.groups, state.board.counters[TURN]
    for number in range(state.board.counters[FREE]):
        cell = state.board.free[number]
        if captures(board, groups, cell, 1 - mover) and breathes(board, groups, cell, mover):
            return int(cell)
    return -1


@rules.urgent_move.register(AtarigoBoard)
def urgent_move(instance: AtarigoBoard, state: AtarigoState) -> int:
    """Return -1: searches whose playouts take urgent moves lose more games than they win."""
    return -1


@rules.rewards.register(AtarigoBoard)
def rewards(instance: AtarigoBoard, state: AtarigoState, rewards: Floats) -> None:
    winner = state.board.counters[WINNER]
    if winner == NOBODY:
        winner = 1 - state.board.counters[TURN]
    for number in range(2):
        rewards[number] = 1.0 * (winner == number)


rules.player.register(AtarigoBoard)(who_moves)
rules.code.register(AtarigoBoard)(stone_code)
rules.key.register(AtarigoBoard)(stones_key)


@dataclass(frozen=True)
class AtarigoOptions:
    """Size of the board.

    Parameters
    ----------
    size : int
        Rows and columns.
    rows : int or None
        Rows, if other than the columns.
    """

    size: Annotated[int, Range(1, LARGEST)] = 6
    rows: Annotated[int, Range(1, LARGEST)] | None = None

    def __post_init__(self) -> None:
        check_fields(self)


class Atarigo(PlacementGame):
    """Atarigo: the first capture wins; columns have the letters of Go boards, without i."""

    name: ClassVar[str] = "atarigo"
    instance_class: ClassVar[type] = AtarigoBoard
    options: ClassVar[type[AtarigoOptions]] = AtarigoOptions
    shipped_prior: ClassVar[str | None] = "atarigo"
    prior_in: ClassVar[str] = "both"
    drawing: ClassVar[str] = "pipeline.reports.drawings.stones"
    priors: ClassVar[dict[str, PriorCode]] = {
        code.name: code for code in (STONES, LAST, SECOND, RING, PLACE, LIFE)
    }
    start_options: ClassVar[tuple[str, ...]] = ("size", "rows")
    letters: ClassVar[str] = "abcdefghjklmnopqrst"

    def start(self, options: AtarigoOptions) -> Problem:
        """Return the start, without stones."""
        return self.empty(options.rows or options.size, options.size)

    def check(self, position: GridPosition, source: str) -> None:
        """Check that only the player who moved last has captured."""
        super().check(position, source)
        last = self.marks[2 - position.turn]
        if stifled(position) == last:
            raise InputError(f"{source}: a group of {last}, who moved last, has no liberty")

    def instance(self, problem: Problem, options: Any) -> AtarigoBoard:
        """Compile a position."""
        return AtarigoBoard(new_board(problem.data))

    def new_state(self, instance: AtarigoBoard) -> AtarigoState:
        """Allocate a state."""
        return AtarigoState(new_placed(instance.board), new_groups(instance.board))
