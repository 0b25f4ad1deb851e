"""Common rules of games whose stones are set on free cells and stay there."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from solver.compiling.bits import FAR, mixed
from solver.compiling.jit import inlined
from solver.compiling.random import Stream, next_place
from solver.contract.domain import Limits, Problem
from solver.contract.rules import Floats, Moves
from solver.games.boards.grid import LETTERS, GridGame, GridPosition, as_ints

Ints = npt.NDArray[np.int32]
#: Numbers of cells that index arrays have no sign, which would be looked at.
UInts = npt.NDArray[np.uint32]
#: Counters of a state: free cells, who moves, who has won.
FREE, TURN, WINNER = range(3)
#: Owners of cells that have no stone, and of the rim.
NOBODY, RIM = -1, -2


class Board(NamedTuple):
    """A position on a board with a rim one cell wide; a cell is its number there, a move a cell."""

    cells: UInts
    """uint32[cells]: all but the rim, row by row."""
    stones: Ints
    """int32[cells]: 0 where free, else 1 + the number of a player."""
    ordinal: Ints
    """int32[area]: place of a cell in `cells`."""
    width: int
    """Distance from a cell to the one below it."""
    turn: int


class Placed(NamedTuple):
    """The stones of a state."""

    owner: Ints
    """int32[area]: owner of the stone on a cell."""
    free: UInts
    """uint32[cells]: free cells in any order, then those with stones, the last one first."""
    place: UInts
    """uint32[area]: where a free cell stands in `free`."""
    counters: Ints
    """int32[3]."""


def new_board(position: GridPosition) -> Board:
    """Return a position as the rules read it."""
    rows, columns = position.cells.shape
    inner = np.zeros((rows + 2, columns + 2), bool)
    inner[1:-1, 1:-1] = True
    cells = np.flatnonzero(inner)
    ordinal = np.full(inner.size, -1)
    ordinal[cells] = np.arange(len(cells))
    stones = position.cells.ravel()
    turn = int(position.turn)
    return Board(cells.astype(np.uint32), as_ints(stones), as_ints(ordinal), columns + 2, turn)


def new_placed(board: Board) -> Placed:
    """Allocate the stones of a state."""
    area, n = len(board.ordinal), len(board.cells)
    owner, counters = np.zeros(area, np.int32), np.zeros(3, np.int32)
    return Placed(owner, np.zeros(n, np.uint32), np.zeros(area, np.uint32), counters)


@inlined
def clear(board: Board, placed: Placed) -> None:
    """Take all stones off the board."""
    placed.counters[FREE] = len(board.cells)
    placed.counters[TURN] = board.turn
    placed.counters[WINNER] = NOBODY
    for cell in range(len(placed.owner)):
        placed.owner[cell] = RIM
    for number in range(len(board.cells)):
        placed.owner[board.cells[number]] = NOBODY
        placed.free[number] = board.cells[number]
        placed.place[board.cells[number]] = number


@inlined
def put(placed: Placed, cell: int, player: int) -> None:
    """Set a stone on a free cell."""
    last = placed.counters[FREE] - 1
    other, at = placed.free[last], placed.place[cell]
    placed.free[at] = other
    placed.free[last] = cell
    placed.place[other] = at
    placed.counters[FREE] = last
    placed.owner[cell] = player


def who_moves(instance: Any, state: Any) -> int:
    """Return the player to move: `player` of games whose instances and states have a `board`."""
    return int(state.board.counters[TURN])


@inlined
def _possible(placed: Placed) -> int:
    return int(placed.counters[FREE]) if placed.counters[WINNER] == NOBODY else 0


@inlined
def free_cells(instance: Any, state: Any, stream: Stream, moves: Moves) -> int:
    """`legal_moves` of such games: all free cells, none once somebody has won."""
    n = _possible(state.board)
    for number in range(n):
        moves[number] = state.board.free[number]
    return n


@inlined
def any_free_cell(instance: Any, state: Any, stream: Stream, moves: Moves) -> int:
    """`draw_move` of such games."""
    n = _possible(state.board)
    if n > 0:
        moves[0] = state.board.free[next_place(stream, n)]
    return n


def winner_takes_all(instance: Any, state: Any, rewards: Floats) -> None:
    """`rewards` of such games: without a winner all get alike."""
    winner = state.board.counters[WINNER]
    for number in range(len(rewards)):
        rewards[number] = 1.0 / len(rewards) if winner == NOBODY else 1.0 * (winner == number)


@inlined
def stone_code(instance: Any, state: Any, move: int) -> int:
    """Return `code` of such games: the player to move, and the cell."""
    cells = len(instance.board.cells)
    return int(cells * state.board.counters[TURN] + instance.board.ordinal[move])


@inlined
def stones_key(instance: Any, state: Any) -> np.uint64:
    """Return `key` of such games: the player to move and the stones, in any order."""
    total = mixed(FAR + state.board.counters[TURN])
    for number in range(len(instance.board.cells)):
        owner = state.board.owner[instance.board.cells[number]]
        if owner != NOBODY:
            total += mixed(4 * number + owner)
    return total


class PlacementGame(GridGame):
    """Positions and moves of games whose instances and states have a `board`."""

    vertex_letters: ClassVar[str] = LETTERS.replace("i", "")
    """Letters of the columns in the Go Text Protocol, without i; rows count from below."""
    vertex_words: ClassVar[dict[str, str]] = {}
    """Words of that protocol for moves whose text names no cell, by the text."""

    def position(self, instance: Any, state: Any) -> GridPosition:
        """Stones and turn of a state."""
        rows, columns = self.shape(instance)
        cells = 1 + state.board.owner[instance.board.cells].astype(np.int64)
        return GridPosition(cells.reshape(rows, columns), int(state.board.counters[TURN]))

    def shape(self, instance: Any) -> tuple[int, int]:
        """Rows and columns."""
        columns = instance.board.width - 2
        return len(instance.board.cells) // columns, columns

    def cell(self, instance: Any, move: int) -> tuple[int, int]:
        """Row and column of a move, from above and from the left."""
        _, columns = self.shape(instance)
        return divmod(int(instance.board.ordinal[move]), columns)

    def format_move(self, instance: Any, state: Any, move: int) -> str:
        """Write the name of a cell."""
        rows, _ = self.shape(instance)
        return self.cell_name(*self.cell(instance, move), rows)

    def limits(self, instance: Any) -> Limits:
        """Every move takes a free cell."""
        free, cells = int((instance.board.stones == 0).sum()), len(instance.board.cells)
        return Limits(free, free, free * (free + 1) // 2, cells * self.players(instance))

    def empty(self, rows: int, columns: int) -> Problem:
        """Return the board without stones."""
        return Problem("start", GridPosition(np.zeros((rows, columns), np.int64), 0))
